"""How a broker is asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final

from services.errors import BadArgumentError

NODES: Final = (1, 3)
"""One for work at the desk; three are the fewest of which one may fail."""

_PLAIN_WORD: Final = re.compile(r"[A-Za-z0-9_.~-]+")  # needs no quoting in any of Kafka's files


class Listener(StrEnum):
    """The doors of a node, named by the security protocol that is spoken there."""

    PLAINTEXT = "PLAINTEXT"
    SSL = "SSL"
    SASL_PLAINTEXT = "SASL_PLAINTEXT"
    SASL_SSL = "SASL_SSL"


@dataclass(frozen=True, slots=True)
class Tls:
    """PEM files: the broker's key and certificate in one, and who may sign a client's."""

    keystore: Path
    truststore: Path


@dataclass(frozen=True, slots=True)
class BrokerConfig:
    """All about a broker but its number of nodes.

    The plain listener is always there. `tls` adds SSL, where clients must show a certificate;
    `users` (name to password) add SASL_PLAINTEXT with SCRAM-SHA-512 and PLAIN; both together add
    SASL_SSL, where the password is enough.
    """

    directory: Path | None = None  # kept and used again; without one, a temporary one that goes
    port: int | None = None  # the first node's; without one, free ports
    tls: Tls | None = None
    users: Mapping[str, str] = field(default_factory=dict, repr=False)
    properties: Mapping[str, str] = field(default_factory=dict)  # over those we set
    heap_mib_max: int = 256
    start_seconds_max: float = 180.0

    def __post_init__(self) -> None:
        for word in (*self.users, *self.users.values()):
            if not _PLAIN_WORD.fullmatch(word):
                raise BadArgumentError("a broker's users take letters, digits and _ . ~ - only")

    @property
    def listeners(self) -> tuple[Listener, ...]:
        """The listeners that follow from what is given."""
        return (
            Listener.PLAINTEXT,
            *([Listener.SSL] if self.tls else []),
            *([Listener.SASL_PLAINTEXT] if self.users else []),
            *([Listener.SASL_SSL] if self.tls and self.users else []),
        )
