"""The search itself: which rounds have what is wanted, and how likely each is the one.

What was said must all be in the round, save the time, which may be half an hour off. Of the rounds
that have it, those come first where more of it is true of one seat, then those nearer in time, then
the later ones. Without a time the latest rounds are looked at first, and earlier ones only as long
as there are not enough in which everything is at one seat; of those a service passes over the hours
in which the amount, or the player, was not met.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain
from itertools import count as counted
from typing import Any, Final
from zoneinfo import ZoneInfo

from services.find.conditions import EVER, SLACK, Conditions, between
from services.find.moments import NEAR_MICROS, Moment, moments
from services.find.times import MICROSECOND, Span
from services.find.wanted import Wanted
from services.history.said_hours import HOUR_MICROS, spans_of
from services.history.store import History

ROUND: Final = timedelta(hours=2)
"""How long before a moment a round may have been opened that is still under way."""

APART: Final = timedelta(hours=6)
CLUSTERS_MAX: Final = 8  # more are not worth a query each

WINDOWS: Final = (300, 3_000, 30_000)  # of the latest rounds
ROUNDS_AT_ONCE: Final = 100_000  # then; of more, the sums of bets would spill to the disk
HOURS_AT_FIRST: Final = 2
HOURS_GROW: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A round that has what is wanted."""

    table_id: str
    round_id: str
    game: str
    opened_micros: int
    ended_micros: int | None
    opened_seq: int
    together: int
    """How many of the things wanted are true of one seat."""
    distance_micros: int

    def likelihood(self) -> tuple[Any, ...]:
        """Sorts the likeliest first."""
        return (
            -self.together,
            self.distance_micros,
            -self.opened_micros,
            self.table_id,
            self.opened_seq,
        )


@dataclass(frozen=True, slots=True)
class _Window:
    """Rounds to look at: opened within one of these, and near a moment, if any are meant."""

    opened: tuple[Span, ...]
    near: tuple[Moment, ...] = ()
    slack: timedelta = SLACK
    """How long before or after such a time the events of a round may say they occurred."""


def search(history: History, wanted: Wanted, zone: ZoneInfo, limit: int) -> list[Hit]:
    """The likeliest rounds, at most `limit`."""
    best = sum(value is not None for value in _at_a_seat(wanted)) + bool(wanted.cards)
    hits: list[Hit] = []
    for window in _windows(history, wanted, zone):
        hits += _hits(history, wanted, window, limit)
        if sum(hit.together == best for hit in hits) >= limit:
            break
    return sorted(hits, key=Hit.likelihood)[:limit]


def _at_a_seat(wanted: Wanted) -> tuple[object, ...]:
    return wanted.spot, wanted.amount_cents, wanted.player_id, wanted.outcome


