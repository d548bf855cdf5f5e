"""Memory that a history holds only because there was room for it, given back while nobody looks."""

from __future__ import annotations

import ctypes
import gc
from contextlib import suppress
from typing import Final

import pyarrow as pa

from services.history.store import History
from services.processes import keep_no_memory_of

IDLE_MB: Final = 0
"""Nothing: only so DuckDB also forgets what it held once and let go of itself, 2 KB a query."""

LOG_MB: Final = 16
"""Rows lie in memory as well as in the log until a checkpoint: a service would swing by this."""

LARGE_BYTES: Final = 1 << 20
"""An array of so many comes from the system and goes back to it by itself."""


def stay_small(history: History) -> None:
    """For a history that is open for days: take its log in early, at a little cost of speed.

    And have each of those who give out memory keep little of what comes back: DuckDB's allocator
    would keep it for the thread that had it, though that asks once a minute or never again.
    """
    history.run(f"SET checkpoint_threshold = '{LOG_MB}MB'")
    history.run("SET allocator_background_threads = true")
    history.run("SET allocator_bulk_deallocation_flush_threshold = '1MB'")
    keep_no_memory_of(LARGE_BYTES)


def let_go(history: History, beyond_mb: int | None = None) -> None:
    """Let go of what was read from the file and may be read again, beyond so much (None: IDLE_MB).

    DuckDB fills what it may hold and gives nothing back by itself: a service would grow for days.
    To be called by the thread that asks, between its questions, and by one that writes between
    transactions; does nothing while others look.
    """
    if history.looking:
        return
    history.hold(IDLE_MB if beyond_mb is None else beyond_mb)
    history.hold(history.memory_mb)


def give_back() -> None:
    """Return to the system what was let go of: it is kept for later by each of those who gave it.

    The Kafka client leaves every answer of a broker in a circle of objects, its records with it, of
    so few parts each that Python does not look for them for hours. Arrow and the C library keep
    what lies between pieces in use; where that cannot be told otherwise, nothing happens.
    """
    gc.collect()
    pa.default_memory_pool().release_unused()
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
