"""The framing of Avro container files: header, blocks, sync markers, and what is damaged.

fastavro's own reader stops at the first damage and hands out no bytes; here a damaged block is
skipped at the next sync marker, and every block comes with its place.
"""

from __future__ import annotations

import bz2
import io
import json
import lzma
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

from services.decode.avro_walk import UnwalkableError, number, octets, text
from services.errors import UnreadableFileError

BLOCK_BYTES_MAX: Final = 64 << 20
"""Writers' blocks are 16 kB to 1 MB. A larger size is damage, or must not be held in memory."""
_HEADER_BYTES_MAX: Final = 1 << 20
_RECORDS_MAX: Final = BLOCK_BYTES_MAX
_SYNC_BYTES: Final = 16
HEAD_BYTES: Final = 4096
"""What a dead letter keeps of a damaged block."""
_SEARCH_BYTES: Final = 1 << 20
_NEXT_STEP: Final = "send the file again"


@dataclass(frozen=True, slots=True)
class Header:
    """What a container file says about itself."""

    schema: Any
    codec: str
    sync: bytes
    size: int


@dataclass(frozen=True, slots=True)
class Block:
    """A block with its records' bytes unpacked, or what is wrong with it."""

    count: int
    """How many records it holds, or by a damaged block's word would have held (at least 1)."""
    data: bytes
    """The records; of a damaged block its first bytes as they came."""
    error: str
    """Empty for a good block."""
    taken: int
    """Bytes of the file."""


def read_header(file: BinaryIO, source: str) -> Header:
    """Read the header; the file stands at the first block then. Raises `UnreadableFileError`."""
    data = file.read(_HEADER_BYTES_MAX)
    try:
        values: dict[str, bytes] = {}
        at = 4
        while True:
            count, at = number(data, at)
            if not count:
                break
            if count < 0:
                _, at = number(data, at)
            for _ in range(abs(count)):
                key, at = text(data, at)
                value, at = octets(data, at)
                values[str(key)] = value
        sync = data[at : at + _SYNC_BYTES]
        if len(sync) < _SYNC_BYTES:
            raise UnwalkableError("the sync marker is cut off")
        schema = json.loads(values["avro.schema"])
    except (UnwalkableError, KeyError, ValueError, RecursionError) as error:
        reason = "it names no schema" if isinstance(error, KeyError) else str(error)
        raise UnreadableFileError(
            f"{source}: byte 0: the header of the Avro file is damaged: {reason}",
            next_step=_NEXT_STEP,
        ) from error
    codec = values.get("avro.codec", b"null").decode("ascii", "replace")
    if codec not in _unpackers():
        raise UnreadableFileError(
            f"{source}: byte 0: packed with {codec[:40]!r}, which cannot be unpacked here",
            next_step=f"write the file with one of {', '.join(_unpackers())}",
        )
    file.seek(at + _SYNC_BYTES)
    return Header(schema, codec, sync, at + _SYNC_BYTES)


def read_blocks(path: Path, file: BinaryIO, header: Header) -> Iterator[Block]:
    """The blocks from where the file stands. Raises `OSError` only."""
    end = path.stat().st_size
    at, unpack = header.size, _unpackers()[header.codec]
    while at < end:
        frame = _read_frame(file, at, end, header.sync)
        if frame.error:
            following = _resume(file, at, frame.following, end, header.sync)
        else:
            following = frame.following
        wrong, data = frame.error, frame.data
        if not wrong:
            try:
                data = unpack(data)
            except Exception as problem:  # each codec has its own
                wrong = f"it does not unpack ({header.codec}): {problem}"
        if not wrong and frame.count > len(data):
            wrong = f"{frame.count} records are announced in {len(data)} bytes"
        if wrong:
            file.seek(at)
            data = file.read(min(HEAD_BYTES, following - at))
            wrong = f"damaged block at byte {at}: {wrong}. None of its records is taken"
            if following >= end:
                wrong += "; nothing readable follows"
        yield Block(frame.count, data, wrong, following - at)
        at = following


@dataclass(frozen=True, slots=True)
class _Frame:
    count: int
    data: bytes
    error: str
    following: int
    """Where the next block begins, by this one's word; 0: unknown."""


def _read_frame(file: BinaryIO, at: int, end: int, sync: bytes) -> _Frame:
    """The block at a place, still packed."""
    file.seek(at)
    try:
        count, size, data_at = _read_sizes(file, at)
    except UnwalkableError as error:
        return _Frame(1, b"", str(error), 0)
    if not 0 <= count <= _RECORDS_MAX or not 0 <= size <= BLOCK_BYTES_MAX:
        what = f"{count} records in {size} bytes are announced"
        return _Frame(1, b"", f"{what}; allowed: up to {BLOCK_BYTES_MAX} bytes", 0)
    if data_at + size + _SYNC_BYTES > end:
        cut = f"the file ends within it: {size} bytes and a sync marker are due"
        return _Frame(count, b"", f"{cut}, {end - data_at} are left", 0)
    data = file.read(size)
    found = file.read(_SYNC_BYTES)
    wrong = "" if found == sync else "the sync marker behind it is wrong"
    return _Frame(count, data, wrong, data_at + size + _SYNC_BYTES)


def _read_sizes(file: BinaryIO, at: int) -> tuple[int, int, int]:
    """A block's number of records, number of bytes, and where those begin."""
    head = file.read(20)
    count, used = number(head, 0)
    size, used = number(head, used)
    file.seek(at + used)
    return count, size, at + used


def _resume(file: BinaryIO, at: int, following: int, end: int, sync: bytes) -> int:
    """Where to read on after a damaged block at `at`: a place whose block is whole, or the end."""
    if following and (following == end or not _read_frame(file, following, end, sync).error):
        return following  # only the marker was damaged
    place = at + 1
    file.seek(place)
    carried = b""
    while piece := file.read(_SEARCH_BYTES):
        window = carried + piece
        found = window.find(sync)
        if found >= 0:
            return place - len(carried) + found + _SYNC_BYTES
        place += len(piece)
        carried = window[-(_SYNC_BYTES - 1) :]
    return end


def _unpackers() -> dict[str, Callable[[bytes], bytes]]:
    """Codec -> its unpacker, which never gives more than `BLOCK_BYTES_MAX`."""
    return {
        "null": bytes,
        "deflate": lambda data: _limited(zlib.decompressobj(-15), data),
        "bzip2": lambda data: _limited(bz2.BZ2Decompressor(), data),
        "xz": lambda data: _limited(lzma.LZMADecompressor(), data),
        "zstandard": _unpack_zstandard,
    }


def _limited(unpacker: Any, data: bytes) -> bytes:
    """Unpack, but no more than a block may hold."""
    unpacked: bytes = unpacker.decompress(data, BLOCK_BYTES_MAX)
    if not unpacker.eof:
        raise ValueError(f"it ends too early, or holds more than {BLOCK_BYTES_MAX} bytes")
    return unpacked


def _unpack_zstandard(data: bytes) -> bytes:
    import zstandard

    with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data)) as stream:
        unpacked: bytes = stream.read(BLOCK_BYTES_MAX + 1)
    if len(unpacked) > BLOCK_BYTES_MAX:
        raise ValueError(f"it holds more than {BLOCK_BYTES_MAX} bytes")
    return unpacked
