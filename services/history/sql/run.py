"""A question in SQL, put to a process of its own: started, bounded, and stopped from here.

Nothing of the database is loaded in this process. It takes in the bytes of the answer, as many as
it is ready for, and kills the process that takes too long.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final, Self

import services
from services.errors import PitproofError, UnusableHistoryError
from services.history.errors import HistoryMissingError, HistoryOwnedError, HistoryUnreadableError
from services.history.sql.source import SqlSource

LIMIT_DEFAULT: Final = 10_000
LIMIT_MAX: Final = 1_000_000
TEXT_LENGTH_MAX: Final = 100_000
ANSWER_BYTES_MAX: Final = 180 << 20
"""As much as a service hands to a command in one piece."""
FORMS: Final = ("table", "json", "csv", "parquet")

Stopped = Callable[[], PitproofError | None]

_LOOK_SECONDS: Final = 0.1
_CHUNK_BYTES: Final = 1 << 20
_REPORT_BYTES_MAX: Final = 1 << 16
_OWNER: Final = re.compile(r"PID (\d+)")


def _never() -> None:
    return None


class SqlRefusedError(PitproofError):
    """The text is no question that may be put."""

    code = "sql_refused"


class SqlStoppedError(PitproofError):
    """The question needed more time or memory, or gave a longer answer, than there may be."""

    code = "sql_stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlRequest:
    """A question, and how its answer is wanted."""

    text: str
    form: str = "json"
    limit: int = LIMIT_DEFAULT
    zone: str = "UTC"
    width: int = 100
    seconds: int = 30
    memory_mb: int = 1_024


@dataclass(slots=True)
class SqlAnswer:
    """An answer as bytes of the form that was asked for; close it."""

    columns: tuple[str, ...]
    row_count: int
    truncated: bool
    file: IO[bytes] = field(repr=False)

    def chunks(self) -> Iterator[bytes]:
        """The bytes, a few at a time."""
        self.file.seek(0)
        while chunk := self.file.read(_CHUNK_BYTES):
            yield chunk

    def close(self) -> None:
        """Forget it."""
        self.file.close()


def answer(source: SqlSource, request: SqlRequest, *, stopped: Stopped = _never) -> SqlAnswer:
    """Put the question to a process of its own, and wait for what it says.

    `stopped` is asked now and then whether, and why, nobody waits for the answer any more.

    Raises:
        SqlRefusedError: it may not be put, or cannot be answered.
        SqlStoppedError: it would need more than it may have.
        UnusableHistoryError: the history cannot be opened.
    """
    if len(request.text) > TEXT_LENGTH_MAX:
        raise SqlRefusedError(
            f"the question has {len(request.text):,} characters, and {TEXT_LENGTH_MAX:,} may be"
        )
    file = tempfile.TemporaryFile(prefix="pitproof-")
    try:
        report = _asked(source, request, file, stopped)
    except BaseException:
        file.close()
        raise
    if "error" in report:
        file.close()
        raise _error(report, source, request)
    return SqlAnswer(tuple(report["columns"]), report["rows"], report["truncated"], file)


def _asked(
    source: SqlSource, request: SqlRequest, file: IO[bytes], stopped: Stopped
) -> dict[str, Any]:
    receiving, reporting = os.pipe()
    with open(receiving, "rb") as report:
        try:
            process = _started(reporting)
        finally:
            written_by = reporting
            os.close(reporting)
        with process, _Watch(process, request.seconds, stopped) as watch:
            _put(process, source, request, written_by)
            if not _take(process, file):
                return {"error": "size"}
            said = report.read(_REPORT_BYTES_MAX)
    if watch.why is not None:
        raise watch.why
    if said:
        loaded: dict[str, Any] = json.loads(said)
        return loaded
    # A process that ends without a word was stopped by the system: it had no memory left.
    return {"error": "time" if watch.is_late else "memory"}


class _Watch:
    """Kills a process that takes too long or that nobody waits for; and in any case at the end."""

    def __init__(self, process: subprocess.Popen[bytes], seconds: float, stopped: Stopped) -> None:
        self.is_late = False
        self.why: PitproofError | None = None
        self._process, self._stopped = process, stopped
        self._deadline = time.monotonic() + seconds
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._process.kill()
        self._thread.join()

    def _look(self) -> None:
        while not self._ended.wait(_LOOK_SECONDS):
            self.is_late = time.monotonic() > self._deadline
            self.why = self._stopped()
            if self.is_late or self.why is not None:
                self._process.kill()
                return


def _started(reporting: int) -> subprocess.Popen[bytes]:
    root = str(Path(services.__file__).parents[1])
    return subprocess.Popen(
        [sys.executable, "-P", "-s", "-B", "-m", "services.history.sql.child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        pass_fds=(reporting,),
        cwd="/",
        env={"PYTHONPATH": root, "LC_ALL": "C.UTF-8", "MALLOC_ARENA_MAX": "2"},
    )


def _put(
    process: subprocess.Popen[bytes], source: SqlSource, request: SqlRequest, reporting: int
) -> None:
    said = {
        "source": source.to_json(),
        "text": request.text,
        "format": request.form,
        "limit": request.limit,
        "zone": request.zone,
        "width": request.width,
        "seconds": request.seconds,
        "memory_mb": request.memory_mb,
        "report": reporting,
    }
    assert process.stdin is not None
    try:
        process.stdin.write(json.dumps(said).encode() + b"\n")
        process.stdin.flush()
    except BrokenPipeError:
        pass  # it is gone already, and its silence will be heard


def _take(process: subprocess.Popen[bytes], file: IO[bytes]) -> bool:
    """All bytes of the answer; false when there are more than anybody waits for."""
    assert process.stdout is not None
    taken = 0
    while chunk := process.stdout.read1(_CHUNK_BYTES):  # type: ignore[attr-defined]
        taken += len(chunk)
        if taken > ANSWER_BYTES_MAX:
            return False
        file.write(chunk)
    return True


def _error(report: dict[str, Any], source: SqlSource, request: SqlRequest) -> PitproofError:
    kind, message = report["error"], report.get("message", "")
    where = source.database or "the history"
    if kind in ("owned", "missing", "unreadable"):
        return _unusable(kind, str(where), message)
    narrower = "ask for less: fewer rounds, days or columns, or sum up first"
    if kind == "time":
        return SqlStoppedError(
            f"stopped: it took longer than {request.seconds} seconds (setting sql_seconds)",
            next_step=narrower,
        )
    if kind == "memory":
        return SqlStoppedError(
            f"stopped: it needed more than {request.memory_mb:,} MiB of memory "
            "(setting sql_memory_mb)",
            next_step=narrower,
        )
    if kind == "size":
        return SqlStoppedError(
            f"stopped: the answer is longer than {ANSWER_BYTES_MAX >> 20} MiB", next_step=narrower
        )
    what = "refused" if kind == "refused" else "could not be answered"
    return SqlRefusedError(f"{what}: {_tidy(message)}")


def _unusable(kind: str, where: str, message: str) -> UnusableHistoryError:
    if kind == "missing":
        return HistoryMissingError(
            f"{where}: there is no history",
            next_step="`pitproof audit --db` or `pitproof serve` makes one.",
        )
    if kind == "owned":
        owner = _OWNER.search(message)
        who = f"process {owner[1]}" if owner else "another process"
        return HistoryOwnedError(
            f"{where}: {who} owns this history",
            next_step="Stop it, or wait until it ends.",
            process_id=int(owner[1]) if owner else None,
        )
    cause = message.splitlines()[0] if message else "unknown"
    return HistoryUnreadableError(
        f"{where}: cannot be read as a history: {cause}",
        next_step="Check the path; what --db names must be a history that pitproof made.",
    )


def _tidy(message: str) -> str:
    """What the database says, without its blank lines, and fit for a terminal."""
    from services.report.words import shown

    return "\n  ".join(shown(line) for line in message.splitlines() if line.strip())
