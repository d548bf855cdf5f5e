"""Memory that a history holds only because there was room for it, given back while nobody looks."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

import duckdb

from services.history.store import MEMORY_MB, History

IDLE_MB: Final = 128
"""What following a topic reads again and again, and more."""


def let_go(history: History) -> None:
    """Let go of what was read from the file and may be read again, beyond IDLE_MB.

    DuckDB fills what it may hold and gives nothing back by itself: a service would grow for days.
    To be called by the thread that writes, between transactions; does nothing while others look.
    """
    if history.looking:
        return
    with suppress(duckdb.OutOfMemoryException):  # more is in use: then that much stays
        history.run(f"SET memory_limit = '{IDLE_MB}MB'")
    history.run(f"SET memory_limit = '{MEMORY_MB}MB'")
