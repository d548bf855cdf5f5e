"""The stream itself: which rounds there are, when each began and ended, and what is missing.

Order is by `seq` alone; clocks only describe. Source: event contract 1; section Stream of the
findings contract. Arrays: rows are rows of the standing events of a stretch.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

import numpy as np

from replay.arrays import NEVER, among, equal_to, first_of_run, laid_over, running_last
from replay.arrivals import enter_conflict, enter_skews, find_gaps
from replay.docket import Docket
from replay.events import NO_INDEX, Bools, EventColumns, Int32s, Int64s, Stretch, Uint8s
from replay.findings import FindingCode
from replay.openings import Opening, judge_opening, resolve
from replay.rulebook.loader import Rulebook
from replay.state import TableStates
from replay.twins import enter_twins
from replay.vocabulary import EventKind
from replay.words import event_name

ANY_TIME_KINDS: Final = (
    EventKind.CARD_CORRECTED,
    EventKind.PAYOUT_CORRECTED,
    EventKind.RULING_MADE,
)
"""Kinds that may come after their round has ended."""


class RoundEnd(IntEnum):
    """How a round ended."""

    OPEN = 0
    CLOSED = 1
    VOIDED = 2
    CUT = 3  # the next round opened, or the table closed, before this one ended


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Rounds:
    """R rounds in order of their opening; shapes (R,). Rows are rows of the standing events."""

    index: Int32s
    """Into the stretch's `round_ids`."""
    table: Int32s
    opening: Int32s
    """Into `Lifecycle.openings`; NO_INDEX only for a round whose opening lies in a gap."""
    open_row: Int64s
    """Of its `RoundOpened`; its first row where the opening lies in a gap."""
    end_row: Int64s
    """Of its own `RoundClosed` or `RoundVoided`; -1 where neither came."""
    last_row: Int64s
    """Last row at which its events are in place."""
    end: Uint8s
    held: Bools
    """Kept back: open during a gap, or its opening may lie in one."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Lifecycle:
    """The standing events of a stretch, with what each belongs to."""

    events: EventColumns
    openings: list[Opening]
    opening_places: list[tuple[str, int]]
    """(table id, `seq`) of each of the openings."""
    opening_of_row: Int32s
    """(N,) into `openings`; NO_INDEX while the table was never opened."""
    closed: Bools
    """(N,) the table had closed, and for certain not opened again."""
    rounds: Rounds
    round_of_row: Int64s
    """(N,) into `rounds`, whether or not the event is in place; NO_INDEX: none."""
    in_place: Bools
    """(N,) the event belongs to its round, or to the table, and is judged."""


def trace(stretch: Stretch, states: TableStates, rulebook: Rulebook, docket: Docket) -> Lifecycle:
    """Find the rounds of a stretch, and enter the findings about the stream."""
    arrivals = stretch.events
    gaps = find_gaps(stretch, states, docket)
    events, gap_rows, holding = arrivals, gaps.rows, gaps.holding
    if not arrivals.standing.all():
        for row in np.flatnonzero(~arrivals.standing):
            enter_conflict(docket, arrivals, int(row))
        stands = np.flatnonzero(arrivals.standing)
        events = arrivals.take(stands)
        holding = np.searchsorted(stands, holding)
        gap_rows = _rows_after(arrivals, events, stands, gap_rows)
    enter_skews(docket, events, states)
    openings = _openings(events, states, rulebook, docket, gap_rows=gap_rows)
    rounds = _rounds(stretch, events, openings, holding + gaps.holding_table)
    lifecycle = _placed(events, openings, rounds)
    _report(docket, lifecycle)
    return lifecycle


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Openings:
    """Openings in force, where each stands, and which of them each row falls under (N,)."""

    openings: list[Opening]
    places: list[tuple[str, int]]
    of_row: Int32s
    closed: Bools
    """(N,) as in `Lifecycle`."""


def _openings(
    events: EventColumns,
    states: TableStates,
    rulebook: Rulebook,
    docket: Docket,
    *,
    gap_rows: Int64s,
) -> _Openings:
    openings: list[Opening] = []
    places: list[tuple[str, int]] = []
    marks: dict[int, int] = {}  # row -> the opening that is in force from there on
    for row in np.flatnonzero(first_of_run(events.table)).tolist():
        table_id = events.table_ids[events.table[row]]
        state = states.get(table_id)
        marks[row] = NO_INDEX
        if state is not None and state.opening is not None:
            marks[row] = len(openings)
            openings.append(state.opening)
            places.append((table_id, state.opening_seq))
    for row in np.flatnonzero(equal_to(events.kind, EventKind.TABLE_OPENED)).tolist():
        opening = resolve(events.openings[int(events.event_no[row])], rulebook)
        judge_opening(docket, events, row, opening, rulebook)
        marks[row] = len(openings)
        openings.append(opening)
        places.append((events.table_ids[events.table[row]], int(events.seq[row])))
    rows = sorted(marks)
    of_row = laid_over(
        np.array([marks[row] for row in rows], np.int32), np.array(rows, np.int64), len(events)
    )
    return _Openings(openings, places, of_row, _closed(events, states, gap_rows))


def _closed(events: EventColumns, states: TableStates, gap_rows: Int64s) -> Bools:
    """Rows at which the table had closed and not opened again, for all that is missing: (N,)."""
    marks: dict[int, bool] = {}
    for row in np.flatnonzero(first_of_run(events.table)).tolist():
        state = states.get(events.table_ids[events.table[row]])
        marks[row] = state is not None and state.closed
    marks |= dict.fromkeys(gap_rows[gap_rows < len(events)].tolist(), False)  # it may have opened
    marks |= dict.fromkeys(
        np.flatnonzero(equal_to(events.kind, EventKind.TABLE_OPENED)).tolist(), False
    )
    marks |= dict.fromkeys(
        np.flatnonzero(equal_to(events.kind, EventKind.TABLE_CLOSED)).tolist(), True
    )
    rows = sorted(marks)
    values = np.array([marks[row] for row in rows], np.bool_)
    return laid_over(values, np.array(rows, np.int64), len(events))


def _rows_after(
    arrivals: EventColumns, events: EventColumns, stands: Int64s, gap_rows: Int64s
) -> Int64s:
    """The first row that stands after each gap: none where the table has no more of them."""
    rows = np.searchsorted(stands, gap_rows)
    past: Int64s = events.bounds()[arrivals.table[gap_rows] + 1]
    return rows[rows < past]


def _rounds(
    stretch: Stretch, events: EventColumns, openings: _Openings, gap_places: Int64s
) -> Rounds:
    """Find the rounds; `gap_places` are those of gaps that hold rounds.

    The place of a row is its number and that of its table: so each table has a place of its own
    past its last row.
    """
    opening_of_row = openings.of_row
    opens = _valid_openings(events, openings)
    closings = equal_to(events.kind, EventKind.TABLE_CLOSED)
    lost = _lost_openings(events, opening_of_row, opens | closings, gap_places)
    while (second := _opened_after(events, opens, lost)) >= 0:
        opens[second] = False  # a second opening of a round is out of place
        lost = _lost_openings(events, opening_of_row, opens | closings, gap_places)
    rows = np.sort(np.concatenate([np.flatnonzero(opens), lost]))
    index = events.round[rows]
    table_end = _table_end(events, rows)
    until = _end_after(rows, np.flatnonzero(opens | closings), table_end)
    end_row = _own_end(events, index, rows, until)
    ended = end_row >= 0
    end = np.full(len(rows), RoundEnd.CUT, np.uint8)
    goes_on = stretch.next_seq[events.table[rows]] > 0
    end[(until == table_end) & ~goes_on] = RoundEnd.OPEN
    end[ended] = np.where(
        events.kind[end_row[ended]] == EventKind.ROUND_CLOSED, RoundEnd.CLOSED, RoundEnd.VOIDED
    )
    reach = np.where(ended, end_row, until)
    table = events.table[rows]
    gap_count = np.searchsorted(gap_places, reach + table, "right")
    gap_count -= np.searchsorted(gap_places, rows + table, "right")
    return Rounds(
        index=index,
        table=table,
        opening=opening_of_row[rows],
        open_row=rows,
        end_row=end_row,
        last_row=np.where(ended, end_row, until - 1),
        end=end,
        held=(gap_count > 0) | ~opens[rows],
    )


def _valid_openings(events: EventColumns, openings: _Openings) -> Bools:
    """Rows that open a round: the first `RoundOpened` of its id, at a table that is open."""
    opens: Bools = equal_to(events.kind, EventKind.ROUND_OPENED)
    rows = np.flatnonzero(opens)
    is_open = (openings.of_row[rows] >= 0) & ~openings.closed[rows]
    opens[rows] = is_open & (events.round_opened_seq[events.round[rows]] == events.seq[rows])
    return opens


def _opened_after(events: EventColumns, opens: Bools, lost: Int64s) -> int:
    """First row that opens a round taken for lost before; -1: none, as nearly always."""
    if not len(lost):
        return -1
    rows = np.flatnonzero(opens & np.isin(events.round, events.round[lost]))
    lost_row = dict(zip(events.round[lost].tolist(), lost.tolist(), strict=True))
    return next((int(row) for row in rows if lost_row[int(events.round[row])] < row), -1)


def _lost_openings(
    events: EventColumns, opening_of_row: Int32s, ends: Bools, gap_places: Int64s
) -> Int64s:
    """First rows of rounds not seen to open so far, where that may lie in a gap."""
    if not len(gap_places):
        return np.zeros(0, np.int64)
    has_round = np.flatnonzero(events.round >= 0)
    late_kind = among(events.kind, ANY_TIME_KINDS)
    unopened = np.zeros(len(events), np.bool_)
    opened_seq = events.round_opened_seq[events.round[has_round]]
    unopened[has_round] = (opened_seq == 0) | (opened_seq > events.seq[has_round])
    rows = np.flatnonzero(unopened & ~late_kind & (opening_of_row >= 0))
    if not len(rows):
        return np.zeros(0, np.int64)
    begin = np.flatnonzero(first_of_run(events.table))
    marks = ends.copy()
    marks[begin] = True
    latest = running_last(marks)[rows]
    place = latest + events.table[latest]
    gap_count = np.searchsorted(gap_places, rows + events.table[rows], "right")
    gap_count -= np.searchsorted(gap_places, place, "right")
    # A gap right before the table's first row of this stretch counts too.
    gap_count += np.isin(latest, begin) & np.isin(place, gap_places) & ~ends[latest]
    rows = rows[gap_count > 0]
    _, first = np.unique(events.round[rows], return_index=True)
    lost: Int64s = rows[np.sort(first)].astype(np.int64)
    return lost


def _end_after(rows: Int64s, ends: Int64s, table_end: Int64s) -> Int64s:
    """For each of some rows, the next one after it that ends whatever round is open: (R,).

    Shapes:  ends (E,), rows that end the round before them; table_end (R,).
    """
    after = np.append(ends, NEVER)[np.searchsorted(ends, rows, "right")]
    until: Int64s = np.minimum(after, table_end)
    return until


def _own_end(events: EventColumns, index: Int32s, rows: Int64s, until: Int64s) -> Int64s:
    """Row of the first `RoundClosed` or `RoundVoided` of each round within its reach; else -1."""
    place = np.full(len(events.round_ids) + 1, -1, np.int64)
    place[index] = np.arange(len(index))
    is_end = among(events.kind, (EventKind.ROUND_CLOSED, EventKind.ROUND_VOIDED))
    ends = np.flatnonzero(is_end)
    of_round = place[events.round[ends]]
    fits = of_round >= 0
    ends, of_round = ends[fits], of_round[fits]
    fits = (ends > rows[of_round]) & (ends < until[of_round])
    ends, of_round = ends[fits], of_round[fits]
    first = np.full(len(index), -1, np.int64)
    first[of_round[::-1]] = ends[::-1]
    return first


def _placed(events: EventColumns, openings: _Openings, rounds: Rounds) -> Lifecycle:
    covering = _covering(rounds, len(events))
    round_id = np.append(rounds.index, NO_INDEX - 1).take(covering)  # no event's where none covers
    in_place = round_id == events.round
    others = np.flatnonzero(~in_place)  # few: outside their round, or of none
    place = np.full(len(events.round_ids) + 1, NO_INDEX, np.int64)
    place[rounds.index] = np.arange(len(rounds.index))
    own = place[events.round[others]]  # NO_INDEX picks the last, which is NO_INDEX
    covering[others] = own
    # Rounds may cover each other where openings may have been lost: the later one is in `covering`.
    first, last = np.append(rounds.open_row, len(events)), np.append(rounds.last_row, NO_INDEX)
    in_place[others] = (others >= first[own]) & (others <= last[own])
    in_place[others] |= (events.round[others] < 0) & (openings.of_row[others] >= 0)
    in_place[np.flatnonzero(equal_to(events.kind, EventKind.ROUND_OPENED))] = False
    in_place[rounds.open_row] = True  # a second one opens nothing
    return Lifecycle(
        events=events,
        openings=openings.openings,
        opening_places=openings.places,
        opening_of_row=openings.of_row,
        closed=openings.closed,
        rounds=rounds,
        round_of_row=covering,
        in_place=in_place,
    )


def _covering(rounds: Rounds, count: int) -> Int64s:
    """The last round to begin of those that reach over each row: (N,), NO_INDEX where none does."""
    begins = rounds.open_row
    ends = np.minimum(rounds.last_row + 1, np.append(begins[1:], count))
    bounds, values = np.zeros(2 * len(begins) + 1, np.int64), np.full(2 * len(begins) + 1, NO_INDEX)
    bounds[1::2], bounds[2::2] = begins, ends
    values[1::2] = np.arange(len(begins))
    return laid_over(values, bounds, count)


def _report(docket: Docket, lifecycle: Lifecycle) -> None:
    events, rounds = lifecycle.events, lifecycle.rounds
    late_kind = among(events.kind, ANY_TIME_KINDS)
    for row in np.flatnonzero(~lifecycle.in_place & ~late_kind):
        docket.add_event(
            FindingCode.EVENT_OUT_OF_PLACE,
            events,
            int(row),
            message=_why_out_of_place(lifecycle, int(row)),
        )
    corrections = np.flatnonzero(late_kind)
    corrections = corrections[events.kind[corrections] != EventKind.RULING_MADE]
    for row in corrections[events.corrects[corrections] == NO_INDEX]:
        of_card = events.kind[row] == EventKind.CARD_CORRECTED
        named = event_name(EventKind.CARD_DEALT if of_card else EventKind.WAGER_SETTLED)
        docket.add_event(
            FindingCode.ORPHAN_CORRECTION,
            events,
            int(row),
            message=f"the correction names no {named} of this table and round: it corrects nothing",
        )
    for place in np.flatnonzero(equal_to(rounds.end, RoundEnd.CUT) & ~rounds.held):
        docket.add_event(
            FindingCode.ROUND_NOT_CLOSED,
            events,
            int(rounds.open_row[place]),
            message="the table's next round opened, or the table closed, before this round ended",
        )
        docket.drafts[-1].own = 0
    placed = equal_to(events.kind, EventKind.WAGER_PLACED) & lifecycle.in_place
    enter_twins(docket, events, np.flatnonzero(placed))


def _why_out_of_place(lifecycle: Lifecycle, row: int) -> str:
    kind = event_name(int(lifecycle.events.kind[row]))
    if lifecycle.opening_of_row[row] < 0:
        return f"{kind} of a table that was not opened: kept, not judged"
    if lifecycle.closed[row]:
        return f"{kind} of a table that had closed and was not opened again: kept, not judged"
    opened_seq = lifecycle.events.round_opened_seq[lifecycle.events.round[row]]
    place = lifecycle.round_of_row[row]
    has_begun = place >= 0 and lifecycle.rounds.open_row[place] < row  # its opening may be lost
    if not has_begun and (opened_seq == 0 or opened_seq > lifecycle.events.seq[row]):
        return f"{kind} of a round that was not opened: kept, not judged"
    return f"{kind} outside the time between its round's opening and end: kept, not judged"


def _table_end(events: EventColumns, rows: Int64s) -> Int64s:
    """For each of some rows, the row just past the last of its table: (R,)."""
    past: Int64s = events.bounds()[events.table[rows] + 1]
    return past
