"""Avro container files: whole, cut, damaged, packed in every way."""

import bz2
import lzma
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services import encode
from services.sources import avro_blocks, avro_file
from tests.contracts.carriers import (
    SYNC,
    block_bytes,
    by_json,
    container_bytes,
    header_bytes,
    line,
    union_bytes,
    varint,
)
from tests.contracts.examples import whole
from tests.services.sources.reading import read

HEADER: Final = header_bytes()
BLOCKS: Final = [
    [union_bytes(whole("RoundClosed", seq=10 * block + n)) for n in range(3)]
    for block in range(1, 5)
]
FILE: Final = container_bytes(BLOCKS)
STARTS: Final = [len(HEADER) + sum(len(block_bytes(b)) for b in BLOCKS[:n]) for n in range(5)]


def read_bytes(folder: Path, content: bytes) -> tuple[list[int], list[tuple[int, str]]]:
    """Positions of the events, and of the dead letters with their errors."""
    path = folder / "events.avro"
    path.write_bytes(content)
    table, letters = read(path)
    return table["position"].to_pylist(), [(one.position, one.error) for one in letters]


def patched(content: bytes, at: int, octets: bytes) -> bytes:
    return content[:at] + octets + content[at + len(octets) :]


def test_a_whole_file(tmp_path: Path) -> None:
    assert read_bytes(tmp_path, FILE) == (list(range(1, 13)), [])
    assert read_bytes(tmp_path, HEADER) == ([], [])
    assert read_bytes(tmp_path, HEADER + block_bytes([]) + FILE[STARTS[0] :])[1] == []


@pytest.mark.parametrize("cut", [1, 2, 50, 200])
@pytest.mark.parametrize("block", [0, 2])
def test_a_file_cut_within_a_block(block: int, cut: int, tmp_path: Path) -> None:
    places, letters = read_bytes(tmp_path, FILE[: STARTS[block] + cut])
    assert places == list(range(1, 3 * block + 1))
    ((position, error),) = letters
    assert position == 3 * block + 1
    assert f"damaged block at byte {STARTS[block]}: " in error
    assert error.endswith("; nothing readable follows")


def test_a_file_cut_between_blocks_is_whole(tmp_path: Path) -> None:
    assert read_bytes(tmp_path, FILE[: STARTS[2]]) == ([1, 2, 3, 4, 5, 6], [])


@pytest.mark.parametrize(
    ("at", "octets", "said"),
    [
        (STARTS[2] - 16, b"\xff", "sync marker"),
        (STARTS[1], varint(60), "a number is cut off"),
        (STARTS[1], varint(2), "left over"),
        (STARTS[1], varint(-1), "-1 records"),
        (STARTS[1], b"\xff" * 12, "more than 10 bytes"),
        (STARTS[1] + 1, varint(2**60), "are announced; allowed"),
        (STARTS[1] + 1, varint(5000), "the file ends within it"),
        (STARTS[1] + 3, varint(-1), "union index -1"),
        (STARTS[1] + 3, varint(20), "union index 20"),
        (STARTS[1] + 4, varint(-5), "bytes are announced"),
    ],
)
def test_a_damaged_block_is_one_dead_letter_and_the_next_is_read(
    at: int, octets: bytes, said: str, tmp_path: Path
) -> None:
    places, letters = read_bytes(tmp_path, patched(FILE, at, octets))
    ((position, error),) = letters
    assert position == 4
    assert said in error
    assert error.startswith("damaged block")
    assert places[:3] == [1, 2, 3]
    assert len(places) == 9  # the two blocks that follow


def test_records_behind_a_damaged_block_keep_their_numbers(tmp_path: Path) -> None:
    places, _ = read_bytes(tmp_path, patched(FILE, STARTS[2] - 16, b"\xff"))
    assert places == [1, 2, 3, 7, 8, 9, 10, 11, 12]


