"""Stored events as the engine's columns: what is asked of DuckDB, and what becomes of the answer.

DuckDB hands out numbers without nulls, so that each column is a NumPy view of the Arrow buffer;
names come as text and are numbered here, for one stretch at a time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pyarrow as pa

from replay.arrays import NEVER, compact
from replay.events import NO_INDEX, EventColumns, Int32s, Int64s, TableOpening
from replay.vocabulary import CARD_BAD, CARD_UNREAD, EventKind
from services.arrow import FEW_TEXTS, numbered
from services.history.lookups import KEPT_NONE, LiveRoundOpenings, RoundOpenings, Targets


def _code(name: str) -> str:
    return f'coalesce(enum_code("{name}"), 0)::UTINYINT AS "{name}"'


_COLUMNS: Final = {
    each.rpartition(" AS ")[2].strip('"'): each
    for each in (
        "event_no",
        "standing::UTINYINT AS standing",
        _code("kind"),
        "table_id",
        "seq",
        "epoch_us(occurred_at) AS at_micros",
        "round_id",
        "coalesce(spot, 0) AS spot",
        "coalesce(hand, 0)::UTINYINT AS hand",
        _code("wager"),
        _code("bettor"),
        "coalesce(amount_cents, paid_cents, 0) AS amount_cents",
        "player_id",
        _code("place"),
        f"coalesce(card_code, {CARD_UNREAD})::UTINYINT AS card",
        "CASE WHEN places IS NULL THEN 0 ELSE coalesce(list_bit_or(list_transform("
        "places, lambda p: 1::USMALLINT << enum_code(p))), 0) END::USMALLINT AS places",
        _code("decision"),
        f"coalesce(kept, {KEPT_NONE})::UINTEGER AS kept",
        "coalesce(kept_count, 0) AS kept_count",
        "coalesce(kept_bad, false)::UTINYINT AS kept_bad",
        _code("outcome"),
        _code("reason"),
        "shoe_id",
        "coalesce(decks, 0) AS decks",
        "dealer_id",
        f"CASE WHEN card_code = {CARD_BAD} THEN card WHEN kept_bad THEN array_to_string(cards, ' ')"
        " END AS bad_card",
    )
}
"""By the name of the column, how it is selected."""

EVENT_COLUMNS: Final = ", ".join(_COLUMNS.values())
"""SQL that selects from `events` what `event_columns` takes."""

PEOPLE: Final = ("player_id", "dealer_id")
"""Columns that settling need not look at, unless hands of one player count otherwise."""

BAD_CARD: Final = _COLUMNS["bad_card"]
"""SQL for what an event names instead of a card; rare, and costs more than any other column."""


def columns_but(*names: str) -> str:
    """EVENT_COLUMNS without some."""
    return ", ".join(sql for name, sql in _COLUMNS.items() if name not in names)


def event_columns(
    rows: pa.Table,
    openings: Mapping[int, TableOpening],
    round_openings: RoundOpenings | LiveRoundOpenings,
    targets: Targets,
) -> EventColumns:
    """Rows of EVENT_COLUMNS, in any order, as the engine's columns.

    Most columns are taken out of the rows when they are first looked at. Columns of PEOPLE, and
    `bad_card`, may be lacking.
    """
    event_no, kind = _numbers(rows, "event_no"), _numbers(rows, "kind")
    table, table_ids = _numbered(rows, "table_id")
    round_, round_ids, round_table = _numbered_at_tables(rows, "round_id", table)
    seq, standing = _numbers(rows, "seq"), _numbers(rows, "standing").view(np.bool_)
    opened_seq = np.full(len(round_ids), NEVER, dtype=np.int64)
    begun = np.flatnonzero((kind == EventKind.ROUND_OPENED) & standing)
    np.minimum.at(opened_seq, round_[begun], seq[begun])
    opened_seq[opened_seq == NEVER] = 0
    opened = event_no[kind == EventKind.TABLE_OPENED].tolist()
    return ColumnsRead.of(
        rows,
        event_no=event_no,
        standing=standing,
        kind=kind,
        table=table,
        seq=seq,
        round=round_,
        corrects=targets.of(event_no, kind),
        table_ids=table_ids,
        round_ids=round_ids,
        round_opened_seq=round_openings.first_seq(opened_seq, round_table, round_ids, table_ids),
        openings={number: openings[number] for number in opened},
    )


class ColumnsRead(EventColumns):
    """Columns out of rows as they were read, each when it is first looked at."""

    __slots__ = ("_rows",)
    _rows: pa.Table

    @classmethod
    def of(cls, rows: pa.Table, **columns: Any) -> ColumnsRead:
        """Columns that were taken out already, and the rows that have the rest."""
        read = object.__new__(cls)
        for name, value in {"_rows": rows, **columns}.items():
            object.__setattr__(read, name, value)
        return read

    def __getattr__(self, name: str) -> Any:
        """A column that was not looked at before."""
        if name in _PLAIN:
            found = {name: _numbers(self._rows, name)}
        elif name == "kept_bad":
            found = {name: _numbers(self._rows, name).view(np.bool_)}
        elif name in ("shoe", "shoe_ids"):
            numbers, names, _ = _numbered_at_tables(self._rows, "shoe_id", self.table)
            found = {"shoe": numbers, "shoe_ids": names}
        elif name in ("player", "player_ids", "dealer", "dealer_ids"):
            who = name.removesuffix("_ids")
            numbers, names = np.full(len(self), NO_INDEX, np.int32), tuple[str, ...]()
            if f"{who}_id" in self._rows.column_names:
                numbers, names = _numbered(self._rows, f"{who}_id")
            found = {who: numbers, f"{who}_ids": names}
        elif name == "bad_cards":
            found = {name: _bad_cards(self._rows, self.event_no)}
        else:
            raise AttributeError(name)
        for each, value in found.items():
            object.__setattr__(self, each, value)
        return found[name]


_PLAIN: Final = frozenset(
    (
        *("at_micros", "spot", "hand", "wager", "bettor", "amount_cents", "place", "card"),
        *("places", "decision", "kept", "kept_count", "outcome", "reason", "decks"),
    )
)
"""Columns whose numbers are the engine's."""


