"""Days that are over are sealed beside the service that follows the topic, in a thread of its own.

It reads one snapshot through a cursor; only what it enters in the history is done by the thread
that writes, between two transactions. It waits until the topic is caught up with: days that are
long over still come in until then. A stop breaks off the day under way, of which nothing is left.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from services.errors import PitproofError
from services.history.reader import HistoryReader, Readers, ReadingStoppedError
from services.history.sealed.anchors import catch_up
from services.history.store import History
from services.live.places import Say
from services.live.state import Problem, ServiceState
from services.sealing import Sealing, sealed_folder

if TYPE_CHECKING:
    from services.settings import Settings

LOOK_SECONDS: Final = 60.0
"""A look reads what was not sealed yet: some hundredths of a second for a day."""

READY_SECONDS: Final = 1.0
"""How often it is asked whether the topic is caught up with."""

STOP_SECONDS_MAX: Final = 1.5
STOP_AGAIN_SECONDS: Final = 0.1
"""Of the five that a stop of the service may take: a query under way is broken off."""

CODE: Final = "sealing"


class DaySealer:
    """Made by the thread that writes; `run` is for a thread of its own."""

    def __init__(self, history: History, state: ServiceState, settings: Settings, say: Say) -> None:
        self._history, self._state, self._say = history, state, say
        self._settings = settings
        self._sealing = Sealing(settings)
        self._readers = Readers(history)
        self._reader: HistoryReader | None = None
        self._stopped = threading.Event()
        self._lock = threading.Lock()

    def run(self) -> None:
        """Look, and seal what is due, until stopped."""
        while not self._stopped.wait(READY_SECONDS):
            if not self._state.snapshot().is_ready:
                continue
            try:
                self._look()
                self._state.solved(CODE, str(self._history.path))
            except ReadingStoppedError:
                return
            except PitproofError as error:
                self._failed(error.message, error.next_step)
            except Exception as error:
                logging.getLogger(__name__).exception("sealing failed")
                self._failed(f"a fault of pitproof itself: {error}", "please report it")
            self._stopped.wait(LOOK_SECONDS)

    def stop(self) -> None:
        """End soon, whatever is under way."""
        with self._lock:
            self._stopped.set()
            if self._reader is not None:
                self._reader.stop(ReadingStoppedError("the service is stopping"))

    def close(self) -> None:
        """Once the thread has ended."""
        self._readers.close()

    def _look(self) -> None:
        with self._reading() as reader:
            began = time.monotonic()
            for sealed in self._sealing.step(reader):
                self._state.sealed(time.monotonic() - began)
                manifest = sealed.manifest
                self._say(
                    "sealed",
                    {
                        "gaming_day": manifest.gaming_day.isoformat(),
                        "events": manifest.events,
                        "manifest": manifest.number,
                        **({"amends": manifest.amends} if manifest.amends else {}),
                    },
                )
                self._state.gauge("seal_overdue", len(self._sealing.overdue))
                if self._stopped.is_set():
                    return
                began = time.monotonic()
        self._state.gauge("seal_overdue", len(self._sealing.overdue))
        self._remember()

    def _remember(self) -> None:
        """Have what was sealed entered; also what was sealed before a crash, or by hand."""
        chain = sealed_folder(self._history.path, self._settings).chain()
        if chain.last is not None and not self._stopped.is_set():
            self._state.ask(lambda: catch_up(self._history, chain))

    @contextmanager
    def _reading(self) -> Iterator[HistoryReader]:
        with self._readers.reader() as reader:
            with self._lock:
                self._reader = reader
                if self._stopped.is_set():
                    raise ReadingStoppedError("the service is stopping")
            try:
                yield reader
            finally:
                with self._lock:
                    self._reader = None

    def _failed(self, message: str, next_step: str) -> None:
        """The topic is followed all the same: the day is sealed once that is over."""
        where = str(self._history.path)
        self._state.trouble(Problem(CODE, where, message, next_step, is_stopping=False))


@contextmanager
def sealing(history: History, state: ServiceState, settings: Settings, say: Say) -> Iterator[None]:
    """Seal days for as long as the body runs."""
    sealer = DaySealer(history, state, settings, say)
    thread = threading.Thread(target=sealer.run, name="pitproof-sealing", daemon=True)
    thread.start()
    try:
        yield
    finally:
        until = time.monotonic() + STOP_SECONDS_MAX
        while thread.is_alive() and time.monotonic() < until:
            sealer.stop()  # again: between two queries there is nothing to break off
            thread.join(STOP_AGAIN_SECONDS)
        if not thread.is_alive():
            sealer.close()
