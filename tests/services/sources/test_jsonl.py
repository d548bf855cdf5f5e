"""JSON lines in files: whole, cut, packed, damaged, and far too long."""

import gzip
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from services.decode.json_lines import HEAD_BYTES, LINE_BYTES_MAX
from services.sources import jsonl
from tests.services.sources.reading import GOOD, lines, read, written

ROOT: Final = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("name", ["events.jsonl", "events.jsonl.gz"])
@pytest.mark.parametrize(
    ("content", "places"),
    [
        (GOOD + b"\n" + GOOD + b"\n", [1, 2]),
        (GOOD + b"\n" + GOOD, [1, 2]),
        (GOOD, [1]),
        (b"\n \n" + GOOD + b"\n\t\r\n\n" + GOOD + b"\n\n", [3, 6]),
        (GOOD + b"\r\n" + GOOD + b"\r\n", [1, 2]),
        (b"\xef\xbb\xbf" + GOOD + b"\n" + GOOD, [1, 2]),
        (b"\n", []),
    ],
)
def test_good_lines(name: str, content: bytes, places: list[int], tmp_path: Path) -> None:
    table, letters = read(written(tmp_path, content, name))
    assert letters == []
    assert table["position"].to_pylist() == places


def test_half_a_line_at_the_end_is_a_dead_letter(tmp_path: Path) -> None:
    table, letters = read(written(tmp_path, GOOD + b"\n" + GOOD[:50]))
    assert table.num_rows == 1
    assert [(letter.position, letter.raw) for letter in letters] == [(2, GOOD[:50])]
    assert "not JSON" in letters[0].error


@pytest.mark.parametrize("name", ["events.jsonl", "events.jsonl.gz"])
@pytest.mark.parametrize("piece_bytes", [1, 2, 7, 300, 1000])
def test_where_pieces_are_cut_changes_nothing(
    name: str, piece_bytes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = b"\n".join([b"\xef\xbb\xbf" + GOOD, b"", b"junk", *lines(5), b" ", GOOD[:9]])
    path = written(tmp_path, content, name)
    expected = read(path)
    assert (expected[0].num_rows, len(expected[1])) == (6, 2)
    monkeypatch.setattr(jsonl, "PIECE_BYTES", piece_bytes)
    table, letters = read(path)
    assert table.equals(expected[0])
    assert letters == expected[1]


def test_batches_are_bounded_by_lines_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "PIECE_LINES_MAX", 10)
    path = written(tmp_path, b"\n".join([*lines(25), *[b"x"] * 25, b""]))
    batches = [piece.decode() for piece in jsonl.read_plain(path, "x")]
    assert [b.table.num_rows + len(b.dead_letters) for b in batches] == [10, 10, 10, 10, 10]
    assert [letter.position for b in batches for letter in b.dead_letters] == list(range(26, 51))


@pytest.mark.parametrize("extra", [0, 1, 5000, 3 * jsonl.PIECE_BYTES])
@pytest.mark.parametrize("name", ["events.jsonl", "events.jsonl.gz"])
@pytest.mark.parametrize("end", [b"\n" + GOOD, b"\n" + GOOD + b"\n", b""])
def test_a_line_that_is_too_long(name: str, extra: int, end: bytes, tmp_path: Path) -> None:
    length = LINE_BYTES_MAX + 1 + extra
    table, letters = read(
        written(tmp_path, GOOD + b"\n" + b'{"a":"' + b"x" * (length - 6) + end, name)
    )
    assert table["position"].to_pylist() == ([1, 3] if end else [1])
    (letter,) = letters
    assert letter.position == 2
    assert f"{length} bytes long; allowed: {LINE_BYTES_MAX}" in letter.error
    assert letter.raw == b'{"a":"' + b"x" * (HEAD_BYTES - 6)


def test_a_line_just_short_enough_is_read(tmp_path: Path) -> None:
    note = GOOD.replace(b"pit-tablet-2", b"x" * (LINE_BYTES_MAX - len(GOOD) + 12))
    assert len(note) == LINE_BYTES_MAX
    table, letters = read(written(tmp_path, note + b"\n" + GOOD))
    assert (table.num_rows, letters) == (2, [])


