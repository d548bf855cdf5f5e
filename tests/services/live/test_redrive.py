"""Letters come in the same however many go into a transaction, and what came in is told."""

from pathlib import Path

import pytest

from replay.rulebook.loader import load_rulebook
from services.decode.batch import TopicDeadLetter
from services.encode import single_object
from services.history.digests import events_digest, findings_digest
from services.history.store import History
from services.live import redrive as redriving
from services.live.redrive import Redriven, RegistryNeededError, redrive
from services.settings import Settings
from services.simulate.service import FloorPlan, simulate_floor
from tests.services.history.build import append

ROWS = [dict(event) for event in simulate_floor(FloorPlan(tables=1, rounds=1, seed=3)).events()]
UNKNOWN = b"\x00\x00\x00\x00\x07" + single_object(ROWS[0])[10:]
NOBODY = "http://127.0.0.1:9"


def letters(path: Path) -> None:
    """All of a floor, one that stays, one of a file; the last names a schema of a registry."""
    dead = [
        TopicDeadLetter(f"t[{number % 2}]", number, "bad", single_object(row))
        for number, row in enumerate(ROWS)
    ]
    dead.insert(5, TopicDeadLetter("t[0]", 10_000, "bad", b"garbage"))
    dead.insert(9, TopicDeadLetter("bad.jsonl", 1, "bad", b"garbage"))
    dead.append(TopicDeadLetter("t[1]", 20_000, "bad", UNKNOWN))
    with History.open(path) as history:
        append(history, dead=dead)


def came(path: Path, registry_url: str = "") -> tuple[Redriven, str, str]:
    with History.open(path) as history:
        done = redrive(history, load_rulebook(), Settings(), registry_url=registry_url)
        return done, events_digest(history), findings_digest(history)


def test_in_one_transaction_or_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, parts = tmp_path / "whole.db", tmp_path / "parts.db"
    letters(whole)
    letters(parts)
    once = came(whole)
    assert (once[0].came_in, once[0].events, once[0].of_files) == (len(ROWS), len(ROWS), 1)
    assert sum(once[0].stay.values()) == 2
    monkeypatch.setattr(redriving, "LETTERS_MAX", 25)
    monkeypatch.setattr(redriving, "TAKEN_MAX", 40)
    assert came(parts) == once


def test_what_came_in_before_a_registry_was_needed_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    letters(tmp_path / "h.db")
    with pytest.raises(RegistryNeededError) as refused:
        came(tmp_path / "h.db", registry_url=NOBODY)
    assert "nothing was done" in refused.value.next_step
    monkeypatch.setattr(redriving, "LETTERS_MAX", 25)
    monkeypatch.setattr(redriving, "TAKEN_MAX", 40)
    with pytest.raises(RegistryNeededError) as refused:
        came(tmp_path / "h.db", registry_url=NOBODY)
    assert "letters came in before that" in refused.value.next_step
