"""What a user may do who may only read, or not even that."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.audit import audit

SAMPLE = Path(__file__).parents[2] / "samples" / "run_em_twice.jsonl"

CALLED = """
import contextlib, io, json, os, sys
from services.command_line.main import main

class Both(io.TextIOWrapper):
    def __init__(self):
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)

def called(arguments):
    out, err = Both(), Both()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(arguments)
    return status, out.buffer.getvalue().decode(), err.buffer.getvalue().decode()

calls, own = json.load(sys.stdin), sys.argv[1]
for call in calls.values():  # everything is imported once it is somebody else's turn
    called([word.replace("THERE", own) for word in call])
if os.geteuid() == 0:  # may read anything
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
json.dump({name: called([w.replace("THERE", sys.argv[2]) for w in call])
           for name, call in calls.items()}, sys.stdout)
"""

READING = {
    "findings": ["findings", "--db", "THERE/h.db", "--format", "json"],
    "known": ["findings", "--db", "THERE/h.db", "--as-known-at", "2199-01-01T00:00"],
    "verify": ["verify", "--db", "THERE/h.db"],
    "round": ["round", "RT-12-000001", "--db", "THERE/h.db"],
    "find": ["find", "RT-12", "--db", "THERE/h.db"],
    "gaps": ["gaps", "--db", "THERE/h.db"],
}
WRITING = {
    "audit": ["audit", str(SAMPLE), "--db", "THERE/h.db"],
}
BESIDE = {
    "new history": ["audit", str(SAMPLE), "--db", "THERE/n.db"],
    "output": ["audit", str(SAMPLE), "--output", "THERE/report.txt"],
}
INPUT = {
    "events": ["audit", "THERE/events.jsonl"],
    "config": ["rulebook", "list", "--config", "THERE/p.toml"],
}


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A history and events, in a folder that another user may get to; pytest's own lets none in."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        (place / "own").mkdir()
        audit([str(SAMPLE)], db=str(place / "own" / "h.db"))
        shutil.copy(SAMPLE, place / "own" / "events.jsonl")
        (place / "own" / "p.toml").write_text("timezone = 'UTC'\n")
        shutil.copytree(place / "own", place / "there")
        place.chmod(0o755)
        (place / "scratch").mkdir()
        (place / "scratch").chmod(0o777)
        yield place
        (place / "there").chmod(0o755)


def as_nobody(folder: Path, calls: dict[str, list[str]]) -> dict[str, tuple[int, str, str]]:
    """Status, output and error of calls by a user whom nothing there belongs to."""
    ended = subprocess.run(
        [sys.executable, "-c", CALLED, folder / "own", folder / "there"],
        input=json.dumps(calls),
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder / "scratch")},
    )
    assert ended.returncode == 0, ended.stderr
    told: dict[str, tuple[int, str, str]] = json.loads(ended.stdout)
    return told


def test_a_history_that_cannot_be_written_can_be_read(folder: Path) -> None:
    (folder / "there").chmod(0o555)
    told = as_nobody(folder, READING | WRITING | BESIDE)
    assert {name: told[name][0] for name in READING} == {
        **dict.fromkeys(READING, 0),
        **{"findings": 1, "known": 1},
    }
    assert told["findings"][1].startswith('{"version": 1,')
    for name in WRITING | BESIDE:
        status, out, err = told[name]
        assert (status, out) == (2, "")
        assert "no permission to" in err
        assert "right" in err.splitlines()[1]  # what to do about it
    assert "work on a copy" in told["audit"][2]


def test_a_folder_that_lets_nobody_in_is_said_to_be(folder: Path) -> None:
    (folder / "there").chmod(0o700)
    if os.geteuid() != 0:
        pytest.skip("only root can call as somebody else")
    told = as_nobody(folder, READING | WRITING | BESIDE | INPUT)
    for name, (status, out, err) in told.items():
        assert (status, out) == (2, ""), name
        assert "ermission" in err
        assert "Traceback" not in err
