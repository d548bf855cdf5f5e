"""A history that nobody changes while it is read: by any number of processes side by side.

It lies in a database file that no process owns, or in Parquet files (an export of a history that is
in use, sealed days). Either way it is asked like any other history, within one transaction that
only reads; what is kept meanwhile is temporary and goes with the connection.
"""

from __future__ import annotations

from typing import Final, Self

import duckdb

from services.history.connection import CHECK_PATH, as_history_error
from services.history.errors import HistoryMissingError, HistoryUnreadableError
from services.history.marks import ROUND_OPENINGS, TABLE_OPENINGS
from services.history.parquet import read, text
from services.history.sql.source import SqlSource
from services.history.store import MEMORY_MB, THREADS, History


class FrozenHistory(History):
    """Whatever reads a `History` reads this; what would write is refused by the database."""

    @classmethod
    def over(cls, source: SqlSource, *, memory_mb: int = MEMORY_MB, threads: int = THREADS) -> Self:
        """The history that lies there.

        Raises:
            UnusableHistoryError: it is not there, is none, is damaged, or is owned by a process.
        """
        history = cls(None, in_memory=True, memory_mb=memory_mb, threads=threads)
        history.stores_digests = True
        try:
            if source.database is not None:
                history._attach(source)
            else:
                history._show(source)
            history.run("BEGIN TRANSACTION READ ONLY")
            history.transaction_no = history.count(_LAST)
        except BaseException:
            history.close()
            raise
        return history

    def _attach(self, source: SqlSource) -> None:
        assert source.database is not None
        self.path = source.database
        if not self.path.is_file():
            raise HistoryMissingError(
                f"{self.path}: there is no history",
                next_step="`pitproof audit --db` or `pitproof serve` makes one.",
            )
        try:
            self.run(f"ATTACH {text(str(self.path.absolute()))} AS frozen (READ_ONLY)")
        except (duckdb.Error, OSError) as error:
            raise as_history_error(self.path, error) from error
        self.run(_USE)
        if not self.rows("FROM duckdb_tables() LIMIT 1"):
            raise HistoryUnreadableError(
                f"{self.path}: a DuckDB file, but no history of pitproof", next_step=CHECK_PATH
            )
        self.temporary = False
        self._prepare()

    def _show(self, source: SqlSource) -> None:
        """Put views over the files in the places of the stored tables.

        Those that repeat what events say are read off them.
        """
        self._prepare()
        for name, files in source.parquet.items():
            select = read(self, name, files)
            self.run(f"DROP TABLE {name}")
            self.run(f"CREATE VIEW {name} AS {select}")
        for name, select in _DERIVED.items():
            self.run(f"DROP TABLE {name}")
            self.run(f"CREATE VIEW {name} AS {select}")


_DERIVED: Final = {"table_openings": TABLE_OPENINGS, "round_openings": ROUND_OPENINGS}

_USE: Final = "USE frozen"

_LAST: Final = "SELECT coalesce(max(transaction_no), 0) FROM events"