MEASURED = """
import resource, sys
from services.sources.files import read_events
list(read_events(sys.argv[1]))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
found = [
    (batch.table.num_rows, [(d.position, len(d.raw)) for d in batch.dead_letters])
    for batch in read_events(sys.argv[2])
]
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
sys.stdout.write(f"{(after - before) >> 10} {[part for part in found if part != (0, [])]}")
"""


def grown_mb(small: Path, large: Path) -> tuple[int, str]:
    """How much memory reading a file takes beyond another, in MB, and what was found."""
    command = [sys.executable, "-c", MEASURED, str(small), str(large)]
    ended = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    grown, _, found = ended.stdout.partition(" ")
    return int(grown), found


@pytest.mark.skipif(sys.platform == "darwin", reason="counts memory in other units")
def test_a_line_of_200_mb_takes_no_memory(tmp_path: Path) -> None:
    small, large = written(tmp_path, b"\n".join(lines(20_000)), "small.jsonl"), tmp_path / "l.jsonl"
    with large.open("wb") as file:
        file.write(GOOD + b"\n")
        file.seek(200 << 20, os.SEEK_CUR)  # a hole: no disk is taken
        file.write(b"\n" + GOOD)
    grown, found = grown_mb(small, large)
    assert found == "[(1, []), (0, [(2, 4096)]), (1, [])]"
    assert grown < 32
    packed = tmp_path / "packed.jsonl.gz"
    with packed.open("wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as file:
        file.write(GOOD + b"\n")
        for _ in range(200):
            file.write(bytes(1 << 20))
        file.write(b"\n" + GOOD)
    assert packed.stat().st_size < 1 << 20
    grown, found_packed = grown_mb(small, packed)
    assert found_packed == found
    assert grown < 32


def damaged(path: Path) -> tuple[int, int, str]:
    """Events read, position and error of the one dead letter."""
    table, letters = read(path)
    (letter,) = letters
    assert table["seq"].to_pylist() == list(range(1, table.num_rows + 1))
    assert letter.position == table.num_rows + 1
    return table.num_rows, letter.position, letter.error


def many(count: int) -> bytes:
    return b"\n".join(lines(count)) + b"\n"


def test_a_gzip_file_that_is_cut(tmp_path: Path) -> None:
    path = written(tmp_path, many(3000), "events.jsonl.gz")
    whole = path.read_bytes()
    kept = []
    for size in (len(whole) - 1, len(whole) - 9, len(whole) // 2, 200, 10, 2):
        path.write_bytes(whole[:size])
        rows, _, error = damaged(path)
        assert "the file is cut off" in error
        kept.append(rows)
    assert kept[:2] == [3000, 3000]
    assert 1000 < kept[2] < 2000
    assert kept[-2:] == [0, 0]


def test_a_gzip_file_that_is_damaged_within(tmp_path: Path) -> None:
    path = written(tmp_path, many(3000), "events.jsonl.gz")
    whole = path.read_bytes()
    middle = len(whole) // 2
    path.write_bytes(whole[:middle] + b"\xff" * 64 + whole[middle + 64 :])
    table, letters = read(path)
    assert 1000 < table.num_rows < 2000
    assert "the gzip data is damaged" in letters[-1].error


def test_a_gzip_file_whose_checksum_is_wrong(tmp_path: Path) -> None:
    path = written(tmp_path, many(100), "events.jsonl.gz")
    whole = path.read_bytes()
    path.write_bytes(whole[:-8] + b"\0\0\0\0" + whole[-4:])
    rows, _, error = damaged(path)
    assert rows == 100
    assert "incorrect data check" in error


def test_gzip_members_and_padding(tmp_path: Path) -> None:
    parts = [gzip.compress(many(50), mtime=0), gzip.compress(GOOD, mtime=0)]
    path = tmp_path / "events.jsonl.gz"
    path.write_bytes(parts[0] + bytes(300_000) + parts[1] + bytes(7))
    table, letters = read(path)
    assert (table.num_rows, letters) == (51, [])
    path.write_bytes(parts[0] + b"junk")
    assert "no gzip data follows" in damaged(path)[2]
