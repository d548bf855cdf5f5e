"""How pays fit paytables, opening by opening: kept, so that a day's mismatch is seen over rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from replay.docket import finding_id_of
from replay.findings import Finding, FindingCode
from replay.pays import TableDay, fits_elsewhere, mismatches
from replay.rulebook.loader import Rulebook
from replay.state import PayFit
from replay.verdict import PayRow
from replay.vocabulary import Wager
from services.history.live_index import Key
from services.history.scopes import TO_THE_END
from services.history.store import History


@dataclass(frozen=True, slots=True)
class Openings:
    """Openings of a table that were judged to their end: from one `seq` to just before another."""

    table_id: str
    from_seq: int
    to_seq: int = TO_THE_END + 1


@dataclass(frozen=True, slots=True)
class Replaced:
    """What became of weighings."""

    touched: list[PayRow]
    """Not as before, or no more."""
    held: dict[str, dict[Key, PayRow]]
    """By table, all from the first of its openings on that were judged."""


def replace_pays(
    history: History, judged: Mapping[Key, PayRow], openings: Sequence[Openings]
) -> Replaced:
    """Keep the weighings of these openings in place of those held."""
    first: dict[str, int] = {}
    for each in openings:
        first[each.table_id] = min(each.from_seq, first.get(each.table_id, each.from_seq))
    held = _held(history, first)
    touched, fresh, covered = [], [], _Covered(openings)
    for key in sorted({*judged, *(key for rows in held.values() for key in rows)}):
        before, after = held[key[0]].get(key), judged.get(key)
        if before == after or not covered.holds(key):
            continue
        touched += [row for row in (before, after) if row is not None]
        held[key[0]].pop(key, None)
        if after is not None:
            held[key[0]][key] = after
            fresh.append(after)
    gone = [_key(row) for row in touched]
    if len(touched) > len(fresh):  # some were held before
        history.run(_FORGET, [list(column) for column in zip(*gone, strict=True)])
    if fresh:
        history.insert("pay_rows", _table_of(fresh))
    return Replaced(touched, held)


class _Covered:
    """Which weighings are those of openings that were judged."""

    def __init__(self, openings: Sequence[Openings]) -> None:
        self._of_table: dict[str, list[Openings]] = {}
        for each in openings:
            self._of_table.setdefault(each.table_id, []).append(each)

    def holds(self, key: Key) -> bool:
        """Whether that of this key is."""
        return any(each.from_seq <= key[1] < each.to_seq for each in self._of_table[key[0]])


def mismatches_of(
    history: History, touched: Iterable[PayRow], rulebook: Rulebook
) -> tuple[list[Finding], list[str]]:
    """What the days of these rows come to, and the ids of all findings they might have come to."""
    days = {(row.table_id, row.wager, row.gaming_day) for row in touched}
    if not days:
        return [], []
    rows = history.rows(_OF_DAYS, [[table_id for table_id, _, _ in sorted(days)]])
    found = mismatches(
        (row for row in map(_row_of, rows) if (row.table_id, row.wager, row.gaming_day) in days),
        rulebook,
    )
    ids = [
        finding_id_of((FindingCode.PAYTABLE_MISMATCH, table_id, Wager(wager).name, day))
        for table_id, wager, day in sorted(days)
    ]
    return found, ids


def paid_from(
    history: History, tables: Iterable[str]
) -> dict[TableDay, tuple[str, tuple[str, ...]]]:
    """Wagers and days of these tables that pay from another paytable: what is posted, what fits."""
    rows = history.rows(_OF_DAYS, [sorted(set(tables))])
    return {
        day: (next(iter(fits.values()))[0].posted, tuple(fits))
        for day, fits in fits_elsewhere(map(_row_of, rows)).items()
    }


def _held(history: History, first: Mapping[str, int]) -> dict[str, dict[Key, PayRow]]:
    """By table, the weighings from an opening on: those known, and others asked for."""
    held: dict[str, dict[Key, PayRow]] = {}
    asked = {}
    for table_id, seq in first.items():
        kept = history.index.kept(table_id) if history.index is not None else None
        if kept is not None and kept.pays_from <= seq:
            held[table_id] = {key: row for key, row in kept.pays.items() if key[1] >= seq}
        else:
            held[table_id], asked[table_id] = {}, seq
    if asked:
        for row in map(_row_of, history.rows(_HELD, [list(asked), list(asked.values())])):
            held[row.table_id][_key(row)] = row
    return held


def _key(row: PayRow) -> Key:
    return row.table_id, row.opening_seq, row.wager, row.other


def _row_of(row: tuple[Any, ...]) -> PayRow:
    fit = dict(zip(_FIT, row[len(_PLACE) :], strict=True))
    place = dict(zip(_PLACE, row, strict=False))
    return PayRow(**place, fit=PayFit(**fit))


def _table_of(rows: list[PayRow]) -> pa.Table:
    columns = {
        name: pa.array([getattr(row, name) for row in rows], type_)
        for name, type_ in _PLACE.items()
    }
    columns |= {
        name: pa.array([getattr(row.fit, name) for row in rows], type_)
        for name, type_ in _FIT.items()
    }
    return pa.table(columns)


_PLACE: Final = {
    "table_id": pa.string(),
    "opening_seq": pa.int64(),
    "game": pa.uint8(),
    "gaming_day": pa.string(),
    "wager": pa.uint8(),
    "posted": pa.string(),
    "other": pa.string(),
}
_FIT: Final = {
    "other_only": pa.int64(),
    "posted_only": pa.int64(),
    "rounds": pa.list_(pa.string()),
    "event_nos": pa.list_(pa.int64()),
    "first_seq": pa.int64(),
}

_COLUMNS: Final = ", ".join(f"pay_rows.{name}" for name in (*_PLACE, *_FIT))

_HELD: Final = f"""
SELECT {_COLUMNS}
FROM pay_rows
SEMI JOIN (SELECT unnest(?::VARCHAR[]) AS table_id, unnest(?::BIGINT[]) AS seq) AS first
    ON first.table_id = pay_rows.table_id AND opening_seq >= first.seq
"""  # noqa: S608 (constants only)

_FORGET: Final = """
DELETE FROM pay_rows USING (
    SELECT unnest(?::VARCHAR[]) AS table_id, unnest(?::BIGINT[]) AS opening_seq,
           unnest(?::UTINYINT[]) AS wager, unnest(?::VARCHAR[]) AS other
) AS gone
WHERE pay_rows.table_id = gone.table_id AND pay_rows.opening_seq = gone.opening_seq
    AND pay_rows.wager = gone.wager AND pay_rows.other = gone.other
"""

_OF_DAYS: Final = (
    f"SELECT {_COLUMNS} FROM pay_rows "  # noqa: S608 (constants only)
    "WHERE table_id IN (SELECT unnest(?::VARCHAR[]))"
)
