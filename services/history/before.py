"""What lay at a path before a history was made there: a start that is refused leaves it so."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from services.history.connection import is_there, log_path
from services.history.head import head_path

if TYPE_CHECKING:
    from services.history.store import History


@dataclass(frozen=True, slots=True)
class Before:
    """Whether there was a history, and the head that was noted of one."""

    was_there: bool
    head: bytes | None

    @classmethod
    def of(cls, path: Path) -> Self:
        """As it is now.

        Raises:
            HistoryNotPermittedError: this user may not even look.
        """
        head = head_path(path)
        return cls(
            is_there(path) or is_there(log_path(path)),
            head.read_bytes() if is_there(head) else None,
        )

    def put_back(self, history: History) -> None:
        """Unmake a history that was made since and got nothing; one with anything in it stays.

        To be called while it is open, so that no other process can have begun with the file.
        """
        if self.was_there or history.count(_ANYTHING):
            return
        history.run("PRAGMA disable_checkpoint_on_shutdown")  # closed, it makes no file again
        for made in (log_path(history.path), history.path):
            made.unlink(missing_ok=True)
        head = head_path(history.path)
        if self.head is None:
            head.unlink(missing_ok=True)
        else:
            head.write_bytes(self.head)


_ANYTHING: Final = """
SELECT count(*)
FROM (
    SELECT 1 FROM events
    UNION ALL
    SELECT 1 FROM dead_letters
    UNION ALL
    SELECT 1 FROM positions
    UNION ALL
    SELECT 1 FROM records
)
"""
