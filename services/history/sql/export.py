"""A history that is in use, as Parquet files for the sandbox: they grow as the history does.

Events are only ever added, so that a refresh writes the transactions since the last one. Small
files are written again together with what follows them, each at most a few times, so that there are
never many. Rounds, findings and dead letters are little beside the events and are written anew when
a transaction came. Questions in between are answered from the files that are there.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from services.history.sql.source import SqlSource
from services.history.store import History

REFRESH_SECONDS: Final = 3.0
"""How old an answer may be; also what keeps a busy console from exporting all the time."""

RETIRED_SECONDS: Final = 600.0
"""How long a file outlives its use: a question under way may still read it."""

_SUMS: Final = ("staked_cents", "net_expected_cents", "net_actual_cents")
_EXACT: Final = ", ".join(f"{name}::DECIMAL(38, 0) AS {name}" for name in _SUMS)
"""Parquet has no whole numbers of 128 bits: they would become floating ones."""

_WHOLE: Final = {
    "rounds": f"SELECT * REPLACE ({_EXACT}) FROM rounds",  # noqa: S608 (constants only)
    "findings": "SELECT * FROM findings",
    "dead_letters": "SELECT * FROM dead_letters",
    "corrections": "SELECT * FROM corrections",
    "records": "SELECT * FROM records",
    "settings": "SELECT * FROM settings",
}


@dataclass(frozen=True, slots=True)
class _Part:
    """The events of some transactions, in one file."""

    path: Path
    first_no: int
    last_no: int
    row_count: int


@dataclass(slots=True)
class Export:
    """The files of one history in a folder that nobody else may enter. Any thread may refresh."""

    folder: Path
    clock: Callable[[], float] = time.monotonic
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _parts: list[_Part] = field(default_factory=list)
    _whole: dict[str, Path] = field(default_factory=dict)
    _last_no: int = -1
    _looked_at: float = float("-inf")
    _retired: list[tuple[float, Path]] = field(default_factory=list)

    def refreshed(self, history: History) -> SqlSource:
        """Files that hold what the history does, give or take REFRESH_SECONDS.

        `history` is one snapshot: a reader, or one that nobody writes to meanwhile.
        """
        with self._lock:
            if self.clock() - self._looked_at >= REFRESH_SECONDS:
                last_no = history.count("SELECT coalesce(max(transaction_no), 0) FROM transactions")
                if last_no > self._last_no:
                    self._write(history, last_no)
                self._looked_at = self.clock()
                self._remove_retired()
            events = tuple(part.path for part in self._parts)
            whole = {name: (path,) for name, path in self._whole.items()}
            return SqlSource(parquet={"events": events, **whole})

    def _write(self, history: History, last_no: int) -> None:
        self.folder.mkdir(mode=0o700, exist_ok=True)
        first_no = self._last_no + 1
        row_count = history.count(
            "SELECT count(*) FROM events WHERE transaction_no BETWEEN ? AND ?", [first_no, last_no]
        )
        joined: list[_Part] = []
        while self._parts and self._parts[-1].row_count <= row_count:
            part = self._parts.pop()
            joined.append(part)
            first_no, row_count = part.first_no, row_count + part.row_count
        if row_count or not self._parts:
            path = self.folder / f"events-{first_no:09}-{last_no:09}.parquet"
            where = f"transaction_no BETWEEN {first_no:d} AND {last_no:d}"
            _copy(history, f"SELECT * FROM events WHERE {where}", path)  # noqa: S608 (numbers)
            self._parts.append(_Part(path, first_no, last_no, row_count))
        whole = {}
        for name, select in _WHOLE.items():
            whole[name] = self.folder / f"{name}-{last_no:09}.parquet"
            _copy(history, select, whole[name])
        now = self.clock()
        kept = {part.path for part in self._parts} | set(whole.values())
        old = [part.path for part in joined] + list(self._whole.values())
        self._retired += [(now, path) for path in old if path not in kept]
        self._whole, self._last_no = whole, last_no

    def _remove_retired(self) -> None:
        now = self.clock()
        for since, path in self._retired:
            if now - since >= RETIRED_SECONDS:
                path.unlink(missing_ok=True)
        self._retired = [(s, path) for s, path in self._retired if now - s < RETIRED_SECONDS]


def _copy(history: History, select: str, path: Path) -> None:
    target = str(path).replace("'", "''")
    history.run(f"COPY ({select}) TO '{target}' (FORMAT parquet, COMPRESSION zstd)")
