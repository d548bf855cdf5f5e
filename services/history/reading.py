"""Parts of tables' streams out of the history, cut so that they can be judged one by one.

Order: table, `seq`, arrival. A table is cut just before the first `RoundOpened` of a round (before
the first row that shares its `seq`), so no round is ever in two parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, Protocol

import numpy as np
import pyarrow as pa

from replay.arrays import among, first_by_group
from replay.events import Bools, Int32s
from replay.stream import ANY_TIME_KINDS
from replay.vocabulary import EventKind
from services.arrow import first_row_with, numbered
from services.history.columns import EVENT_COLUMNS
from services.history.scopes import TO_THE_END
from services.history.store import History

STRETCH_ROWS: Final = 200_000
"""So many that a stretch costs little beside its rows, so few that memory does not notice."""

FEW_ROWS: Final = 122_880
"""Tables whose events lie that far apart in the order of arrival are read apart."""


FEW_RANGES: Final = 64
"""Named in one statement."""

TAIL_ROUNDS: Final = 12
"""As long as so few rounds are judged again with the newest one, a place is not moved: that costs
as much as judging them."""


@dataclass(frozen=True, slots=True)
class Range:
    """A table's stream from one `seq` to just before another."""

    table_id: str
    from_seq: int
    """0: from its beginning."""
    to_seq: int = 0
    """0: to its end."""
    first_event_no: int = 0
    """No event of the table from `from_seq` on has a lower number."""

    def last_seq(self) -> int:
        """The highest number that it may hold."""
        return self.to_seq - 1 if self.to_seq else TO_THE_END


@dataclass(frozen=True, slots=True)
class Part:
    """Rows of EVENT_COLUMNS to be judged together."""

    rows: pa.Table
    next_seq: dict[str, int]
    """`seq` at which a table goes on after its rows here; absent: it ends with them."""
    tails: dict[str, pa.Table] = field(default_factory=dict)
    """Rows of tables that end here, from their last cut on: to be judged after these."""


class FirstOpenings(Protocol):
    """Knows of every round where it began."""

    def is_first(self, table_id: str, round_id: str, seq: int) -> bool:
        """Whether the opening at `seq` is the first one of its round."""


def parts(
    history: History,
    ranges: Sequence[Range],
    openings: FirstOpenings,
    *,
    rows: int = STRETCH_ROWS,
) -> Iterator[Part]:
    """The ranges in parts of about `rows` events, tails apart.

    Memory is bounded by `rows`, save where a single round is longer. Within a transaction nothing
    else may be asked of the history until the last part was taken; but of one that has an index,
    since few events are expected then, and read at once. A tail of those begins at the beginning
    of its range, unless that is TAIL_ROUNDS ago.
    """
    ends = {each.table_id: each.to_seq for each in ranges}
    if history.index is None:
        yield from cut_up(_in_order(history, ranges, rows), rows, Cutter(openings, ends))
    else:
        starts = {each.table_id: each.from_seq for each in ranges}
        yield from cut_up(_few_in_order(history, ranges), rows, Cutter(openings, ends, starts))


def cut_up(batches: Iterator[pa.RecordBatch], rows: int, cutter: Cutter) -> Iterator[Part]:
    """Rows in order, cut into parts of about `rows`."""
    held: list[pa.RecordBatch] = []
    count, wanted = 0, rows
    for batch in batches:
        for at in range(0, batch.num_rows, rows):
            held.append(batch.slice(at, rows))
            count += held[-1].num_rows
            if count < wanted:
                continue
            table = pa.Table.from_batches(held).combine_chunks()
            row = cutter.last_cut(table)
            if row:
                yield cutter.part(table.slice(0, row), goes_on=table.slice(row, 1))
            held = table.slice(row).to_batches()
            count -= row
            # A round longer than `rows`: look again only once as much again has come.
            wanted = rows if count < rows else 2 * count
    if count:
        yield cutter.part(pa.Table.from_batches(held).combine_chunks())


