"""Ctrl-C from the first moment on: it ends a command quietly, wherever it meets it.

A `KeyboardInterrupt` does not always arrive: an extension that is being imported turns it into an
`ImportError`, the database into an error of its own, and one that falls into a clean-up of the
interpreter is printed and dropped. So it is noted that it came, and a dropped one comes again.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found] # built in: nothing is read from disk
import _thread
import os
import sys
import time

TYPE_CHECKING = False  # as type checkers know it, without the import of a module
if TYPE_CHECKING:
    from types import FrameType

STATUS = 130
AGAIN_SECONDS = 0.01
WORDS = b"pitproof: interrupted; nothing is half done, the same call does it again\n"

_noted = False


def take() -> None:
    """From now on note Ctrl-C; one that is ignored, as behind `nohup`, stays so."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _note)
        sys.unraisablehook = _again


def noted() -> bool:
    """Whether Ctrl-C came."""
    return _noted


def ended() -> int:
    """Say that it was interrupted, to whoever is there; returns the exit status."""
    no_more()
    try:
        os.write(2, WORDS)  # nothing that would have to be imported
    except OSError:
        pass
    return STATUS


def no_more() -> None:
    """What is done is done: the end of the interpreter is not to be interrupted."""
    if signal.getsignal(signal.SIGINT) is _note:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _note(number: int, frame: FrameType | None) -> None:
    global _noted
    _noted = True
    raise KeyboardInterrupt


def _again(dropped: sys.UnraisableHookArgs) -> None:
    """An interrupt that nobody can catch where it fell comes again; all else is shown as ever."""
    if dropped.exc_type is KeyboardInterrupt:
        _thread.start_new_thread(_interrupt_later, ())  # not from within the clean-up
    else:
        sys.__unraisablehook__(dropped)


def _interrupt_later() -> None:
    time.sleep(AGAIN_SECONDS)
    _thread.interrupt_main()
