"""A history taken up again: what the topic can give back is healed, and all else is said."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from replay.rulebook.loader import load_rulebook
from services.audit import made_with
from services.history.errors import HistoryLogDamagedError, HistoryLostError
from services.history.head import head_path
from services.history.positions import Position, begin_at
from services.history.store import History
from services.live.taking_up import opened_to_follow, take_up
from tests.services.history.build import append, evening

TOPIC = "table-events"


def grown(path: Path, *tables: str, topic: str | None = None) -> None:
    for number, table in enumerate(tables):
        with History.open(path) as history:
            append(history, evening(table, 2))
            if topic is not None and not number:
                with history.transaction():
                    begin_at(history, Position(topic, "", 0, 13))


def taken(path: Path) -> tuple[int, list[str]]:
    """Events that it had, and what was said."""
    said: list[str] = []

    def say(event: str, fields: Mapping[str, Any]) -> None:
        said.append(f"{event}: {fields['message']}")

    with History.open(path) as history:
        had = take_up(history, TOPIC, say)
        append(history, evening("Z", 2))
        return had, said


def test_a_history_that_lost_everything_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "h.db"
    grown(path, "A", "B", topic=TOPIC)
    path.unlink()
    had, said = taken(path)
    assert had == 26
    assert "behind" in said[0]
    assert "3 are lost, with 26 events" in said[0]


def test_what_the_topic_never_gave_is_refused_with_the_way_out(tmp_path: Path) -> None:
    path = tmp_path / "h.db"
    grown(path, "A")
    early = path.read_bytes()
    grown(path, "B")
    path.write_bytes(early)
    with pytest.raises(HistoryLostError, match=f"nothing of {TOPIC}") as refused:
        taken(path)
    assert "pitproof serve" not in str(refused.value.next_step)
    assert "rebuild" in str(refused.value.next_step)


def test_a_head_that_was_removed_is_said(tmp_path: Path) -> None:
    path = tmp_path / "h.db"
    grown(path, "A", "B")
    head_path(path).unlink()
    had, said = taken(path)
    assert (had, len(said)) == (0, 1)
    assert "it was removed" in said[0]
    assert taken(path) == (0, [])


def test_another_history_in_its_place_is_refused(tmp_path: Path) -> None:
    path, other = tmp_path / "h.db", tmp_path / "other.db"
    grown(path, "A", topic=TOPIC)
    grown(other, "X", topic=TOPIC)
    path.write_bytes(other.read_bytes())
    with pytest.raises(HistoryLostError, match="another file") as refused:
        taken(path)
    assert "pitproof serve" not in str(refused.value.next_step)


@pytest.mark.parametrize("place", [0.3, 0.6])
def test_a_log_with_a_flipped_byte_is_set_aside(tmp_path: Path, place: float) -> None:
    path, hit = tmp_path / "h.db", tmp_path / "hit.db"
    grown(path, "A", topic=TOPIC)
    with History.open(path) as history:
        append(history, evening("B", 2))
        hit.write_bytes(path.read_bytes())
        head_path(hit).write_bytes(head_path(path).read_bytes())
        log = bytearray((tmp_path / "h.db.wal").read_bytes())
    log[int(place * len(log))] ^= 0x40
    (tmp_path / "hit.db.wal").write_bytes(log)
    with pytest.raises(HistoryLogDamagedError, match="write-ahead log"):
        History.open(hit)
    said: list[str] = []
    with opened_to_follow(hit, lambda event, fields: said.append(event)) as history:
        assert take_up(history, TOPIC, lambda event, fields: said.append(event)) == 26
        append(history, evening("B", 2))
        assert history.count("SELECT count(*) FROM events") == 26
    assert said == ["log_damaged", "behind"]
    assert (tmp_path / "hit.db.wal.damaged").read_bytes() == log


class RefusedError(Exception):
    """What went wrong at a start."""


def refused(path: Path, *, topic: str | None = None) -> None:
    """A start that fails once the history is open; with a topic, once a partition was begun."""
    with pytest.raises(RefusedError):
        start_and_fail(path, topic)


def start_and_fail(path: Path, topic: str | None) -> None:
    with opened_to_follow(path, lambda *_: None) as history:
        take_up(history, TOPIC, lambda *_: None)
        history.require(made_with(load_rulebook(), None))
        if topic is not None:
            with history.transaction():
                begin_at(history, Position(topic, "", 0, 13))
        raise RefusedError


def test_a_start_that_is_refused_leaves_nothing_that_it_made(tmp_path: Path) -> None:
    refused(tmp_path / "h.db")
    assert list(tmp_path.iterdir()) == []


def test_a_head_that_was_there_is_there_again(tmp_path: Path) -> None:
    path = tmp_path / "h.db"
    grown(path, "A", topic=TOPIC)
    noted = head_path(path).read_bytes()
    path.unlink()
    refused(path)
    assert list(tmp_path.iterdir()) == [head_path(path)]
    assert head_path(path).read_bytes() == noted


def test_what_was_there_or_got_something_stays(tmp_path: Path) -> None:
    with History.open(tmp_path / "old.db"):
        pass
    refused(tmp_path / "old.db")
    refused(tmp_path / "begun.db", topic=TOPIC)
    assert (tmp_path / "old.db").exists()
    with History.open(tmp_path / "begun.db") as history:
        assert history.count("SELECT count(*) FROM positions") == 1
