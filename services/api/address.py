"""Where a service answers: the file `PATH.api` beside the history that it owns.

Only its user can read it, since it holds the token. It is written once the service answers, and
removed before the history is closed. One that was left behind by a killed service names an address
where nobody answers, or somebody who does not give the instance's name: then it is stale.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

SUFFIX: Final = ".api"
INSTANCE_HEADER: Final = "pitproof-instance"
REPORT_FORM: Final = "application/vnd.pitproof.result+json"
"""What a command accepts: the whole result, of which it prints whatever form was asked for."""

NAMED: Final = "named"
"""Parameter of an address: how the one who asks names the history."""


class ServiceAddress(msgspec.Struct, frozen=True):
    """What stands in the file."""

    version: int
    url: str
    """`http://127.0.0.1:8642`"""
    host: str
    port: int
    token: str
    instance: str
    """Drawn anew at each start; every answer carries it."""
    process_id: int
    program: str
    """Version of pitproof that answers."""


def address_path(history: Path) -> Path:
    """The file of a history."""
    return history.with_name(history.name + SUFFIX)


def write_address(history: Path, address: ServiceAddress) -> None:
    """Put the file there, whole, for its user only."""
    path = address_path(history)
    number, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
    try:
        with open(number, "wb") as file:
            os.fchmod(number, 0o600)
            file.write(msgspec.json.encode(address) + b"\n")
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def read_address(history: Path) -> ServiceAddress | None:
    """What the file says; None where there is none, or none that can be used."""
    try:
        return msgspec.json.decode(address_path(history).read_bytes(), type=ServiceAddress)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def remove_address(history: Path) -> None:
    """Take the file away. Only for whoever owns the history: then no other service is there."""
    with suppress(OSError):
        address_path(history).unlink(missing_ok=True)
