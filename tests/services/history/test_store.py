"""A history is a file of one owner, of one version, made with one set of readings."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from services.history.errors import (
    HistoryMadeOtherwiseError,
    HistoryMissingError,
    HistoryOwnedError,
    HistoryTooNewError,
    HistoryUnreadableError,
)
from services.history.journal import Journal
from services.history.store import History
from services.history.verify import problems_of
from tests.services.history.build import append, arrow, evening

OPENED_ELSEWHERE = """
import sys
from pathlib import Path
from services.history.store import History
with History.open(Path(sys.argv[1])):
    print("open", flush=True)
    sys.stdin.read()
"""

KILLED_AMID = """
import os, sys
from pathlib import Path
from services.history.journal import Journal
from services.history.store import History
from tests.services.history.build import arrow, evening
history = History.open(Path(sys.argv[1]))
with history.transaction():
    journal = Journal(history)
    journal.append("a.jsonl", arrow(evening("B", 500)))
    journal.decide()
    os._exit(9)
"""


def test_a_temporary_history_leaves_nothing() -> None:
    with History.open() as history:
        folder = history.path.parent
        append(history, evening("A", 2))
    assert not folder.exists()


def test_a_closed_history_is_one_file_and_its_head(tmp_path: Path) -> None:
    with History.open(tmp_path / "h.db") as history:
        append(history, evening("A", 2))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["h.db", "h.db.head"]


def _interrupted_audit(history: History) -> None:
    with history.transaction():
        journal = Journal(history)
        journal.append("a.jsonl", arrow(evening("B", 9)))
        journal.decide()
        next(history.stream("SELECT * FROM events", batch_rows=1))
        raise KeyboardInterrupt


def test_interrupted_within_nothing_of_it_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "h.db"
    with History.open(path) as history:
        append(history, evening("A", 2))
        held = history.count("SELECT count(*) FROM events")
        with pytest.raises(KeyboardInterrupt):
            _interrupted_audit(history)
        assert history.count("SELECT count(*) FROM events") == held
        assert history.count("SELECT count(*) FROM transactions") == 1
        assert append(history, evening("B", 9)).redelivered == 0


def test_killed_amid_nothing_of_it_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "h.db"
    with History.open(path) as history:
        append(history, evening("A", 2))
        held = history.count("SELECT count(*) FROM events")
    assert subprocess.run([sys.executable, "-c", KILLED_AMID, path], check=False).returncode == 9
    with History.open(path, create=False) as history:
        assert history.count("SELECT count(*) FROM events") == held
        assert not list(problems_of(history))
        assert append(history, evening("B", 500)).redelivered == 0


def test_another_owner_is_named(tmp_path: Path) -> None:
    path = tmp_path / "h.db"
    command = [sys.executable, "-c", OPENED_ELSEWHERE, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        owner.stdout.readline()
        with pytest.raises(HistoryOwnedError, match=f"process {owner.pid} owns") as raised:
            History.open(path)
        assert raised.value.process_id == owner.pid
        owner.communicate(b"")


def test_what_is_no_history_is_refused(tmp_path: Path) -> None:
    junk = tmp_path / "junk"
    junk.write_bytes(b"table,seq\n" * 1000)
    with pytest.raises(HistoryUnreadableError, match="not a valid DuckDB"):
        History.open(junk)
    with pytest.raises(HistoryUnreadableError, match="a folder"):
        History.open(tmp_path)
    with pytest.raises(HistoryMissingError, match="no history"):
        History.open(tmp_path / "none.db", create=False)
    with pytest.raises(HistoryMissingError, match="no folder"):
        History.open(tmp_path / "none" / "h.db")
    assert junk.read_bytes().startswith(b"table,seq")


@pytest.mark.parametrize(
    ("name", "content"),
    [("events.jsonl", b'{"seq": 1}\n'), ("events.json", b"[1]"), ("findings.csv", b"a,b\n1,2\n")],
)
def test_a_data_file_is_no_history_without_events(
    tmp_path: Path, name: str, content: bytes
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(HistoryUnreadableError, match=name):
        History.open(path)
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == content


def test_another_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with History.open(path) as history:
        for (name,) in history.rows("SELECT table_name FROM duckdb_tables()"):
            history.run(f"DROP TABLE {name}")
        history.run("CREATE TABLE mine (x INTEGER)")
    with pytest.raises(HistoryUnreadableError, match="no history of pitproof"):
        History.open(path)


def test_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "h.db"
    with History.open(path) as history:
        history.run("UPDATE settings SET value = '99' WHERE name = 'schema_version'")
    with pytest.raises(HistoryTooNewError, match="version 99"):
        History.open(path)


def test_other_readings_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "h.db"
    with History.open(path) as history:
        history.require({"readings": '{"RT-RANGE":"any-amount"}'})
    with History.open(path) as history:
        history.require({"readings": '{"RT-RANGE":"any-amount"}'})
        with pytest.raises(HistoryMadeOtherwiseError, match="made with readings"):
            history.require({"readings": '{"RT-RANGE":"whole-multiples"}'})


def test_a_damaged_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "h.db"
    with History.open(path) as history:
        append(history, evening("A", 3000))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(HistoryUnreadableError, match=r"h\.db"), History.open(path) as history:
        list(problems_of(history))
    path.write_bytes(whole[:20_000] + bytes(len(whole) - 20_000))
    with pytest.raises(HistoryUnreadableError, match=r"h\.db"), History.open(path) as history:
        list(problems_of(history))
