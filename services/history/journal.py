"""Events into the history: each once, the first of two conflicting contents standing.

Batches are only stored as they come; what was delivered twice and what conflicts is decided once
at the end of a transaction, by sets, so that a file of ten million events needs no look-up an
event. An event stands if it is the first to arrive of its `event_id` and the first of its
(`table_id`, `seq`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Final

import numpy as np
import pyarrow as pa

from services.arrow import array_of
from services.decode.batch import DeadLetter
from services.history.dead_letters import bury
from services.history.marks import Changed, changed_places, keep_marks
from services.history.schema import DIGEST, FIELD_NAMES, TYPED_COLUMNS
from services.history.store import History

ROW_GROUP_ROWS: Final = 122_880
"""DuckDB's row group: a thread that is handed whole ones writes them out at once."""

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
        last = history.count("SELECT coalesce(max(event_no), 0) FROM events")
        self._first_no = self._next_no = last + 1
        self._sources: dict[str, int] = {
            name: number for number, name in history.rows("SELECT source_no, name FROM sources")
        }
        self._waiting: list[pa.Table] = []
        self._waiting_rows = 0
        self._dead_letters = 0
        self._corrected: list[tuple[str, int]] = []

    def append(self, source: str, events: pa.Table, dead: Iterable[DeadLetter] = ()) -> None:
        """Take events (`POSITION_SCHEMA`) and dead letters of one source, in their order."""
        self._dead_letters += bury(self._history, list(dead))
        if not events.num_rows:
            return
        rows = events.num_rows
        numbers = np.arange(self._next_no, self._next_no + rows, dtype=np.int64)
        self._next_no += rows
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
        find_redelivered(history, first)
        redelivered = history.count("SELECT count(*) FROM redelivered")
        if redelivered:
            history.run(_DROP_REDELIVERED, [first])
        find_unstanding(history, first)
        conflicts = history.run(_MARK_UNSTANDING, [first])
        self._corrected = keep_marks(history, first)
        kept = self._next_no - self._first_no - redelivered
        history.run(
            "UPDATE transactions SET events = ?, redelivered = ?, conflicts = ?, dead_letters = ? "
            "WHERE transaction_no = ?",
            [kept, redelivered, conflicts, self._dead_letters, history.transaction_no],
        )
        return Appended(kept, redelivered, conflicts, self._dead_letters)

    def changed(self) -> Changed:
        """After `decide`: the places at which the streams of tables are not what they were."""
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
        found = self._history.rows(_TOUCHED_DAYS, [self._first_no])
        return [(table_id, day) for table_id, day in found]

    def _flush(self) -> None:
        """Store what waits, in slices that threads take side by side."""
        if not self._waiting:
            return
        waiting = pa.concat_tables(self._waiting).combine_chunks()
        self._waiting, self._waiting_rows = [], 0
        step = min(ROW_GROUP_ROWS, max(1, (waiting.num_rows + 1) // 2))
        slices = [waiting.slice(at, step) for at in range(0, waiting.num_rows, step)]
        self._history.insert("events", pa.concat_tables(slices), _TYPED, _WITH_DIGEST)

    def _source_no(self, name: str) -> int:
        number = self._sources.get(name)
        if number is None:
            number = self._sources[name] = len(self._sources) + 1
            self._history.run("INSERT INTO sources VALUES (?, ?)", [number, name])
        return number


def find_redelivered(history: History, first_no: int) -> None:
    """Make the temporary table `redelivered`: what arrived from `first_no` on, known before."""
    _among_arrived(history, _SAME_ID, _ARRIVED_ID, first_no)
    history.run(_REDELIVERED)


def find_unstanding(history: History, first_no: int) -> None:
    """Make the temporary table `unstanding`: later ones of an id or place that came again.

    To be called after `find_redelivered`.
    """
    _among_arrived(history, _UNSTANDING, _ARRIVED_PLACE, first_no)


def _among_arrived(history: History, sql: str, arrived: str, first_no: int) -> None:
    if first_no == 1:
        history.run(sql.format(arrived=""))
    else:
        history.run(sql.format(arrived=arrived), [first_no])


_TYPED: Final = f'event_no, transaction_no, source_no, "position", {TYPED_COLUMNS}'

_WITH_DIGEST: Final = (
    f'event_no, transaction_no, true, {DIGEST} AS digest, source_no, "position", {FIELD_NAMES}'
)

_ARRIVED_ID: Final = """
    SEMI JOIN (SELECT event_id FROM events WHERE event_no >= ?) AS arrived USING (event_id)"""

_SAME_ID: Final = """
CREATE OR REPLACE TEMP TABLE same_id AS
SELECT event_no, event_id, table_id, seq, digest
FROM events
SEMI JOIN (
    SELECT event_id
    FROM events {arrived}
    GROUP BY event_id
    HAVING count(*) > 1
) AS doubled USING (event_id)
"""

_REDELIVERED: Final = """
CREATE OR REPLACE TEMP TABLE redelivered AS
SELECT event_no, table_id, seq
FROM same_id
QUALIFY event_no > min(event_no) OVER (PARTITION BY event_id, digest)
"""

_DROP_REDELIVERED: Final = """
DELETE FROM events
WHERE event_no >= ? AND event_no IN (SELECT event_no FROM redelivered)
"""

_ARRIVED_PLACE: Final = """
    SEMI JOIN (SELECT table_id, seq FROM events WHERE event_no >= ?) AS arrived
        USING (table_id, seq)"""

# The first to arrive of an id is never a redelivery, so the order of the two sets does not matter.
_UNSTANDING: Final = """
CREATE OR REPLACE TEMP TABLE unstanding AS
SELECT event_no
FROM same_id
ANTI JOIN redelivered USING (event_no)
QUALIFY event_no > min(event_no) OVER (PARTITION BY event_id)
UNION
SELECT event_no
FROM events
SEMI JOIN (
    SELECT table_id, seq
    FROM events {arrived}
    GROUP BY table_id, seq
    HAVING count(*) > 1
) AS doubled USING (table_id, seq)
QUALIFY event_no > min(event_no) OVER (PARTITION BY table_id, seq)
"""

_MARK_UNSTANDING: Final = """
UPDATE events SET standing = false
WHERE event_no >= ? AND event_no IN (SELECT event_no FROM unstanding)
"""

_TOUCHED_DAYS: Final = """
WITH arrived AS (
    SELECT table_id, seq FROM events WHERE event_no >= ?
    UNION ALL
    SELECT table_id, seq FROM redelivered
),
openings AS (
    SELECT table_id, seq, gaming_day FROM events WHERE kind = 'TableOpened' AND standing
)
SELECT DISTINCT arrived.table_id, openings.gaming_day
FROM arrived
ASOF LEFT JOIN openings
    ON arrived.table_id = openings.table_id AND arrived.seq >= openings.seq
ORDER BY ALL
"""
