"""Lots settled side by side: one here, each other by a process of its own.

What they tell comes in as it is told.

Processes rather than threads: much of judging is Python between short array operations, of which
only one thread at a time can do any.
"""

from __future__ import annotations

import queue
import signal
import subprocess
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from services.errors import PitproofError
from services.history.sql.source import SqlSource
from services.processes import KEEPS_MEMORY, started
from services.replaying.lot import Lot, Told
from services.replaying.worker import Ended, Failed, Message, Part, Task, receive, send

WAITING_MAX: Final = 64
"""Messages that wait to be taken: more would only fill memory."""

_LOOK_SECONDS: Final = 0.1


class ReplayFailedError(PitproofError):
    """A process of a replay ended before its work did."""

    code = "replay_failed"


@dataclass(slots=True)
class Crew:
    """Processes that settle lots again. Use it as a context manager: none outlives it."""

    source: SqlSource
    _processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    _listening: list[threading.Thread] = field(default_factory=list)
    _told: queue.Queue[tuple[int, Message | None]] = field(
        default_factory=lambda: queue.Queue(WAITING_MAX)
    )
    _is_over: threading.Event = field(default_factory=threading.Event)
    _working: int = 0

    def __enter__(self) -> Crew:
        """Nobody works yet."""
        return self

    def __exit__(self, *_: object) -> None:
        """Whoever still works is stopped: nobody waits for it."""
        self._is_over.set()
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait()
        for thread in self._listening:
            thread.join()  # what it listened to has ended
        for process in self._processes:
            assert process.stdout is not None
            process.stdout.close()

    def work(self, lots: Sequence[Lot], meanwhile: Iterable[Told] = ()) -> Iterator[Told]:
        """Settle the lots again, one process each; what all of them tell.

        `meanwhile` is what comes of a lot that is settled here: it goes on whenever the next of it
        is taken.

        Raises:
            PitproofError: one of them could not, or was stopped.
        """
        for number, lot in enumerate(lots):
            self._start(number, lot)
        self._working = len(lots)
        for told in meanwhile:
            yield told
            while not self._told.empty():
                yield from self._next_told()
        while self._working:
            yield from self._next_told()

    def _next_told(self) -> Iterator[Told]:
        """What the next message says, waiting for it."""
        number, message = self._told.get()
        match message:
            case Part(told):
                yield told
            case Ended():
                self._working -= 1
            case Failed(text, next_step, is_fault):
                if is_fault:
                    raise RuntimeError(text)
                raise PitproofError(text, next_step=next_step)
            case None:
                raise _gone(self._processes[number].wait())

    def _start(self, number: int, lot: Lot) -> None:
        process = started("services.replaying.worker", KEEPS_MEMORY, stdout=subprocess.PIPE)
        self._processes.append(process)
        assert process.stdin is not None
        with suppress(BrokenPipeError), process.stdin:  # gone already: its silence will be heard
            send(process.stdin, Task(self.source.to_json(), lot))
        self._listening.append(threading.Thread(target=self._listen, args=(number, process)))
        self._listening[-1].start()

    def _listen(self, number: int, process: subprocess.Popen[bytes]) -> None:
        """Hand on what one of them tells, up to its last word."""
        assert process.stdout is not None
        is_last = False
        while not is_last and not self._is_over.is_set():
            message = receive(process.stdout)
            is_last = not isinstance(message, Part)
            while not self._is_over.is_set():
                with suppress(queue.Full):
                    self._told.put((number, message), timeout=_LOOK_SECONDS)
                    break


def _gone(status: int) -> ReplayFailedError:
    why = f"was stopped by signal {-status}" if status < 0 else f"ended with status {status}"
    memory = status == -signal.SIGKILL
    return ReplayFailedError(
        f"a process of the replay {why}",
        next_step="it may have found no memory: use fewer cores with --cores" if memory else "",
    )
