"""What a history that grows by small transactions keeps in memory, so as not to search itself.

Of every event 4 or 8 bytes of its id, of every round 16: whether something may have come before is
told by these, and only what may have is looked for. Loaded once, they grow with each commit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from replay.verdict import PayRow
from replay.vocabulary import EventKind
from services.history.head import digest_sums
from services.history.packed import PackedKeys
from services.history.places import Snapshot

Key = tuple[str, int, int, str]
"""Of a weighing: table, `seq` of the opening, wager, other paytable."""

Uint64s = npt.NDArray[np.uint64]
Int64s = npt.NDArray[np.int64]

RUN_KEYS_MAX: Final = 1 << 21
"""Of longer runs none are joined: it would hold up a transaction, and take as much memory again."""

PACKED_KEYS_MIN: Final = 1 << 19
"""So many ids that lie together are packed."""

PACKED_KEYS_MAX: Final = 1 << 22
"""So many packed ones are joined: that holds up a transaction for less than a tenth of a second."""

_ODD: Final = np.uint64(0x9E3779B97F4A7C15)
_BATCH_ROWS: Final = 1_000_000
_NO_VALUES: Final[Int64s] = np.zeros(0, np.int64)


class _Asked(Protocol):
    """The part of a history that is needed here."""

    def rows(self, sql: str, parameters: Any = ()) -> list[tuple[Any, ...]]:
        """All rows of a query that yields few."""

    def table(self, sql: str, parameters: Any = ()) -> pa.Table:
        """The rows of a query as one table."""


@dataclass(slots=True, eq=False, repr=False)
class SortedRuns:
    """Keys, each with a number or all without: sorted runs, joined as their lengths come near."""

    runs: list[tuple[Uint64s, Int64s]] = field(default_factory=list)

    def add(self, keys: Uint64s, values: Int64s) -> None:
        """Take more in."""
        if not len(keys):
            return
        self.runs.append(_in_order(keys, values))
        while self._are_near():
            (keys, values), (more, more_values) = self.runs[-2:]
            keys, values = np.concatenate([keys, more]), np.concatenate([values, more_values])
            self.runs[-2:] = [_in_order(keys, values)]

    def _are_near(self) -> bool:
        """Whether the last two runs are to be joined."""
        if len(self.runs) < 2:
            return False
        long, short = (len(keys) for keys, _ in self.runs[-2:])
        return long < 4 * short and long + short <= RUN_KEYS_MAX

    def hits(self, keys: Uint64s) -> npt.NDArray[np.bool_]:
        """Which of the keys are held."""
        found = np.zeros(len(keys), np.bool_)
        for held, _ in self.runs:
            at = np.minimum(np.searchsorted(held, keys), len(held) - 1)
            found |= held[at] == keys
        return found

    def counts(self, keys: Uint64s) -> tuple[Int64s, Int64s]:
        """Of each key how many there are, and the least of their numbers (0: none)."""
        count, least = np.zeros(len(keys), np.int64), np.zeros(len(keys), np.int64)
        for held, values in self.runs:
            low, high = np.searchsorted(held, keys, "left"), np.searchsorted(held, keys, "right")
            for at in np.flatnonzero(high > low).tolist():
                first = int(values[low[at] : high[at]].min())
                least[at] = min(least[at], first) if count[at] else first
            count += high - low
        return count, least


@dataclass(slots=True, eq=False, repr=False)
class Ids:
    """Ids of events: those that came last as they are, the others packed."""

    fresh: SortedRuns = field(default_factory=SortedRuns)
    packed: list[PackedKeys] = field(default_factory=list)

    def add(self, ids: Uint64s) -> None:
        """Take more in."""
        self.fresh.add(ids, _NO_VALUES)
        long = [keys for keys, _ in self.fresh.runs if len(keys) >= PACKED_KEYS_MIN]
        for keys in long:
            self._add_packed(PackedKeys.of(keys))
        if long:
            self.fresh.runs = [run for run in self.fresh.runs if len(run[0]) < PACKED_KEYS_MIN]

    def _add_packed(self, more: PackedKeys) -> None:
        """Joined with those before as long as that is no more than twice as long."""
        while self.packed and len(self.packed[-1].rests) <= min(
            2 * len(more.rests), PACKED_KEYS_MAX - len(more.rests)
        ):
            more = self.packed.pop().joined(more)
        self.packed.append(more)

    def hits(self, ids: Uint64s) -> npt.NDArray[np.bool_]:
        """Which of the ids may be held: all that are."""
        order = np.argsort(ids)
        ascending = ids[order]  # near to each other they are found sooner
        hits = self.fresh.hits(ascending)
        for packed in self.packed:
            hits |= packed.hits(ascending)
        found = np.empty(len(ids), np.bool_)
        found[order] = hits
        return found


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Arrived:
    """What a transaction brought, as far as it matters here."""

    event_no: Int64s
    ids: Uint64s
    table_ids: list[str]
    seq: Int64s
    kind: npt.NDArray[np.uint8]
    round_ids: list[str | None]
    standing: npt.NDArray[np.bool_]
    digest_sums: Uint64s

    def of_kind(self, kind: EventKind) -> list[int]:
        """Its rows of one kind."""
        return [int(row) for row in np.flatnonzero(self.kind == kind)]

    def rounds_opened(self) -> tuple[list[tuple[str, str]], Int64s]:
        """(table, round) of every `RoundOpened` that stands, and its `seq`."""
        rows = np.flatnonzero((self.kind == EventKind.ROUND_OPENED) & self.standing)
        named = [(self.table_ids[row], str(self.round_ids[row])) for row in rows.tolist()]
        return named, self.seq[rows]


ARRIVED: Final = """
SELECT event_no, event_id, table_id, seq, enum_code(kind)::UTINYINT AS kind, round_id,
       standing::UTINYINT AS standing, digest
