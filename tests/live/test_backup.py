"""Backup and restore: what was lost with the disk is read again, and nothing is told twice."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.live.conftest import Topic
from tests.live.serving import COMMAND, Stage, evening, read_all, send, wait_until
from tests.tidy.project import ROOT

pytestmark = pytest.mark.real_kafka


def script(name: str, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(ROOT / "deploy" / name), *map(str, words)],
        env={**os.environ, "PITPROOF": str(COMMAND)},
        check=False,
        capture_output=True,
        text=True,
    )


@pytest.fixture
def on(kafka: str, topic: Topic, tmp_path: Path) -> Stage:
    return Stage(kafka, tmp_path, topic(2), topic(1), topic(1))


def test_a_lost_disk_costs_nothing(on: Stage, tmp_path: Path) -> None:
    rows, history = evening(), tmp_path / "history.duckdb"
    send(on.servers, on.topic, rows[: len(rows) // 2])
    assert on.to_end().returncode == 1
    saved = script("backup.sh", history, tmp_path / "backups")
    assert saved.returncode == 0, saved.stderr
    backup = Path(saved.stdout.strip())
    assert {path.name for path in backup.iterdir()} >= {"history.duckdb", "SHA256SUMS"}

    send(on.servers, on.topic, rows[len(rows) // 2 :])
    assert on.to_end().returncode == 1
    whole, told = on.verified(), read_all(on.servers, on.findings)
    for path in tmp_path.glob("history.duckdb*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()

    restored = script("restore.sh", backup, history)
    assert restored.returncode == 0, restored.stderr
    assert 0 < on.verified()["events"] < whole["events"]
    assert on.to_end().returncode == 1
    assert on.verified() == whole == on.audited(rows)
    again = read_all(on.servers, on.findings)
    assert [record.value for record in again] == [record.value for record in told]


def test_a_history_in_use_is_not_copied(on: Stage, tmp_path: Path) -> None:
    history = tmp_path / "history.duckdb"
    with on.serving("--listen", "127.0.0.1:0"):
        wait_until((tmp_path / "history.duckdb.api").exists, "the service owns it", 300)
        refused = script("backup.sh", history, tmp_path / "backups")
    assert refused.returncode == 1
    assert "stop it first" in refused.stderr
    assert not list((tmp_path / "backups").glob("*"))
    # Killed: its address is still there, and nobody owns the history.
    assert script("backup.sh", history, tmp_path / "backups").returncode == 0


def test_a_backup_that_was_changed_or_a_history_that_is_there_is_refused(
    on: Stage, tmp_path: Path
) -> None:
    history = tmp_path / "history.duckdb"
    send(on.servers, on.topic, evening(rounds=2))
    on.to_end()
    backup = Path(script("backup.sh", history, tmp_path / "backups").stdout.strip())
    over = script("restore.sh", backup, history)
    assert over.returncode == 2
    assert "is there" in over.stderr
    with open(backup / "history.duckdb", "r+b") as file:
        file.seek(-1, os.SEEK_END)
        (last,) = file.read(1)
        file.seek(-1, os.SEEK_END)
        file.write(bytes([last ^ 1]))
    changed = script("restore.sh", backup, tmp_path / "elsewhere.duckdb")
    assert changed.returncode == 2
    assert not (tmp_path / "elsewhere.duckdb").exists()
