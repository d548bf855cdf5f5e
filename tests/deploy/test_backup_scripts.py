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
