"""Operating errors: what keeps a command from doing its work, and what to do about it.

One shallow tree. Each error carries a stable `code` for logs and machines, a message that names the
place and the cause, and a next step. The command line prints them and ends with status 2; nothing
here is a finding, and nothing here is a programmer's error.
"""

from typing import ClassVar


class PitproofError(Exception):
    """The work cannot be done; the message says where and why, `next_step` what to do."""

    code: ClassVar[str] = "operating_error"

    def __init__(self, message: str, *, next_step: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step

    def __str__(self) -> str:
        """Message and next step, a line each."""
        return f"{self.message}\n{self.next_step}" if self.next_step else self.message


class BadArgumentError(PitproofError):
    """A flag or argument whose value does not do."""

    code = "bad_argument"


class BadSettingError(PitproofError):
    """The environment or `pitproof.toml` holds something that does not do."""

    code = "bad_setting"


class UnreadableFileError(PitproofError):
    """An input file that cannot be read at all: nothing of the call is judged."""

    code = "unreadable_file"


class NothingToAuditError(PitproofError):
    """The files hold no event, or dead letters only."""

    code = "nothing_to_audit"


class UnusableHistoryError(PitproofError):
    """A history that is not there, is none, is owned by another process, or does not fit."""

    code = "unusable_history"


class UnwritableOutputError(PitproofError):
    """The result cannot be written where it was asked for."""

    code = "unwritable_output"


class NotBuiltInError(PitproofError):
    """A part of the program that this installation lacks."""

    code = "not_built_in"
