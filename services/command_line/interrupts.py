"""Ctrl-C from the first moment on: it ends a command quietly, wherever it meets it.

So do the signals that end a process by default, which would leave temporary files behind.

A `KeyboardInterrupt` does not always arrive: an extension that is being imported turns it into an
`ImportError`, the database into an error of its own, and one that falls into a clean-up of the
interpreter is printed and dropped. So it is noted that it came, and a dropped one comes again. The
database, while it is loaded, makes the whole process abort: there it comes once that is over.
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

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
AGAIN_SECONDS = 0.01
WORDS = b"pitproof: interrupted; nothing is half done, the same call does it again\n"

ENDS_WELL = "serve"
"""The command that runs until it is stopped: whenever that is, it did what it was asked to."""

ABORTS = "duckdb"
"""The package that does not live through an exception while it is imported."""

_noted = 0
_is_service = False


def take() -> None:
    """From now on note Ctrl-C and its like; what is ignored, as behind `nohup`, stays so."""
    global _is_service
    words = sys.argv[1:]
    if words[:1] == ["--config"]:
        del words[:2]
    _is_service = words[:1] == [ENDS_WELL]
    for number in SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _note)
    sys.unraisablehook = _again


def noted() -> bool:
    """Whether one came."""
    return _noted != 0


def ended() -> int:
    """Say that it was interrupted, to whoever is there; the exit status, 130 after Ctrl-C.

    Of `serve` it is 0.
    """
    no_more()
    try:
        os.write(2, WORDS)  # nothing that would have to be imported
    except OSError:
        pass
    return 0 if _is_service else 128 + int(_noted or signal.SIGINT)


def no_more() -> None:
    """What is done is done: the end of the interpreter is not to be interrupted."""
    for number in SIGNALS:
        if signal.getsignal(number) is _note:
            signal.signal(number, signal.SIG_IGN)


def _note(number: int, frame: FrameType | None) -> None:
    global _noted
    _noted = number
    if _is_service:  # it looks after signals itself for as long as it has anything
        os._exit(ended())
    if _is_being_loaded(ABORTS):
        _thread.start_new_thread(_interrupt_later, (number,))
    else:
        raise KeyboardInterrupt


def _is_being_loaded(package: str) -> bool:
    specification = getattr(sys.modules.get(package), "__spec__", None)
    return bool(getattr(specification, "_initializing", False))  # as the interpreter tells it


def _again(dropped: sys.UnraisableHookArgs) -> None:
    """An interrupt that nobody can catch where it fell comes again; all else is shown as ever."""
    if dropped.exc_type is KeyboardInterrupt:
        number = _noted or signal.SIGINT
        _thread.start_new_thread(_interrupt_later, (number,))  # not from within the clean-up
    else:
        sys.__unraisablehook__(dropped)


def _interrupt_later(number: int) -> None:
    time.sleep(AGAIN_SECONDS)
    _thread.interrupt_main(number)  # type: ignore[arg-type] # a plain number does
