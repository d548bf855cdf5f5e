"""Where results and remarks go: standard output or a file for results, standard error for people.

Results are UTF-8 whatever the locale, so that the same input gives the same bytes anywhere.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, BinaryIO, Final, TextIO

from services.errors import UnwritableOutputError
from services.shown import shown

STANDARD: Final = "-"


def remark(text: str) -> None:
    """Say something to whoever sits there; never part of the result.

    Names in it may come from outside: control characters in them are spelled out.
    """
    lines = (shown(line) for line in text.rstrip("\n").split("\n"))
    try:
        sys.stderr.write("\n".join(lines) + "\n")
        sys.stderr.flush()
    except (OSError, ValueError):  # a closed standard error is no reason to fail, now or at the end
        sys.stderr = open(os.devnull, "w", encoding="utf-8")


def colours(stream: TextIO) -> bool:
    """A terminal that wants colour and may be written over: no pipe, no file, no NO_COLOR."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def check_writable(output: str | None) -> None:
    """Refuse a place that cannot be written before the work is done rather than after.

    Raises:
        UnwritableOutputError: a folder, or below a folder that is not there or not writable.
    """
    if output is None or output == STANDARD:
        return
    path = Path(output)
    if os.path.isdir(path):
        raise UnwritableOutputError(
            f"--output {output}: is a folder", next_step="name a file to write"
        )
    if not os.path.isdir(path.parent):
        raise UnwritableOutputError(
            f"--output {output}: there is no folder {path.parent}",
            next_step="make the folder first, or write elsewhere",
        )
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise UnwritableOutputError(
            f"--output {output}: no permission to write in {path.parent}",
            next_step="give this user that right, or write elsewhere",
        )


def write_result(chunks: Iterable[bytes], output: str | None, *, coloured: bool = False) -> None:
    """Write a result whole to its file, or to standard output as long as someone reads it.

    On a terminal control characters are spelled out as in JSON, save in a result that is `coloured`
    and has none but its own; a file or a pipe gets every byte as it is.
    """
    if output is None or output == STANDARD:
        on_terminal = sys.stdout.isatty() and not coloured
        _write_standard(map(_harmless, chunks) if on_terminal else chunks)
        return
    with replacing(output) as file:
        for chunk in chunks:
            file.write(chunk)


@contextlib.contextmanager
def writing(output: str) -> Iterator[IO[bytes]]:
    """A file as `replacing` gives it, or standard output for as long as someone reads it."""
    if output != STANDARD:
        with replacing(output) as file:
            yield file
        return
    try:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        silence_standard_output()


@contextlib.contextmanager
def replacing(output: str) -> Iterator[IO[bytes]]:
    """A file that takes its name once it is whole; what had the name stays until then.

    Raises:
        UnwritableOutputError: the file cannot be written.
    """
    path = Path(output).resolve()  # a link stays a link: what it points to is replaced
    try:
        if _is_special(path):  # a pipe or device has no whole: a name cannot be put over it
            with path.open("wb") as device:
                yield device
            return
        with _temporary(path) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            os.chmod(file.name, _mode(path))
            os.replace(file.name, path)
    except OSError as error:
        raise UnwritableOutputError(
            f"--output {output}: cannot be written: {error.strerror or error}",
            next_step="free some room or write elsewhere; nothing was left behind",
        ) from error


@contextlib.contextmanager
def _temporary(path: Path) -> Iterator[IO[bytes]]:
    import tempfile

    file = tempfile.NamedTemporaryFile(
        dir=path.parent, prefix=f".{path.name[:100]}.", suffix=".part", delete=False
    )
    try:
        with file:
            yield file
    finally:
        with contextlib.suppress(FileNotFoundError):  # it has its name now
            os.unlink(file.name)


def _is_special(path: Path) -> bool:
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return False


def _mode(path: Path) -> int:
    """What the file had, else what a new file gets; a temporary one is for its owner only."""
    with contextlib.suppress(FileNotFoundError):
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _harmless(chunk: bytes) -> bytes:
    """Text without control characters, line breaks and tabs aside."""
    import re

    text = chunk.decode("utf-8", "surrogateescape")
    spelled = re.sub(r"[^\n\t -~\xa0-\U0010ffff]", lambda one: f"\\u{ord(one[0]):04x}", text)
    return spelled.encode("utf-8", "surrogateescape")


def _write_standard(chunks: Iterable[bytes]) -> None:
    try:
        sys.stdout.flush()
        stream: BinaryIO | None = getattr(sys.stdout, "buffer", None)
        for chunk in chunks:
            if stream is not None:
                stream.write(chunk)
            else:  # something stands in for standard output that takes text only
                sys.stdout.write(chunk.decode("utf-8"))
        (stream or sys.stdout).flush()
    except BrokenPipeError:
        # The reader has seen enough (`| head`): that is no failure, and no one is left to tell.
        silence_standard_output()


def flush_standard_output() -> None:
    """Write what is still to be written; a reader who left early is no failure."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        silence_standard_output()


def silence_standard_output() -> None:
    """Keep the interpreter from writing into a closed pipe once more at its end."""
    with contextlib.suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
