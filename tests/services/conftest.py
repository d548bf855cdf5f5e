"""The history of the samples' evening (300 rounds, 17 findings), and what processes start."""

import subprocess
from pathlib import Path

import pytest

from services.audit import audit

SAMPLES = Path(__file__).parents[1] / "samples"


@pytest.fixture(scope="session")
def evening_db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made once, and only read."""
    path = tmp_path_factory.mktemp("three-tables") / "evening.db"
    audit([str(SAMPLES / "evening.jsonl")], db=str(path))
    return path


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """Every process that is started."""
    processes: list[subprocess.Popen[bytes]] = []

    class Noted(subprocess.Popen):  # type: ignore[type-arg]
        def __init__(self, *arguments: object, **more: object) -> None:
            super().__init__(*arguments, **more)  # type: ignore[call-overload]
            processes.append(self)

    monkeypatch.setattr("services.processes.subprocess.Popen", Noted)
    return processes
