"""Event files by their names: which reader, and what cannot be read at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from services.decode.batch import DecodedBatch
from services.errors import UnreadableFileError

_GZIP_MAGIC: Final = b"\x1f\x8b"
_AVRO_MAGIC: Final = b"Obj\x01"

Reader = Callable[[Path, str], Iterator[DecodedBatch]]


def read_events(name: str | Path) -> Iterator[DecodedBatch]:
    """The events of a file in batches of bounded size, in the order of the file.

    What speaks against reading it at all is said at the call, not at the first batch: raises
    `UnreadableFileError` for a missing file, a directory, no permission, an extension that is not
    ours, content that is not what the extension says, an Avro file of another schema. An empty
    file has no events.
    """
    path, source = Path(name), os.fspath(name)
    reader = check_readable(name)
    return _guarded(reader(path, source), source)


def check_readable(name: str | Path) -> Reader:
    """The reader for a file, without reading more than its beginning. Raises as `read_events`."""
    path, source = Path(name), os.fspath(name)
    if path.is_dir():
        raise UnreadableFileError(
            f"{source}: is a directory", next_step="name the event files in it, one by one"
        )
    kind = _kind(path, source)
    try:
        with path.open("rb") as file:
            head = file.read(len(_AVRO_MAGIC))
    except FileNotFoundError as error:
        raise UnreadableFileError(
            f"{source}: there is no such file", next_step="check the path and its spelling"
        ) from error
    except PermissionError as error:
        raise UnreadableFileError(
            f"{source}: no permission to read it",
            next_step="give this user the right to read the file",
        ) from error
    except OSError as error:
        raise _failed(source, error) from error
    _check_magic(kind, head, source)
    if kind == ".avro":
        from services.sources.avro_file import check_header

        check_header(path, source)
    return _reader(kind)


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


def _guarded(batches: Iterator[DecodedBatch], source: str) -> Iterator[DecodedBatch]:
    """The same batches; a failing disk is an unreadable file."""
    try:
        yield from batches
    except OSError as error:
        raise _failed(source, error) from error


def _failed(source: str, error: OSError) -> UnreadableFileError:
    reason = error.strerror or str(error)
    return UnreadableFileError(
        f"{source}: cannot be read: {reason}", next_step="check the disk, or copy the file anew"
    )
