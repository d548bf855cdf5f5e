"""Breaking off what a history is doing, from another thread."""

from __future__ import annotations

from contextlib import suppress

import duckdb

from services.history.store import History


def break_off(history: History) -> None:
    """Have the query under way fail; its transaction is rolled back by whoever began it."""
    with suppress(duckdb.Error):  # it was closed meanwhile
        history._connection.interrupt()
