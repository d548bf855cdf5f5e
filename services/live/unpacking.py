"""Record batches unpacked within bounds: what a producer packed is a stranger's work.

kafka-python's decoders have no limit on what comes out: 32 kB of zstd become a gigabyte. And a
batch that cannot be read at all stops its partition for ever. Here a batch is unpacked up to a
bound; where that, or a record in it, goes wrong, one record stands for all that was not read. Its
value is an `UnreadableBatch`, which no producer can make.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from kafka import KafkaConsumer
from kafka.errors import CorruptRecordError
from kafka.record import MemoryRecords
from kafka.record.default_records import DefaultRecord, DefaultRecordBatch

BATCH_BYTES_MAX: Final = 32 << 20
"""Unpacked. Producers pack some 16 KB to 1 MB; what is a hundred times as long is a bomb."""

_WINDOW_BYTES_MAX: Final = 8 << 20
"""What zstd at its highest usual level (19) looks back; 128 MB would be taken for a tiny batch."""

_MAGIC_OFFSET: Final = struct.calcsize(">qii")
_BATCHES: Final = 2  # the format since Kafka 0.11; brokers from 4.0 on write no other


class UnreadableBatch(bytes):
    """A batch as it lay in the topic, packed, in place of the records that it would have held."""

    first_offset: int
    last_offset: int
    error: str

    @classmethod
    def of(cls, raw: bytes, first: int, last: int, error: str) -> UnreadableBatch:
        """The batch, the offsets of it that are not read, and why."""
        made = cls(raw)
        made.first_offset, made.last_offset, made.error = first, last, error
        return made


class TooLargeError(ValueError):
    """More comes out than is allowed."""


def bound_batches(consumer: KafkaConsumer, bytes_max: int = BATCH_BYTES_MAX) -> None:
    """Let this consumer unpack batches within a bound."""
    fetcher = consumer._fetcher

    class BoundedPartitionRecords(fetcher.PartitionRecords):  # type: ignore[misc, name-defined]
        def __init__(self, fetch_offset: int, tp: Any, records: Any, *rest: Any, **more: Any):
            bounded = BoundedRecords(records._buffer, bytes_max)
            super().__init__(fetch_offset, tp, bounded, *rest, **more)

    fetcher.PartitionRecords = BoundedPartitionRecords


class BoundedRecords(MemoryRecords):  # type: ignore[misc]
    """The batches of one fetch."""

    def __init__(self, buffer: Any, bytes_max: int) -> None:
        super().__init__(buffer)
        self._bytes_max = bytes_max

    def next_batch(self) -> Any:
        """The next batch, or None."""
        part = self._next_slice
        if part is None or part[_MAGIC_OFFSET] != _BATCHES:
            return super().next_batch()
        self._cache_next()
        return BoundedBatch(part, self._bytes_max)


@dataclass(slots=True)
class UsualRecord:
    """A record as the client has it, with a key, a value and no headers."""

    size_in_bytes: int
    offset: int
    timestamp: int
    timestamp_type: int
    key: bytes
    value: bytes
    headers: ClassVar[tuple[Any, ...]] = ()
    checksum: ClassVar[None] = None

    def validate_crc(self) -> bool:
        """Checked for the batch as a whole."""
        return True


def _number(octets: bytes, at: int) -> tuple[int, int]:
    """A number as it is written, sign lowest, and where the next begins."""
    number = octets[at]
    if number < 0x80:
        return number, at + 1
    number &= 0x7F
    for shift in range(7, 70, 7):
        at += 1
        octet = octets[at]
        number |= (octet & 0x7F) << shift
        if octet < 0x80:
            return number, at + 1
    raise IndexError


class BoundedBatch(DefaultRecordBatch):  # type: ignore[misc]
    """A batch that yields its records, or one in their place."""

    _buffer: Any
    _pos: int
    _at: int
    """Offset behind the last record that was read."""

    def __init__(self, buffer: Any, bytes_max: int) -> None:
        super().__init__(buffer)
        self._bytes_max = bytes_max

    def __iter__(self) -> Iterator[Any]:
        packed = self._buffer  # unpacking puts another one in its place
        self._at = self.base_offset
        try:
            self._unpack()
            yield from self._usual()
            while True:
                try:
                    record = self.__next__()
                except StopIteration:
                    return
                yield record
                self._at = record.offset + 1
        except (TooLargeError, CorruptRecordError) as error:
            if self._at <= self.last_offset:
                yield self._in_place_of(bytes(packed), self._at, str(error))

    def _usual(self) -> Iterator[UsualRecord]:
        """Records up to the first that is unusual, or no record: that is left to the client.

        It takes twice as long, and a topic is read at the pace of this.
        """
        octets, at = bytes(self._buffer), self._pos
        base, began, kind = self.base_offset, self.first_timestamp, self.timestamp_type
        appended = self.max_timestamp if kind == self.LOG_APPEND_TIME else None
        try:
            while self._next_record_index < self._num_records:
                length, at = _number(octets, at)
                start = at
                millis, at = _number(octets, at + 1)  # behind attributes, which are not in use
                offset, at = _number(octets, at)
                key_size, at = _number(octets, at)
                key = octets[at : at + (key_size >> 1)]
                size, at = _number(octets, at + (key_size >> 1))
                value = octets[at : at + (size >> 1)]
                at += size >> 1
                is_whole = octets[at] == 0 and at + 1 - start == length >> 1  # and no headers
                if not is_whole or (length | offset | key_size | size) & 1 or octets[start] > 127:
                    return
                at += 1
                self._pos, self._at = at, base + (offset >> 1) + 1
                self._next_record_index += 1
                stamp = began + ((millis >> 1) ^ -(millis & 1)) if appended is None else appended
                yield UsualRecord(length >> 1, self._at - 1, stamp, kind, key, value)
        except IndexError:
            return

    def _unpack(self) -> None:
        kind = self.compression_type
        if kind != self.CODEC_NONE:
            packed = bytes(memoryview(self._buffer)[self._pos :])
            self._buffer = bytearray(unpacked(kind, packed, self._bytes_max))
            self._pos = 0
        self._decompressed = True

    def _in_place_of(self, packed: bytes, first: int, error: str) -> Any:
        value = UnreadableBatch.of(packed, first, self.last_offset, error)
        return DefaultRecord(
            len(packed),
            self.last_offset,
            self.max_timestamp,
            self.timestamp_type,
            None,
            value,
            [],
        )


def unpacked(kind: int, packed: bytes, bytes_max: int) -> bytes:
    """What was packed by the codec of that number.

    Raises:
        TooLargeError: it is longer than `bytes_max`; no more than that was unpacked.
        CorruptRecordError: it cannot be unpacked.
    """
    codecs = {1: _gzip, 2: _snappy, 3: _lz4, 4: _zstd}
    if kind not in codecs:
        raise CorruptRecordError(f"packed by a codec that does not exist: {kind}")
    try:
        found = codecs[kind](packed, bytes_max)
    except (TooLargeError, CorruptRecordError):
        raise
    except Exception as error:  # each codec has errors of its own, or those of C
        raise CorruptRecordError(f"the batch cannot be unpacked: {error}") from error
    if len(found) > bytes_max:
        raise _too_large(bytes_max)
    return found


def _too_large(bytes_max: int) -> TooLargeError:
    return TooLargeError(f"the batch is longer than {bytes_max} bytes when unpacked")


def _gzip(packed: bytes, bytes_max: int) -> bytes:
    parts: list[bytes] = []
    room = bytes_max + 1
    while packed and room > 0:  # Java writes one member; several are one text all the same
        member = zlib.decompressobj(wbits=31)
        parts.append(member.decompress(packed, room))
        room -= len(parts[-1])
        if room > 0 and not member.eof:
            raise CorruptRecordError("the batch is cut off within its gzip stream")
        packed = member.unused_data
    return b"".join(parts)


def _snappy(packed: bytes, bytes_max: int) -> bytes:
    """Snappy says at its beginning how long the text is; in Java's framing, each block does."""
    try:
        import snappy  # type: ignore[import-not-found]
    except ImportError as error:
        raise CorruptRecordError(
            "the batch is packed by snappy, which is not installed here (python-snappy)"
        ) from error
    blocks = [packed]
    if packed[:8] == b"\x82SNAPPY\x00":
        blocks, at = [], 16
        while at < len(packed):
            (size,) = struct.unpack_from(">i", packed, at)
            if size < 0:
                raise CorruptRecordError("a snappy block of no possible size")
            blocks.append(packed[at + 4 : at + 4 + size])
            at += 4 + size
    if sum(map(_snappy_says, blocks)) > bytes_max:
        raise _too_large(bytes_max)
    return b"".join(snappy.decompress(block) for block in blocks)


def _snappy_says(block: bytes) -> int:
    size = 0
    for place, octet in enumerate(block[:5]):
        size |= (octet & 0x7F) << (7 * place)
        if octet < 0x80:
            return size
    raise CorruptRecordError("a snappy block without its size")


def _lz4(packed: bytes, bytes_max: int) -> bytes:
    import lz4.frame  # type: ignore[import-untyped]

    frame = lz4.frame.LZ4FrameDecompressor()
    found: bytes = frame.decompress(packed, max_length=bytes_max + 1)
    if len(found) <= bytes_max and not frame.eof:
        raise CorruptRecordError("the batch is cut off within its lz4 frame")
    return found


def _zstd(packed: bytes, bytes_max: int) -> bytes:
    import zstandard

    window = max(_WINDOW_BYTES_MAX, min(bytes_max, _WINDOW_BYTES_MAX * 16))
    unpacker = zstandard.ZstdDecompressor(max_window_size=window)
    parts: list[bytes] = []
    room = bytes_max + 1
    with unpacker.stream_reader(packed, read_across_frames=True) as reader:
        while room > 0 and (part := reader.read(room)):
            parts.append(part)
            room -= len(part)
    return b"".join(parts)
