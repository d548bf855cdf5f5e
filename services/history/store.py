"""One history: a DuckDB file (or a temporary one), its transactions, and what it was made with.

One connection writes. Everything that is read while a transaction is open is read through that
connection, so that it sees what the transaction wrote; else through cursors of their own.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Self

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from services.history.connection import (
    CHECK_PATH,
    as_history_error,
    can_be_written,
    connect,
    is_operating,
    is_there,
    not_permitted,
)
from services.history.errors import (
    HistoryMadeOtherwiseError,
    HistoryMissingError,
    HistoryTooNewError,
    HistoryUnreadableError,
)
from services.history.head import (
    Head,
    HeadCheck,
    HeadState,
    check_head,
    head_of,
    note_head,
)
from services.history.live_index import LiveIndex
from services.history.recorded import ENTER, HELD, Numbers, Recorded
from services.history.said_hours import SaidHours
from services.history.schema import SCHEMA_VERSION
from services.history.tables import creation

MEMORY_MB: Final = 400
"""What DuckDB may hold before it spills: leaves room for decoding and judging under 1 GiB."""

THREADS: Final = 2

SMALL_TRANSACTIONS_MAX: Final = 3
"""After so many the next ones are worth an index of what there is: 10 M events take 2 s."""


class History:
    """An open history. Close it, or use it as a context manager."""

    def __init__(
        self,
        path: Path | None,
        *,
        in_memory: bool = False,
        memory_mb: int = MEMORY_MB,
        threads: int = THREADS,
    ) -> None:
        assert path is None or not in_memory, "only a temporary history is no file"
        self._scratch = tempfile.TemporaryDirectory(prefix="pitproof-")
        self.temporary = path is None
        self.stores_digests = path is not None
        """Of events: else they are computed when they are asked for."""
        self.path = Path(self._scratch.name) / "history.duckdb" if path is None else path
        self.read_only = path is not None and is_there(path) and not can_be_written(path)
        self.is_laid_out = False
        """Whether it is read out of files of others, sealed days among them."""
        self.memory_mb = memory_mb
        """What DuckDB may hold before it spills."""
        self.transaction_no: int | None = None
        self.index: LiveIndex | None = None
        """Loaded once many small transactions came; see `small_transaction`."""
        self.said = SaidHours()
        """Loaded by a service, for searches."""
        self.looking: set[object] = set()
        """Readers that look at it now, in other threads."""
        self.head = HeadCheck(HeadState.NONE, Head())
        """How the history stood to what was noted of it when it was opened."""
        self.head_unwritten = ""
        """Why the head could not be written behind the last transaction, if so."""
        self._small_transactions = 0
        self._numbers: Numbers | None = None
        self._recorded = Recorded()
        self._sources: dict[str, int] | None = None
        self._streaming: pa.RecordBatchReader | None = None
        try:
            self._connection = connect(
                *(self.path, self.scratch, memory_mb, threads),
                in_memory=in_memory,
                read_only=self.read_only,
            )
        except BaseException:
            self._scratch.cleanup()
            raise

    @classmethod
    def open(
        cls,
        path: Path | None = None,
        *,
        create: bool = True,
        in_memory: bool = False,
        memory_mb: int = MEMORY_MB,
        threads: int = THREADS,
    ) -> Self:
        """The history at a path, made if there is none and `create`; None: a temporary one.

        `in_memory`: a temporary one without a file, for events that fit into memory: quicker by a
        third, but takes five times as many bytes, which spill once memory is full.
        """
        if path is not None and not is_there(path):
            if not create:
                raise HistoryMissingError(
                    f"{path}: there is no history",
                    next_step="`pitproof audit --db` or `pitproof serve` makes one.",
                )
            if not os.path.isdir(path.parent):
                raise HistoryMissingError(
                    f"{path}: there is no folder {path.parent}", next_step="Make the folder first."
                )
        history = cls(path, in_memory=in_memory, memory_mb=memory_mb, threads=threads)
        try:
            history._prepare()
            if not history.temporary:
                history.head = check_head(history)
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
        self.head.require(self.path)
        if self.read_only:
            raise not_permitted(self.path)
        self.run("BEGIN TRANSACTION")
        try:
            number = self._last().transaction_no + 1
            self.transaction_no, self._recorded = number, Recorded()
            yield number
            head = self._record(number, at or datetime.now(UTC))
            if before_commit is not None:
                before_commit()
            self.run("COMMIT")
            self._committed(head)
        except BaseException:
            self._sources = None
            if self.index is not None:
                self.index.roll_back()
            if self._streaming is not None:
                self._streaming.close()
            with suppress(duckdb.Error):  # none is open when the commit itself went wrong
                self._connection.rollback()
            raise
        finally:
            self.transaction_no = self._streaming = None

    def _record(self, number: int, at: datetime) -> Head:
        """Enter the transaction; what the history has with it."""
        last, recorded = self._last(), self._recorded
        chain, counts = recorded.chain(last.chain, number, at), recorded.counts()
        ((events, findings, letters, rounds),) = self.rows(HELD)
        event_no = max(last.event_no, recorded.last_event_no)
        self.run(ENTER, [number, at, *counts, findings, rounds, event_no, chain])
        return Head(number, events, findings, letters, chain)

    def _committed(self, head: Head) -> None:
        event_no = max(self._last().event_no, self._recorded.last_event_no)
        self._numbers = Numbers(head.transaction, event_no, head.chain)
        if self.index is not None:
            self.index.commit()
        if not self.temporary:
            if self.head.state is HeadState.NONE:
                self.accept_head()
            self.head_unwritten = note_head(self.path, head)

    def add_digests(self, sums: npt.NDArray[np.uint64]) -> None:
        """Within a transaction: what `head.digest_sums` gives for what it brings."""
        self._recorded.digest_sums += sums

    def accept_head(self) -> None:
        """Go on with the history as it is, whatever was noted of its head."""
        self.head = HeadCheck(HeadState.SAME, self.head.held)

    def record(self, **counts: int) -> None:
        """Within a transaction: add to what it is recorded with."""
        self._recorded.add(**counts)

    def sources(self) -> dict[str, int]:
        """Numbers of all sources, by name; whoever adds one within a transaction enters it."""
        if self._sources is None:
            rows = self.rows("SELECT source_no, name FROM sources")
            self._sources = {name: number for number, name in rows}
        return self._sources

    def take_numbers(self, count: int) -> int:
        """Within a transaction: the first of so many numbers for events."""
        last = max(self._last().event_no, self._recorded.last_event_no)
        self._recorded.last_event_no = last + count
        return last + 1

    def _last(self) -> Numbers:
        """Asked for once: nobody else writes."""
        if self._numbers is None:
            head = head_of(self)
            event_no = self.count("SELECT coalesce(max(last_event_no), 0) FROM transactions")
            self._numbers = Numbers(head.transaction, event_no, head.chain)
        return self._numbers

    def small_transaction(self, first_no: int) -> LiveIndex | None:
        """Once few events came, from `first_no` on: the index of what came before, if it pays."""
        if self.index is None and not self.temporary:
            self._small_transactions += 1
            if self._small_transactions > SMALL_TRANSACTIONS_MAX:
                self.index = LiveIndex.of(self, first_no)
                self.run("SET threads = 1")  # for a few rows the others cost more than they do
        return self.index

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

    def few(self, sql: str, parameters: Sequence[object] = ()) -> pa.Table:
        """The rows of a query that yields few, in a third of the time that `table` takes for it."""
        with self._named(), warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of a second copy: it costs less here
            return self._connection.execute(sql, parameters).to_arrow_table()

    def put(self, sql: str, rows: pa.Table) -> int:
        """Execute a statement that reads few rows under the name `arriving`.

        The connection keeps them until the commit.
        """
        with self._named():
            self._connection.register("arriving", rows)
            try:
                return self.run(sql)
            finally:
                self._connection.unregister("arriving")

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

    def hold(self, memory_mb: int) -> None:
        """Have DuckDB hold no more than so much, and let go of the rest, unless it is in use.

        Beside whatever transaction there is: one that asked in vain could not go on.
        """
        with closing(self._connection.cursor()) as beside, suppress(duckdb.OutOfMemoryException):
            beside.execute(f"SET memory_limit = '{memory_mb}MB'")

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Damage, a full disk or too little memory, told with the name of the file."""
        try:
            yield
        except (duckdb.Error, OSError) as error:
            if not is_operating(error):
                raise
            raise as_history_error(self.path, error) from error

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        cursor = self._connection.cursor()
        cursor.execute("SET enable_progress_bar = false")
        return cursor

    def _prepare(self) -> None:
        """Make the tables of a new file; check the version of an old one."""
        tables: set[str] = set()
        if not self.temporary:
            tables = {name for (name,) in self.rows("SELECT table_name FROM duckdb_tables()")}
        if not tables:
            self.run("BEGIN TRANSACTION")
            self.run(";\n".join(creation(stores_digests=self.stores_digests)))
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
                f"{self.path}: a DuckDB file, but no history of pitproof", next_step=CHECK_PATH
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
