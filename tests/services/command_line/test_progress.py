"""What a terminal shows of a command that takes its time, and what nothing else is shown."""

import io
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from services.command_line import progress
from services.command_line.progress import Progress
from tests.services.command_line.conftest import Call


class Terminal(io.StringIO):
    """A standard error that people look at."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """One whose people have no patience."""
    shown = Terminal()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=shown))  # pytest has the real one
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return shown


def wait_for(terminal: Terminal, words: str) -> None:
    deadline = time.monotonic() + 60
    while words not in terminal.getvalue():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_work_that_nobody_can_measure_is_seen_to_go_on(terminal: Terminal) -> None:
    with Progress("verify"):
        wait_for(terminal, "verify")


def test_work_that_can_be_measured_is(terminal: Terminal) -> None:
    with Progress("reading") as told:
        told.reading(25, 100)
        wait_for(terminal, "25%")
        told.working("playing the whole game")
        wait_for(terminal, "playing the whole game")
        told.judging(100, 100)
        wait_for(terminal, "100%")


def test_a_quick_command_shows_nothing(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 3_600.0)
    with Progress("verify") as told:
        told.reading(25, 100)
    assert terminal.getvalue() == ""


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_who_wants_no_bar_sees_none(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with Progress("verify") as told:
        told.reading(25, 100)
        time.sleep(0.05)
    assert terminal.getvalue() == ""


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (("simulate", "RUN_EM_TWICE", "--rounds", "2", "--output", "x.jsonl"), "dealing rounds"),
        (("audit", "x.jsonl", "--db", "h.db"), "reading"),
        (("findings", "--db", "h.db"), "findings"),
        (("verify", "--db", "h.db"), "verify"),
        (("redrive", "--db", "h.db", "--dry-run"), "redrive"),
    ],
)
def test_commands_that_may_take_long_say_how_far_they_are(
    pitproof: Call, terminal: Terminal, call: tuple[str, ...], words: str
) -> None:
    if call[0] != "simulate":
        assert (
            pitproof("simulate", "RUN_EM_TWICE", "--rounds", "2", "--output", "x.jsonl").status == 0
        )
    if "h.db" in call and call[0] != "audit":
        assert pitproof("audit", "x.jsonl", "--db", "h.db").status == 0
    terminal.truncate(0)
    ended = pitproof(*call)
    assert (ended.status, Path("x.jsonl").exists()) == (0, True)
    assert words in terminal.getvalue()
