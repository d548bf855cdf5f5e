"""One history: a DuckDB file (or a temporary one), its transactions, and what it was made with.

One connection writes. Everything that is read while a transaction is open is read through that
connection, so that it sees what the transaction wrote; else through cursors of their own.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Self

import duckdb
import pyarrow as pa

from services.errors import UnusableHistoryError
from services.history.errors import (
    HistoryMadeOtherwiseError,
    HistoryMissingError,
    HistoryOwnedError,
    HistoryTooNewError,
    HistoryUnreadableError,
)
from services.history.schema import SCHEMA_VERSION
from services.history.tables import creation

MEMORY_MB: Final = 400
"""What DuckDB may hold before it spills: leaves room for decoding and judging under 1 GiB."""

THREADS: Final = 2

_CHECK_PATH: Final = "Check the path; what --db names must be a history that pitproof made."

_OWNER: Final = re.compile(r"PID (\d+)")

_OPERATING_ERRORS: Final = (
    duckdb.IOException,
    duckdb.FatalException,
    duckdb.InternalException,
    duckdb.SerializationException,
    duckdb.OutOfMemoryException,
)


_RECORD: Final = """
UPDATE transactions SET committed_at = ?, findings = (SELECT count(*) FROM findings),
    rounds = (SELECT count(*) FROM rounds)
