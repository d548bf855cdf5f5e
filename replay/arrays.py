"""Small tools over integer arrays: groups, first of a group, positions within a group.

Groups are given as a dense group number a row, rows being in their order of time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from replay.events import Bools, Int64s, Ints

T = TypeVar("T", bound=np.generic)

NEVER: Final = np.int64(np.iinfo(np.int64).max)
"""The moment that never came: a `seq` later than that of any moment within a round that ended.

The last `seq` that there can be is that of an end at the most: a round in which it is something
else is still open, and not judged."""
BEFORE_ALL: Final = np.int64(0)
"""A `seq` before any; numbers start at 1."""


_PIECE_ROWS: Final = 16_384


def among(codes: npt.NDArray[np.integer], members: Iterable[int]) -> Bools:
    """Which codes are one of a few: any shape. Quicker than `np.isin`, which sorts first."""
    found = np.zeros(codes.shape, np.bool_)
    for member in members:
        found |= equal_to(codes, member)
    return found


def equal_to(codes: npt.NDArray[np.integer], word: int) -> Bools:
    """Which codes are that of a word of the vocabulary: any shape.

    NumPy takes an enum for a 64-bit integer, and widens all codes to compare them: 40 times as slow
    on bytes.
    """
    same: Bools = codes == int(word)
    return same


def first_by_group(groups: npt.NDArray[np.integer], size: int) -> Int64s:
    """Row of the first member of each group: (N,) -> (size,), -1 where a group is empty."""
    first = np.full(size, -1, np.int64)
    first[groups[::-1]] = np.arange(len(groups) - 1, -1, -1, dtype=np.int64)
    return first


def last_by_group(groups: npt.NDArray[np.integer], size: int) -> Int64s:
    """Row of the last member of each group: (N,) -> (size,), -1 where a group is empty."""
    last = np.full(size, -1, np.int64)
    last[groups] = np.arange(len(groups), dtype=np.int64)
    return last


def nth_by_group(groups: npt.NDArray[np.integer], size: int, count: int) -> Int64s:
    """Rows of the first `count` members of each group: (N,) -> (count, size), -1 where none."""
    members = np.full((count, size), -1, np.int64)
    rows = np.arange(len(groups), dtype=np.int64)
    for nth in range(count):
        if not len(rows):
            break
        first = first_by_group(groups[rows], size)
        found = first >= 0
        members[nth, found] = rows[first[found]]
        keep = np.ones(len(rows), np.bool_)
        keep[first[found]] = False
        rows = rows[keep]
    return members


def value_at(values: Int64s, rows: Int64s, absent: np.int64) -> Int64s:
    """`values[rows]`, and `absent` where a row is -1; any shape of rows."""
    if not len(values):
        return np.full(rows.shape, absent, np.int64)
    picked: Int64s = values.take(rows)  # -1 picks the last
    picked[rows < 0] = absent
    return picked


def first_seq(seq: Int64s, groups: npt.NDArray[np.integer], size: int) -> Int64s:
    """Lowest `seq` of each group, rows in ascending order: (size,), NEVER where empty."""
    return value_at(seq, first_by_group(groups, size), NEVER)


def starts_of(groups: npt.NDArray[np.integer], size: int) -> Int64s:
    """Bounds of sorted groups: (size + 1,); group g is rows `[g]` to `[g + 1]`."""
    counts = np.bincount(groups, minlength=size)
    starts = np.zeros(size + 1, np.int64)
    np.cumsum(counts, out=starts[1:])
    return starts


def position_in_group(groups: npt.NDArray[np.integer], size: int) -> Int64s:
    """0, 1, 2... within each group, groups being sorted: (N,)."""
    position: Int64s = np.arange(len(groups), dtype=np.int64) - starts_of(groups, size)[groups]
    return position


def ordinal_in_group(groups: npt.NDArray[np.integer]) -> Int64s:
    """0, 1, 2... within each group in row order, groups in any order: (N,)."""
    order = np.argsort(groups, kind="stable")
    ordered = groups[order]
    new = np.ones(len(groups), np.bool_)
    new[1:] = ordered[1:] != ordered[:-1]
    start = np.maximum.accumulate(np.where(new, np.arange(len(groups)), 0))
    ordinal = np.empty(len(groups), np.int64)
    ordinal[order] = np.arange(len(groups)) - start
    return ordinal


def by_turn(groups: npt.NDArray[np.integer]) -> list[Int64s]:
    """The first members of all groups, the second ones and so on: rows, ascending each."""
    turn = ordinal_in_group(groups)
    order = np.argsort(turn, kind="stable").astype(np.int64)
    return np.split(order, np.cumsum(np.bincount(turn))[:-1]) if len(turn) else []


def sums_by_group(
    groups: npt.NDArray[np.integer], values: npt.NDArray[np.integer], size: int
) -> Int64s:
    """Integer sum of each group: (size,). Exact, as long as 64 bits do; of objects always."""
    sums: Int64s = np.zeros(size, values.dtype if values.dtype == np.object_ else np.int64)
    np.add.at(sums, groups, values)
    return sums


def running_last(marks: Bools) -> Int64s:
    """Row of the latest marked row at or before each row: (N,), -1 before the first."""
    rows: Int64s = np.where(marks, np.arange(len(marks), dtype=np.int64), -1)
    latest: Int64s = np.maximum.accumulate(rows) if len(rows) else rows
    return latest


def compact(keys: Int64s) -> tuple[Int64s, Int64s]:
    """Distinct keys, ascending (K,), and the place of each row's key among them (N,).

    Keys are not negative. Dense where they are small enough for that, sorted otherwise.
    """
    if not len(keys):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    top = int(keys.max()) + 1
    if top <= 16 * len(keys) + 4096:
        used = np.zeros(top, np.bool_)
        used[keys] = True
        found: Int64s = np.flatnonzero(used)
        places = np.zeros(top, np.int64)
        places[found] = np.arange(len(found))
        return found, places.take(keys)
    found, inverse = np.unique(keys, return_inverse=True)
    return found, inverse


def distinct(values: npt.NDArray[T]) -> npt.NDArray[T]:
    """The values that are there, ascending: as `np.unique`, which imports `numpy.ma` for it."""
    ordered = np.sort(values)
    found: npt.NDArray[T] = ordered[np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]]
    return found


def where_steps(values: Int64s, holds: Callable[[Int64s], Bools]) -> Bools:
    """Rows of which something holds for the step from the value before: (N,), False for the first.

    Piece by piece, so that the steps need not leave the processor's cache.
    """
    found = np.zeros(len(values), np.bool_)
    for begin in range(1, len(values), _PIECE_ROWS):
        end = min(begin + _PIECE_ROWS, len(values))
        found[begin:end] = holds(values[begin:end] - values[begin - 1 : end - 1])
    return found


def laid_over(values: npt.NDArray[T], starts: Int64s, count: int) -> npt.NDArray[T]:
    """Each value from its start to before the next one's: (S,), (S,) -> (count,).

    Starts ascend from 0 on; where two are the same, the later value counts.
    """
    return np.repeat(values, np.diff(np.append(starts, count)))


def first_of_run(values: Ints) -> Bools:
    """Rows at which a run of equal values begins: (N,)."""
    first = np.ones(len(values), np.bool_)
    first[1:] = values[1:] != values[:-1]
    return first


def last_of_run(values: Ints) -> Bools:
    """Rows at which a run of equal values ends: (N,)."""
    last = np.ones(len(values), np.bool_)
    last[:-1] = values[1:] != values[:-1]
    return last
