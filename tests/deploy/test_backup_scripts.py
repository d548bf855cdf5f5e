"""The scripts for backup and restore refuse what they cannot do before they touch anything."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.tidy.project import ROOT


def script(name: str, *words: object, command: str = "true") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(ROOT / "deploy" / name), *map(str, words)],
        env={**os.environ, "PITPROOF": command},
        check=False,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("name", ["backup.sh", "restore.sh"])
def test_without_the_command_nothing_is_copied(name: str, tmp_path: Path) -> None:
    history = tmp_path / "history.duckdb"
    history.write_bytes(b"")
    refused = script(name, history, tmp_path / "there", command="/nowhere/pitproof")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert f"{name}: /nowhere/pitproof: no such command" in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["history.duckdb"]


def test_a_folder_that_is_no_backup_is_named(tmp_path: Path) -> None:
    refused = script("restore.sh", tmp_path / "gone", tmp_path / "history.duckdb")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert f"{tmp_path / 'gone'}: no backup" in refused.stderr


def backup(folder: Path) -> Path:
    """As `backup.sh` leaves one, of a history that is a word."""
    folder.mkdir()
    (folder / "history.duckdb").write_text("history")
    (folder / "history.duckdb.head").write_text("head")
    sums = subprocess.run(
        ["sha256sum", "history.duckdb", "history.duckdb.head"],
        cwd=folder,
        check=True,
        capture_output=True,
    ).stdout
    (folder / "SHA256SUMS").write_bytes(sums)
    return folder


def test_a_history_that_is_there_is_left(tmp_path: Path) -> None:
    history = tmp_path / "there.duckdb"
    history.write_text("mine")
    refused = script("restore.sh", backup(tmp_path / "backup"), history)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "is there: move it away" in refused.stderr
    assert history.read_text() == "mine"


def test_a_backup_that_was_changed_is_refused(tmp_path: Path) -> None:
    changed = backup(tmp_path / "backup")
    (changed / "history.duckdb").write_text("histori")
    refused = script("restore.sh", changed, tmp_path / "history.duckdb")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "is not as backup.sh left it" in refused.stderr
    assert not (tmp_path / "history.duckdb").exists()


@pytest.mark.parametrize(("command", "status"), [("true", 0), ("false", 1)])
def test_a_restore_ends_as_its_verification_does(command: str, status: int, tmp_path: Path) -> None:
    put = script("restore.sh", backup(tmp_path / "backup"), tmp_path / "a" / "b", command=command)
    assert put.returncode == status, put.stderr
    assert (tmp_path / "a" / "b").read_text() == "history"
    assert (tmp_path / "a" / "b.head").read_text() == "head"
