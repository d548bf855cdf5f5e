"""The three standard streams, made ready before anything is done.

One that is closed must not give its number to the next file that is opened, such as a history; and
what goes wrong in writing to standard output is said like every other failure.
"""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, Final

from services.errors import UnwritableOutputError

if TYPE_CHECKING:
    from typing_extensions import Buffer

_OUTPUT: Final = 1
_NUMBERS: Final = (0, _OUTPUT, 2)


def make_ready() -> None:
    """Put something in the place of streams that are closed, and watch over standard output."""
    for number in _NUMBERS:
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: this one
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")
    before = sys.stdout
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(_Output(is_closed=before is None)),
        encoding="utf-8" if before is None else before.encoding,
        errors="strict" if before is None else before.errors,
        line_buffering=before is not None and before.isatty(),
    )


class _Output(io.RawIOBase):
    """Standard output; a pipe that nobody reads any more is the only error that stays what it is.

    After a failure the rest goes nowhere: the interpreter flushes once more at its end.
    """

    def __init__(self, *, is_closed: bool) -> None:
        self._is_closed = is_closed
        self._failed = False

    def fileno(self) -> int:
        """As ever."""
        return _OUTPUT

    def isatty(self) -> bool:
        """Whether people look at it."""
        return not self._is_closed and os.isatty(_OUTPUT)

    def writable(self) -> bool:
        """It is for nothing else."""
        return True

    def write(self, data: Buffer, /) -> int:
        """How much of it was written.

        Raises:
            UnwritableOutputError: it is closed, or its disk is full.
            BrokenPipeError: nobody reads it.
        """
        if self._failed:
            return memoryview(data).nbytes
        if self._is_closed:
            self._failed = True
            raise UnwritableOutputError(
                "standard output: it is closed", next_step="open it, or write to a file: --output"
            )
        try:
            return os.write(_OUTPUT, data)
        except BrokenPipeError:
            raise
        except OSError as error:
            self._failed = True
            raise UnwritableOutputError(
                f"standard output: cannot be written: {error.strerror or error}",
                next_step="free some room, or write to a file elsewhere: --output",
            ) from error
