"""How far a command has come, on standard error, once it has taken longer than a second.

Shown on terminals only, and not with NO_COLOR; nothing of it ever reaches the result. A command
that cannot tell how far it has come shows that it is at work, and for how long.
"""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from services.command_line.output import colours

if TYPE_CHECKING:
    from threading import Timer

    from rich.progress import Progress as Bar

PATIENCE_SECONDS: Final = 1.0


class Progress:
    """What is being done, and how much of how much is done, with the time left."""

    def __init__(self, what: str = "") -> None:
        """`what` is shown while nothing tells how far it has come; empty: nothing then."""
        self._started = time.monotonic()
        self._wanted = colours(sys.stderr)
        self._what = what
        self._timer: Timer | None = None
        self._bar: Bar | None = None
        self._counts = False

    def __enter__(self) -> Self:
        """Start the clock."""
        if self._wanted and self._what:
            from threading import Timer

            self._timer = Timer(PATIENCE_SECONDS, self._work, [self._what])
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Wipe the bar: what follows starts on a clean line."""
        self._still()
        if self._bar is not None:
            self._bar.stop()

    def working(self, what: str) -> None:
        """A step of which nobody can tell how far it has come."""
        if self._may_show():
            self._still()
            self._work(what)

    def reading(self, bytes_read: int, bytes_total: int) -> None:
        """So many bytes of all files are read."""
        self._show("reading", bytes_read, bytes_total)

    def judging(self, judged: int, total: int) -> None:
        """So many events of all are judged."""
        self._show("judging", judged, total)

    def checking(self, done: int, total: int) -> None:
        """So many bytes of all sealed files are what was sealed."""
        self._show("checking", done, total)

    def counting(self, done: int, total: int) -> None:
        """So many hands of all are counted."""
        self._show("counting hands", done, total)

    def dealing(self, done: int, total: int) -> None:
        """So many rounds of all are simulated."""
        self._show("dealing rounds", done, total)

    def _may_show(self) -> bool:
        return self._wanted and time.monotonic() - self._started >= PATIENCE_SECONDS

    def _show(self, what: str, done: int, total: int) -> None:
        if not self._may_show():
            return
        self._still()
        bar = self._bar_of(what, counts=True)
        bar.update(bar.tasks[0].id, completed=done, total=total)

    def _work(self, what: str) -> None:
        self._bar_of(what, counts=False)

    def _bar_of(self, what: str, *, counts: bool) -> Bar:
        """The bar of a step: another step has its own time."""
        if self._bar is not None and self._counts != counts:
            self._bar.stop()
            self._bar = None
        if self._bar is None:
            self._bar, self._counts = _bar(counts=counts), counts
            self._bar.add_task(what, total=None)
            self._bar.tasks[0].start_time = self._started
            self._bar.start()
        [task] = self._bar.tasks
        if task.description != what:
            self._bar.reset(task.id, description=what)
        return self._bar

    def _still(self) -> None:
        """Whoever was to show that something is at work need not, or has done so."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
            self._timer = None


def _bar(*, counts: bool) -> Bar:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bar

    times = (TaskProgressColumn(), TimeRemainingColumn()) if counts else (TimeElapsedColumn(),)
    return Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        *times,
        console=Console(file=sys.stderr),
        transient=True,
    )
