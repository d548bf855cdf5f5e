"""The moments that a remembered time may mean, given when rounds were played."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from services.find.times import MICROSECOND, Span, TimeAsked
from services.history.said_hours import HOUR_MICROS
from services.history.store import History

NEAR: Final = timedelta(minutes=30)
"""How far off a remembered time may be."""

NEAR_MICROS: Final = NEAR // MICROSECOND

DAYS_AT_FIRST: Final = 2
DAYS_GROW: Final = 4

# Hours since 1970 whose days, and those about them, are days in any zone. Asked of the hours, since
# a question about days would be put to every round.
_HOURS: Final = [24 * (day - date(1970, 1, 1)).days for day in (date(1, 1, 4), date(9999, 12, 28))]

Moment = tuple[str | None, Span]
"""A table (None: any), and a moment meant there."""


def moments(
    history: History, table_id: str | None, time: TimeAsked, zone: ZoneInfo
) -> list[Moment]:
    """The moments that a time means: without a day, each table's last that has a round near."""
    if time.moment is not None or time.day is not None:
        return [(None, span) for span in time.spans(zone)]
    days = _days(history, table_id, zone)
    missing = {table_id} if table_id is not None else _tables(history)
    found: dict[str, list[Span]] = {}
    step = DAYS_AT_FIRST
    while days and missing:
        chunk, days = days[:step], days[step:]
        step *= DAYS_GROW
        spans = [span for day in chunk for span in time.spans(zone, day)]
        for table, start in _nearest(history, spans, missing):
            found[table] = [span for span in spans if span.start == start]
        missing -= found.keys()
    return [(table, span) for table, spans in found.items() for span in spans]


def _days(history: History, table_id: str | None, zone: ZoneInfo) -> list[date]:
    """Days at the casino's clock on which a round was opened or was under way, the last first."""
    rows = history.rows(
        f"SELECT DISTINCT (make_timestamptz(hour * {HOUR_MICROS}) AT TIME ZONE $1)::DATE FROM ("  # noqa: S608
        f"SELECT DISTINCT epoch_us(opened_at) // {HOUR_MICROS} AS hour FROM rounds "
        "WHERE ($2 IS NULL OR table_id = $2)) WHERE hour BETWEEN $3 AND $4",
        [zone.key, table_id, *_HOURS],
    )
    # Half an hour before midnight is near to just after it.
    days = {day + timedelta(days=off) for (day,) in rows for off in (-1, 0, 1)}
    return sorted(days, reverse=True)


def _tables(history: History) -> set[str]:
    """Those that have a round."""
    return {table_id for (table_id,) in history.rows("SELECT DISTINCT table_id FROM rounds")}


def _nearest(history: History, spans: list[Span], tables: set[str]) -> list[tuple[str, int]]:
    """The last of the moments that each of some tables has a round near to, by its start."""
    listed = ", ".join(f"({span.start:d}, {span.stop:d})" for span in spans)
    first = min(span.start for span in spans) - NEAR_MICROS
    last = max(span.stop for span in spans) + NEAR_MICROS
    return history.rows(
        f"""WITH asked(start, stop) AS (VALUES {listed})
SELECT table_id, max(start) FROM (
    SELECT table_id, epoch_us(opened_at) AS opened, epoch_us(coalesce(ended_at, opened_at)) AS ended
    FROM rounds
    WHERE coalesce(ended_at, opened_at) >= make_timestamptz({first:d})
        AND opened_at <= make_timestamptz({last:d}) AND table_id IN (SELECT unnest($1::VARCHAR[]))
) JOIN asked ON opened <= stop + {NEAR_MICROS:d} AND ended >= start - {NEAR_MICROS:d}
GROUP BY table_id""",  # noqa: S608 (numbers)
        [sorted(tables)],
    )
