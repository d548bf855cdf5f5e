"""The history of the samples' evening: three tables, 300 rounds, 17 findings."""

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