def _bad_cards(rows: pa.Table, event_no: Int64s) -> dict[int, str]:
    """What was named instead of a card, which is rare."""
    if "bad_card" not in rows.column_names:
        return {}
    named = rows.column("bad_card")
    if named.null_count == len(named):
        return {}
    texts = enumerate(named.to_pylist())
    return {int(event_no[row]): text for row, text in texts if text is not None}


def _numbers(rows: pa.Table, name: str) -> Any:
    """A column without nulls, as a view of its Arrow buffer where it is one piece."""
    column = rows.column(name)
    assert column.null_count == 0, name
    if column.num_chunks == 0:
        return np.empty(0, dtype=column.type.to_pandas_dtype())
    parts = [chunk.to_numpy(zero_copy_only=True) for chunk in column.chunks]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _numbered(rows: pa.Table, name: str) -> tuple[Int32s, tuple[str, ...]]:
    """Names as numbers in the order of their first appearance; NO_INDEX for null."""
    column = rows.column(name)
    if column.num_chunks == 0:
        return np.empty(0, dtype=np.int32), ()
    whole = column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)
    if 2 * whole.null_count < len(whole) or len(whole) <= FEW_TEXTS:
        numbers, names = numbered(whole)
        return numbers, tuple(names)
    few, names = numbered(whole.drop_null())  # names that few events have
    numbers = np.full(len(whole), NO_INDEX, np.int32)
    numbers[whole.is_valid().to_numpy(zero_copy_only=False)] = few
    return numbers, tuple(names)


def _numbered_at_tables(
    rows: pa.Table, name: str, table: Int32s
) -> tuple[Int32s, tuple[str, ...], Int32s]:
    """Names that are unique at their table only: one number a (table, name); the table of each."""
    numbers, names = _numbered(rows, name)
    named = np.flatnonzero(numbers != NO_INDEX)
    own_table = np.zeros(len(names), dtype=np.int32)
    own_table[numbers[named]] = table[named]
    if np.array_equal(own_table[numbers[named]], table[named]):
        return numbers, names, own_table  # nearly always: no name is at two tables of a stretch
    pairs, renumbered = compact(table[named].astype(np.int64) * len(names) + numbers[named])
    numbers = numbers.copy()
    numbers[named] = renumbered
    own_table = (pairs // len(names)).astype(np.int32)
    return numbers, tuple(map(names.__getitem__, (pairs % len(names)).tolist())), own_table
