"""Something long to be found out about a history in use, by a process of its own.

The process reads files, so that the writer goes on; it ends with whoever asked, and gives way to
all else on the machine.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Mapping
from typing import Any, Final, NoReturn

from services.errors import PitproofError
from services.processes import started

Stopped = Callable[[], PitproofError | None]

_LOOK_SECONDS: Final = 0.1
_NICENESS: Final = 5
_WORDS_MAX: Final = 2_000


class ProcessFailedError(PitproofError):
    """The process ended without an answer."""

    code = "process_failed"


def answered(module: str, said: Mapping[str, Any], stopped: Stopped) -> dict[str, Any]:
    """What a module, started as a program, answers to what it is told.

    `stopped` is asked now and then whether, and why, nobody waits for the answer any more.

    Raises:
        PitproofError: it was stopped, or came to no answer.
    """
    with tempfile.TemporaryFile() as told, tempfile.TemporaryFile() as failed:
        process = started(module, stdout=told, stderr=failed)
        assert process.stdin is not None
        with process.stdin:  # held open: its end says that nobody waits any more
            try:
                process.stdin.write(json.dumps(said).encode() + b"\n")
                process.stdin.flush()
            except BrokenPipeError:
                pass  # it is gone already, and its silence will be heard
            _await(process, stopped)
        told.seek(0)
        failed.seek(0)
        content = told.read()
        if not content:
            words = failed.read().decode(errors="replace").strip().splitlines()
            last = words[-1][:_WORDS_MAX] if words else "it may have found no memory"
            raise ProcessFailedError(
                f"a process of the service ended with status {process.returncode}: {last}",
                next_step="see whether the machine has memory to spare, and ask again",
            )
    loaded: dict[str, Any] = json.loads(content)
    return loaded


def _await(process: subprocess.Popen[bytes], stopped: Stopped) -> None:
    try:
        while True:
            try:
                process.wait(_LOOK_SECONDS)
                return
            except subprocess.TimeoutExpired:
                if (why := stopped()) is not None:
                    raise why from None
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def run(work: Callable[[dict[str, Any]], Mapping[str, Any]]) -> NoReturn:
    """In the process: find out what it was told to, say it, and end, with whoever asked if need be.

    Raises nothing: what goes wrong is told on standard error.
    """
    os.nice(_NICENESS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is for whoever started this
    said: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_whoever_asked, daemon=True).start()
    status = 1
    try:
        sys.stdout.buffer.write(json.dumps(work(said)).encode())
        sys.stdout.buffer.flush()
        status = 0
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    os._exit(status)  # nothing is left to tidy up, and a thread still waits


def _end_with_whoever_asked() -> None:
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGKILL)