def _windows(history: History, wanted: Wanted, zone: ZoneInfo) -> Iterator[_Window]:
    if wanted.time is not None:
        for near in _clusters(moments(history, wanted.table_id, wanted.time, zone)):
            first = min(span.start for _, span in near) - NEAR_MICROS
            last = max(span.stop for _, span in near) + NEAR_MICROS
            yield _Window((Span(first - ROUND // MICROSECOND, last),), tuple(near))
        return
    hours = history.said.of(history, wanted.amount_cents, wanted.player_id)
    if hours == []:
        return
    stop = EVER.stop
    for count in chain(WINDOWS, counted(ROUNDS_AT_ONCE, ROUNDS_AT_ONCE)):
        rows = history.rows(
            "SELECT epoch_us(opened_at) FROM rounds WHERE ($1 IS NULL OR table_id = $1) "
            "ORDER BY opened_at DESC LIMIT 1 OFFSET $2",
            [wanted.table_id, count],
        )
        if not rows:
            break
        yield _Window((Span(rows[0][0], stop),))
        stop = rows[0][0]
        if hours is not None:
            yield from _in_hours(hours, stop)
            return
    yield _Window((Span(EVER.start, stop),))


def _in_hours(hours: list[int], stop: int) -> Iterator[_Window]:
    """A few of the hours that begin before a moment, the last first; then more at a time."""
    hours = [hour for hour in hours if hour * HOUR_MICROS < stop]
    step = HOURS_AT_FIRST
    while hours:
        hours, some = hours[:-step], hours[-step:]
        spans = (Span(first, min(end, stop)) for first, end in spans_of(some))
        yield _Window(tuple(spans), slack=ROUND)
        step *= HOURS_GROW


def _clusters(near: list[Moment]) -> list[list[Moment]]:
    """Moments that lie close together, so that what lies in between need not be read."""
    clusters: list[list[Moment]] = []
    for moment in sorted(near, key=lambda one: one[1].start):
        apart = bool(clusters) and moment[1].start - clusters[-1][-1][1].stop > APART // MICROSECOND
        if not clusters or (apart and len(clusters) < CLUSTERS_MAX):
            clusters.append([])
        clusters[-1].append(moment)
    return clusters


def _hits(history: History, wanted: Wanted, window: _Window, limit: int) -> list[Hit]:
    conditions = Conditions(wanted)
    parts = [_candidates(wanted, window)]
    joins = []
    together = "0 AS together"
    if conditions.tests:
        parts.append(conditions.sql(wanted, window.opened, window.slack))
        joins.append("JOIN matched USING (table_id, round_id)")
        together = "together"
    if wanted.code is not None:
        joins.append(
            "SEMI JOIN (SELECT table_id, round_id FROM findings WHERE code = $code) "
            "USING (table_id, round_id)"
        )
    sql = (
        f"WITH {', '.join(parts)} SELECT table_id, round_id, game::VARCHAR, epoch_us(opened_at), "  # noqa: S608
        f"epoch_us(ended_at), opened_seq, {together}, distance FROM candidate {' '.join(joins)} "
        f"ORDER BY together DESC, distance, opened_at DESC, table_id, opened_seq LIMIT {limit:d}"
    )
    values = {"code": wanted.code, "table": wanted.table_id, **conditions.values}
    return [
        Hit(
            table_id=row[0],
            round_id=row[1],
            game=row[2],
            opened_micros=row[3],
            ended_micros=row[4],
            opened_seq=row[5],
            together=int(row[6]),
            distance_micros=int(row[7]),
        )
        for row in _rows(history, sql, values)
    ]


def _candidates(wanted: Wanted, window: _Window) -> str:
    """SQL for the rounds of a window, with how far each is from what was meant."""
    where = [between("opened_at", window.opened)]
    if wanted.table_id is not None:
        where.append("table_id = $table")
    rounds = f"FROM rounds WHERE {' AND '.join(where)}"
    if not window.near:
        return f"candidate AS (SELECT *, 0 AS distance {rounds})"
    moments = ", ".join(
        f"({'NULL' if table is None else _text(table)}, {span.start:d}, {span.stop:d})"
        for table, span in window.near
    )
    return f"""moment(at_table, start, stop) AS (VALUES {moments}),
candidate AS (
    SELECT r.*, min(greatest(0, m.start - epoch_us(coalesce(r.ended_at, r.opened_at)),
        epoch_us(r.opened_at) - m.stop)) AS distance
    FROM (SELECT * {rounds}) AS r JOIN moment AS m
        ON coalesce(m.at_table, r.table_id) = r.table_id
        AND epoch_us(r.opened_at) <= m.stop + {NEAR_MICROS:d}
        AND epoch_us(coalesce(r.ended_at, r.opened_at)) >= m.start - {NEAR_MICROS:d}
    GROUP BY ALL
)"""  # noqa: S608 (numbers, and names that are quoted)


def _rows(history: History, sql: str, values: Mapping[str, object]) -> list[tuple[Any, ...]]:
    """The rows of a query with names for its parameters."""
    used = [name for name in values if f"${name}" in sql]
    for number, name in enumerate(used, start=1):
        sql = sql.replace(f"${name}", f"${number}")
    return history.rows(sql, [values[name] for name in used])


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
