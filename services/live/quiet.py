"""Tables that stopped talking: noticed by the clock and said, never taken for a round's end."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Final

from services.history.store import History
from services.live.state import Problem, ServiceState

QUIET_SECONDS: Final = 900.0
"""A round takes a minute or two, a dealer's break a quarter of an hour at most."""

_LOOK_SECONDS: Final = 5.0  # the list of open tables is read from the history


class QuietTables:
    """Watches the tables that are open."""

    def __init__(self, history: History, state: ServiceState, seconds: float = QUIET_SECONDS):
        self._history, self._state, self._seconds = history, state, seconds
        self._heard: dict[str, float] = {}
        self._quiet: set[str] = set()
        self._looked_at = 0.0

    def look(self, heard: Mapping[str, tuple[int, float]], *, is_caught_up: bool) -> None:
        """Say which open tables were not heard of for too long; take back what is over."""
        now = time.monotonic()
        if self._seconds <= 0 or not is_caught_up or now - self._looked_at < _LOOK_SECONDS:
            return
        self._looked_at = now
        open_tables = {table_id for (table_id,) in self._history.rows(_OPEN)}
        for table_id in open_tables:
            _, at = heard.get(table_id, (0, 0.0))
            self._heard[table_id] = max(at, self._heard.setdefault(table_id, now))
        quiet = {one for one in open_tables if now - self._heard[one] >= self._seconds}
        for table_id in quiet - self._quiet:
            self._state.trouble(
                Problem(
                    "quiet_table",
                    table_id,
                    f"{table_id} is open and has said nothing for {self._seconds:.0f} s",
                    "see whether its recorder runs; a round that is open there is not judged yet",
                    is_stopping=False,
                )
            )
        for table_id in self._quiet - quiet:
            self._state.solved("quiet_table", table_id)
        self._quiet = quiet


_OPEN: Final = """
SELECT opened.table_id
FROM (SELECT table_id, max(seq) AS seq FROM table_openings WHERE standing GROUP BY table_id)
    AS opened
LEFT JOIN (
    SELECT table_id, max(seq) AS seq FROM events WHERE kind = 'TableClosed' AND standing
    GROUP BY table_id
) AS closed USING (table_id)
WHERE closed.seq IS NULL OR closed.seq < opened.seq
"""
