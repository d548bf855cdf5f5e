"""Memory that a history holds only because there was room for it, given back while nobody looks."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from services.history.errors import HistoryUnreadableError
from services.history.store import History

IDLE_MB: Final = 128
"""What following a topic reads again and again, and more."""


def let_go(history: History, beyond_mb: int | None = None) -> None:
    """Let go of what was read from the file and may be read again, beyond so much (None: IDLE_MB).

    DuckDB fills what it may hold and gives nothing back by itself: a service would grow for days.
    To be called by the thread that asks, between its questions, and by one that writes between
    transactions; does nothing while others look.
    """
    if history.looking:
        return
    with suppress(HistoryUnreadableError):  # no memory to do so: more is in use, and stays
        history.run(f"SET memory_limit = '{IDLE_MB if beyond_mb is None else beyond_mb}MB'")
    history.run(f"SET memory_limit = '{history.memory_mb}MB'")