def test_junk_between_blocks_is_skipped(tmp_path: Path) -> None:
    content = FILE[: STARTS[1]] + b"\xff" * 5000 + SYNC + FILE[STARTS[1] :]
    places, letters = read_bytes(tmp_path, content)
    assert len(places) == 12
    assert [position for position, _ in letters] == [4]
    content = FILE[: STARTS[1]] + b"\xff" * 5000 + FILE[STARTS[1] :]
    places, letters = read_bytes(tmp_path, content)
    assert len(places) == 9  # no marker stands before the block behind the junk
    assert [position for position, _ in letters] == [4]


def deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


PACKERS: Final[dict[bytes, Callable[[bytes], bytes]]] = {
    b"deflate": deflated,
    b"bzip2": bz2.compress,
    b"xz": lzma.compress,
    b"zstandard": zstandard.compress,
}


def packed_file(codec: bytes) -> bytes:
    blocks = []
    for records in BLOCKS:
        data = PACKERS[codec](b"".join(records))
        blocks.append(varint(len(records)) + varint(len(data)) + data + SYNC)
    return header_bytes(codec=codec) + b"".join(blocks)


@pytest.mark.parametrize("codec", PACKERS)
def test_packed_blocks(codec: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = packed_file(codec)
    assert read_bytes(tmp_path, content) == (list(range(1, 13)), [])
    broken = content.rindex(SYNC, 0, -16) - 60
    places, letters = read_bytes(tmp_path, patched(content, broken, b"\xff" * 40))
    assert places == [1, 2, 3, 4, 5, 6, 10, 11, 12]
    assert letters[0][1].startswith("damaged block")
    monkeypatch.setattr(avro_blocks, "BLOCK_BYTES_MAX", 200)
    places, letters = read_bytes(tmp_path, content)
    assert places == []
    assert "200 bytes" in letters[0][1]


def test_a_column_check_finds_the_bytes_of_its_record(tmp_path: Path) -> None:
    bad = union_bytes(whole("CardDealt", event_id="no-id", seq=5))
    blocks = [BLOCKS[0], [BLOCKS[1][0], bad, BLOCKS[1][1]]]
    path = tmp_path / "events.avro"
    path.write_bytes(container_bytes(blocks))
    table, letters = read(path)
    assert table["position"].to_pylist() == [1, 2, 3, 4, 6]
    assert [(letter.position, letter.raw) for letter in letters] == [(5, bad)]
    assert letters[0].error.startswith("CardDealt.event_id: ")


def test_batches_and_blocks_of_any_size_are_the_same_events(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [whole("WagerPlaced", seq=number) for number in range(1, 200)]
    path = tmp_path / "events.avro"
    with path.open("wb") as file:
        encode.write_container(file, rows)
    expected = by_json(*map(line, rows))[0]
    monkeypatch.setattr(avro_file, "BATCH_EVENTS", 30)
    monkeypatch.setattr(avro_file, "_LARGE_BLOCK", 20)
    batches = [piece.decode() for piece in avro_file.read_avro(path, "x")]
    assert [batch.table.num_rows for batch in batches] == [40, 40, 40, 40, 39]
    monkeypatch.setattr(avro_file, "BATCH_BYTES", 1)
    batches = [piece.decode() for piece in avro_file.read_avro(path, "x")]
    assert [batch.table.num_rows for batch in batches] == [20] * 9 + [19]
    table, letters = read(path)
    assert letters == []
    assert table.equals(expected)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    at=st.integers(len(HEADER), len(FILE) - 1),
    octets=st.binary(min_size=1, max_size=20),
    cut=st.none() | st.integers(len(HEADER), len(FILE)),
)
def test_no_damage_stops_the_reading(
    at: int, octets: bytes, cut: int | None, tmp_path: Path
) -> None:
    places, letters = read_bytes(tmp_path, patched(FILE, at, octets)[:cut])
    assert len(places) + len(letters) <= 12 + 3
    if cut is None:
        assert len(places) >= 6  # at most two of four blocks are hit by 20 bytes
