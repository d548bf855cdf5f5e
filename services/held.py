"""What a history holds: its findings as a report, and whether it is whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from services.errors import BadArgumentError, UnusableHistoryError
from services.history.store import History
from services.report.gather import Scope, gather, tables_held
from services.report.model import Report

VERSION: Final = 1
NAMED_MAX: Final = 30  # tables named to someone who asked for one that is not there


def held_report(db: str, scope: Scope, *, with_scenes: bool = False) -> Report:
    """The findings of a history, all or some, as `audit` would report them.

    Raises:
        UnusableHistoryError: it is not there, or cannot be read.
        BadArgumentError: the history knows no such table.
    """
    with opened(Path(db), create=False) as history:
        if scope.table_id is not None:
            check_table(history, scope.table_id)
        return gather(history, scope, with_scenes=with_scenes)


def verification(db: str) -> dict[str, Any]:
    """Whether a history is whole, with the digests of its events and findings.

    Raises:
        UnusableHistoryError: it is not there, or cannot be read at all.
    """
    from services.history.verify import verify

    with opened(Path(db), create=False) as history:
        return verify(history)


@contextmanager
def opened(path: Path | None, *, create: bool) -> Iterator[History]:
    """An open history; what DuckDB cannot do while it is open is said like any other failure.

    Raises:
        UnusableHistoryError: it is not there, is none, is damaged, or finds no room.
    """
    with History.open(path, create=create) as history:
        try:
            yield history
        except Exception as error:
            if not _is_of_duckdb(error):
                raise
            cause = str(error).splitlines()[0]
            raise UnusableHistoryError(
                f"{path or 'the temporary history'}: the database failed: {cause}",
                next_step="if the file is damaged, take a copy of it, or make it anew from its "
                "event files; if there was no room, free some",
            ) from error


def _is_of_duckdb(error: Exception) -> bool:
    """Told by the name: only the history may import DuckDB."""
    return any(kind.__module__.lstrip("_") == "duckdb" for kind in type(error).__mro__)


def check_table(history: History, table_id: str) -> None:
    """Refuse a table that the history has no event of.

    Raises:
        BadArgumentError: there is none; the message names those there are.
    """
    held = tables_held(history)
    if table_id not in held:
        named = ", ".join(held[:NAMED_MAX]) + (" …" if len(held) > NAMED_MAX else "")
        raise BadArgumentError(
            f"--table {table_id}: the history has no such table",
            next_step=f"it has {named}" if held else "it has no table yet",
        )
