"""Event files by their names: which reader, and what cannot be read at all.

A file is looked at more than once: its beginning, its size, its events. A pipe gives its bytes but
once, so what it gives is put aside first, for this user only.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from services.decode.batch import DecodedBatch
from services.errors import UnreadableFileError
from services.sources.pieces import Piece

_GZIP_MAGIC: Final = b"\x1f\x8b"
_AVRO_MAGIC: Final = b"Obj\x01"
_COPY_BYTES: Final = 1 << 20

Reader = Callable[[Path, str], Iterator[Piece]]


@dataclass(frozen=True, slots=True)
class EventFile:
    """A file that can be read."""

    name: str
    """As given: what its dead letters are told by."""
    path: Path
    """Where its bytes lie."""

    @property
    def size_bytes(self) -> int:
        """Of the file, packed if it is."""
        return self.path.stat().st_size


@contextmanager
def event_files(names: Sequence[str]) -> Iterator[list[EventFile]]:
    """The files of these names, each looked at; copies of what pipes gave are gone afterwards.

    Raises `UnreadableFileError` as `read_events` does, or for want of room for a copy.
    """
    with ExitStack() as stack:
        copies: dict[str, Path] = {}
        files = []
        for name in names:
            if name not in copies and _is_pipe(name):
                copies[name] = stack.enter_context(_put_aside(name))
            path = copies.get(name, Path(name))
            check_readable(path, name)
            files.append(EventFile(name, path))
        yield files


def read_events(path: str | Path, source: str | None = None) -> Iterator[DecodedBatch]:
    """The events of a file in batches of bounded size, in the order of the file.

    Raises as `read_pieces`, at the call.
    """
    return (piece.decode() for piece in read_pieces(path, source))


def read_pieces(path: str | Path, source: str | None = None) -> Iterator[Piece]:
    """A file in pieces of bounded size, in its order, each to be decoded by itself.

    `source` is what the file is called, its path unless told. What speaks against reading it at all
    is said at the call, not at the first batch: raises `UnreadableFileError` for a missing file, a
    directory, no permission, an extension that is not ours, content that is not what the extension
    says, an Avro file of another schema. An empty file has no events.
    """
    source = os.fspath(path) if source is None else source
    reader = check_readable(path, source)
    return _guarded(reader(Path(path), source), source)


def check_readable(path: str | Path, source: str | None = None) -> Reader:
    """The reader for a file, without reading more than its beginning. Raises as `read_events`."""
    path, source = Path(path), os.fspath(path) if source is None else source
    if os.path.isdir(path):  # unlike the path's own method it does not fail on a locked folder
        raise UnreadableFileError(
            f"{source}: is a directory", next_step="name the event files in it, one by one"
        )
    kind = _kind(path, source)
    head = _head(path, source)
    _check_magic(kind, head, source)
    if kind == ".avro":
        from services.sources.avro_file import check_header

        check_header(path, source)
    return _reader(kind)


def _is_pipe(name: str) -> bool:
    try:
        return stat.S_ISFIFO(os.stat(name).st_mode)
    except OSError:
        return False  # what is wrong with it is said when it is opened


@contextmanager
def _put_aside(name: str) -> Iterator[Path]:
    """Everything that a pipe gives, in a file of this user's."""
    import tempfile

    kind = _kind(Path(name), name)
    with tempfile.TemporaryDirectory(prefix="pitproof-") as folder:
        path = Path(folder) / f"events{kind}"
        try:
            with open(name, "rb") as pipe, path.open("wb") as copy:
                shutil.copyfileobj(pipe, copy, _COPY_BYTES)
        except PermissionError as error:
            raise _no_permission(name) from error
        except OSError as error:
            raise UnreadableFileError(
                f"{name}: what the pipe gives cannot be put aside: {error.strerror or error}",
                next_step=f"free some room in {Path(folder).parent}, or write it to a file first",
            ) from error
        yield path


def _head(path: Path, source: str) -> bytes:
    """The first bytes of a file that is one."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise UnreadableFileError(
                f"{source}: is neither a file nor a pipe", next_step="name a file of events"
            )
        with path.open("rb") as file:
            return file.read(len(_AVRO_MAGIC))
    except FileNotFoundError as error:
        raise UnreadableFileError(
            f"{source}: there is no such file", next_step="check the path and its spelling"
        ) from error
    except PermissionError as error:
        raise _no_permission(source) from error
    except OSError as error:
        raise _failed(source, error) from error


def _kind(path: Path, source: str) -> str:
    """The file's extension, one of ours."""
    for kind in (".jsonl", ".jsonl.gz", ".avro"):
        if path.name.endswith(kind):
            return kind
    raise UnreadableFileError(
        f"{source}: not an event file by its name",
        next_step="event files end in .jsonl, .jsonl.gz or .avro; rename it if it is one",
    )


def _check_magic(kind: str, head: bytes, source: str) -> None:
    """The first bytes must not belie the extension."""
    if not head:
        return
    is_gzip, is_avro = head.startswith(_GZIP_MAGIC), head.startswith(_AVRO_MAGIC)
    if kind == ".jsonl.gz" and not is_gzip:
        raise UnreadableFileError(
            f"{source}: byte 0: not gzip data (1f 8b expected, found {head[:2].hex(' ')})",
            next_step="send the file again, or name it .jsonl if it is not packed",
        )
    if kind == ".avro" and not is_avro:
        raise UnreadableFileError(
            f"{source}: byte 0: not an Avro container file"
            f" (4f 62 6a 01 expected, found {head.hex(' ')})",
            next_step="send the file again, or name it .jsonl if it holds JSON lines",
        )
    if kind == ".jsonl" and (is_gzip or is_avro):
        what, right = ("gzip data", ".jsonl.gz") if is_gzip else ("an Avro file", ".avro")
        raise UnreadableFileError(
            f"{source}: byte 0: {what}, not JSON lines", next_step=f"name it {right}"
        )


def _reader(kind: str) -> Reader:
    """The reader for an extension; Avro's parts are loaded only for Avro files."""
    if kind == ".avro":
        from services.sources.avro_file import read_avro

        return read_avro
    from services.sources.jsonl import read_gzip, read_plain

    return read_gzip if kind == ".jsonl.gz" else read_plain


def _guarded(pieces: Iterator[Piece], source: str) -> Iterator[Piece]:
    """The same pieces; a failing disk is an unreadable file."""
    try:
        yield from pieces
    except OSError as error:
        raise _failed(source, error) from error


def _no_permission(source: str) -> UnreadableFileError:
    return UnreadableFileError(
        f"{source}: no permission to read it", next_step="give this user the right to read the file"
    )


def _failed(source: str, error: OSError) -> UnreadableFileError:
    reason = error.strerror or str(error)
    return UnreadableFileError(
        f"{source}: cannot be read: {reason}", next_step="check the disk, or copy the file anew"
    )
