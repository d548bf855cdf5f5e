"""What the engine must know of events beyond the stretch that it judges.

All of it is little beside the events, is asked for before they are streamed, and is kept in
columns: what tables said when they opened, when rounds opened, and which events were corrected.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from replay.arrays import among
from replay.events import NO_INDEX, EventColumns, Int32s, Int64s, TableOpening, Uint8s
from replay.vocabulary import CARD_UNREAD, EventKind
from services.arrow import numbered
from services.history.live_index import LiveIndex
from services.history.store import History

CORRECTION_KINDS: Final = (int(EventKind.CARD_CORRECTED), int(EventKind.PAYOUT_CORRECTED))

KEPT_NONE: Final = 0xFFFFFFFF
"""Four times CARD_UNREAD."""


def openings_of(history: History, tables: Sequence[str] | None = None) -> dict[int, TableOpening]:
    """What every `TableOpened` of the chosen tables (None: all) said, by its `event_no`."""
    return {
        number: TableOpening(game, day, spots, json.loads(paytables), minimum, maximum, house_way)
        for number, game, day, spots, paytables, minimum, maximum, house_way in history.rows(
            *_of_tables(_OPENINGS, tables)
        )
    }


def _of_tables(sql: str, tables: Sequence[str] | None) -> tuple[str, list[object]]:
    if tables is None:
        return sql.format(chosen="true"), []
    return sql.format(chosen="table_id IN (SELECT unnest(?::VARCHAR[]))"), [list(tables)]


_OPENINGS: Final = """
SELECT event_no, enum_code(game), gaming_day, spots, paytables, minimum_cents, maximum_cents,
       house_way
