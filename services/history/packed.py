"""Keys that are asked for and never counted, at half their size: four bytes each instead of eight.

Of a key the first 48 bits are kept, as good as never the same for two where keys are spread evenly:
16 of them say in which of so many parts it lies, so that only the rest need be there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self

import numpy as np
import numpy.typing as npt

Uint64s = npt.NDArray[np.uint64]

_PARTS: Final = 1 << 16
_DROPPED: Final = np.uint64(16)
_PART_AT: Final = np.uint64(48)
_PARTS_AT_ONCE: Final = 1 << 12  # are joined: a sixteenth of the keys lie in memory twice


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PackedKeys:
    """N keys: part p has those from `starts[p]` to before `starts[p + 1]`, ascending."""

    starts: npt.NDArray[np.uint32]
    """(2^16 + 1,)"""
    rests: npt.NDArray[np.uint32]
    """(N,)"""

    @classmethod
    def of(cls, keys: Uint64s) -> Self:
        """(N,) keys, ascending."""
        parts = np.arange(_PARTS, dtype=np.uint64) << _PART_AT
        starts = np.append(np.searchsorted(keys, parts), len(keys))
        return cls(starts.astype(np.uint32), _rests(keys))

    def joined(self, other: PackedKeys) -> PackedKeys:
        """The keys of both."""
        rests = np.empty(len(self.rests) + len(other.rests), np.uint32)
        starts = self.starts + other.starts
        for first in range(0, _PARTS, _PARTS_AT_ONCE):
            end = first + _PARTS_AT_ONCE
            keys = np.concatenate([each._keys(first, end) for each in (self, other)])
            keys.sort()
            rests[starts[first] : starts[end]] = _rests(keys)
        return PackedKeys(starts, rests)

    def _keys(self, first: int, end: int) -> Uint64s:
        """What is kept of those of some parts, ascending."""
        counts = np.diff(self.starts[first : end + 1])
        parts = np.repeat(np.arange(first, end, dtype=np.uint64), counts)
        rests = self.rests[self.starts[first] : self.starts[end]].astype(np.uint64)
        keys: Uint64s = (parts << _PART_AT) | (rests << _DROPPED)
        return keys

    def hits(self, keys: Uint64s) -> npt.NDArray[np.bool_]:
        """Which of (M,) keys are held: never too few, and one too many in 2^48 / N.

        In any order; a third of the time where they ascend.
        """
        part, rest = (keys >> _PART_AT).astype(np.int64), _rests(keys)
        low, end = (self.starts[part + off].astype(np.int64) for off in (0, 1))
        high, last = end.copy(), len(self.rests) - 1
        while (low < high).any():  # a search in each part, all at once
            middle = np.minimum((low + high) // 2, last)
            above = (low < high) & (self.rests[middle] < rest)
            high = np.where(above, high, np.minimum(high, middle))
            low = np.where(above, middle + 1, low)
        found: npt.NDArray[np.bool_] = (low < end) & (self.rests[np.minimum(low, last)] == rest)
        return found


def _rests(keys: Uint64s) -> npt.NDArray[np.uint32]:
    """The 32 bits behind the part."""
    return (keys >> _DROPPED).astype(np.uint32)
