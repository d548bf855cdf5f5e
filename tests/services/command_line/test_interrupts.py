"""Ctrl-C while a command is still being loaded: the longest part of most calls."""

import subprocess
import sys
from pathlib import Path

import pytest

INTERRUPTED_WHILE_IMPORTING = """
import builtins, os, signal, sys

how, name, *sys.argv = sys.argv[1:]
imported, real = [], builtins.__import__

class Cleaner:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)

def watched(wanted, *rest, **named):
    if wanted == name and not imported:
        imported.append(wanted)
        if how == "in a clean-up":
            Cleaner()
        elif how == "in an extension":
            try:
                os.kill(os.getpid(), signal.SIGINT)
            except KeyboardInterrupt as error:
                raise ImportError("initialization failed") from error
        elif how == "where it aborts":
            try:
                os.kill(os.getpid(), signal.SIGINT)
            except KeyboardInterrupt:
                os.abort()
        else:
            os.kill(os.getpid(), signal.SIGINT)
    return real(wanted, *rest, **named)

builtins.__import__ = watched
from services.command_line.main import run
run()
"""


def interrupted(how: str, name: str, *arguments: object) -> tuple[int, str, list[str]]:
    """Status, output and lines of error of a call that gets Ctrl-C as it imports a module."""
    ended = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_WHILE_IMPORTING, how, name, "pitproof"]
        + [str(each) for each in arguments],
        capture_output=True,
        text=True,
    )
    return ended.returncode, ended.stdout, ended.stderr.splitlines()


@pytest.mark.parametrize("how", ["as it is", "in an extension", "in a clean-up"])
@pytest.mark.parametrize("name", ["typer", "numpy", "duckdb"])
def test_wherever_it_falls(clean: Path, name: str, how: str) -> None:
    status, out, said = interrupted(how, name, "audit", clean, "--format", "json")
    assert (status, out, len(said)) == (130, "", 1)
    assert said[0].startswith("pitproof: interrupted")


def test_while_the_database_is_loaded_it_waits(clean: Path) -> None:
    status, out, said = interrupted("where it aborts", "_duckdb", "audit", clean)
    assert (status, out, len(said)) == (130, "", 1)
    assert said[0].startswith("pitproof: interrupted")


@pytest.mark.parametrize(
    "call",
    [
        "findings --db x",
        "verify --db x",
        "ask paid --db x",
        "find --db x",
        "sql VALUES(1) --db x",
        "redrive --db x",
        "round 1 --db x",
        "settle RUN_EM_TWICE",
        "gaps --db x",
        "rulebook list",
    ],
)
def test_in_every_command(call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, said = interrupted("as it is", "services.settings", *call.split())
    assert (status, out, len(said)) == (130, "", 1)


@pytest.mark.parametrize("call", ["serve --db x", "--config x.toml serve --db x"])
@pytest.mark.parametrize("name", ["typer", "services.settings"])
def test_serve_is_there_to_be_stopped(
    call: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, said = interrupted("as it is", name, *call.split())
    assert (status, out, len(said)) == (0, "", 1)


def test_what_ends_a_process_leaves_no_temporary_files(
    gapped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    before = sorted(tmp_path.iterdir())
    script = INTERRUPTED_WHILE_IMPORTING.replace("signal.SIGINT", "signal.SIGTERM")
    call = [sys.executable, "-c", script, "as it is", "services.report.scenes", "pitproof"]
    ended = subprocess.run([*call, "audit", str(gapped)], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, len(ended.stderr.splitlines())) == (143, "", 1)
    assert sorted(tmp_path.iterdir()) == before


def test_one_that_is_ignored_stays_ignored(clean: Path) -> None:
    """A command behind `nohup`, or in the background of a script, is not reached by Ctrl-C."""
    ignored = 'trap "" INT; exec "$@"'
    call = [sys.executable, "-c", INTERRUPTED_WHILE_IMPORTING, "as it is", "numpy", "pitproof"]
    ended = subprocess.run(
        ["sh", "-c", ignored, "sh", *call, "audit", str(clean)], capture_output=True, text=True
    )
    assert (ended.returncode, ended.stderr) == (0, "")
