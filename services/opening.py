"""A temporary history, opened in a thread while the engine is loaded: each takes as long."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from services.ahead import Begun

if TYPE_CHECKING:
    from services.history.store import History

IN_MEMORY_BYTES_MAX: Final = 250_000_000  # of the 400 MB that DuckDB has: about a million events

GROWTH: Final = {".gz": 8, ".avro": 3, "": 1}
"""By the end of a file's name: times its size that its events take as JSON lines, or in memory."""


def unpacked_bytes(files: Iterable[tuple[str, int]]) -> int:
    """How many bytes the events of files (name, bytes) are about, as JSON lines."""
    return sum(
        size * next(times for end, times in GROWTH.items() if name.endswith(end))
        for name, size in files
    )


def fits_into_memory(files: Iterable[tuple[str, int]]) -> bool:
    """Whether DuckDB can hold the events of files (name, bytes) without a file of its own."""
    return unpacked_bytes(files) <= IN_MEMORY_BYTES_MAX


@contextmanager
def temporary_ahead(names: Sequence[str]) -> Iterator[Begun[History] | None]:
    """A temporary history for files of these names; closed, and thereby gone, at the end.

    None where that cannot be told yet: a file is not there, or is a pipe.
    """
    sizes = []
    with suppress(OSError):
        for name in names:
            about = os.stat(name)
            if stat.S_ISREG(about.st_mode):
                sizes.append((name, about.st_size))
    if len(sizes) < len(names):
        yield None
        return
    from services.history.store import History

    begun = Begun(lambda: History.open(in_memory=fits_into_memory(sizes)))
    try:
        yield begun
    finally:
        with suppress(Exception):  # told to whoever asked for it
            begun.result().close()
