"""Pieces of event files decoded by processes of their own, side by side and in their order.

Processes rather than threads: decoding is Python between short array operations, of which only one
thread at a time can do any, and the thread that stores wants its share.
"""

from __future__ import annotations

import pickle
import subprocess
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Final

from services.decode.batch import DecodedBatch
from services.processes import KEEPS_MEMORY, cores_available, started
from services.sources.pieces import Piece

if TYPE_CHECKING:
    from concurrent.futures import Future

BYTES_MIN: Final = 64_000_000
"""Of events as JSON lines: fewer are decoded here before a process has started."""

_COUNT_MAX: Final = 4
"""More than that would wait for the one who stores."""

_AHEAD: Final = 2
"""Pieces for each process: what it works at, and what it goes on with."""

_PIPE_BYTES: Final = 1 << 20  # what every user may have; pieces are several times as large


def decoders_for(byte_count: int) -> Decoders:
    """As many as help with events of so many bytes as JSON lines."""
    cores = cores_available()
    return Decoders(min(cores, _COUNT_MAX) if cores > 1 and byte_count >= BYTES_MIN else 0)


class Decoders:
    """Processes that decode. Use it as a context manager: none outlives it.

    What one of them cannot do, for being stopped or for a fault of ours, is done here.
    """

    def __init__(self, count: int) -> None:
        """Start so many, or as many as the system starts; 0: everything is decoded here."""
        self._processes: list[subprocess.Popen[bytes]] = []
        self._idle: SimpleQueue[subprocess.Popen[bytes] | None] = SimpleQueue()
        with suppress(OSError):
            for _ in range(count):
                self._processes.append(_started())
                self._idle.put(self._processes[-1])

    def __enter__(self) -> Decoders:
        """They wait for pieces."""
        return self

    def __exit__(self, *_: object) -> None:
        """Whoever still works is stopped: nobody waits for it."""
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):  # what it was sent last does not reach it any more
                    assert pipe is not None
                    pipe.close()

    def batches(self, pieces: Iterator[Piece]) -> Iterator[DecodedBatch]:
        """What the pieces hold, in their order. Raises whatever reading them raises."""
        if not self._processes:
            yield from (piece.decode() for piece in pieces)
            return
        from concurrent.futures import ThreadPoolExecutor

        count = len(self._processes)
        waiting: deque[Future[DecodedBatch]] = deque()
        with ThreadPoolExecutor(count) as pool:
            try:
                for piece in pieces:
                    waiting.append(pool.submit(self._decoded, piece))
                    if len(waiting) > _AHEAD * count:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                pool.shutdown(cancel_futures=True)

    def _decoded(self, piece: Piece) -> DecodedBatch:
        """A piece decoded by whoever is idle, or here in the place of one that is gone."""
        process = self._idle.get()
        batch = None if process is None else _asked(process, piece)
        self._idle.put(None if batch is None else process)
        return piece.decode() if batch is None else batch


def _started() -> subprocess.Popen[bytes]:
    return started(
        "services.sources.decoding",
        KEEPS_MEMORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # a fault of ours is told where it is done again
        pipesize=_PIPE_BYTES,
        process_group=0,  # a Ctrl-C is for whoever started it
    )


def _asked(process: subprocess.Popen[bytes], piece: Piece) -> DecodedBatch | None:
    """What a process makes of a piece; None: it is gone."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        pickle.dump(piece, process.stdin, pickle.HIGHEST_PROTOCOL)
        process.stdin.flush()
        batch = pickle.load(process.stdout)  # noqa: S301 (of a process of ours, by a pipe of ours)
    except (OSError, EOFError, pickle.UnpicklingError):
        return None
    assert isinstance(batch, DecodedBatch)
    return batch
