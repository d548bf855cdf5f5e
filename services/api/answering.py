"""Questions carried out within a service: a few at a time, each for so long, none in the way.

A question that reads does so on a cursor of its own, in a thread of its own; it is stopped when its
time is over, when whoever asked has gone, or when the service ends. One that writes is handed to
the thread that writes, which does it between two transactions.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Final, Protocol, TypeVar

import msgspec

from services.api.errors import (
    AnswerTooLargeError,
    InternalError,
    ServiceBusyError,
    ServiceStoppingError,
    TookTooLongError,
)
from services.errors import PitproofError
from services.held import failures_told
from services.history.reader import HistoryReader, Readers, ReadingStoppedError
from services.history.store import History
from services.metrics import Metrics
from services.queries.query import About, Query
from services.queries.verify import VERIFY
from services.settings import Settings

READERS_MAX: Final = 4
"""Side by side. Each takes a share of the memory and threads that following the topic has."""

WAITING_MAX: Final = 16
"""More would only wait: they are told to come again."""

ANSWER_BYTES_MAX: Final = 256 << 20
"""Some 250,000 findings."""

LOOK_SECONDS: Final = 0.2
"""How soon it is noticed that nobody waits for an answer any more."""

STOP_AGAIN_SECONDS: Final = 0.05

T = TypeVar("T")
IsGone = Callable[[], Awaitable[bool]]


class Writer(Protocol):
    """The thread that writes."""

    def ask(self, work: Callable[[], T]) -> Future[T]:
        """Do this between two transactions."""


class _Reading:
    """A question under way, that may be stopped before its reader is there, or after."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._reader: HistoryReader | None = None
        self._why: PitproofError | None = None

    @contextmanager
    def through(self, reader: HistoryReader) -> Iterator[None]:
        """It reads through this one within the body."""
        with self._lock:
            self._reader = reader
            if self._why is not None:
                reader.stop(self._why)
        try:
            yield
        finally:
            with self._lock:
                self._reader = None

    def stop(self, why: PitproofError) -> bool:
        """Let it end; whether it is at work still, and may have to be told again.

        Between two queries there is nothing to break off.
        """
        with self._lock:
            self._why = self._why or why
            if self._reader is not None:
                self._reader.stop(self._why)
            return self._reader is not None


