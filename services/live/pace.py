"""How many records a transaction may have: fewer after one that was for nothing.

On a machine that does much else a long transaction may outlast the member's place in its group. It
is refused then, and would be again and again, were as many records read as before, or more.
"""

from __future__ import annotations

from typing import Final

POLL_RECORDS_MAX: Final = 20_000
"""One poll is one transaction: so many that its commits cost little beside them, so few that it
ends within a second or so, also on a busy machine."""

POLL_RECORDS_MIN: Final = 100
"""So few are written within a few hundredths of a second of work."""


class Pace:
    """Of one member. Runs in the loop's thread."""

    def __init__(self) -> None:
        self.records_max = POLL_RECORDS_MAX
        """Of the next poll."""

    def refused(self, records: int) -> None:
        """A transaction of so many was rolled back: take a quarter."""
        self.records_max = max(POLL_RECORDS_MIN, min(self.records_max, records // 4))

    def committed(self) -> None:
        """One went well: twice as many."""
        self.records_max = min(POLL_RECORDS_MAX, 2 * self.records_max)
