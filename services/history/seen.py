"""Whether what comes into an empty history is all different, told in passing as it comes.

To group all events by their ids afterwards takes longer than to remember eight bytes of each.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from services.arrow import numbered

EVENTS_MAX: Final = 1 << 24
"""So many are remembered, in 128 MB; of more it cannot be told here."""

_ID_LENGTH: Final = 36
_WORDS_AT: Final = (0, 9, 14, 22, 28)
"""Where words of eight letters begin that hold every digit of a UUID."""
_ODD: Final = np.uint64(0x9E3779B97F4A7C15)

Uint64s = npt.NDArray[np.uint64]


class Seen:
    """Remembers ids, and the last place of each table."""

    def __init__(self) -> None:
        self._ids: list[Uint64s] = []
        self._last_seq: dict[str, int] = {}
        self._count = 0
        self._ascends = True

    def add(self, events: pa.Table) -> None:
        """More events (`EVENT_SCHEMA`), at least one."""
        self._count += events.num_rows
        self._ascends = self._ascends and self._goes_on(events)
        if not self._may_differ:
            self._ids.clear()
            return
        self._ids += [_mixed(ids) for ids in events.column("event_id").chunks]

    def all_differ(self) -> bool:
        """Whether no id and no place (`table_id`, `seq`) came twice; False where it may be."""
        if not self._may_differ:
            return False
        ids = np.concatenate([np.zeros(0, np.uint64), *self._ids])
        self._ids.clear()
        ids.sort()
        return not (ids[1:] == ids[:-1]).any()

    @property
    def _may_differ(self) -> bool:
        return self._ascends and self._count <= EVENTS_MAX

    def _goes_on(self, events: pa.Table) -> bool:
        """Whether at each table every number is above the one before."""
        number, table_ids = numbered(pa.concat_arrays(events.column("table_id").chunks))
        order = np.argsort(number, kind="stable")
        number, seq = number[order], events.column("seq").to_numpy()[order]
        if not ((seq[1:] > seq[:-1]) | (number[1:] != number[:-1])).all():
            return False
        bounds = np.searchsorted(number, np.arange(len(table_ids) + 1))
        for table_id, first, end in zip(table_ids, bounds[:-1], bounds[1:], strict=True):
            if int(seq[first]) <= self._last_seq.get(table_id, 0):
                return False
            self._last_seq[table_id] = int(seq[end - 1])
        return True


def _mixed(ids: pa.StringArray) -> Uint64s:
    """N UUIDs as text -> (N,) numbers that are the same where the ids are."""
    starts = np.frombuffer(ids.buffers()[1], np.int32, len(ids) + 1, 4 * ids.offset)
    octets = np.frombuffer(ids.buffers()[2], np.uint8)[starts[0] : starts[-1]]
    letters = octets.reshape(-1, _ID_LENGTH)
    mixed = np.zeros(len(ids), np.uint64)
    for at in _WORDS_AT:
        mixed = (mixed + np.ascontiguousarray(letters[:, at : at + 8]).view("<u8")[:, 0]) * _ODD
    return mixed
