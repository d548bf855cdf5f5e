"""A temporary history that is opened while something else is done."""

import os
from pathlib import Path

import pytest

from services.history.store import History
from services.opening import IN_MEMORY_BYTES_MAX, fits_into_memory, temporary_ahead


@pytest.mark.parametrize(("name", "times"), [("a.jsonl", 1), ("a.avro", 3), ("a.jsonl.gz", 8)])
def test_what_fits_into_memory(name: str, times: int) -> None:
    most = IN_MEMORY_BYTES_MAX // times
    assert fits_into_memory([(name, most)])
    assert not fits_into_memory([(name, most + 1)])
    assert not fits_into_memory([(name, most), ("b.jsonl", times)])


def test_it_is_gone_at_the_end(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_bytes(b"")
    with temporary_ahead([str(file)]) as begun:
        assert begun is not None
        history = begun.result()
        assert isinstance(history, History)
        assert history.temporary
        assert history.scratch.exists()
    assert not history.scratch.exists()


def test_nothing_is_begun_for_what_cannot_be_told_yet(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for name in (pipe, tmp_path / "missing.jsonl"):
        with temporary_ahead([str(name)]) as begun:
            assert begun is None
