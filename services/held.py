"""What a history holds: its findings as a report, and whether it is whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from services.errors import BadArgumentError
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
    with History.open(Path(db), create=False) as history:
        if scope.table_id is not None:
            _check_table(history, scope.table_id)
        return gather(history, scope, with_scenes=with_scenes)


def verification(db: str) -> dict[str, Any]:
    """Whether a history is whole, with the digests of its events and findings.

    Raises:
        UnusableHistoryError: it is not there, or cannot be read at all.
    """
    from services.history.verify import verify

    with History.open(Path(db), create=False) as history:
        return verify(history)


def _check_table(history: History, table_id: str) -> None:
    held = tables_held(history)
    if table_id not in held:
        named = ", ".join(held[:NAMED_MAX]) + (" …" if len(held) > NAMED_MAX else "")
        raise BadArgumentError(
            f"--table {table_id}: the history has no such table",
            next_step=f"it has {named}" if held else "it has no table yet",
        )
