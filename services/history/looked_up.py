"""Parts of streams as stretches: with all that the engine must know of what lies elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import pyarrow as pa

from replay.events import NO_INDEX, EventColumns, Int64s, Stretch
from replay.findings import FindingCode
from replay.verdict import Verdict
from replay.vocabulary import EventKind
from services.history.columns import event_columns
from services.history.lookups import (
    LiveRoundOpenings,
    RoundOpenings,
    corrections_of,
    openings_of,
    released_of,
)
from services.history.reading import Part
from services.history.rounds import lost_rounds
from services.history.store import History


class LookUps:
    """What must be known of some tables beside the events that are judged."""

    def __init__(self, history: History, tables: Sequence[str]) -> None:
        self.round_openings: RoundOpenings | LiveRoundOpenings
        if history.index is None:
            self.round_openings = RoundOpenings(history, tables)
        else:
            self.round_openings = LiveRoundOpenings(history.index)
        self._history = history
        # With an index, parts come whole, so that the little there is can be asked for when a part
        # needs it; else all is asked for before the events stream.
        self._openings = {} if history.index else openings_of(history, tables)
        self._corrections = corrections_of(history, tables)
        self._targets = self._corrections.targets()
        gaps = _any_gap(history, tables)
        self._released = released_of(history, tables) if gaps else {}
        self._lost = lost_rounds(history, tables) if gaps else {}

    def is_first(self, table_id: str, round_id: str, seq: int) -> bool:
        """Whether a round began with its opening at `seq`, for all that was judged so far."""
        lost = self._lost.get(table_id, {}).get(round_id, seq)
        return lost >= seq and self.round_openings.is_first(table_id, round_id, seq)

    def stretch(self, part: Part) -> Stretch:
        """A part as the engine takes it."""
        if self._history.index is not None:
            kind = part.rows.column("kind").to_numpy()
            if (kind == EventKind.TABLE_OPENED).any():
                table_ids = part.rows.column("table_id").unique().to_pylist()
                self._openings |= openings_of(self._history, table_ids)
        return self.stretch_of(self.columns(part.rows), part.next_seq)

    def columns(self, rows: pa.Table) -> EventColumns:
        """Rows of EVENT_COLUMNS, in any order, as the engine's columns."""
        return event_columns(rows, self._openings, self.round_openings, self._targets)

    def stretch_of(self, events: EventColumns, next_seq_of: Mapping[str, int]) -> Stretch:
        """Columns in the order of a stretch; where each table goes on, if it does."""
        if self._lost:
            self._enter_lost(events)
        next_seq: Int64s = np.array(
            [next_seq_of.get(table_id, 0) for table_id in events.table_ids], np.int64
        )
        later = self._corrections.later_than(events)
        return Stretch(events, later, next_seq, self._released)

    def judged(self, events: EventColumns, verdict: Verdict) -> None:
        """Learn which rounds of a part were taken for rounds whose opening was lost."""
        rounds, index = verdict.rounds, self._history.index
        if index is not None:
            code = FindingCode.SEQUENCE_GAP
            index.without_gap -= {each.table_id for each in verdict.findings if each.code == code}
        if self._lost:
            self._forget_lost(events)
        opened = events.round_opened_seq[rounds.round]
        for row in np.flatnonzero(opened != rounds.opened_seq).tolist():
            lost = self._lost.setdefault(events.table_ids[rounds.table[row]], {})
            lost[events.round_ids[rounds.round[row]]] = int(rounds.opened_seq[row])

    def _enter_lost(self, events: EventColumns) -> None:
        """A round that was lost before this part was a round from then on."""
        first_seq, table_of = _first_seqs(events), _tables_of_rounds(events)
        for index, round_id in enumerate(events.round_ids):
            table = int(table_of[index])
            if table < 0:
                continue  # known of, but none of its events is here
            seq = self._lost.get(events.table_ids[table], {}).get(round_id, 0)
            opened = int(events.round_opened_seq[index])
            if 0 < seq < first_seq[table] and (opened == 0 or opened > seq):
                events.round_opened_seq[index] = seq

    def _forget_lost(self, events: EventColumns) -> None:
        """What was held of the part that is judged now."""
        first_seq = _first_seqs(events)
        for table, table_id in enumerate(events.table_ids):
            last_seq = events.seq[np.flatnonzero(events.table == table)[-1]]
            lost = self._lost.get(table_id, {})
            for round_id in [r for r, seq in lost.items() if first_seq[table] <= seq <= last_seq]:
                del lost[round_id]


def _any_gap(history: History, tables: Sequence[str]) -> bool:
    """Whether there may be a gap at any of the tables."""
    if history.index is None:
        return True
    if history.index.without_gap >= set(tables):
        return False
    if history.count(_GAPS, [list(tables)]):
        return True
    history.index.without_gap |= set(tables)
    return False


# Without a gap no round was lost, and nothing was released.
_GAPS: Final = """
SELECT count(*) FROM findings
WHERE code = 'SEQUENCE_GAP' AND table_id IN (SELECT unnest(?::VARCHAR[]))
"""


def _first_seqs(events: EventColumns) -> Int64s:
    first = np.zeros(len(events.table_ids), np.int64)
    first[events.table[::-1]] = events.seq[::-1]
    return first


def _tables_of_rounds(events: EventColumns) -> Int64s:
    tables = np.full(len(events.round_ids), NO_INDEX, np.int64)
    rows = np.flatnonzero(events.round >= 0)
    tables[events.round[rows]] = events.table[rows]
    return tables
