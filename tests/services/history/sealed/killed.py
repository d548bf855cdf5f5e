"""Seals a history again and again, killed at every moment at which something comes to be.

    python -m tests.services.history.sealed.killed HISTORY FOLDER CALL...

Each try has a copy of the history in a folder of its own, and ends, without a word to anyone, just
before the next of the calls below: all files written so far stay as they are.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from services.history.store import History
from tests.services.history.sealed.days import sealed

KILLED = 9


def main(path: Path, below: Path, calls: list[str]) -> None:
    """A try for each of the calls (functions of `os`, words of SQL), until one comes to its end."""
    for number in count():
        own = below / f"{number:03}"
        shutil.copytree(path.parent, own)
        child = os.fork()
        if not child:
            _die_at(number, calls)
            sealed(own / path.name)
            os._exit(0)
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != KILLED:
            return


def _die_at(number: int, calls: list[str]) -> None:
    left = [number]

    def counted(call: Callable[..., Any]) -> Callable[..., Any]:
        def counting(*given: Any, **named: Any) -> Any:
            if not left[0]:
                os._exit(KILLED)
            left[0] -= 1
            return call(*given, **named)

        return counting

    for name in calls:
        if hasattr(os, name):
            setattr(os, name, counted(getattr(os, name)))
    run = History.run

    def running(self: History, sql: str, parameters: Any = ()) -> int:
        if sql.split()[0] in calls:
            counted(lambda: None)()
        return run(self, sql, parameters)

    History.run = running  # type: ignore[method-assign]


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
