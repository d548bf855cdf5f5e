"""What judging carries along a table's stream, kept at places from which it can go on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pyarrow as pa

from services.history.places import Snapshot
from services.history.store import History


def snapshots_of(history: History, tables: Sequence[str]) -> dict[str, list[Snapshot]]:
    """All places of the tables, in order, the beginning of each table before them."""
    index = history.index
    known = {table_id: index.kept(table_id) if index else None for table_id in tables}
    found = {
        table_id: list(kept.places) if kept else [Snapshot(table_id=table_id, seq=0)]
        for table_id, kept in known.items()
    }
    unknown = [table_id for table_id, kept in known.items() if kept is None]
    for row in history.rows(_PLACES, [unknown]) if unknown else ():
        place = Snapshot(**dict(zip(_COLUMNS, row, strict=True)))
        found[place.table_id].append(place)
    return found


def least_numbers(history: History, places: Sequence[tuple[str, int]]) -> list[int]:
    """For each (table, `seq`) a number that no event of the table from there on is below."""
    kept = snapshots_of(history, sorted({table_id for table_id, _ in places}))
    found = []
    for table_id, seq in places:
        before = [place for place in kept[table_id] if place.seq <= seq]
        found.append(before[-1].first_event_no)
    return found


def states_at(history: History, places: Sequence[Snapshot]) -> dict[tuple[str, int], str]:
    """The states at these places, by table and `seq`, as text."""
    found: dict[tuple[str, int], str] = {}
    asked = []
    for place in places:
        kept = history.index.kept(place.table_id) if history.index else None
        if kept is not None and place.seq and kept.places[-1].seq == place.seq:
            found[place.table_id, place.seq] = kept.state
        elif place.seq:
            asked.append(place)
    if not asked:
        return found
    return found | {
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
