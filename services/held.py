"""A history opened for a question, with what can go wrong told like any other failure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from services.errors import BadArgumentError, PitproofError, UnusableHistoryError
from services.history.store import History
from services.report.gather import tables_held

NAMED_MAX: Final = 30  # tables named to someone who asked for one that is not there

_INTERRUPTED: Final = "InterruptException"


class BrokenOffError(PitproofError):
    """What was asked did not come to its end."""

    code = "broken_off"


@contextmanager
def opened(path: Path | None, *, create: bool, in_memory: bool = False) -> Iterator[History]:
    """An open history; what DuckDB cannot do while it is open is said like any other failure.

    `in_memory`: a temporary one that is no file.

    Raises:
        UnusableHistoryError: it is not there, is none, is damaged, or finds no room.
    """
    with History.open(path, create=create, in_memory=in_memory) as history, failures_told(path):
        yield history


@contextmanager
def failures_told(path: Path | None) -> Iterator[None]:
    """Say what DuckDB cannot do with this history.

    Raises:
        UnusableHistoryError: it is damaged, or finds no room.
        BrokenOffError: somebody had it end.
    """
    try:
        yield
    except Exception as error:
        if not _is_of_duckdb(error):
            raise
        if type(error).__name__ == _INTERRUPTED:
            raise BrokenOffError(
                f"{path or 'the temporary history'}: broken off, since the service is stopping: "
                "the transaction under way was undone, those before it stay",
                next_step="ask again once it has stopped: what is left is done then",
            ) from error
        cause = str(error).splitlines()[0]
        raise UnusableHistoryError(
            f"{path or 'the temporary history'}: the database failed: {cause}",
            next_step="if the file is damaged, take a copy of it, or make it anew from its "
            "event files; if there was no room, free some",
        ) from error


def _is_of_duckdb(error: Exception) -> bool:
    """Told by the name: only the history may import DuckDB."""
    return any(kind.__module__.lstrip("_") == "duckdb" for kind in type(error).__mro__)


def check_table(history: History, table_id: str, asked_by: str = "--table") -> None:
    """Refuse a table that the history has no event of; `asked_by` is what named it.

    Raises:
        BadArgumentError: there is none; the message names those there are.
    """
    held = tables_held(history)
    if table_id not in held:
        named = ", ".join(held[:NAMED_MAX]) + (" …" if len(held) > NAMED_MAX else "")
        raise BadArgumentError(
            f"{asked_by} {table_id}: the history has no such table",
            next_step=f"it has {named}" if held else "it has no table yet",
        )
