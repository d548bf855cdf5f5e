"""A look at an open history from another thread: one snapshot, read-only, that can be stopped.

The writer goes on meanwhile; what it commits later is not seen. A reader is used by one thread at a
time, and stopped by any.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

import duckdb

from services.errors import PitproofError
from services.history.store import History


class ReadingStoppedError(PitproofError):
    """A reading that was stopped before its end: it took too long, or nobody waits any more."""

    code = "reading_stopped"


class Readers:
    """Gives out readers of one history.

    To be made by the thread that writes: a connection that is busy would keep others waiting for
    a cursor, so cursors are made of one that never asks anything.
    """

    def __init__(self, history: History) -> None:
        self._history = history
        self._idle = history._cursor()
        self._lock: Final = threading.Lock()

    @contextmanager
    def reader(self) -> Iterator[HistoryReader]:
        """A reader of what is committed now."""
        with self._lock:
            cursor = self._idle.cursor()
        reader = HistoryReader.on(self._history, cursor)
        self._history.looking.add(reader)
        try:
            reader.begin()
            yield reader
        finally:
            reader.close()
            self._history.looking.discard(reader)

    def close(self) -> None:
        """Give out no more."""
        with self._lock:
            self._idle.close()


class HistoryReader(History):
    """A history as of one transaction: whatever reads a `History` reads this. It cannot write."""

    _stopped: PitproofError | None = None

    @classmethod
    def on(cls, history: History, cursor: duckdb.DuckDBPyConnection) -> HistoryReader:
        """A reader through a cursor, which it closes."""
        reader = object.__new__(cls)
        reader.__dict__.update(history.__dict__)
        reader._connection = cursor
        reader._streaming = None
        reader.transaction_no = None
        return reader

    def begin(self) -> None:
        """Take the snapshot: from here on all is read within one transaction."""
        self.rows("SET enable_progress_bar = false")
        self.rows("BEGIN TRANSACTION READ ONLY")
        self.transaction_no = self.count(
            "SELECT coalesce(max(transaction_no), 0) FROM transactions"
        )

    def renew(self) -> None:
        """Let go of the snapshot, and take one of what is committed now."""
        self.rows("ROLLBACK")
        self.begin()

    def stop(self, why: PitproofError) -> None:
        """From another thread: let what is being asked, and all that is still asked, fail so."""
        self._stopped = why
        with suppress(duckdb.Error):  # closed meanwhile: it had come to its end
            self._connection.interrupt()

    def close(self) -> None:
        """Let go of the snapshot."""
        with suppress(duckdb.Error):
            self._connection.rollback()
        self._connection.close()

    @contextmanager
    def _named(self) -> Iterator[None]:
        if self._stopped is not None:
            raise self._stopped
        try:
            with super()._named():
                yield
        except Exception as error:
            if self._stopped is not None:
                raise self._stopped from error
            raise
