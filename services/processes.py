"""Processes of our own modules, started by this one, and what they share the machine with."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import services

KEEPS_MEMORY: Final = {
    "MALLOC_MMAP_THRESHOLD_": str(1 << 30),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 30),
    "MALLOC_ARENA_MAX": "2",
}
"""Environment of a process in which arrays come and go by the hundred: to ask the system for each
anew takes a tenth of the time."""

_MALLOC_OPTIONS: Final = {"MALLOC_TRIM_THRESHOLD_": -1, "MALLOC_MMAP_THRESHOLD_": -3}
"""By what numbers `mallopt` of the GNU C library knows them."""


def started(
    module: str, environment: Mapping[str, str] | None = None, **how: Any
) -> subprocess.Popen[bytes]:
    """A module of ours as a program, by the Python and out of the folder that this one is of.

    `environment` goes on top of our own; standard input is a pipe; `how` goes to `Popen`.

    Raises:
        OSError: the system starts no process.
    """
    root = str(Path(services.__file__).parents[1])
    return subprocess.Popen(  # noqa: S603 (a module of ours)
        [sys.executable, "-P", "-s", "-m", module],
        stdin=subprocess.PIPE,
        env={**os.environ, **(environment or {}), "PYTHONPATH": root},
        **how,
    )


def keep_memory() -> None:
    """Have this process hold on to memory as by KEEPS_MEMORY; elsewhere nothing happens."""
    for name in _MALLOC_OPTIONS:
        _set_malloc(name, int(KEEPS_MEMORY[name]))


def keep_no_memory_of(byte_count: int) -> None:
    """Have all that is so large go back to the system once it is let go of, for as long as we run.

    By itself the C library raises the bound to the largest that ever went: ever larger ones then
    lie between small ones that stay.
    """
    _set_malloc("MALLOC_MMAP_THRESHOLD_", byte_count)


def _set_malloc(name: str, value: int) -> None:
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_MALLOC_OPTIONS[name], value)


def cores_available() -> int:
    """How many processes can work at a time."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
