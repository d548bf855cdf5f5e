"""What can go wrong with a history: place, cause and next step, for whoever runs a command."""

from __future__ import annotations

from services.errors import UnusableHistoryError


class HistoryMissingError(UnusableHistoryError):
    """There is no file where a history was expected."""

    code = "history_missing"


class HistoryUnreadableError(UnusableHistoryError):
    """Not a history, damaged beyond reading, or not accessible."""

    code = "history_unreadable"


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
