"""Batches of strangers: unpacked up to a bound, and what cannot be read stands in one piece."""

import gzip
import io
import random
import struct
import tracemalloc
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import lz4.frame  # type: ignore[import-untyped]
import pytest
import zstandard
from kafka.consumer.fetcher import Fetcher
from kafka.errors import CorruptRecordError
from kafka.record import MemoryRecords, MemoryRecordsBuilder
from kafka.structs import TopicPartition

from services.live.unpacking import (
    BoundedRecords,
    TooLargeError,
    UnreadableBatch,
    bound_batches,
    unpacked,
)

GZIP, LZ4, ZSTD = 1, 3, 4
NAMES = {GZIP: "gzip", LZ4: "lz4", ZSTD: "zstd"}
MIB = 1 << 20

PACK: dict[int, Callable[[bytes], bytes]] = {
    GZIP: lambda data: gzip.compress(data, 9),
    LZ4: lambda data: bytes(lz4.frame.compress(data, block_linked=False)),
    ZSTD: lambda data: zstandard.ZstdCompressor().compress(data),
}


def batch(values: list[bytes], codec: int = ZSTD, first: int = 0, **headers: bytes) -> bytes:
    builder = MemoryRecordsBuilder(2, codec, 1 << 30)
    for value in values:
        builder.append(1_700_000_000_000, b"DD-01", value, list(headers.items()))
    builder.close()
    return struct.pack(">q", first) + bytes(builder.buffer())[8:]  # as the broker numbers it


def read(data: bytes, bytes_max: int = MIB, fetch_offset: int = 0) -> list[Any]:
    """The records as a consumer gets them."""
    fetcher = SimpleNamespace(PartitionRecords=Fetcher.PartitionRecords)
    bound_batches(SimpleNamespace(_fetcher=fetcher), bytes_max)
    records = BoundedRecords(data, bytes_max)
    part = fetcher.PartitionRecords(fetch_offset, TopicPartition("t", 0), records)
    return list(part.take(None))


@pytest.mark.parametrize("codec", PACK)
def test_up_to_the_bound_it_is_what_was_packed(codec: int) -> None:
    data = b"x" * 1_000
    assert unpacked(codec, PACK[codec](data), 1_000) == data
    with pytest.raises(TooLargeError, match="longer than 999 bytes"):
        unpacked(codec, PACK[codec](data), 999)


@pytest.mark.parametrize("codec", PACK)
def test_a_bomb_takes_no_more_than_its_bound(codec: int) -> None:
    bomb = PACK[codec](bytes(256 * MIB))
    tracemalloc.start()
    try:
        with pytest.raises(TooLargeError):
            unpacked(codec, bomb, MIB)
        assert tracemalloc.get_traced_memory()[1] < 8 * MIB
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("codec", PACK)
def test_what_is_cut_or_junk_is_said(codec: int) -> None:
    packed = PACK[codec](random.Random(1).randbytes(10_000))
    with pytest.raises(CorruptRecordError):
        unpacked(codec, b"\x00junk" * 9, MIB)
    if codec == ZSTD:  # tells only that it has no more: the records in it will be cut off
        assert len(unpacked(codec, packed[:5_000], MIB)) < 10_000
    else:
        with pytest.raises(CorruptRecordError, match="cut off"):
            unpacked(codec, packed[:5_000], MIB)


def test_two_gzip_members_are_one_text() -> None:
    assert unpacked(GZIP, gzip.compress(b"one ") + gzip.compress(b"two"), 7) == b"one two"
    with pytest.raises(TooLargeError):
        unpacked(GZIP, gzip.compress(b"one ") + gzip.compress(b"two"), 6)


def test_a_zstd_window_that_would_fill_the_memory_is_refused() -> None:
    parameters = zstandard.ZstdCompressionParameters(window_log=27, write_content_size=False)
    target = io.BytesIO()
    with zstandard.ZstdCompressor(compression_params=parameters).stream_writer(
        target, closefd=False
    ) as writer:
        writer.write(b"x" * 100)
    with pytest.raises(CorruptRecordError):
        unpacked(ZSTD, target.getvalue(), MIB)


