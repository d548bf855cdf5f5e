"""How pays fit paytables, opening by opening: kept, so that a day's mismatch is seen over rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from replay.docket import finding_id_of
from replay.findings import Finding, FindingCode
from replay.pays import mismatches
from replay.rulebook.loader import Rulebook
from replay.state import PayFit
from replay.verdict import PayRow
from replay.vocabulary import Wager
from services.history.scopes import TO_THE_END
from services.history.store import History

Key = tuple[str, int, int, str]
"""Table, `seq` of the opening, wager, other paytable."""


@dataclass(frozen=True, slots=True)
class Openings:
    """Openings of a table that were judged to their end: from one `seq` to just before another."""

    table_id: str
    from_seq: int
    to_seq: int = TO_THE_END


def replace_pays(
    history: History, judged: Mapping[Key, PayRow], openings: Sequence[Openings]
) -> list[PayRow]:
    """Keep the weighings of these openings in place of those held; rows that are not as before.

    Among them those that are no more.
    """
    held = {_key(row): row for row in _held(history, openings)}
    covered: dict[str, list[Openings]] = {}
    for each in openings:
        covered.setdefault(each.table_id, []).append(each)
    fresh = {
        key: row
        for key, row in judged.items()
        if any(each.from_seq <= key[1] < each.to_seq for each in covered.get(key[0], ()))
    }
    gone = [row for key, row in held.items() if fresh.get(key) != row]
    new = [row for key, row in fresh.items() if held.get(key) != row]
    if gone:
        keys = [_key(row) for row in gone]
        history.run(_FORGET, [list(column) for column in zip(*keys, strict=True)])
    if new:
        history.insert("pay_rows", _table_of(new))
    return [*gone, *new]


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


def _held(history: History, openings: Sequence[Openings]) -> list[PayRow]:
    parameters = [
        [each.table_id for each in openings],
        [each.from_seq for each in openings],
        [each.to_seq for each in openings],
    ]
    return [_row_of(row) for row in history.rows(_HELD, parameters)]


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
SEMI JOIN (
    SELECT unnest(?::VARCHAR[]) AS table_id, unnest(?::BIGINT[]) AS from_seq,
           unnest(?::BIGINT[]) AS to_seq
) AS judged
    ON judged.table_id = pay_rows.table_id AND opening_seq >= from_seq AND opening_seq < to_seq
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
