"""Events as they arrived: numbers that are missing, contents that conflict, clocks that went back.

Source: event contract 1; section Stream of the findings contract.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from replay.arrays import first_of_run, last_of_run, where_steps
from replay.docket import Docket, Draft
from replay.events import EventColumns, Int64s, Stretch
from replay.findings import FindingCode
from replay.state import TableStates

SKEW_MICROS_MAX: Final = 5_000_000


@dataclass(frozen=True, slots=True)
class Gaps:
    """Rows of a stretch right before which numbers are missing, ascending."""

    rows: Int64s
    """All of them, released or not."""
    holding: Int64s
    """Of gaps that hold rounds; the row past a table's last where one lies before the next
    stretch."""
    holding_table: Int64s
    """The table of each: the row past a table's last is the first one of another."""


def find_gaps(stretch: Stretch, states: TableStates, docket: Docket) -> Gaps:
    """Enter every gap, and tell where they lie."""
    events = stretch.events
    table, seq = events.table, events.seq
    holding: list[tuple[int, int]] = []
    gaps = []
    begins = first_of_run(table)
    begins |= where_steps(seq, lambda steps: steps > 1)  # from 1 on: nothing can run over
    for row in np.flatnonzero(begins).tolist():
        before = _seq_before(events, states, row)
        if before is None or before >= int(seq[row]) - 1:
            continue
        gaps.append(row)
        missing = (before + 1, int(seq[row]) - 1)
        _gap(docket, int(table[row]), missing, int(events.event_no[row]))
        if not _released(stretch, int(table[row]), missing):
            holding.append((row, int(table[row])))
    for last in np.flatnonzero(last_of_run(table)):
        missing = (int(seq[last]) + 1, int(stretch.next_seq[table[last]]) - 1)
        if missing[1] >= missing[0] and not _released(stretch, int(table[last]), missing):
            holding.append((int(last) + 1, int(table[last])))
    places = np.array(sorted(holding), np.int64).reshape(-1, 2)
    return Gaps(np.array(gaps, np.int64), places[:, 0], places[:, 1])


def _seq_before(events: EventColumns, states: TableStates, row: int) -> int | None:
    """The last `seq` of the table before a row; None where the row is its first of all."""
    if row and events.table[row - 1] == events.table[row]:
        return int(events.seq[row - 1])
    state = states.get(events.table_ids[events.table[row]])
    return state.last_seq if state and state.last_seq else None


def _released(stretch: Stretch, table: int, missing: tuple[int, int]) -> bool:
    """Whether all that is missing was released by a person, at once or bit by bit."""
    first, last = missing
    for start, end in sorted(stretch.released.get(stretch.events.table_ids[table], ())):
        if start <= first <= end:
            first = end + 1
    return first > last


def _gap(docket: Docket, table: int, missing: tuple[int, int], next_event_no: int) -> None:
    first, last = missing
    what = f"event {first} is" if first == last else f"events {first} to {last} are"
    docket.add(
        Draft(
            code=FindingCode.SEQUENCE_GAP,
            table=table,
            seq=first,
            first_missing=first,
            last_missing=last,
            clause="event contract 1",
            event_nos=(next_event_no,),
            message=f"{what} missing: rounds open meanwhile are held until the events arrive "
            "or a person releases them",
            own=first,
        )
    )


def enter_conflict(docket: Docket, arrivals: EventColumns, row: int) -> None:
    """Enter one event whose content lost against an earlier one."""
    docket.add_event(
        FindingCode.EVENT_CONFLICT,
        arrivals,
        row,
        message=f"event {int(arrivals.seq[row])} came with another content under the same id or "
        "the same number before: both are kept, the first to arrive is judged",
    )
    earlier = docket.drafts[-1]
    earlier.own = f"{int(arrivals.seq[row])}/{_nth_conflict(arrivals, row)}"


def _nth_conflict(arrivals: EventColumns, row: int) -> int:
    """Which of the conflicting contents at this (table, seq) the row is, by arrival."""
    nth, at = 1, row - 1
    while at >= 0 and (arrivals.table[at], arrivals.seq[at]) == (
        arrivals.table[row],
        arrivals.seq[row],
    ):
        nth, at = nth + 1, at - 1
    return nth


def enter_skews(docket: Docket, events: EventColumns, states: TableStates) -> None:
    """Enter every event before which the table's clock went back."""
    at = events.at_micros
    begins = first_of_run(events.table)
    back_rows = begins | where_steps(at, lambda steps: steps < -SKEW_MICROS_MAX)
    for row in np.flatnonzero(back_rows).tolist():
        state = states.get(events.table_ids[events.table[row]])
        if not begins[row]:
            before = int(at[row - 1])
        elif state and state.last_seq:
            before = state.last_micros
        else:
            continue
        back = before - int(at[row])
        if back <= SKEW_MICROS_MAX:
            continue
        docket.add_event(
            FindingCode.CLOCK_SKEW,
            events,
            int(row),
            message=f"the table's clock went back {back // 1_000_000} s: order is by number",
        )
