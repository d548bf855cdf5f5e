"""The events of a history in order, cut into stretches that can be judged one by one.

Order: table, `seq`, arrival; no round is ever in two stretches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from replay.events import Stretch
from services.history.columns import EVENT_COLUMNS, event_columns
from services.history.lookups import RoundOpenings, corrections_of, openings_of, released_of
from services.history.reading import STRETCH_ROWS, Cutter, cut_up
from services.history.store import History


def stretches(
    history: History,
    tables: Sequence[str] | None = None,
    *,
    rows: int = STRETCH_ROWS,
    seqs: tuple[int, int] | None = None,
) -> Iterator[Stretch]:
    """The events of the chosen tables (None: all) in stretches of about `rows` events.

    `seqs` takes only events from the first of these numbers to the last, as if there were no more.

    Memory is bounded by `rows`, save where a single round is longer. Within a transaction nothing
    else may be asked of the history until the last stretch was taken.
    """
    assert rows >= 1
    openings, round_openings = openings_of(history), RoundOpenings(history)
    corrections = corrections_of(history)
    targets, released = corrections.targets(), released_of(history)
    where, parameters = _condition(tables, seqs)
    in_order = history.stream(
        _IN_ORDER.format(chosen=where), parameters, batch_rows=min(rows, 122_880)
    )
    for part in cut_up(in_order, rows, Cutter(round_openings)):
        events = event_columns(part.rows, openings, round_openings, targets)
        ends = np.zeros(len(events.table_ids), dtype=np.int64)
        ends[-1] = part.next_seq.get(events.table_ids[-1], 0)
        yield Stretch(events, corrections.later_than(events), ends, released)


def _condition(
    tables: Sequence[str] | None, seqs: tuple[int, int] | None
) -> tuple[str, list[object]]:
    parts: list[str] = []
    parameters: list[object] = []
    if tables is not None:
        parts.append("table_id IN (SELECT unnest(?::VARCHAR[]))")
        parameters.append(list(tables))
    if seqs is not None:
        parts.append("seq BETWEEN ? AND ?")
        parameters.extend(seqs)
    return f"WHERE {' AND '.join(parts)}" if parts else "", parameters


_IN_ORDER: Final = (
    f"SELECT {EVENT_COLUMNS} FROM events {{chosen}} "  # noqa: S608 (constants only)
    "ORDER BY table_id, seq, event_no"
)
