"""How far an audit has come, on standard error, once it has taken longer than a second.

Shown on terminals only, and not with NO_COLOR; nothing of it ever reaches the result.
"""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from services.command_line.output import colours

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

PATIENCE_SECONDS: Final = 1.0


class Progress:
    """Bytes read of how many, with the time left; then "judging"."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._wanted = colours(sys.stderr)
        self._bar: Bar | None = None

    def __enter__(self) -> Self:
        """Start the clock."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Wipe the bar: what follows starts on a clean line."""
        if self._bar is not None:
            self._bar.stop()

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

    def _show(self, what: str, done: int, total: int) -> None:
        if not self._wanted or time.monotonic() - self._started < PATIENCE_SECONDS:
            return
        if self._bar is None:
            self._bar = _bar()
            self._bar.add_task(what, total=total)
            self._bar.start()
        [task] = self._bar.tasks
        if task.description != what:  # another step: its own time left
            self._bar.reset(task.id, description=what)
        self._bar.update(task.id, completed=done, total=total)


def _bar() -> Bar:
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    return Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=Console(file=sys.stderr),
        transient=True,
    )
