"""What a transaction is entered with: how much of everything it brought, and the chain over it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from services.history.head import chained

COUNTED: Final = ("events", "redelivered", "conflicts", "dead_letters", "changes", "records")
"""What a transaction brought, in the order in which the chain has it."""

ENTER: Final = """
INSERT INTO transactions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::UUID)
"""

HELD: Final = """
SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM findings),
       (SELECT count(*) FROM dead_letters), (SELECT count(*) FROM rounds)
"""


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class Recorded:
    """What a transaction brought so far."""

    events: int = 0
    """Kept, conflicts among them."""
    redelivered: int = 0
    conflicts: int = 0
    dead_letters: int = 0
    changes: int = 0
    """Of findings."""
    records: int = 0
    """The history's own."""
    last_event_no: int = 0
    digest_sums: npt.NDArray[np.uint64] = field(default_factory=lambda: np.zeros(2, np.uint64))

    def add(self, **counts: int) -> None:
        """More of what COUNTED names."""
        for name, count in counts.items():
            assert name in COUNTED
            setattr(self, name, getattr(self, name) + count)

    def counts(self) -> list[int]:
        """In the order of COUNTED."""
        return [getattr(self, name) for name in COUNTED]

    def chain(self, before: str, number: int, at: datetime) -> str:
        """The chain after this transaction, which is recorded under that time."""
        micros = (at - _EPOCH) // timedelta(microseconds=1)
        return chained(before, self.digest_sums, number, micros, *self.counts())


class Numbers(NamedTuple):
    """The last of each that was committed."""

    transaction_no: int
    event_no: int
    chain: str
