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
from services.history.sql.source import SqlSource
from services.history.store import MEMORY_MB, THREADS, History

FROM_FILES: Final = ("events", "rounds", "findings", "corrections", "records", "settings")
"""Stored tables that are read from files; those that repeat what events say are read off them."""


class FrozenHistory(History):
    """Whatever reads a `History` reads this; what would write is refused by the database."""

    @classmethod
    def over(cls, source: SqlSource, *, memory_mb: int = MEMORY_MB, threads: int = THREADS) -> Self:
        """The history that lies there.

        Raises:
            UnusableHistoryError: it is not there, is none, is damaged, or is owned by a process.
        """
        history = cls(None, in_memory=True, memory_mb=memory_mb, threads=threads)
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
                f"{self.path}: there is no history", next_step="`pitproof audit --db` makes one."
            )
        try:
            self.run(f"ATTACH {_text(str(self.path.absolute()))} AS frozen (READ_ONLY)")
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
        """Put views over the files in the places of the stored tables."""
        self._prepare()
        for name in FROM_FILES:
            columns = self.rows(_COLUMNS, [name])
            listed = ", ".join(f'"{column}"::{type_} AS "{column}"' for column, type_ in columns)
            files = ", ".join(_text(str(path)) for path in source.parquet[name])
            self.run(f"DROP TABLE {name}")
            self.run(
                f"CREATE VIEW {name} AS SELECT {listed} "  # noqa: S608 (our own words and files)
                f"FROM read_parquet([{files}], union_by_name = true)"
            )
        for name, select in _DERIVED.items():
            self.run(f"DROP TABLE {name}")
            self.run(f"CREATE VIEW {name} AS {select}")


_DERIVED: Final = {"table_openings": TABLE_OPENINGS, "round_openings": ROUND_OPENINGS}

_USE: Final = "USE frozen"

_LAST: Final = "SELECT coalesce(max(transaction_no), 0) FROM events"

_COLUMNS: Final = """
SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = ? ORDER BY column_index
"""


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