FROM table_openings
WHERE {chosen}
"""


def released_of(
    history: History, tables: Sequence[str] | None = None
) -> dict[str, tuple[tuple[int, int], ...]]:
    """Missing numbers that were released, first and last, by table."""
    released: dict[str, tuple[tuple[int, int], ...]] = {}
    for table_id, first, last in history.rows(*_of_tables(_RELEASED, tables)):
        released[table_id] = (*released.get(table_id, ()), (first, last))
    return released


_RELEASED: Final = """
SELECT table_id, first_missing_seq, last_missing_seq
FROM releases
WHERE {chosen}
ORDER BY ALL
"""


class RoundOpenings:
    """`seq` of the first standing `RoundOpened` of every round of the chosen tables."""

    def __init__(self, history: History, tables: Sequence[str] | None = None) -> None:
        self._rows: pa.Table | None = history.table(*_of_tables(_ROUND_OPENINGS, tables))
        """Until they are told apart by table."""
        self._by_table: dict[str, tuple[pa.Array, Int64s]] | None = None
        self.opened_twice = {
            (table_id, round_id): seq
            for table_id, round_id, seq in history.rows(*_of_tables(_OPENED_TWICE, tables))
        }

    def is_first(self, table_id: str, round_id: str, seq: int) -> bool:
        """Whether the opening at `seq` is the first one of its round."""
        first: int = self.opened_twice.get((table_id, round_id), seq)
        return first == seq

    def first_seq(
        self, opened: Int64s, tables: Int32s, names: tuple[str, ...], table_ids: tuple[str, ...]
    ) -> Int64s:
        """Complete `opened`: for each round (its table, its name) what a stretch holds, or 0."""
        first = opened.copy()
        if self.opened_twice:
            for row, (table, name) in enumerate(zip(tables.tolist(), names, strict=True)):
                first[row] = self.opened_twice.get((table_ids[table], name), first[row])
        strays = np.flatnonzero(first == 0)
        if not len(strays):
            return first
        import pyarrow.compute as pc  # takes longer than a small audit, and is rarely needed

        if self._by_table is None:
            self._by_table = self._of_each_table()
        for table in np.unique(tables[strays]).tolist():
            if table_ids[table] not in self._by_table:
                continue
            round_ids, seq = self._by_table[table_ids[table]]
            rows = strays[tables[strays] == table]
            asked = pa.array([names[row] for row in rows.tolist()], pa.string())
            at = pc.index_in(asked, value_set=round_ids)
            known = at.is_valid().to_numpy(zero_copy_only=False)
            first[rows[known]] = seq[at.drop_null().to_numpy()]
        return first

    def _of_each_table(self) -> dict[str, tuple[pa.Array, Int64s]]:
        """Rounds of each table, and where each opened."""
        assert self._rows is not None
        rows, self._rows = self._rows.combine_chunks(), None
        table_id, round_id = (
            rows.column(name).chunk(0) if rows.num_rows else pa.array([], pa.string())
            for name in ("table_id", "round_id")
        )
        numbers, table_ids = numbered(table_id)
        order = np.argsort(numbers, kind="stable")
        bounds = np.searchsorted(numbers[order], np.arange(len(table_ids) + 1, dtype=np.int32))
        ordered, seq = round_id.take(pa.array(order)), rows.column("seq").to_numpy()[order]
        return {
            name: (ordered.slice(first, end - first), seq[first:end])
            for name, (first, end) in zip(table_ids, pairwise(bounds.tolist()), strict=True)
        }


class LiveRoundOpenings:
    """The same out of an index, asked for when it is needed."""

    def __init__(self, index: LiveIndex) -> None:
        self._index = index

    def is_first(self, table_id: str, round_id: str, seq: int) -> bool:
        """Whether the opening at `seq` is the first one of its round."""
        _, least = self._index.openings([(table_id, round_id)])
        return bool(least[0] == seq)

    def first_seq(
        self, opened: Int64s, tables: Int32s, names: tuple[str, ...], table_ids: tuple[str, ...]
    ) -> Int64s:
        """For each round (its table, its name) where it opened first; 0: nowhere."""
        del opened  # the index has those of the stretch as well
        named = [table_ids[table] for table in tables.tolist()]
        return self._index.openings(list(zip(named, names, strict=True)))[1]


_ROUND_OPENINGS: Final = """
SELECT table_id, round_id, seq
FROM round_openings
WHERE {chosen}
"""

_OPENED_TWICE: Final = """
SELECT table_id, round_id, min(seq)
FROM round_openings
WHERE {chosen}
GROUP BY table_id, round_id
HAVING count(*) > 1
"""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Targets:
    """Corrections and the events that they name, a row each; sorted by `correction_no`."""

    correction_no: Int64s
    target_no: Int64s

    def of(self, event_no: Int64s, kind: npt.NDArray[np.uint8]) -> Int64s:
        """For each event the `event_no` that it corrects, or NO_INDEX."""
        corrects = np.full(len(event_no), NO_INDEX, dtype=np.int64)
        rows = np.flatnonzero(among(kind, CORRECTION_KINDS))
        if len(rows) and len(self.correction_no):
            at = np.searchsorted(self.correction_no, event_no[rows])
            at = np.minimum(at, len(self.correction_no) - 1)
            known = self.correction_no[at] == event_no[rows]
            corrects[rows[known]] = self.target_no[at[known]]
        return corrects


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Corrections:
    """Every correction that names an event, in order of (table, seq, arrival) of the correction."""

    tables: Mapping[str, tuple[int, int]]
    """Of each table that has any, its first row and the one past its last."""
    correction_no: Int64s
    standing: npt.NDArray[np.bool_]
    kind: Uint8s
    seq: Int64s
    at_micros: Int64s
    card: Uint8s
    outcome: Uint8s
    amount_cents: Int64s
    target_no: Int64s
    target_seq: Int64s

    def targets(self) -> Targets:
        """By number of the correction."""
        order = np.argsort(self.correction_no)
        return Targets(self.correction_no[order], self.target_no[order])

    def later_than(self, events: EventColumns) -> EventColumns:
        """Standing corrections outside of a stretch that name one of its events."""
        picked = [np.empty(0, dtype=np.int64)]
        named = [np.empty(0, dtype=np.int64)]
        bounds = events.bounds()
        for number, table_id in enumerate(events.table_ids):
            if table_id not in self.tables:
                continue
            start, end = bounds[number], bounds[number + 1]
            first_seq, last_seq = events.seq[start], events.seq[end - 1]
            rows = np.arange(*self.tables[table_id])
            outside = (self.seq[rows] < first_seq) | (self.seq[rows] > last_seq)
            within = (self.target_seq[rows] >= first_seq) & (self.target_seq[rows] <= last_seq)
            rows = rows[self.standing[rows] & outside & within]
            if len(rows):
                order = np.argsort(events.event_no[start:end])
                numbers = events.event_no[start:end][order]
                at = np.searchsorted(numbers, self.target_no[rows])
                assert (numbers[at] == self.target_no[rows]).all()
                picked.append(rows)
                named.append(start + order[at])
        if len(named) == 1:
            return events.take(named[0])
        return self._as_events(np.concatenate(picked), np.concatenate(named), events)

    def _as_events(
        self, rows: npt.NDArray[np.int64], named: npt.NDArray[np.int64], events: EventColumns
    ) -> EventColumns:
        n = len(rows)
        zeros = {
            name: np.zeros(n, dtype=getattr(events, name).dtype)
            for name in (
                *("spot", "hand", "wager", "bettor", "place", "places", "decision", "kept_count"),
                *("kept_bad", "reason", "decks"),
            )
        }
        none = np.full(n, NO_INDEX, dtype=np.int32)
        return events.having(
            event_no=self.correction_no[rows],
            standing=self.standing[rows],
            kind=self.kind[rows],
            table=events.table[named],
            seq=self.seq[rows],
            at_micros=self.at_micros[rows],
            round=events.round[named],
            amount_cents=self.amount_cents[rows],
            player=none,
            card=self.card[rows],
            kept=np.full(n, KEPT_NONE, dtype=np.uint32),
            outcome=self.outcome[rows],
            shoe=none,
            corrects=self.target_no[rows],
            dealer=none,
            openings={},
            bad_cards={},
            **zeros,
        )


def corrections_of(history: History, tables: Sequence[str] | None = None) -> Corrections:
    """Every correction of the chosen tables (None: all) that names an event."""
    found = history.few(*_of_tables(_CORRECTIONS, tables))
    names = found.column_names[1:]
    columns = {name: found.column(name).to_numpy() for name in names}
    columns["standing"] = columns["standing"].view(np.bool_)
    of_tables: dict[str, tuple[int, int]] = {}
    for row, table_id in enumerate(found.column("table_id").to_pylist()):
        of_tables[table_id] = (of_tables.get(table_id, (row, row))[0], row + 1)
    return Corrections(of_tables, **columns)


_CORRECTIONS: Final = f"""
SELECT table_id,
       event_no AS correction_no,
       standing::UTINYINT AS standing,
       enum_code(kind) AS kind,
       seq,
       epoch_us(occurred_at) AS at_micros,
       coalesce(card_code, {CARD_UNREAD})::UTINYINT AS card,
       coalesce(enum_code(outcome), 0)::UTINYINT AS outcome,
       coalesce(paid_cents, 0) AS amount_cents,
       target_no,
       target_seq
FROM corrections
WHERE target_no IS NOT NULL AND {{chosen}}
ORDER BY table_id, seq, event_no
"""  # noqa: S608 (constants only)
