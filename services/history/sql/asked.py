"""A question in SQL to an open history, wherever it is open: in a service or in a command.

In a service the writer goes on: the sandbox reads an export that grows with the history. In a
command nobody else needs the file: it is closed here, and the sandbox opens it read-only.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from services.history.reader import HistoryReader
from services.history.sealed.folder import SealedFolder
from services.history.sql.export import READ_AGAIN, Export
from services.history.sql.run import SqlAnswer, SqlRequest, answer
from services.history.sql.source import SqlSource
from services.history.store import History

_EXPORTS: Final[dict[Path, Export]] = {}
_LOCK: Final = threading.Lock()


def answer_in(
    history: History, request: SqlRequest, sealed: SealedFolder | None = None
) -> SqlAnswer:
    """Put the question over what the history holds; one that no service holds is closed by this.

    `sealed` is where its sealed days are.

    Raises:
        PitproofError: it may not be put, cannot be answered, or was stopped.
    """
    source = source_of(history, sealed)
    if isinstance(history, HistoryReader):
        return answer(source, request, stopped=lambda: history._stopped)
    if source.database is not None:
        history.close()
    return answer(source, request)


def source_of(
    history: History, sealed: SealedFolder | None = None, tables: Sequence[str] = READ_AGAIN
) -> SqlSource:
    """Where another process can read what the history holds.

    Of one that is a file and in no service, the file itself, once this process has closed it; else
    its sealed days, and an export of the rest of these tables.
    """
    if isinstance(history, HistoryReader) or history.temporary:
        return _export_of(history, sealed).refreshed(history, tables)
    return SqlSource(database=history.path.absolute())


def _export_of(history: History, sealed: SealedFolder | None) -> Export:
    """That of the process's open history; files of one that was closed are gone with it."""
    folder = history.scratch / ("export" if sealed else "export-of-all")
    with _LOCK:
        for other in [one for one in _EXPORTS if not one.parent.is_dir()]:
            del _EXPORTS[other]
        return _EXPORTS.setdefault(folder, Export(folder, sealed))
