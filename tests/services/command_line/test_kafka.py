"""`pitproof kafka` where no broker is started: help and wrong values."""

from pathlib import Path

import pytest

from services.broker.development import Standing
from tests.services.command_line.conftest import Call


@pytest.fixture(autouse=True)
def _no_broker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.mark.parametrize("arguments", [(), ("up",), ("down",)])
def test_help_says_how_it_ends(pitproof: Call, arguments: tuple[str, ...]) -> None:
    ended = pitproof("kafka", *arguments, "--help")
    assert (ended.status, ended.err) == (0, "")
    assert b"Exit status" in ended.out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("up", "--nodes", "2"), "there is 1, 3"),
        (("up", "--port", "high"), "--port high"),
        (("up", "--port", "0"), "--port 0"),
        (("up", "--port", "65536"), "65,000"),
        (("up", "now"), "now"),
        (("upp",), "upp"),
    ],
)
def test_wrong_values_are_named(pitproof: Call, arguments: tuple[str, ...], told: str) -> None:
    ended = pitproof("kafka", *arguments)
    assert (ended.status, ended.out) == (2, b"")
    assert told in ended.err


def test_down_has_nothing_to_do(pitproof: Call) -> None:
    ended = pitproof("kafka", "down")
    assert (ended.status, ended.out) == (0, b"")
    assert "no broker was running" in ended.err


@pytest.mark.parametrize(
    ("flags", "end"), [((), "kafka down"), (("--dir", "my k"), "kafka down --dir 'my k'")]
)
def test_up_says_how_to_stop_this_one(
    pitproof: Call, monkeypatch: pytest.MonkeyPatch, flags: tuple[str, ...], end: str
) -> None:
    standing = Standing(Path("k"), "127.0.0.1:9092", was_running=False)
    monkeypatch.setattr("services.broker.development.up", lambda *_: standing)
    ended = pitproof("kafka", "up", *flags)
    assert (ended.status, ended.out) == (0, b"127.0.0.1:9092\n")
    assert ended.err.endswith(f"stop it with: pitproof {end}\n")


def test_without_java_up_says_what_to_install(
    pitproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    ended = pitproof("kafka", "up")
    assert (ended.status, ended.out) == (2, b"")
    assert "no java was found" in ended.err
    assert "install a Java runtime 17" in ended.err
