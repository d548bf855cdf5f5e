"""The views of a history as records: columns, rows, days and a digest of each.

A digest is SHA-256 over the number of rows and over the sums, modulo 2^64, of both halves of the
first 16 bytes of each row's own SHA-256, so that it does not depend on the order of rows. A row is
its columns one after the other, each after its length and a colon, a null after a colon alone;
times are microseconds since 1970. Columns that say the same again, in dollars or by the casino's
clock, are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from services.history.view import View
from services.history.views import STORED, all_views
from services.records_index.model import IndexedColumn, Record, RecordKind

if TYPE_CHECKING:
    from services.history.sealed.days import GamingDays
    from services.history.store import History

AGAIN: Final = ("_dollars", "_local")
"""Ends of the names of columns that say what the one before them says."""

DAY: Final = "gaming_day"
_TIME: Final = "TIMESTAMP WITH TIME ZONE"
_WORDS: Final = 2**64
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def view_records(history: History, days: GamingDays) -> Iterator[Record]:
    """Every view, in the order of the documentation."""
    for view in all_views():
        select = view.select({name: name for name in STORED}, days.zone.key)
        types = {name: type_ for name, type_, *_ in history.rows(f"DESCRIBE {select}")}
        columns = tuple(IndexedColumn(c.name, types[c.name], c.said) for c in view.columns)
        yield _record(history, view, select, columns, days)


def _record(
    history: History, view: View, select: str, columns: tuple[IndexedColumn, ...], days: GamingDays
) -> Record:
    spelled = ", ".join(_spelled(each) for each in columns if not each.name.endswith(AGAIN))
    when = _when(columns)
    bounds = "NULL, NULL" if when is None else f"min({when}), max({when})"
    sql = f"""
        SELECT count(*), coalesce(sum(('0x' || digest[1:16])::UBIGINT), 0),
            coalesce(sum(('0x' || digest[17:32])::UBIGINT), 0), {bounds}
        FROM (SELECT *, sha256(concat({spelled})) AS digest FROM ({select}))
    """  # noqa: S608 (our own words)
    [(rows, high, low, first, last)] = history.rows(sql)
    return Record(
        name=view.name,
        kind=RecordKind.VIEW,
        meaning=view.said,
        rows=rows,
        first_day=_day(first, days),
        last_day=_day(last, days),
        digest=sha256(f"{rows},{high % _WORDS},{low % _WORDS}".encode()).hexdigest(),
        columns=columns,
    )


def _spelled(column: IndexedColumn) -> str:
    text = f'"{column.name}"::VARCHAR' if column.type != _TIME else f'epoch_us("{column.name}")'
    return f"length({text}::VARCHAR), ':', {text}"


def _when(columns: Sequence[IndexedColumn]) -> str | None:
    """SQL for what says of which day a row is: its gaming day, else its time in microseconds."""
    if any(each.name == DAY for each in columns):
        return DAY
    times = [each.name for each in columns if each.type == _TIME]
    return f'epoch_us("{times[0]}")' if times else None


def _day(value: date | int | None, days: GamingDays) -> date | None:
    if not isinstance(value, int):
        return value
    try:
        return days.of(_EPOCH + timedelta(microseconds=value))
    except OverflowError:  # an event may name any time
        return None
