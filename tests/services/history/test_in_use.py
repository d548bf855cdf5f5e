"""A history in use, read by other processes: sealed days as they are, and an export of the rest."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from services.errors import PitproofError
from services.history.reader import HistoryReader, Readers, ReadingStoppedError
from services.history.sealed.anchors import catch_up
from services.history.sealed.folder import folder_of
from services.history.sql.export import ALL, Export
from services.history.sql.run import SqlRequest, answer
from services.history.sql.source import SqlSource
from services.history.store import History
from services.history.verifying import verify_in_use
from services.history.whole import verify
from services.sealing import seal_all
from services.settings import Settings
from tests.services.history.build import append
from tests.services.history.sealed.days import FIRST, LATER, SECOND, THIRD, days_of, grown

A, B = days_of("A", FIRST, SECOND, THIRD), days_of("B", SECOND, game=2)
LATE = [A[3], A[16]]
VIEWS = ("wagers", "cards", "payouts", "rounds", "findings", "tables", "events")


@contextmanager
def reading(history: History) -> Iterator[HistoryReader]:
    readers = Readers(history)
    with readers.reader() as reader:
        yield reader
    readers.close()


def seal(history: History, until: Any) -> None:
    with reading(history) as reader:
        list(seal_all(reader, Settings(), until=until, clock=lambda: LATER))
    catch_up(history, folder_of(history.path).chain())


def rows(source: SqlSource, view: str) -> bytes:
    text = f"SELECT * FROM {view} ORDER BY ALL"  # noqa: S608 (our own words)
    asked = answer(source, SqlRequest(text=text))
    try:
        return b"".join(asked.chunks())
    finally:
        asked.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return grown(tmp_path / "h.db", [event for event in A if event not in LATE], B)


class Watched:
    """An open history with an export that is looked at every ten seconds."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.now = 0.0
        folder = folder_of(history.path)
        self.export = Export(history.scratch / "export", folder, clock=lambda: self.now)

    def source(self) -> SqlSource:
        self.now += 10
        with reading(self.history) as reader:
            return self.export.refreshed(reader, ALL)


def files_of(source: SqlSource, table: str) -> list[bool]:
    """Of each file whether it is a sealed one."""
    return [".sealed" in str(path) for path in source.parquet[table]]


def test_sealed_days_are_taken_as_they_are_and_each_row_lies_in_one_place(path: Path) -> None:
    with History.open(path) as history:
        watched = Watched(history)
        assert files_of(watched.source(), "events") == [False]
        seal(history, FIRST)
        assert files_of(watched.source(), "events") == [True, False]
        append(history, LATE)
        assert files_of(watched.source(), "events") == [True, False, False]
        seal(history, SECOND)  # with an amendment of the first
        source = watched.source()
        assert files_of(source, "events") == [True, True, True, True, False]
        assert watched.source() == source, "nothing came: nothing is written"
        held = {
            table: history.count(f"SELECT count(*) FROM {table}")  # noqa: S608 (our own words)
            for table in ALL
        }
        told = {view: rows(source, view) for view in VIEWS}
        assert told["events"].count(b"\n") >= held["events"] - 1
        for table in ALL:
            files = ", ".join(f"'{each}'" for each in source.parquet[table])
            scanned = f"read_parquet([{files}], hive_partitioning = false)"
            count = f"SELECT count(*) FROM {scanned}"  # noqa: S608 (our own words)
            assert history.count(count) == held[table], table
    database = SqlSource(database=path)
    assert told == {view: rows(database, view) for view in VIEWS}


def test_what_is_sealed_and_is_not_as_it_was_is_exported(path: Path) -> None:
    with History.open(path) as history:
        seal(history, FIRST)
        file = next(folder_of(path).path.rglob("events-*.parquet"))
        file.write_bytes(b"")
        assert files_of(Watched(history).source(), "events") == [False]


def test_a_history_in_use_is_verified_by_a_process_of_its_own(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.history.sql.export.REFRESH_SECONDS", 0.0)
    with History.open(path) as history:
        seal(history, SECOND)
        with reading(history) as reader:
            append(history, LATE)  # after the snapshot
            told = verify_in_use(reader, folder_of(path))
        assert told["ok"], told["problems"]
        assert told["events"] == len(A) + len(B) - len(LATE)
        with reading(history) as reader:
            told = verify_in_use(reader, folder_of(path))
        expected = verify(history, folder_of(path))
        assert (told, told["ok"]) == (expected, True)


def flipped(path: Path, name: str) -> None:
    file = sorted(folder_of(path).path.rglob(name))[0]
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0x20
    file.write_bytes(content)


@pytest.mark.parametrize("name", ["events-*.parquet", "finding_changes-*.parquet", "000001.json"])
def test_what_is_damaged_is_named_while_it_is_in_use(path: Path, name: str) -> None:
    with History.open(path) as history:
        seal(history, SECOND)
        flipped(path, name)
        with reading(history) as reader:
            told = verify_in_use(reader, folder_of(path))
        expected = verify(history, folder_of(path))
    assert not told["ok"]
    assert told == expected, "as if no service owned it"


def test_nobody_waits_for_it(path: Path) -> None:
    with History.open(path) as history, reading(history) as reader:
        reader._stopped = ReadingStoppedError("nobody waits")
        with pytest.raises(PitproofError, match="nobody waits"):
            verify_in_use(reader, folder_of(path))
