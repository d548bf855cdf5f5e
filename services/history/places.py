"""Places in a table's stream from which judging can go on.

Such a place lies just before the first `RoundOpened` of a round. Of each table the latest is kept,
one soon after every opening and every shoe that runs on, and otherwise one every so many rounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

ROUNDS_BETWEEN: Final = 150
"""A late event has that many rounds judged again, more or less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A place in a table's stream, and where there is one the state there."""

    table_id: str
    seq: int
    """Of the `RoundOpened` that is next; 0: the beginning of the stream."""
    last_seq: int = 0
    first_event_no: int = 0
    kept: bool = True
    rounds: int = 0
    """Judged since the one kept before."""
