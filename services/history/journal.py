"""Events into the history: each once, the first of two conflicting contents standing.

Batches are only stored as they come; what was delivered twice and what conflicts is decided once
at the end of a transaction, by sets, so that a file of ten million events needs no look-up an
event; and not at all where what came first into a history is seen to be all different. An event
stands if it is the first to arrive of its `event_id` and the first of its (`table_id`, `seq`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import date
from typing import Final

import numpy as np
import pyarrow as pa

from services.arrow import array_of
from services.decode.batch import DeadLetter
from services.history.dead_letters import bury
from services.history.deciding import (
    arrived_since,
    find_redelivered,
    find_suspects,
    find_unstanding,
)
from services.history.head import digest_sums
from services.history.live_index import Arrived, LiveIndex
from services.history.marks import (
    Changed,
    changed_places,
    gathered,
    keep_marks,
    keep_new_marks,
)
from services.history.schema import DIGEST, FIELD_NAMES, TYPED_COLUMNS
from services.history.seen import Seen
from services.history.store import History

ROW_GROUP_ROWS: Final = 122_880
"""DuckDB's row group: a thread that is handed whole ones writes them out at once."""

SMALL_ROWS_MAX: Final = 20_000
"""So few that what came before is looked for one by one."""

_BUFFER_ROWS: Final = 2 * ROW_GROUP_ROWS


@dataclass(frozen=True, slots=True)
class Appended:
    """What a transaction added."""

    events: int
    """Kept, conflicts among them."""
    redelivered: int
    """Dropped: the history holds the same content under the same id."""
    conflicts: int
    """Kept without standing."""
    dead_letters: int
    """Such as the history did not hold yet."""


