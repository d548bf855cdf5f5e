"""Memory that a history holds only because there was room for it, given back while nobody looks."""

from __future__ import annotations

from typing import Final

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
    history.hold(IDLE_MB if beyond_mb is None else beyond_mb)
    history.hold(history.memory_mb)
