"""A history of one evening, and a service that owns it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.audit import audit
from tests.services.api.standing import Standing, standing

EVENING = Path(__file__).parents[2] / "samples" / "run_em_twice.jsonl"


@pytest.fixture(scope="session")
def evening_bytes(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("evening") / "evening.db"
    audit([str(EVENING)], db=str(path))
    return path.read_bytes()


@pytest.fixture
def kept(evening_bytes: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "kept.db"
    path.write_bytes(evening_bytes)
    return path


@pytest.fixture
def stands(kept: Path) -> Iterator[Standing]:
    with standing(kept) as one:
        yield one


@pytest.fixture(scope="session")
def shared(evening_bytes: bytes, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standing]:
    """A service for tests that change nothing of it."""
    path = tmp_path_factory.mktemp("shared") / "shared.db"
    path.write_bytes(evening_bytes)
    with standing(path) as one:
        yield one