@pytest.mark.parametrize("codec", [0, *PACK])
def test_good_batches_are_read_as_ever(codec: int) -> None:
    data = batch([b"a", b"b"], codec) + batch([b"c"], codec, first=2)
    assert [(one.offset, one.value) for one in read(data)] == [(0, b"a"), (1, b"b"), (2, b"c")]
    assert [one.value for one in read(data, fetch_offset=1)] == [b"b", b"c"]


@pytest.mark.parametrize("codec", PACK)
def test_a_bomb_among_them_is_one_record_with_its_first_and_last_offset(codec: int) -> None:
    bomb = batch([bytes(MIB), bytes(MIB), bytes(MIB)], codec, first=1)
    found = read(batch([b"a"], codec) + bomb + batch([b"z"], codec, first=4))
    assert [one.offset for one in found] == [0, 3, 4]
    stand_in = found[1].value
    assert isinstance(stand_in, UnreadableBatch)
    assert (stand_in.first_offset, stand_in.last_offset) == (1, 3)
    assert "longer than 1048576 bytes" in stand_in.error
    assert bytes(stand_in) == bomb


def test_what_follows_a_broken_record_in_its_batch_is_one_piece() -> None:
    good = batch([b"aaaa", b"bbbb", b"cccc"], codec=0)
    place = good.index(b"bbbb") - 1
    broken = bytearray(good)
    broken[place] = 0x7E  # says that its value is 63 bytes long
    (first, stand_in) = read_unchecked(bytes(broken))
    assert (first.offset, first.value) == (0, b"aaaa")
    assert (stand_in.value.first_offset, stand_in.offset) == (1, 2)


def read_unchecked(data: bytes) -> list[Any]:
    """As a producer may have sent it: the checksum fits what it sent."""
    fetcher = SimpleNamespace(PartitionRecords=Fetcher.PartitionRecords)
    bound_batches(SimpleNamespace(_fetcher=fetcher), MIB)
    part = fetcher.PartitionRecords(
        0, TopicPartition("t", 0), BoundedRecords(data, MIB), check_crcs=False
    )
    return list(part.take(None))


def test_a_header_that_is_no_text_stops_nothing() -> None:
    good = batch([b"a", b"b"], codec=0, kind=b"x")
    broken = good.replace(b"kind", b"k\xff\xfed")
    (stand_in,) = read_unchecked(broken)
    assert (stand_in.value.first_offset, stand_in.value.last_offset) == (0, 1)


def test_a_checksum_that_is_wrong_is_not_the_producers_fault() -> None:
    damaged = bytearray(batch([b"a", b"b"]))
    damaged[-1] ^= 1
    with pytest.raises(CorruptRecordError, match="partition=0"):
        read(bytes(damaged))


def test_snappy_says_how_long_it_is_before_it_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "snappy", SimpleNamespace(decompress=lambda block: b"12345"))
    assert unpacked(2, b"\x05rest", 5) == b"12345"
    with pytest.raises(TooLargeError):
        unpacked(2, b"\x80\x80\x80\x80\x04rest", MIB)
    framed = b"\x82SNAPPY\x00" + struct.pack(">ii", 1, 1) + 2 * (struct.pack(">i", 5) + b"\x05rest")
    assert unpacked(2, framed, 10) == b"1234512345"
    with pytest.raises(TooLargeError):
        unpacked(2, framed, 9)


def test_records_are_read_as_the_client_reads_them() -> None:
    chance = random.Random(3)
    builder = MemoryRecordsBuilder(2, ZSTD, 1 << 30)
    for number in range(300):
        key = chance.choice((b"DD-01", b"DD-01", b"DD-01", b"", None))
        value = chance.choice((b"x" * chance.randrange(40_000), b"", None))
        headers = chance.choice(([], [], [("source", b"tablet")]))
        builder.append(1_700_000_000_000 - number * chance.randrange(9_000), key, value, headers)
    builder.close()
    data = bytes(builder.buffer())
    theirs = Fetcher.PartitionRecords(0, TopicPartition("t", 0), MemoryRecords(data)).take()
    ours = read(data, 64 * MIB)
    assert len(ours) == 300
    assert [one._replace(headers=list(one.headers)) for one in ours] == theirs