class Journal:
    """Appends within the history's open transaction: any number of batches, then `decide` once."""

    def __init__(self, history: History) -> None:
        assert history.transaction_no is not None, "events are appended within a transaction"
        self._history = history
        self._first_no = self._next_no = history.take_numbers(0)
        self._seen = Seen() if self._first_no == 1 else None
        self._sources = history.sources()
        self._waiting: list[pa.Table] = []
        self._waiting_rows = 0
        self._dead_letters = 0
        self._dropped = 0
        self._new: Arrived | None = None
        self._corrected: list[tuple[str, int]] = []

    def append(self, source: str, events: pa.Table, dead: Iterable[DeadLetter] = ()) -> None:
        """Take events (`POSITION_SCHEMA`) and dead letters of one source, in their order."""
        self._dead_letters += bury(self._history, list(dead))
        if not events.num_rows:
            return
        rows = events.num_rows
        if self._seen is not None:
            self._seen.add(events)
        numbers = np.arange(self._next_no, self._next_no + rows, dtype=np.int64)
        self._next_no += rows
        self._history.take_numbers(rows)
        for name, column in (
            ("event_no", numbers),
            ("transaction_no", np.full(rows, self._history.transaction_no, dtype=np.int32)),
            ("source_no", np.full(rows, self._source_no(source), dtype=np.int32)),
        ):
            events = events.append_column(name, array_of(column))
        self._waiting.append(events)
        self._waiting_rows += rows
        if self._waiting_rows >= _BUFFER_ROWS:
            self._flush()

    def decide(self) -> Appended:
        """Drop what was delivered before, find the conflicts, and record the transaction."""
        self._flush()
        history, first = self._history, self._first_no
        arrived = self._next_no - first
        index = history.small_transaction(first) if 0 < arrived <= SMALL_ROWS_MAX else history.index
        if index is None:
            redelivered, conflicts = self._decide_by_sets()
            self._corrected = keep_marks(history, first)
            if not history.temporary:
                for batch in history.stream(_DIGESTS, [first]):
                    numbers = batch.column("event_no").to_numpy()
                    history.add_digests(digest_sums(numbers, batch.column("digest")))
        else:
            redelivered, conflicts = self._decide_by_index(index)
        appended = Appended(arrived - redelivered, redelivered, conflicts, self._dead_letters)
        history.record(**asdict(appended))
        return appended

    def _decide_by_sets(self) -> tuple[int, int]:
        history, first = self._history, self._first_no
        if self._seen is not None and self._seen.all_differ():
            return 0, 0
        find_redelivered(history, first)
        self._dropped = redelivered = history.count("SELECT count(*) FROM redelivered")
        if redelivered:
            history.run(_DROP_REDELIVERED, [first])
        find_unstanding(history, first)
        return redelivered, history.run(_MARK_UNSTANDING, [first])

    def _decide_by_index(self, index: LiveIndex) -> tuple[int, int]:
        """The same, looking only for what may be there."""
        history, first = self._history, self._first_no
        new = arrived_since(history, first)
        ids, places = index.suspects(new)
        redelivered = conflicts = 0
        if ids or places:
            find_suspects(history, first, new, ids, places)
            self._dropped = redelivered = history.count("SELECT count(*) FROM redelivered")
            if redelivered:
                history.run(_DROP_REDELIVERED, [first])
            conflicts = history.run(_MARK_UNSTANDING, [first])
            new = arrived_since(history, first)
        index.stage(new)
        history.add_digests(new.digest_sums)
        self._new = new
        self._corrected = keep_new_marks(history, first, new, index)
        return redelivered, conflicts

    def changed(self) -> Changed:
        """After `decide`: the places at which the streams of tables are not what they were."""
        if self._new is not None:
            return gathered(
                [*zip(self._new.table_ids, self._new.seq.tolist(), strict=True), *self._corrected]
            )
        return changed_places(self._history, self._first_no, self._corrected)

    def changed_tables(self) -> list[str]:
        """After `decide`: the tables that have events they did not have before."""
        found = self._history.rows(
            "SELECT DISTINCT table_id FROM events WHERE event_no >= ? ORDER BY table_id",
            [self._first_no],
        )
        return [str(table_id) for (table_id,) in found]

    def touched_days(self) -> list[tuple[str, date | None]]:
        """After `decide`: the gaming days of tables in which an event came, redelivered or not.

        None: before the table's first opening.
        """
        again = _REDELIVERED_TOO if self._dropped else ""
        found = self._history.rows(_TOUCHED_DAYS.format(again=again), [self._first_no])
        return [(table_id, day) for table_id, day in found]

    def _flush(self) -> None:
        """Store what waits, in slices that threads take side by side."""
        if not self._waiting:
            return
        waiting = pa.concat_tables(self._waiting).combine_chunks()
        self._waiting, self._waiting_rows = [], 0
        stored = _STORED_WITH_DIGEST if self._history.stores_digests else _STORED
        if waiting.num_rows <= SMALL_ROWS_MAX:
            self._history.put(_PUT.format(stored=stored), waiting)
            return
        step = min(ROW_GROUP_ROWS, max(1, (waiting.num_rows + 1) // 2))
        slices = [waiting.slice(at, step) for at in range(0, waiting.num_rows, step)]
        self._history.insert("events", pa.concat_tables(slices), _TYPED, stored)

    def _source_no(self, name: str) -> int:
        number = self._sources.get(name)
        if number is None:
            number = self._sources[name] = len(self._sources) + 1
            self._history.run("INSERT INTO sources VALUES (?, ?)", [number, name])
        return number


_TYPED: Final = f'event_no, transaction_no, source_no, "position", {TYPED_COLUMNS}'

_STORED: Final = f'event_no, transaction_no, true, source_no, "position", {FIELD_NAMES}'

_STORED_WITH_DIGEST: Final = _STORED.replace("true,", f"true, {DIGEST} AS digest,")

_DIGESTS: Final = "SELECT event_no, digest FROM events WHERE event_no >= ?"

_PUT: Final = f"INSERT INTO events SELECT {{stored}} FROM (SELECT {_TYPED} FROM arriving)"  # noqa: S608

_DROP_REDELIVERED: Final = """
DELETE FROM events
WHERE event_no >= ? AND event_no IN (SELECT event_no FROM redelivered)
"""

_MARK_UNSTANDING: Final = """
UPDATE events SET standing = false
WHERE event_no >= ? AND event_no IN (SELECT event_no FROM unstanding)
"""

_REDELIVERED_TOO: Final = "UNION ALL SELECT table_id, seq FROM redelivered"

_TOUCHED_DAYS: Final = """
WITH arrived AS (
    SELECT table_id, seq FROM events WHERE event_no >= ?
    {again}
),
openings AS (FROM table_openings WHERE standing)
SELECT DISTINCT arrived.table_id, openings.gaming_day
FROM arrived
ASOF LEFT JOIN openings
    ON arrived.table_id = openings.table_id AND arrived.seq >= openings.seq
ORDER BY ALL
"""
