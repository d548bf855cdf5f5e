"""What judging carries along a table's stream, kept at places from which it can go on.

Such a place lies just before the first `RoundOpened` of a round. Of each table the latest is kept,
one soon after every opening and every shoe that runs on, and otherwise one every so many rounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import pyarrow as pa

from services.history.store import History

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


def snapshots_of(history: History, tables: Sequence[str]) -> dict[str, list[Snapshot]]:
    """All places of the tables, in order, the beginning of each table before them."""
    found = {table_id: [Snapshot(table_id=table_id, seq=0)] for table_id in tables}
    for row in history.rows(_PLACES, [list(tables)]):
        place = Snapshot(**dict(zip(_COLUMNS, row, strict=True)))
        found[place.table_id].append(place)
    return found


def states_at(history: History, places: Sequence[Snapshot]) -> dict[tuple[str, int], str]:
    """The states at these places, by table and `seq`, as text."""
    asked = [place for place in places if place.seq]
    if not asked:
        return {}
    return {
        (table_id, seq): state
        for table_id, seq, state in history.rows(
            _STATES, [[place.table_id for place in asked], [place.seq for place in asked]]
        )
    }


def forget_states(history: History, places: Sequence[tuple[str, int]]) -> None:
    """Drop what is kept at these places (table, `seq`)."""
    if places:
        history.run(_FORGET, [[table_id for table_id, _ in places], [seq for _, seq in places]])


def keep_states(history: History, places: Sequence[tuple[Snapshot, str]]) -> None:
    """Keep states at places that hold none."""
    if not places:
        return
    columns = {
        name: pa.array([getattr(place, name) for place, _ in places], type_)
        for name, type_ in _COLUMNS.items()
    }
    columns["state"] = pa.array([state for _, state in places], pa.string())
    history.insert("table_states", pa.table(columns))


_COLUMNS: Final = {
    "table_id": pa.string(),
    "seq": pa.int64(),
    "last_seq": pa.int64(),
    "first_event_no": pa.int64(),
    "kept": pa.bool_(),
    "rounds": pa.int32(),
}

_PLACES: Final = (
    f"SELECT {', '.join(_COLUMNS)} FROM table_states "  # noqa: S608 (constants only)
    "WHERE table_id IN (SELECT unnest(?::VARCHAR[])) ORDER BY table_id, seq"
)
_ASKED: Final = "(SELECT unnest(?::VARCHAR[]) AS table_id, unnest(?::BIGINT[]) AS seq) AS asked"
_STATES: Final = (
    f"SELECT table_id, seq, state FROM table_states SEMI JOIN {_ASKED} "  # noqa: S608
    "USING (table_id, seq)"
)
_FORGET: Final = (
    f"DELETE FROM table_states USING {_ASKED} WHERE table_states.table_id = asked.table_id "  # noqa: S608
    "AND table_states.seq = asked.seq"
)