FROM events
WHERE event_no >= ?
ORDER BY event_no
"""


def arrived(rows: pa.Table) -> Arrived:
    """The rows of ARRIVED."""
    rows = rows.combine_chunks()
    return Arrived(
        event_no=rows.column("event_no").to_numpy(),
        ids=_mixed(rows.column("event_id")),
        table_ids=rows.column("table_id").to_pylist(),
        seq=rows.column("seq").to_numpy(),
        kind=rows.column("kind").to_numpy(),
        round_ids=rows.column("round_id").to_pylist(),
        standing=rows.column("standing").to_numpy().view(np.bool_),
        digest_sums=digest_sums(rows.column("event_no").to_numpy(), joined(rows.column("digest"))),
    )


@dataclass(frozen=True, slots=True)
class TableKept:
    """What the history keeps of a table beside its events, to be asked for no second time."""

    table_id: str
    places: Sequence[Snapshot]
    """All of its places, in order, first the beginning."""
    state: str
    """At the last of them."""
    pays_from: int
    """`seq` of an opening: the weighings from there on are known."""
    pays: Mapping[Key, PayRow]


@dataclass(slots=True, eq=False, repr=False)
class LiveIndex:
    """Ids of events, rounds and the highest `seq` of each table, as committed."""

    without_gap: set[str] = field(default_factory=set)
    """Tables known to have no gap."""
    _ids: Ids = field(default_factory=Ids)
    _rounds: SortedRuns = field(default_factory=SortedRuns)
    _highest: dict[str, int] = field(default_factory=dict)
    _decks: SortedRuns = field(default_factory=SortedRuns)
    _tables: dict[str, TableKept | None] = field(default_factory=dict)
    _staged: list[Arrived] = field(default_factory=list)
    _staged_decks: list[Uint64s] = field(default_factory=list)
    _staged_tables: dict[str, TableKept | None] = field(default_factory=dict)

    @classmethod
    def of(cls, history: _Asked, before_no: int) -> LiveIndex:
        """Of what a history holds below a number of arrival."""
        index = cls()
        for first in range(0, before_no, _BATCH_ROWS):
            numbers = [first, min(first + _BATCH_ROWS, before_no)]
            index._ids.add(_mixed(history.table(_IDS, numbers).column("event_id")))
            rounds = history.rows(_ROUNDS, numbers)
            keys = _keys((table_id, round_id) for table_id, round_id, _ in rounds)
            index._rounds.add(keys, np.array([seq for *_, seq in rounds], np.int64))
        decks = history.table(_DECKS).column("deck_high").combine_chunks()
        index._decks.add(decks.to_numpy(zero_copy_only=False).astype(np.uint64), _NO_VALUES)
        index._highest = dict(history.rows(_HIGHEST, [before_no]))
        return index

    def suspects(self, new: Arrived) -> tuple[list[int], list[int]]:
        """Rows whose id may have come before, here or elsewhere; rows whose place may be taken."""
        known = self._ids.hits(new.ids)
        known |= _repeated(new.ids)
        highest = np.array([self._highest.get(table_id, 0) for table_id in new.table_ids], np.int64)
        places = _keys(zip(new.table_ids, new.seq.tolist(), strict=True))
        taken = (new.seq <= highest) | _repeated(places)
        return np.flatnonzero(known).tolist(), np.flatnonzero(taken).tolist()

    def openings(self, rounds: Sequence[tuple[str, str]]) -> tuple[Int64s, Int64s]:
        """For each (table, round) how often it opened, and the `seq` of its first opening or 0."""
        count, least = self._rounds.counts(_keys(rounds))
        staged: dict[tuple[str, str], list[int]] = {}
        for new in self._staged:
            for each, seq in zip(*new.rounds_opened(), strict=True):
                staged.setdefault(each, []).append(int(seq))
        for at, each in enumerate(rounds if staged else ()):
            if each in staged:
                seqs = staged[each]
                least[at] = min([*seqs, int(least[at])] if count[at] else seqs)
                count[at] += len(seqs)
        return count, least

    def tables_opened(self) -> set[str]:
        """Tables of which this transaction brought a `TableOpened`."""
        rows = ((new, new.of_kind(EventKind.TABLE_OPENED)) for new in self._staged)
        return {new.table_ids[row] for new, opened in rows for row in opened}

    def decks_met(self, highs: Sequence[int]) -> bool:
        """Whether a deck order may have come before, by the upper half of its digest.

        Those of this transaction are known from here on.
        """
        keys = np.array(highs, np.uint64)
        met = bool(self._decks.hits(keys).any() or _repeated(keys).any())
        if self._staged_decks:
            met = met or bool(np.isin(keys, np.concatenate(self._staged_decks)).any())
        self._staged_decks.append(keys)
        return met

    def keep(self, table_id: str, table: TableKept | None) -> None:
        """Take in what is kept of a table from this transaction on; None: that is not known."""
        self._staged_tables[table_id] = table

    def kept(self, table_id: str) -> TableKept | None:
        """What is kept of a table, if it is known."""
        if table_id in self._staged_tables:
            return self._staged_tables[table_id]
        return self._tables.get(table_id)

    def stage(self, new: Arrived) -> None:
        """Take in what stands of a transaction; it counts at once, and for good once committed."""
        self._staged.append(new)

    def commit(self) -> None:
        """Keep what was staged."""
        for new in self._staged:
            self._ids.add(new.ids)
            named, seqs = new.rounds_opened()
            self._rounds.add(_keys(named), seqs)
            for table_id, seq in zip(new.table_ids, new.seq.tolist(), strict=True):
                if seq > self._highest.get(table_id, 0):
                    self._highest[table_id] = seq
        for keys in self._staged_decks:
            self._decks.add(keys, _NO_VALUES)
        self._tables |= self._staged_tables
        self.roll_back()

    def roll_back(self) -> None:
        """Forget what was staged."""
        self._staged, self._staged_decks, self._staged_tables = [], [], {}


_IDS: Final = "SELECT event_id FROM events WHERE event_no >= ? AND event_no < ?"
_ROUNDS: Final = """
SELECT table_id, round_id, seq FROM round_openings WHERE event_no >= ? AND event_no < ?
"""
_DECKS: Final = "SELECT deck_high FROM rounds WHERE deck_high IS NOT NULL"
_HIGHEST: Final = "SELECT table_id, max(seq) FROM events WHERE event_no < ? GROUP BY table_id"


def _in_order(keys: Uint64s, values: Int64s) -> tuple[Uint64s, Int64s]:
    if not len(values):
        return np.sort(keys), values
    order = np.argsort(keys, kind="stable")
    return keys[order], values[order]


def _keys(places: Iterable[tuple[str, object]]) -> Uint64s:
    """Numbers of this process alone: text is hashed otherwise in another one."""
    return np.array([hash(place) for place in places], np.int64).view(np.uint64)


def _mixed(ids: pa.Array | pa.ChunkedArray) -> Uint64s:
    """Ids of 16 bytes as numbers of 8, evenly spread."""
    ids = joined(ids)
    if not len(ids):
        return np.zeros(0, np.uint64)
    halves = np.frombuffer(
        ids.buffers()[1], np.uint64, offset=16 * ids.offset, count=2 * len(ids)
    ).reshape(-1, 2)
    mixed: Uint64s = ((halves[:, 0] * _ODD) ^ halves[:, 1]) * _ODD
    return mixed


def joined(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """A column in one piece."""
    if not isinstance(column, pa.ChunkedArray):
        return column
    if column.num_chunks == 1:
        return column.chunk(0)
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def _repeated(keys: Uint64s) -> npt.NDArray[np.bool_]:
    """Which keys are there more than once."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    same = np.zeros(len(keys), np.bool_)
    alike = ordered[1:] == ordered[:-1]
    same[order[1:]] |= alike
    same[order[:-1]] |= alike
    return same
