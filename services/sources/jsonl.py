"""Event files of JSON lines, plain or gzipped, in pieces of bounded size.

Whatever the file holds, memory is bounded: by `PIECE_BYTES` of text, `PIECE_LINES_MAX` lines and
one line of `LINE_BYTES_MAX`.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from services.decode import json_lines
from services.decode.batch import DeadLetter
from services.sources.pieces import Lines, Lost, Piece

PIECE_BYTES: Final = 4 << 20  # some 16,000 events: larger pieces fall out of the caches
PIECE_LINES_MAX: Final = 50_000
_PACKED_BYTES: Final = 256 << 10
_UTF8_MARK: Final = b"\xef\xbb\xbf"
_GZIP_MAGIC: Final = b"\x1f\x8b"


class _Damage(Exception):  # noqa: N818  it is an event in a stream, not a failure of ours
    """A packed file that cannot be unpacked any further; the message says why."""


def read_plain(path: Path, source: str) -> Iterator[Piece]:
    """The lines of a `.jsonl` file. `source` is its name as given. Raises `OSError`."""
    return _pieces(_plain_cuts(path), source)


def read_gzip(path: Path, source: str) -> Iterator[Piece]:
    """The lines of a `.jsonl.gz` file; where it is damaged, what came before and a dead letter."""
    return _pieces(_unpacked_cuts(path), source)


def _plain_cuts(path: Path) -> Iterator[tuple[bytes, int]]:
    """A file cut anywhere, and the bytes of the file that each cut took."""
    with path.open("rb", buffering=0) as file:
        while piece := file.read(PIECE_BYTES):
            yield piece, len(piece)


def _unpacked_cuts(path: Path) -> Iterator[tuple[bytes, int]]:
    """Unpacked cuts of a gzip file of one or more members. Raises `_Damage` at its end."""
    with path.open("rb", buffering=0) as file:
        packed = file.read(_PACKED_BYTES)
        taken = len(packed)
        while packed:
            unpacker = zlib.decompressobj(wbits=31)
            while not unpacker.eof:
                if not packed:
                    raise _Damage("the gzip data ends before its end mark: the file is cut off")
                before = unpacker.copy()
                try:
                    piece = unpacker.decompress(packed, PIECE_BYTES)
                except zlib.error as error:
                    yield _unpack_to_damage(before, packed), taken
                    raise _Damage(f"the gzip data is damaged: {error}") from error
                packed = unpacker.unconsumed_tail or unpacker.unused_data
                yield piece, taken
                taken = 0
                if not packed:
                    packed = file.read(_PACKED_BYTES)
                    taken = len(packed)
            packed = packed.lstrip(b"\0")  # some tools pad the file with zeros
            while not packed and (packed := file.read(_PACKED_BYTES)):
                taken += len(packed)
                packed = packed.lstrip(b"\0")
            if packed and not packed.startswith(_GZIP_MAGIC[: len(packed)]):
                raise _Damage("something that is no gzip data follows the end mark")


def _unpack_to_damage(unpacker: zlib._Decompress, packed: bytes) -> bytes:
    """What can be unpacked before the damage, byte by byte: zlib throws away what it has."""
    unpacked = bytearray()
    for octet in packed:
        try:
            unpacked += unpacker.decompress(bytes([octet]))
        except zlib.error:
            break
    return bytes(unpacked)


def _pieces(cuts: Iterator[tuple[bytes, int]], source: str) -> Iterator[Piece]:
    """Any cuts -> pieces of whole lines."""
    lines = _Cutter(source)
    try:
        for cut, taken in cuts:
            yield from lines.feed(cut, taken)
        yield from lines.finish(None)
    except _Damage as damage:
        yield from lines.finish(str(damage))


class _Cutter:
    """Cuts at newlines, and carries what is left over."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.line = 1
        """Number of the line that `carried` begins."""
        self.carried = b""
        self.skipped_bytes = 0
        """How much of an over-long line was dropped after its head, which is in `carried`."""
        self.at_start = True
        self.taken = 0

    def feed(self, piece: bytes, taken: int) -> Iterator[Piece]:
        """Take a cut in; give the pieces that it completes."""
        self.taken += taken
        if self.at_start and len(self.carried) + len(piece) >= len(_UTF8_MARK):
            self.at_start = False
            piece = (self.carried + piece).removeprefix(_UTF8_MARK)
            self.carried = b""
        if self.skipped_bytes:
            end = piece.find(b"\n")
            self.skipped_bytes += len(piece) if end < 0 else end
            if end < 0:
                return
            yield self._too_long()
            piece = piece[end + 1 :]
        end = piece.rfind(b"\n") + 1
        if end:
            yield from self._whole(self.carried + piece[:end])
            self.carried = piece[end:]
        else:
            self.carried += piece
        if len(self.carried) > json_lines.LINE_BYTES_MAX:
            self.skipped_bytes = len(self.carried) - json_lines.HEAD_BYTES
            self.carried = self.carried[: json_lines.HEAD_BYTES]

    def finish(self, damage: str | None) -> Iterator[Piece]:
        """The end of the file, or of what can be read of it."""
        if damage is not None:
            error = f"{damage}. What came before is kept; send the file again"
            head = self.carried[: json_lines.HEAD_BYTES]
            yield Lost(DeadLetter(self.source, self.line, error, head), self._took())
        elif self.skipped_bytes:
            yield self._too_long()
        else:
            yield from self._whole(self.carried)

    def _too_long(self) -> Lost:
        length = len(self.carried) + self.skipped_bytes
        letter = json_lines.too_long(self.source, self.line, length, self.carried)
        self.carried, self.skipped_bytes = b"", 0
        self.line += 1
        return Lost(letter, self._took())

    def _whole(self, data: bytes) -> Iterator[Lines]:
        """Whole lines -> pieces of at most `PIECE_LINES_MAX` lines."""
        start = 0
        while start < len(data):
            end, count = _cut(data, start)
            part = data if not start and end == len(data) else data[start:end]
            yield Lines(self.source, self.line, part, self._took())
            self.line += count
            start = end

    def _took(self) -> int:
        """Bytes of the file that no piece had so far."""
        taken, self.taken = self.taken, 0
        return taken


def _cut(data: bytes, start: int) -> tuple[int, int]:
    """Where the next `PIECE_LINES_MAX` lines from `start` end, and how many lines that is."""
    count = data.count(b"\n", start)
    if count <= PIECE_LINES_MAX:
        return len(data), count + (not data.endswith(b"\n"))
    end = start
    for _ in range(PIECE_LINES_MAX):
        end = data.index(b"\n", end) + 1
    return end, PIECE_LINES_MAX
