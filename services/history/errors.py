"""What can go wrong with a history: place, cause and next step, for whoever runs a command."""

from __future__ import annotations

from services.errors import UnusableHistoryError


class HistoryMissingError(UnusableHistoryError):
    """There is no file where a history was expected."""

    code = "history_missing"


class HistoryUnreadableError(UnusableHistoryError):
    """Not a history, damaged beyond reading, or not accessible."""

    code = "history_unreadable"


class HistoryNotPermittedError(UnusableHistoryError):
    """This user may not read it, or may read it and not write to it."""

    code = "history_not_permitted"


class HistoryOwnedError(UnusableHistoryError):
    """Another process owns the file; DuckDB lets no other one even read it."""

    code = "history_owned"

    def __init__(self, message: str, *, next_step: str, process_id: int | None) -> None:
        super().__init__(message, next_step=next_step)
        self.process_id = process_id


class HistoryTooNewError(UnusableHistoryError):
    """Written by a later version of this program."""

    code = "history_too_new"


class HistoryMadeOtherwiseError(UnusableHistoryError):
    """Made with other readings or house ways than those asked for."""

    code = "history_made_otherwise"


class PositionMovedError(UnusableHistoryError):
    """A partition is not where its reader believes: another one wrote, or the history went back."""

    code = "position_moved"

    def __init__(self, topic: str, partition: int, expected: int | None, held: int | None) -> None:
        told = "nothing" if expected is None else f"offset {expected}"
        found = "nothing" if held is None else f"offset {held}"
        super().__init__(
            f"{topic}[{partition}]: expected {told} in the history and found {found}",
            next_step="Roll back, and read on from what the history holds.",
        )
        self.topic, self.partition = topic, partition
        self.expected, self.held = expected, held


class HistoryLogDamagedError(HistoryUnreadableError):
    """The write-ahead log beside a history is damaged, or is another one's; the file is not."""

    code = "history_log_damaged"


class NoSuchGapError(UnusableHistoryError):
    """There is no open gap at that place."""

    code = "no_such_gap"


class HistoryLostError(UnusableHistoryError):
    """A history that is behind what was committed, or is not the one that it was committed to."""

    code = "history_lost"
