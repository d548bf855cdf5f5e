"""Events that came late: after a later number of their table lay in an earlier step of reading.

They are few as a rule, are fetched before anything is judged, and are laid in where they belong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pyarrow as pa

from services.arrow import array_of
from services.history.arrival import Arrival, Step, steps_of
from services.history.store import History

LATE_ROWS_MAX: Final = 200_000
"""Kept in memory at the most; of the tables with the most of them the whole stream is sorted."""

NAMED_MAX: Final = 2_000
"""Numbers named in one statement: those are looked up, where a longer list would be joined."""


@dataclass(slots=True)
class Late:
    """Late events of some tables, and tables of which too much came late."""

    arrival: Arrival
    """Of tables of which little came late."""
    rows: dict[str, pa.Table] = field(default_factory=dict)
    """By table, rows of EVENT_COLUMNS by (`seq`, arrival)."""
    tables_to_sort: tuple[str, ...] = ()

    def due(self, step: Step) -> Iterator[pa.Table]:
        """Those whose place is among what came by this step; they are given away."""
        for table_id in sorted(self.rows.keys() & step.high_seq.keys()):
            rows = self.rows[table_id]
            seq = rows.column("seq").to_numpy()
            count = int(np.searchsorted(seq, step.high_seq[table_id], "right"))
            if count:
                yield rows.slice(0, count)
                self.rows[table_id] = rows.slice(count)


def late_of(history: History, arrival: Arrival, select: str, *, rows: int, rows_max: int) -> Late:
    """What came late where the streams are read in steps of about so many rows.

    `select` is SQL up to FROM; of tables of which more than `rows_max` came late it is only told.
    """
    to_sort: list[str] = []
    numbers = _late_numbers(history, arrival, rows)
    while sum(map(len, numbers.values())) > rows_max:
        while sum(map(len, numbers.values())) > rows_max:
            worst = max(numbers, key=lambda table_id: (len(numbers[table_id]), table_id))
            to_sort.append(worst)
            del numbers[worst]
        # Without them the steps are others, and others may be late.
        arrival = arrival.of_tables(sorted(set(arrival.counts()).difference(to_sort)))
        numbers = _late_numbers(history, arrival, rows)
    fetched = {
        table_id: _fetched(history, select, numbers[table_id]) for table_id in sorted(numbers)
    }
    return Late(arrival, fetched, tuple(sorted(to_sort)))


def _late_numbers(history: History, arrival: Arrival, rows: int) -> dict[str, list[int]]:
    """By table, the numbers of events that come late where so many rows are read at a time."""
    numbers: dict[str, list[int]] = {}
    for step in steps_of(arrival, rows):
        if step.late:
            values = [list(step.late), list(step.late.values()), step.first_no, step.last_no]
            for table_id, event_no in history.rows(_NUMBERS, values):
                numbers.setdefault(table_id, []).append(event_no)
    return numbers


def listed(numbers: Sequence[int]) -> str:
    """Numbers as SQL lists them."""
    return ", ".join(map(str, numbers))


def _fetched(history: History, select: str, numbers: Sequence[int]) -> pa.Table:
    parts = [numbers[at : at + NAMED_MAX] for at in range(0, len(numbers), NAMED_MAX)]
    rows = pa.concat_tables(
        history.table(f"{select} WHERE event_no IN ({listed(part)})") for part in parts
    )
    order = np.lexsort([rows.column(name).to_numpy() for name in ("event_no", "seq")])
    return rows.take(array_of(order))


_NUMBERS: Final = """
SELECT events.table_id, event_no
FROM events
JOIN (SELECT unnest(?::VARCHAR[]) AS table_id, unnest(?::BIGINT[]) AS high_seq) AS before
    ON events.table_id = before.table_id AND events.seq <= before.high_seq
WHERE event_no BETWEEN ? AND ?
ORDER BY ALL
"""
