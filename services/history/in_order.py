"""Whole streams of tables in stretches, read in the order of arrival and put in order on the way.

Every table's part of a stretch ends where its stream ends, or just before the first `RoundOpened`
of a round; the round that has begun waits for its rest. Memory is bounded by the events of a
stretch, save where a single round is longer.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
import pyarrow as pa

from replay.arrays import distinct, first_by_group, first_of_run
from replay.events import Bools, EventColumns, Int64s, Stretch
from replay.vocabulary import CARD_BAD, EventKind
from services.ahead import ahead
from services.arrow import array_of
from services.history.arrival import Arrival, Step, steps_of
from services.history.columns import BAD_CARD, EVENT_COLUMNS, PEOPLE, columns_but
from services.history.idle import let_go
from services.history.late import LATE_ROWS_MAX, NAMED_MAX, Late, late_of, listed
from services.history.looked_up import LookUps
from services.history.reading import STRETCH_ROWS, Cutter, cut_up
from services.history.store import History

STEPS_HELD: Final = 4
"""After so many what DuckDB keeps of them is let go: nothing is read twice. Not where that may be
all there is of them: a temporary history would be written out instead."""

HELD_MB: Final = 1

_Piece = tuple[EventColumns, Mapping[str, int]]
"""Events in the order of a stretch; and of tables that go on after them, with which `seq`."""


def stretches_in_order(
    history: History,
    arrival: Arrival,
    look_ups: LookUps,
    *,
    rows: int = STRETCH_ROWS,
    late_rows_max: int = LATE_ROWS_MAX,
    with_people: bool = True,
    reads_ahead: bool = False,
) -> Generator[Stretch, None, None]:
    """The whole streams of the tables, in stretches of about `rows` events.

    `with_people`: events name their players and dealers, which most judging does not look at.

    Take a stretch, judge it, tell `look_ups` of the verdict, and only then take the next. Between
    two of them the history may be asked something else, unless what comes next is read meanwhile
    (`reads_ahead`); then close it where you do not take them all.
    """
    select = f"SELECT {columns_but('bad_card', *(() if with_people else PEOPLE))} FROM events"  # noqa: S608
    late = late_of(history, arrival, select, rows=rows, rows_max=late_rows_max)
    reading = _Reading(history, look_ups, select, late, rows)
    yield from reading.stretches_ahead() if reads_ahead else reading.stretches()
    for table_id in late.tables_to_sort:
        in_order = history.stream(_SORTED, [table_id], batch_rows=min(rows, 122_880))
        for part in cut_up(in_order, rows, Cutter(look_ups)):
            yield look_ups.stretch(part)


@dataclass(slots=True)
class _Reading:
    """Goes from step to step, and keeps what waits: rounds that have begun, and late events."""

    history: History
    look_ups: LookUps
    select: str
    late: Late
    rows: int
    begun: pa.Table | None = None

    def stretches(self) -> Iterator[Stretch]:
        """Stretches of tables of which little came late."""
        for number, pieces in enumerate(self._steps()):
            yield from (self.look_ups.stretch_of(*piece) for piece in pieces)
            if number % STEPS_HELD == STEPS_HELD - 1 and not self.history.temporary:
                let_go(self.history, HELD_MB)

    def stretches_ahead(self) -> Iterator[Stretch]:
        """The same, a step being read while those of the one before it are put to use."""
        with closing(ahead(list(pieces) for pieces in self._steps())) as steps:
            for pieces in steps:
                yield from (self.look_ups.stretch_of(*piece) for piece in pieces)

    def _steps(self) -> Iterator[Iterator[_Piece]]:
        """What can be judged once each step is read."""
        table_ids = sorted(self.late.arrival.counts())
        for step in steps_of(self.late.arrival, self.rows):
            yield self._of_step(step, table_ids)

    def _of_step(self, step: Step, table_ids: Sequence[str]) -> Iterator[_Piece]:
        """What ends in a step; nothing of it is held when the next one is read."""
        raw, events, order = self._read(step, table_ids)
        ends = np.array([table_id in step.ends for table_id in events.table_ids], np.bool_)
        cuts = _Cuts.of(events, ends)
        waiting = cuts.waiting()
        self.begun = _taken(raw, np.sort(order[waiting])) if len(waiting) else None
        del raw, events, order, waiting
        pieces = cuts.pieces(self.rows)
        del cuts
        yield from pieces

    def _read(self, step: Step, table_ids: Sequence[str]) -> tuple[pa.Table, EventColumns, Int64s]:
        """The events of a step with those that waited: rows, columns in order, and which order."""
        waited = [] if self.begun is None else [self.begun]
        waited += self.late.due(step)
        fresh = self._fetched(step, table_ids)
        raw = pa.concat_tables([*waited, fresh])
        columns = self._with_bad_cards(self.look_ups.columns(raw))
        order, events = in_order(columns)
        if step.late:  # laid in before
            high = np.array([step.late.get(each, 0) for each in columns.table_ids], np.int64)
            came_late = events.seq <= high[events.table]
            order = order[~came_late | (order < raw.num_rows - fresh.num_rows)]
            events = columns.take(order)
        return raw, events, order

    def _fetched(self, step: Step, table_ids: Sequence[str]) -> pa.Table:
        """What came in a step."""
        where, values = _OF_STEP, list[object]([step.first_no, step.last_no])
        if step.shared:
            where, values = where + _OF_TABLES, [*values, list(table_ids)]
        return self.history.table(self.select + where, values)

    def _with_bad_cards(self, columns: EventColumns) -> EventColumns:
        """With what events name instead of cards, asked for where there is any: that is rare."""
        bad = np.flatnonzero((columns.card == CARD_BAD) | columns.kept_bad)
        if not len(bad):
            return columns
        numbers = columns.event_no[bad].tolist()
        parts = (numbers[at : at + NAMED_MAX] for at in range(0, len(numbers), NAMED_MAX))
        return columns.having(
            bad_cards={
                number: text
                for part in parts
                for number, text in self.history.rows(_BAD_CARDS.format(numbers=listed(part)))
            }
        )


_OF_STEP: Final = " WHERE event_no BETWEEN ? AND ?"
_BAD_CARDS: Final = f"SELECT event_no, {BAD_CARD} FROM events WHERE event_no IN ({{numbers}})"  # noqa: S608
_OF_TABLES: Final = " AND table_id IN (SELECT unnest(?::VARCHAR[]))"

_SORTED: Final = f"SELECT {EVENT_COLUMNS} FROM events WHERE table_id = ? ORDER BY seq, event_no"  # noqa: S608


def in_order(events: EventColumns) -> tuple[Int64s, EventColumns]:
    """Rows by (table, `seq`, arrival), (N,), and the columns in that order.

    As good as always they are so at each table as they arrived, and need only be put together.
    """
    order = _by_arrival(events)
    few = np.uint16 if len(events.table_ids) <= np.iinfo(np.uint16).max else np.uint64
    order = order[np.argsort(events.table.astype(few)[order], kind="stable")]
    ordered = events.take(order)
    table, seq = ordered.table, ordered.seq
    back = (table[1:] == table[:-1]) & (seq[1:] <= seq[:-1])
    if not back.any():
        return order, ordered
    astray = np.flatnonzero(np.isin(table, distinct(table[1:][back])))
    keys = (ordered.event_no[astray], seq[astray], table[astray])
    order[astray] = order[astray][np.lexsort(keys)]
    return order, events.take(order)


def _by_arrival(events: EventColumns) -> Int64s:
    """Rows in the order of their numbers: they lie in a few runs that are so each."""
    numbers = events.event_no
    if (numbers[1:] > numbers[:-1]).all():
        return np.arange(len(numbers), dtype=np.int64)
    order: Int64s = np.argsort(numbers, kind="stable")
    return order


def _taken(rows: pa.Table, numbers: Int64s) -> pa.Table:
    """A few of the rows; out of each batch by itself, since a table is put together for that."""
    batches = rows.to_batches()
    bounds = np.cumsum([0, *(batch.num_rows for batch in batches)])
    cuts = np.searchsorted(numbers, bounds)
    return pa.Table.from_batches(
        [
            batch.take(array_of(numbers[first:end] - bound))
            for batch, bound, (first, end) in zip(batches, bounds, pairwise(cuts), strict=False)
        ],
        rows.schema,
    )


@dataclass(frozen=True, slots=True)
class _Cuts:
    """Where events in order may be cut, and up to where each table goes."""

    events: EventColumns
    bounds: Int64s
    """(T + 1,) rows of table t lie from `[t]` to before `[t + 1]`."""
    until: Int64s
    """(T,) the row up to which each table goes: where it ends, else its last cut."""
    cuts: Int64s
    """Rows before which a table may be cut, ascending."""
    ends: Bools
    """(T,) nothing comes after."""

    @staticmethod
    def of(events: EventColumns, ends: Bools) -> _Cuts:
        """`ends` (T,): nothing of the table comes after."""
        bounds = events.bounds()
        cuts = _first_openings(events)
        last = np.append(cuts, -1)[np.searchsorted(cuts, bounds[1:]) - 1] if len(cuts) else -1
        until = np.where(ends, bounds[1:], np.maximum(last, bounds[:-1]))
        return _Cuts(events, bounds, until, cuts, ends)

    def waiting(self) -> Int64s:
        """Rows that wait for what comes next."""
        waits = [np.arange(a, b) for a, b in zip(self.until, self.bounds[1:], strict=True)]
        return np.concatenate([np.zeros(0, np.int64), *waits])

    def pieces(self, rows: int) -> Iterator[_Piece]:
        """The rows before, in pieces of about so many, and where each table goes on."""
        sizes = self.until - self.bounds[:-1]
        taken = np.concatenate([[0], np.cumsum(sizes)])  # events before each table's first
        of_cut = np.searchsorted(self.bounds, self.cuts, "right") - 1
        inner = self.cuts < self.until[of_cut]
        places = taken[of_cut] + self.cuts - self.bounds[of_cut]
        stops = distinct(np.concatenate([places[inner], taken[1:]]))
        total, begin = int(taken[-1]), 0
        size = -(-total // max(1, round(total / rows)))  # alike, and none that is short
        while begin < total:
            end = int(stops[np.searchsorted(stops, min(begin + size, total))])
            yield self._piece(begin, end, taken)
            begin = end

    def _piece(self, begin: int, end: int, taken: Int64s) -> _Piece:
        """Of the rows that are judged now, those from the one to the other."""
        from_row = self.bounds[:-1] + np.maximum(begin - taken[:-1], 0)
        to_row = np.minimum(self.bounds[:-1] + np.maximum(end - taken[:-1], 0), self.until)
        tables = np.flatnonzero(to_row > from_row)
        events, table_ids = self.events, self.events.table_ids
        rows = np.concatenate([np.arange(from_row[table], to_row[table]) for table in tables])
        named = tuple(table_ids[table] for table in tables)
        own = np.repeat(np.arange(len(tables), dtype=np.int32), (to_row - from_row)[tables])
        next_seq = {
            table_ids[table]: int(events.seq[to_row[table]])
            for table in tables
            if to_row[table] < self.bounds[table + 1]
        }
        return events.take(rows).having(table=own, table_ids=named), next_seq


def _first_openings(events: EventColumns) -> Int64s:
    """Rows with which a round begins, and nothing before it names it or shares its `seq`."""
    runs = np.flatnonzero(first_of_run(events.round))
    first = first_by_group(events.round[runs] + 1, len(events.round_ids) + 1)
    rows = runs[np.sort(first[1:][first[1:] >= 0])]
    opens = events.standing[rows] & (events.kind[rows] == EventKind.ROUND_OPENED)
    opens &= events.round_opened_seq[events.round[rows]] == events.seq[rows]
    alone = np.ones(len(rows), np.bool_)
    before = rows[rows > 0] - 1
    same = events.table[before] == events.table[before + 1]
    alone[rows > 0] = ~same | (events.seq[before] < events.seq[before + 1])
    found: Int64s = rows[opens & alone]
    return found