WHERE transaction_no = ?
"""


class History:
    """An open history. Close it, or use it as a context manager."""

    def __init__(self, path: Path | None, *, memory_mb: int = MEMORY_MB, threads: int = THREADS):
        self._scratch = tempfile.TemporaryDirectory(prefix="pitproof-")
        self.temporary = path is None
        self.path = Path(self._scratch.name) / "history.duckdb" if path is None else path
        self.transaction_no: int | None = None
        self._streaming: pa.RecordBatchReader | None = None
        try:
            self._connection = _connect(self.path, Path(self._scratch.name), memory_mb, threads)
        except BaseException:
            self._scratch.cleanup()
            raise

    @classmethod
    def open(
        cls,
        path: Path | None = None,
        *,
        create: bool = True,
        memory_mb: int = MEMORY_MB,
        threads: int = THREADS,
    ) -> Self:
        """The history at a path, made if there is none and `create`; None: a temporary one."""
        if path is not None and not path.exists():
            if not create:
                raise HistoryMissingError(
                    f"{path}: there is no history", next_step="`pitproof audit --db` makes one."
                )
            if not path.parent.is_dir():
                raise HistoryMissingError(
                    f"{path}: there is no folder {path.parent}", next_step="Make the folder first."
                )
        history = cls(path, memory_mb=memory_mb, threads=threads)
        try:
            history._prepare()
            if history.temporary:
                history.run("PRAGMA disable_checkpoint_on_shutdown")  # nobody will read it again
        except BaseException:
            history.close()
            raise
        return history

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def scratch(self) -> Path:
        """A folder of this process alone, gone when the history is closed."""
        return Path(self._scratch.name)

    def close(self) -> None:
        """Close the file; a temporary history is gone."""
        self._connection.close()
        self._scratch.cleanup()

    @contextmanager
    def transaction(
        self, *, at: datetime | None = None, before_commit: Callable[[], None] | None = None
    ) -> Iterator[int]:
        """All or nothing: what is written within, under the next transaction number.

        `at` is the time that the transaction is recorded under, now unless told. `before_commit` is
        called when everything is written: what it raises undoes all of it.
        """
        assert self.transaction_no is None, "transactions do not nest"
        self.run("BEGIN TRANSACTION")
        try:
            ((number,),) = self.rows(
                "SELECT coalesce(max(transaction_no), 0) + 1 FROM transactions"
            )
            self.transaction_no = number
            self.run(
                "INSERT INTO transactions VALUES (?, now(), 0, 0, 0, 0, 0, 0, NULL)",
                [number],
            )
            yield number
            self.run(_RECORD, [at or datetime.now(UTC), number])
            if before_commit is not None:
                before_commit()
            self.run("COMMIT")
        except BaseException:
            if self._streaming is not None:
                self._streaming.close()
            with suppress(duckdb.Error):  # none is open when the commit itself went wrong
                self._connection.rollback()
            raise
        finally:
            self.transaction_no = self._streaming = None

    def run(self, sql: str, parameters: Sequence[object] = ()) -> int:
        """Execute one statement that yields no rows of interest: the number of rows it changed."""
        answer = self.rows(sql, parameters)
        return int(answer[0][0]) if answer and isinstance(answer[0][0], int) else 0

    def count(self, sql: str, parameters: Sequence[object] = ()) -> int:
        """The one number that a query yields."""
        ((number,),) = self.rows(sql, parameters)
        return int(number)

    def rows(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query that yields few."""
        with self._named():
            return self._connection.execute(sql, parameters).fetchall()

    def stream(
        self, sql: str, parameters: Sequence[object] = (), *, batch_rows: int = 122_880
    ) -> Iterator[pa.RecordBatch]:
        """The rows of a query as Arrow batches, in order, a few in memory at a time.

        Within a transaction nothing else may be asked of the history until the stream ends.
        """
        within = self.transaction_no is not None
        connection = self._connection if within else self._cursor()
        with self._named():
            reader = connection.sql(sql, params=list(parameters)).to_arrow_reader(batch_rows)
        if within:
            self._streaming = reader
        try:
            with self._named():
                yield from reader
        finally:
            reader.close()
            if within:
                self._streaming = None
            else:
                connection.close()

    def table(self, sql: str, parameters: Sequence[object] = ()) -> pa.Table:
        """The rows of a query that yields a moderate number, as one Arrow table."""
        with self._named():
            return self._connection.sql(sql, params=list(parameters)).to_arrow_table()

    def insert(self, table_name: str, rows: pa.Table, *projections: str) -> None:
        """Append rows to a table, each projection (SQL) taking what the one before it gave.

        Not through a registered name: within a transaction the connection would keep the rows of
        every name it ever had until the commit.
        """
        with self._named():
            relation = self._connection.from_arrow(rows)
            for projection in projections:
                relation = relation.project(projection)
            relation.insert_into(table_name)

    def require(self, settings: Mapping[str, str]) -> None:
        """Record what findings depend on; refuse a history that was made with something else."""
        held = {name: value for name, value in self.rows("SELECT name, value FROM settings")}
        for name, value in sorted(settings.items()):
            if name not in held:
                self.run("INSERT INTO settings VALUES (?, ?)", [name, value])
            elif held[name] != value:
                raise HistoryMadeOtherwiseError(
                    f"{self.path}: made with {name} {held[name]}, not {value}",
                    next_step="See what would change with `pitproof replay`, or use another --db.",
                )

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Damage, a full disk or too little memory, told with the name of the file."""
        try:
            yield
        except _OPERATING_ERRORS as error:
            raise _as_history_error(self.path, error) from error

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        cursor = self._connection.cursor()
        cursor.execute("SET enable_progress_bar = false")
        return cursor

    def _prepare(self) -> None:
        """Make the tables of a new file; check the version of an old one."""
        tables = {name for (name,) in self.rows("SELECT table_name FROM duckdb_tables()")}
        if not tables:
            self.run("BEGIN TRANSACTION")
            for statement in creation():
                self.run(statement)
            self.run("INSERT INTO settings VALUES ('schema_version', ?)", [str(SCHEMA_VERSION)])
            # Tells it from another history of the same events: what it publishes has its own ids.
            self.run("INSERT INTO settings VALUES ('history_id', uuid()::VARCHAR)")
            self.run("COMMIT")
            return
        version = (
            self.rows("SELECT value FROM settings WHERE name = 'schema_version'")
            if {"settings", "events", "transactions"} <= tables
            else []
        )
        if not version:
            raise HistoryUnreadableError(
                f"{self.path}: a DuckDB file, but no history of pitproof", next_step=_CHECK_PATH
            )
        if int(str(version[0][0])) > SCHEMA_VERSION:
            raise HistoryTooNewError(
                f"{self.path}: a history of version {version[0][0]}, and this program reads "
                f"version {SCHEMA_VERSION}",
                next_step="Use a newer pitproof.",
            )
        if int(str(version[0][0])) < SCHEMA_VERSION:
            raise HistoryUnreadableError(
                f"{self.path}: a history of version {version[0][0]}, made before the first "
                f"release; this program reads version {SCHEMA_VERSION}",
                next_step="Make it anew from its event files: `pitproof audit FILE... --db`.",
            )


def _connect(path: Path, scratch: Path, memory_mb: int, threads: int) -> duckdb.DuckDBPyConnection:
    if path.is_dir():
        raise HistoryUnreadableError(f"{path}: a folder, not a history", next_step=_CHECK_PATH)
    try:
        connection = duckdb.connect(
            path,
            config={
                "memory_limit": f"{memory_mb}MB",
                "threads": threads,
                "temp_directory": str(scratch / "spill"),
                "preserve_insertion_order": False,  # rows carry their numbers; 2x faster to append
                "arrow_lossless_conversion": True,  # 16 bytes a UUID, a byte a boolean
                "python_enable_replacements": False,
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
            },
        )
    except (duckdb.Error, OSError) as error:
        raise _as_history_error(path, error) from error
    connection.execute("SET enable_progress_bar = false")
    return connection


def _as_history_error(path: Path, error: Exception) -> UnusableHistoryError:
    cause = str(error).splitlines()[0] if str(error) else type(error).__name__
    if "Could not set lock" in cause:
        owner = _OWNER.search(str(error))
        process_id = int(owner[1]) if owner else None
        who = f"process {process_id}" if process_id else "another process"
        return HistoryOwnedError(
            f"{path}: {who} owns this history",
            next_step="Stop it, or wait until it ends.",
            process_id=process_id,
        )
    return HistoryUnreadableError(
        f"{path}: cannot be read as a history: {cause}", next_step=_CHECK_PATH
    )