def _in_order(history: History, ranges: Sequence[Range], rows: int) -> Iterator[pa.RecordBatch]:
    listed = pa.table(
        {
            "table_id": pa.array([each.table_id for each in ranges], pa.string()),
            "from_seq": pa.array([each.from_seq for each in ranges], pa.int64()),
            "last_seq": pa.array([each.last_seq() for each in ranges], pa.int64()),
        }
    )
    history.run(_RANGES)
    history.insert("ranges", listed)
    groups = _near_groups(ranges)
    chosen = " UNION ALL ".join(
        _FROM_NUMBER.format(
            first=min(each.first_event_no for each in group), table_ids=", ".join("?" * len(group))
        )
        for group in groups
    )
    yield from history.stream(
        f"SELECT * FROM ({chosen}) ORDER BY table_id, seq, event_no",  # noqa: S608 (constants only)
        [each.table_id for group in groups for each in group],
        batch_rows=min(rows, 122_880),
    )


def _few_in_order(history: History, ranges: Sequence[Range]) -> Iterator[pa.RecordBatch]:
    """By table. Ranges are lists in the statement: a condition each takes longer to plan."""
    ordered = sorted(ranges, key=lambda each: each.table_id)
    for at in range(0, len(ordered), FEW_RANGES):
        chosen: list[str] = []
        values: list[object] = []
        for group in _near_groups(ordered[at : at + FEW_RANGES]):
            first_no = min(each.first_event_no for each in group)
            chosen.append(_FEW_FROM_NUMBER.format(first=first_no))
            values += [
                [each.table_id for each in group],
                [each.from_seq for each in group],
                [each.last_seq() for each in group],
            ]
        few = f"SELECT * FROM ({' UNION ALL '.join(chosen)}) ORDER BY table_id, seq, event_no"  # noqa: S608 (constants only)
        yield from history.few(few, values).to_batches()


def _near_groups(ranges: Sequence[Range]) -> list[list[Range]]:
    """Ranges that begin near each other in the order of arrival are read in one go."""
    ordered = sorted(ranges, key=lambda each: each.first_event_no)
    groups = [ordered[:1]]
    for before, each in pairwise(ordered):
        if each.first_event_no - before.first_event_no > FEW_ROWS:
            groups.append([])
        groups[-1].append(each)
    return groups


_RANGES: Final = """
CREATE OR REPLACE TEMP TABLE ranges (table_id VARCHAR, from_seq BIGINT, last_seq BIGINT)
"""

_FROM_NUMBER: Final = (
    f"SELECT {EVENT_COLUMNS} FROM events SEMI JOIN ranges "  # noqa: S608 (constants only)
    "ON events.table_id = ranges.table_id AND events.seq >= ranges.from_seq "
    "AND events.seq <= ranges.last_seq "
    "WHERE event_no >= {first} AND events.table_id IN ({table_ids})"
)

_FEW_FROM_NUMBER: Final = (
    f"SELECT {EVENT_COLUMNS} FROM events SEMI JOIN ("  # noqa: S608 (constants only)
    "SELECT unnest(?::VARCHAR[]) AS table_id, unnest(?::BIGINT[]) AS from_seq, "
    "unnest(?::BIGINT[]) AS last_seq) AS ranges "
    "ON events.table_id = ranges.table_id AND events.seq >= ranges.from_seq "
    "AND events.seq <= ranges.last_seq WHERE event_no >= {first}"
)


