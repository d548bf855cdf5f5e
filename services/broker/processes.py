"""Processes that outlive the one who started them, known by id and by what they run."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Final

CLEAN_SECONDS_MAX: Final = 15.0
_POLL_SECONDS: Final = 0.05

# Reads lists of process ids, a line each, and ends the last one read when nobody is left to send
# another: however the sender ended, also by SIGKILL. The pause lets go what they hold open.
_GUARD: Final = """
while read -r line; do ids=$line; done
[ -n "$ids" ] || exit 0
kill -9 $ids
[ -z "$1" ] && exit 0
sleep 1
rm -rf "$1"
"""


class Guard:
    """Ends the watched processes, and removes `folder`, if this process ends without doing so."""

    def __init__(self, folder: Path | None = None) -> None:
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", _GUARD, "sh", str(folder or "")],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # a Ctrl-C meant for us is not meant for it
        )

    def watch(self, process_ids: Iterable[int]) -> None:
        """These from now on, and no others."""
        with contextlib.suppress(BrokenPipeError):
            _pipe(self._process).write(f"{' '.join(map(str, process_ids))}\n".encode())
            _pipe(self._process).flush()

    def release(self) -> None:
        """Watch nothing any more."""
        self.watch(())
        with contextlib.suppress(BrokenPipeError):
            _pipe(self._process).close()
        self._process.wait()


def is_running(process_id: int, marker: str) -> bool:
    """Whether that process is there and runs what holds `marker`: ids are used again."""
    return marker in _command_of(process_id)


def stop_processes(process_ids: Iterable[int], marker: str, *, clean: bool = True) -> None:
    """End processes and wait until they are gone: cleanly first, by force after a while."""
    left = [one for one in process_ids if is_running(one, marker)]
    if clean:
        left = _end(left, marker, signal.SIGTERM)
    _end(left, marker, signal.SIGKILL)


def _end(process_ids: list[int], marker: str, how: signal.Signals) -> list[int]:
    """Those still there after the signal and a while."""
    for one in process_ids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(one, how)
    until = time.monotonic() + CLEAN_SECONDS_MAX
    left = process_ids
    while left and time.monotonic() < until:
        time.sleep(_POLL_SECONDS)
        left = [one for one in left if is_running(one, marker)]
    return left


def _command_of(process_id: int) -> str:
    """Empty where there is no such process, or one that has ended and waits to be counted."""
    if Path("/proc/self/cmdline").exists():
        try:
            return Path(f"/proc/{process_id}/cmdline").read_bytes().decode(errors="replace")
        except OSError:
            return ""
    ps = shutil.which("ps") or "/bin/ps"
    asked = subprocess.run(
        [ps, "-ww", "-o", "args=", "-p", str(process_id)],
        check=False,
        capture_output=True,
        text=True,
        errors="replace",
    )
    return asked.stdout


def _pipe(process: subprocess.Popen[bytes]) -> IO[bytes]:
    assert process.stdin is not None
    return process.stdin