class Answering:
    """Carries out questions to one open history. To be made by the thread that writes to it."""

    def __init__(
        self, history: History, writer: Writer, settings: Settings, metrics: Metrics
    ) -> None:
        self._history, self._writer, self._settings = history, writer, settings
        self._metrics = metrics
        self._readers = Readers(history)
        self._pool = ThreadPoolExecutor(READERS_MAX, thread_name_prefix="pitproof-reader")
        self._own = ThreadPoolExecutor(1, thread_name_prefix="pitproof-figures")
        self._under_way: set[_Reading] = set()
        self._waiting = 0
        self._is_closed = False
        self._look_ahead()

    async def answer(
        self,
        query: Query[Any, Any],
        asked: Any,
        named: str,
        is_gone: IsGone,
        encoded: Callable[[Any], Iterable[bytes]],
    ) -> bytes:
        """The encoded result of a question.

        Raises:
            PitproofError: whatever keeps the question from an answer.
        """
        if self._is_closed:
            raise _stopping()
        if self._waiting >= WAITING_MAX:
            raise ServiceBusyError(
                f"{self._waiting} questions are being answered", next_step="ask again in a moment"
            )
        began, outcome = time.monotonic(), "failed"
        self._waiting += 1
        about = About(self._settings, named or str(self._history.path))
        try:
            if query.writes:
                result = await self._written(query, asked, about)
                body = _bounded(encoded(result))
            else:
                body = await self._read(query, asked, about, is_gone, encoded)
                await self._enter_what_was_done(query, about)
            outcome = "answered"
            return body
        except PitproofError:
            raise
        except Exception as error:
            logging.getLogger(__name__).exception("the question %s failed", query.name)
            raise InternalError(
                "a fault of pitproof itself, shown in the log of the service",
                next_step="please report it with the call",
            ) from error
        finally:
            self._waiting -= 1
            self._metrics.answered(query.name, outcome, time.monotonic() - began)

    def close(self) -> None:
        """Stop all that is under way, and take no more."""
        self._is_closed = True
        for pool in (self._pool, self._own):
            pool.shutdown(wait=False, cancel_futures=True)
        for reading in tuple(self._under_way):
            while reading.stop(_stopping()):
                time.sleep(STOP_AGAIN_SECONDS)
        for pool in (self._pool, self._own):
            pool.shutdown(wait=True)
        self._readers.close()

    async def in_background(self, work: Callable[[HistoryReader], T]) -> T:
        """Something short that the service itself reads, one at a time.

        Beside what it is asked: questions that take every reader for an hour do not hold it up.

        Raises:
            PitproofError: the history does not answer, or the service is stopping.
        """
        if self._is_closed:
            raise _stopping()
        reading = _Reading()

        def carried_out() -> T:
            with self._readers.reader() as reader, reading.through(reader):
                return work(reader)

        self._under_way.add(reading)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._own, carried_out)
        finally:
            self._under_way.discard(reading)

    def _look_ahead(self) -> None:
        """Begin to load what searches are quick by; until then they read what they need."""
        reading = _Reading()

        def carried_out() -> None:
            try:
                with self._readers.reader() as reader, reading.through(reader):
                    reader.said.load(reader)
            except PitproofError:
                return  # stopped, or damaged: whoever searches is told
            finally:
                self._under_way.discard(reading)

        self._under_way.add(reading)
        self._pool.submit(carried_out)

    async def _read(
        self,
        query: Query[Any, Any],
        asked: Any,
        about: About,
        is_gone: IsGone,
        encoded: Callable[[Any], Iterable[bytes]],
    ) -> bytes:
        reading = _Reading()

        def carried_out() -> bytes:
            with (
                self._readers.reader() as reader,
                reading.through(reader),
                failures_told(self._history.path),
            ):
                result = query.run(reader, asked, about)
            if query.name == VERIFY.name:
                self._metrics.verified(result, time.time())
            return _bounded(encoded(result))

        self._under_way.add(reading)
        try:
            future = asyncio.get_running_loop().run_in_executor(self._pool, carried_out)
            deadline = time.monotonic() + query.seconds_max
            while not (await asyncio.wait({future}, timeout=LOOK_SECONDS))[0]:
                if time.monotonic() > deadline:
                    reading.stop(_too_long(query))
                elif await is_gone():
                    reading.stop(ReadingStoppedError("nobody waits for the answer any more"))
            return future.result()
        except asyncio.CancelledError:
            reading.stop(_stopping())
            raise
        finally:
            self._under_way.discard(reading)

    async def _enter_what_was_done(self, query: Query[Any, Any], about: About) -> None:
        """Not at an end of the service: then it is entered at the next start."""
        enter, history = query.afterwards, self._history
        if enter is None:
            return
        entered = asyncio.wrap_future(self._writer.ask(lambda: enter(history, about)))
        try:
            await asyncio.wait_for(entered, query.seconds_max)
        except Exception:
            if not self._is_closed:
                logging.getLogger(__name__).exception("what %s did is entered later", query.name)

    async def _written(self, query: Query[Any, Any], asked: Any, about: About) -> Any:
        history, begun = self._history, threading.Event()

        def carried_out() -> Any:
            begun.set()
            with failures_told(history.path):
                return query.run(history, asked, about)

        future = self._writer.ask(carried_out)
        waiting = asyncio.wrap_future(future)
        done, _ = await asyncio.wait({waiting}, timeout=query.seconds_max)
        if not done and future.cancel():
            raise TookTooLongError(
                f"{query.name}: the service did not come to it within "
                f"{query.seconds_max:.0f} s; nothing was changed",
                next_step="ask again",
            )
        try:
            return await waiting  # begun: it is a transaction, and ends one way or the other
        except Exception:
            if begun.is_set():
                raise
            raise _stopping() from None  # refused: it was handed in too late


def result_encoded(result: Any) -> Iterable[bytes]:
    """The whole result, for a command that prints it."""
    return [msgspec.json.encode(result)]


def _bounded(chunks: Iterable[bytes]) -> bytes:
    body = bytearray()
    for chunk in chunks:
        body += chunk
        if len(body) > ANSWER_BYTES_MAX:
            raise AnswerTooLargeError(
                f"the answer is longer than {ANSWER_BYTES_MAX >> 20} MiB",
                next_step="ask for less: a table, some days, a code",
            )
    return bytes(body)


def _too_long(query: Query[Any, Any]) -> TookTooLongError:
    return TookTooLongError(
        f"{query.name}: stopped after {query.seconds_max:.0f} s", next_step="ask for less"
    )


def _stopping() -> ServiceStoppingError:
    return ServiceStoppingError(
        "the service is stopping", next_step="ask again once it has stopped"
    )
