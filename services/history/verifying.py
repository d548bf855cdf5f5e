"""A history in use, verified by a process of its own: sealed days, and an export of the rest.

The events of sealed days are then those of the sealed files; what the history's own file holds of
them is verified when no service owns it, or when sealed files are not what they were.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from services.history import own_process
from services.history.frozen import FrozenHistory
from services.history.head import HeadCheck, HeadState, head_of
from services.history.reader import HistoryReader
from services.history.sealed.check import is_as_sealed
from services.history.sealed.folder import SealedFolder
from services.history.sql.asked import source_of
from services.history.sql.export import ALL
from services.history.sql.source import SqlSource
from services.history.whole import verify


def verify_in_use(history: HistoryReader, folder: SealedFolder) -> dict[str, Any]:
    """The object that `pitproof verify` prints, of the snapshot of a reader.

    Raises:
        PitproofError: nobody waits for it any more, or it could not be found out.
    """
    for sealed in (folder, None):
        said = {
            "source": source_of(history, sealed, ALL).to_json(),
            "path": str(history.path.absolute()),
            "folder": str(folder.path.absolute()),
            "of_sealed": sealed is not None,
            "problem": history.head.problem,
        }
        result = own_process.answered(__name__, said, lambda: history._stopped)
        if result:
            break
    return result


def verified(said: dict[str, Any]) -> dict[str, Any]:
    """In the process: the object, or nothing where sealed days cannot be relied on."""
    folder = SealedFolder(Path(said["folder"]))
    source = SqlSource.from_json(said["source"])
    if said["of_sealed"] and not (is_as_sealed(folder) and _is_there(source)):
        return {}
    with FrozenHistory.over(source) as history:
        history.run("ROLLBACK")  # what cannot be read in a damaged file is not to end the rest
        history.transaction_no = None
        history.path = Path(said["path"])
        history.temporary, history.is_laid_out = False, said["of_sealed"]
        state = HeadState.DIFFERS if said["problem"] else HeadState.SAME
        history.head = HeadCheck(state, head_of(history), problem=said["problem"])
        return verify(history, folder)


def _is_there(source: SqlSource) -> bool:
    """A folder that went as a whole is not known by what is left in it."""
    return all(Path(file).is_file() for files in source.parquet.values() for file in files)


if __name__ == "__main__":
    own_process.run(verified)