@dataclass(slots=True)
class Cutter:
    """Finds where parts end."""

    openings: FirstOpenings
    ends: Mapping[str, int] | None = None
    """Table -> `seq` at which its range ends, 0: with its stream. None: no tails are set apart."""
    starts: Mapping[str, int] | None = None
    """Table -> `seq` at which its range begins, where a tail may be as long as that."""

    def last_cut(self, rows: pa.Table) -> int:
        """The last row before which to cut; 0: there is none."""
        start = _starts_of_tables(rows)[-1]
        return start + (self._cut_in(rows.slice(start)) or 0)

    def part(self, rows: pa.Table, goes_on: pa.Table | None = None) -> Part:
        """These rows, all tables complete but the one that goes on."""
        table_ids = rows.column("table_id")
        bounds = [*_starts_of_tables(rows), rows.num_rows]
        next_seq: dict[str, int] = {}
        kept, tails = [], {}
        rounds_max = self._tail_rounds_max(rows)
        for start, end in pairwise(bounds):
            table_id = table_ids[start].as_py()
            own = rows.slice(start, end - start)
            if goes_on is not None and goes_on.column("table_id")[0].as_py() == table_id:
                next_seq[table_id] = goes_on.column("seq")[0].as_py()
            elif self.ends is not None and self.ends[table_id]:
                next_seq[table_id] = self.ends[table_id]
            elif (
                self.ends is not None
                and (cut := self._tail_of(table_id, own, rounds_max)) is not None
            ):
                tails[table_id] = _alone(own.slice(cut))
                own = own.slice(0, cut)
                next_seq[table_id] = tails[table_id].column("seq")[0].as_py()
            kept.append(own)
        return Part(pa.concat_tables(kept), next_seq, tails)

    def _tail_rounds_max(self, rows: pa.Table) -> int:
        """How many rounds a tail may have. Once one has too many, all are shortened together."""
        if self.starts is None:
            return 0
        bounds = [*_starts_of_tables(rows), rows.num_rows]
        opened = np.cumsum([0, *(rows.column("kind").to_numpy() == EventKind.ROUND_OPENED)])
        most = int(np.diff(opened[bounds]).max())
        return TAIL_ROUNDS if most <= TAIL_ROUNDS else TAIL_ROUNDS // 4

    def _tail_of(self, table_id: str, rows: pa.Table, rounds_max: int) -> int | None:
        """Within the rows of one table, to its end: the row with which its tail begins."""
        if self.ends is None:
            return None
        if self.starts is not None and rows.column("seq")[0].as_py() == self.starts[table_id]:
            kind = rows.column("kind").to_numpy()
            if np.count_nonzero(kind == EventKind.ROUND_OPENED) <= rounds_max:
                return 0
        return self._cut_in(rows)

    def _cut_in(self, rows: pa.Table) -> int | None:
        """Within the rows of one table: the row of its last cut."""
        kind, standing = rows.column("kind").to_numpy(), rows.column("standing").to_numpy()
        opened = np.flatnonzero((kind == EventKind.ROUND_OPENED) & (standing != 0))
        seq, first = rows.column("seq").to_numpy(), None
        for row in opened[::-1]:
            table_id, round_id = (
                rows.column(name)[int(row)].as_py() for name in ("table_id", "round_id")
            )
            if self.openings.is_first(table_id, round_id, int(seq[row])):
                named_first = first_row_with(_whole(rows, "round_id"), round_id) == row
                if not named_first:  # it is rare that it may be named before
                    first = _first_of_round(rows) if first is None else first
                    named_first = first[row]
                if named_first:
                    return int(np.searchsorted(seq, seq[row]))
        return None


def _first_of_round(rows: pa.Table) -> Bools:
    """Rows of one table that are the first to name their round: (N,).

    Where a round is named before it opens, it may be taken for one that opened in a gap.
    """
    numbers, names = _numbered(rows, "round_id")
    kind, standing = rows.column("kind").to_numpy(), rows.column("standing").to_numpy()
    named = np.flatnonzero((numbers >= 0) & (standing != 0) & ~among(kind, ANY_TIME_KINDS))
    found = np.zeros(rows.num_rows, np.bool_)
    found[named[first_by_group(numbers[named], len(names))]] = True
    return found


def _alone(rows: pa.Table) -> pa.Table:
    """A copy of a few rows that does not hold on to all those they were cut from."""
    copied = pa.BufferOutputStream()
    with pa.ipc.new_stream(copied, rows.schema) as written:
        written.write_table(rows)
    return pa.ipc.open_stream(copied.getvalue()).read_all()


def _numbered(rows: pa.Table, name: str) -> tuple[Int32s, list[str]]:
    return numbered(_whole(rows, name))


def _whole(rows: pa.Table, name: str) -> pa.Array:
    column = rows.column(name).combine_chunks()
    return column.chunk(0) if isinstance(column, pa.ChunkedArray) else column


def _starts_of_tables(rows: pa.Table) -> list[int]:
    """Rows, sorted by table, at which a table begins: tables are few, rows are many."""
    table_ids = rows.column("table_id")
    starts, count = [0], rows.num_rows
    while True:
        own, low, high = table_ids[starts[-1]], starts[-1], count
        while high - low > 1:  # `low` is a row of the same table, `high` of another
            middle = (low + high) // 2
            low, high = (middle, high) if table_ids[middle] == own else (low, middle)
        if high == count:
            return starts
        starts.append(high)
