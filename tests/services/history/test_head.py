"""A history that lost what was committed, or is another one, is noticed by the head beside it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from services.history.errors import HistoryLostError
from services.history.head import HeadState, head_path
from services.history.store import History
from services.history.verify import problems_of
from tests.services.history.build import append, evening


def grow(path: Path, table: str) -> None:
    with History.open(path) as history:
        append(history, evening(table, 2))


def state(path: Path) -> HeadState:
    with History.open(path) as history:
        return history.head.state


def heads(path: Path) -> list[str]:
    with History.open(path) as history:
        return [each.message for each in problems_of(history) if each.what == "head"]


def test_the_head_follows_every_commit(tmp_path: Path) -> None:
    path = tmp_path / "h.db"
    assert state(path) is HeadState.NONE
    for number, table in enumerate("ABC", start=1):
        grow(path, table)
        noted = json.loads(head_path(path).read_text())
        assert (noted["transaction"], noted["events"]) == (number, 13 * number)
        assert state(path) is HeadState.SAME
        assert heads(path) == []
    assert sorted(each.name for each in tmp_path.iterdir()) == ["h.db", "h.db.head"]


def test_killed_before_the_head_was_noted_is_no_problem(tmp_path: Path) -> None:
    path = tmp_path / "h.db"
    grow(path, "A")
    before = head_path(path).read_text()
    grow(path, "B")
    head_path(path).write_text(before)
    assert state(path) is HeadState.ONE_BEHIND
    assert heads(path) == []
    grow(path, "C")
    assert state(path) is HeadState.SAME


def test_a_head_that_cannot_be_written_is_said_until_it_can(tmp_path: Path) -> None:
    path, taken = tmp_path / "h.db", tmp_path / "h.db.head.new"
    grow(path, "A")
    with History.open(path) as history:
        taken.mkdir()
        append(history, evening("B", 2))
        assert f"{head_path(path)}: cannot be written" in history.head_unwritten
        taken.rmdir()
        append(history, evening("C", 2))
        assert history.head_unwritten == ""
    assert state(path) is HeadState.SAME


def test_yesterdays_file_put_back_is_noticed(tmp_path: Path) -> None:
    path, copy = tmp_path / "h.db", tmp_path / "copy.db"
    grow(path, "A")
    shutil.copy(path, copy)
    grow(path, "B")
    grow(path, "C")
    shutil.copy(copy, path)
    assert state(path) is HeadState.LOST
    [problem] = heads(path)
    assert "2 are lost, with 26 events" in problem
    with History.open(path) as history:
        with pytest.raises(HistoryLostError, match="were committed"), history.transaction():
            pass
        assert history.transaction_no is None
        history.accept_head()
        append(history, evening("B", 2))
    assert state(path) is HeadState.SAME


def test_a_log_cut_off_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "h.db"
    grow(path, "A")
    with History.open(path) as history:
        append(history, evening("B", 2))
        append(history, evening("C", 2))
        shutil.copy(path, tmp_path / "cut.db")
        wal = Path(f"{path}.wal").read_bytes()
        (tmp_path / "cut.db.wal").write_bytes(wal[: len(wal) - 100])
        shutil.copy(head_path(path), tmp_path / "cut.db.head")
    assert state(tmp_path / "cut.db") is HeadState.LOST


def test_another_history_or_an_older_head_is_noticed(tmp_path: Path) -> None:
    path, other = tmp_path / "h.db", tmp_path / "other.db"
    grow(path, "A")
    first = head_path(path).read_text()
    grow(path, "B")
    grow(path, "C")
    grow(other, "X")
    shutil.copy(head_path(other), head_path(path))
    assert state(path) is HeadState.DIFFERS
    assert len(heads(path)) == 1
    head_path(path).write_text(first)
    assert state(path) is HeadState.OLD
    head_path(path).write_text("{")
    assert state(path) is HeadState.NONE


def test_a_head_that_is_gone_is_named_and_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "h.db"
    grow(path, "A")
    head_path(path).unlink()
    assert heads(path) == []  # killed before the first was noted
    grow(path, "B")
    head_path(path).unlink()
    [problem] = heads(path)
    assert "was removed" in problem
    head_path(path).write_text("{")
    [problem] = heads(path)
    assert "cannot be read" in problem
    with History.open(path) as history:
        append(history, evening("C", 2))
        assert not history.head.problem
    assert heads(path) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        "[" * 100_000,
        '{"transaction": 1}',
        '{"transaction": null, "events": 13, "findings": 0, "dead_letters": 0, "chain": "0"}',
        '{"transaction": "9", "events": 13, "findings": 0, "dead_letters": 0, "chain": "0"}',
        '{"transaction": 9, "events": "x", "findings": 0, "dead_letters": 0, "chain": "0"}',
    ],
)
def test_what_is_no_head_is_said(tmp_path: Path, text: str) -> None:
    path = tmp_path / "h.db"
    grow(path, "A")
    head_path(path).write_text(text)
    assert state(path) is HeadState.NONE
    [problem] = heads(path)
    assert "cannot be read as a head" in problem


def test_an_event_changed_breaks_the_chain(tmp_path: Path) -> None:
    path = tmp_path / "h.db"
    grow(path, "A")
    grow(path, "B")
    with History.open(path) as history:
        history.run("UPDATE events SET digest = uuid() WHERE event_no = 3")
        found = [each for each in problems_of(history) if each.what == "head"]
        assert [each.where for each in found] == ["transaction 1"]
