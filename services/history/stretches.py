"""The events of a history in order, cut into stretches that can be judged one by one.

Order: table, `seq`, arrival. A table is cut just before a `RoundOpened` that stands (before the
first row that shares its `seq`), so no round is ever in two stretches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import pyarrow as pa

from replay.events import Stretch
from replay.vocabulary import EventKind
from services.history.columns import EVENT_COLUMNS, event_columns
from services.history.lookups import RoundOpenings, corrections_of, openings_of
from services.history.store import History

STRETCH_ROWS: Final = 200_000
"""So many that a stretch costs little beside its rows, so few that memory does not notice."""


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
    targets = corrections.targets()
    where, parameters = _condition(tables, seqs)
    in_order = history.stream(
        _IN_ORDER.format(chosen=where), parameters, batch_rows=min(rows, 122_880)
    )
    for part, next_seq in _cut(in_order, rows):
        events = event_columns(part, openings, round_openings, targets)
        ends = np.zeros(len(events.table_ids), dtype=np.int64)
        ends[-1] = next_seq
        yield Stretch(events, corrections.later_than(events), ends)


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


def _cut(batches: Iterator[pa.RecordBatch], rows: int) -> Iterator[tuple[pa.Table, int]]:
    """Parts of about `rows`, each with the `seq` at which its last table goes on (0: nowhere)."""
    held: list[pa.RecordBatch] = []
    count, wanted = 0, rows
    for batch in batches:
        for at in range(0, batch.num_rows, rows):
            held.append(batch.slice(at, rows))
            count += held[-1].num_rows
            if count < wanted:
                continue
            table = pa.Table.from_batches(held).combine_chunks()
            row, next_seq = _last_cut(table)
            if row:
                yield table.slice(0, row), next_seq
            held = table.slice(row).to_batches()
            count -= row
            # A round longer than `rows`: look again only once as much again has come.
            wanted = rows if count < rows else 2 * count
    if count:
        yield pa.Table.from_batches(held).combine_chunks(), 0


def _last_cut(rows: pa.Table) -> tuple[int, int]:
    """The last row before which to cut (0: there is none), and its `seq` if within a table."""
    table = rows.column("table_id").combine_chunks().dictionary_encode()
    if isinstance(table, pa.ChunkedArray):
        table = table.chunk(0)
    numbers = table.indices.to_numpy(zero_copy_only=True)
    start = int(np.searchsorted(numbers, numbers[-1]))  # of the last table: numbers ascend
    kind = rows.column("kind").to_numpy()[start:]
    standing = rows.column("standing").to_numpy()[start:]
    opened = np.flatnonzero((kind == EventKind.ROUND_OPENED) & (standing != 0))
    if not len(opened):
        return start, 0
    seq = rows.column("seq").to_numpy()[start:]
    row = int(np.searchsorted(seq, seq[opened[-1]]))
    return (start + row, int(seq[row])) if row else (start, 0)
