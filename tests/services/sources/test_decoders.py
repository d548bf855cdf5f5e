"""Decoding by processes changes nothing of what comes, whatever becomes of them."""

from __future__ import annotations

import gzip
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from services import encode
from services.decode.batch import DecodedBatch
from services.errors import UnreadableFileError
from services.sources import decoders, jsonl
from services.sources.decoders import Decoders, decoders_for
from services.sources.files import read_events, read_pieces
from services.sources.pieces import Piece
from tests.contracts.examples import whole
from tests.services.sources.reading import GOOD, lines, written


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "PIECE_BYTES", 4_000)


@pytest.fixture
def evening(tmp_path: Path) -> Path:
    """Good and bad lines, blank ones, and one that is far too long."""
    content = [*lines(400), b"junk", b"", b"x" * (2 << 20), GOOD[:40], *lines(400, first=401)]
    return written(tmp_path, b"\n".join(content))


def decoded(path: Path, count: int) -> list[DecodedBatch]:
    with Decoders(count) as some:
        return list(some.batches(read_pieces(path)))


@pytest.mark.parametrize("form", ["jsonl", "jsonl.gz", "avro"])
def test_what_comes_is_the_same(form: str, evening: Path, tmp_path: Path) -> None:
    path = tmp_path / f"other.{form}"
    if form == "avro":
        with path.open("wb") as file:
            encode.write_container(file, [whole("WagerPlaced", seq=n) for n in range(1, 3_000)])
        path.write_bytes(path.read_bytes()[:-30])  # its last block is cut
    else:
        content = evening.read_bytes()
        path.write_bytes(gzip.compress(content, mtime=0) if form == "jsonl.gz" else content)
    expected = list(read_events(path))
    assert any(batch.dead_letters for batch in expected)
    assert sum(batch.table.num_rows for batch in expected) > 700
    for count in (0, 1, 3):
        assert decoded(path, count) == expected


@pytest.mark.parametrize("stopped", [1, 2])
def test_what_a_stopped_one_had_is_done_here(
    stopped: int, evening: Path, started: list[subprocess.Popen[bytes]]
) -> None:
    expected = list(read_events(evening))
    with Decoders(2) as some:
        batches = some.batches(read_pieces(evening))
        found = [next(batches)]
        for process in started[:stopped]:
            process.send_signal(signal.SIGKILL)
        found += batches
    assert found == expected


def test_a_fault_of_ours_is_not_lost_in_a_process() -> None:
    with Decoders(1) as some, pytest.raises(ZeroDivisionError):
        list(some.batches(iter([Broken()])))


class Broken:
    """A piece that cannot be decoded."""

    def decode(self) -> DecodedBatch:
        return 1 // 0  # type: ignore[return-value]


def test_a_disk_that_fails_is_told(evening: Path) -> None:
    def failing() -> Iterator[Piece]:
        yield from list(read_pieces(evening))[:3]
        raise UnreadableFileError("the disk", next_step="copy it")

    with Decoders(2) as some, pytest.raises(UnreadableFileError, match="the disk"):
        list(some.batches(failing()))


def test_none_outlives_whoever_started_it(
    evening: Path, started: list[subprocess.Popen[bytes]]
) -> None:
    before = threading.active_count()
    with Decoders(2) as some:
        next(some.batches(read_pieces(evening)))
    assert [process.returncode for process in started] == [-signal.SIGKILL] * 2
    assert threading.active_count() == before


def test_one_whose_starter_is_gone_ends(started: list[subprocess.Popen[bytes]]) -> None:
    Decoders(1)
    [process] = started
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(timeout=20) == 0
    assert process.stdout is not None
    process.stdout.close()


def test_a_system_that_starts_no_process_has_all_done_here(
    evening: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise BlockingIOError("no process more")

    monkeypatch.setattr("services.processes.subprocess.Popen", refused)
    assert decoded(evening, 2) == list(read_events(evening))


def test_only_many_bytes_and_cores_are_worth_it(
    started: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    for cores, byte_count, count in (
        (2, decoders.BYTES_MIN - 1, 0),
        (1, decoders.BYTES_MIN, 0),
        (2, decoders.BYTES_MIN, 2),
        (64, decoders.BYTES_MIN, 4),
    ):
        monkeypatch.setattr(decoders, "cores_available", lambda cores=cores: cores)
        started.clear()
        with decoders_for(byte_count):
            assert len(started) == count
