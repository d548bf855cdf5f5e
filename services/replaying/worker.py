"""The process that settles one lot again: reads what to do, tells what came of it, ends.

Standard input holds one task, standard output gets what is told, both as msgpack, each message with
its length before it. Whoever started it reads on; when nobody does any more, it ends by itself.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from typing import IO, Final

import msgspec

from services.errors import PitproofError
from services.held import failures_told
from services.history.frozen import FrozenHistory
from services.history.sql.source import SqlSource
from services.replaying.lot import Lot, Told, settled_again

MEMORY_MB: Final = 128
"""What DuckDB may hold: it hands out what it reads, and is asked for nothing twice."""

_LENGTH_BYTES: Final = 8


class Task(msgspec.Struct, frozen=True):
    """A lot, and where the history lies."""

    source: str
    """`SqlSource.to_json`."""
    lot: Lot


class Failed(msgspec.Struct, frozen=True, tag=True):
    """Why it could not be done."""

    message: str
    next_step: str = ""
    is_fault: bool = False
    """Of the program itself; the message is what Python says."""


class Ended(msgspec.Struct, frozen=True, tag=True):
    """All was told."""


class Part(msgspec.Struct, frozen=True, tag=True):
    """What came of a part."""

    told: Told


Message = Part | Failed | Ended


def send(file: IO[bytes], message: msgspec.Struct) -> None:
    """Write a message.

    Raises:
        BrokenPipeError: nobody reads.
    """
    content = msgspec.msgpack.encode(message)
    file.write(len(content).to_bytes(_LENGTH_BYTES, "big") + content)
    file.flush()


def receive(file: IO[bytes]) -> Message | None:
    """The next message; None: whoever wrote has ended."""
    content = _framed(file)
    return None if content is None else msgspec.msgpack.decode(content, type=Message)


def _framed(file: IO[bytes]) -> bytes | None:
    head = file.read(_LENGTH_BYTES)
    if len(head) < _LENGTH_BYTES:
        return None
    length = int.from_bytes(head, "big")
    content = file.read(length)
    return content if len(content) == length else None


def main() -> None:
    """Do the task that standard input holds."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is for whoever started this
    content = _framed(sys.stdin.buffer)
    told = sys.stdout.buffer
    if content is None:
        return
    task = msgspec.msgpack.decode(content, type=Task)
    try:
        source = SqlSource.from_json(task.source)
        with FrozenHistory.over(source, memory_mb=MEMORY_MB, threads=1) as history:
            with failures_told(history.path):
                for each in settled_again(history, task.lot):
                    send(told, Part(each))
        send(told, Ended())
    except BrokenPipeError:
        os._exit(0)  # nobody waits for it any more
    except PitproofError as error:
        send(told, Failed(error.message, error.next_step))
    except Exception:
        send(told, Failed(traceback.format_exc(), is_fault=True))


if __name__ == "__main__":
    main()
