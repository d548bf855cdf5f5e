"""Receivers that listen, and a table."""

from collections.abc import Iterator

import pytest

from services.history.store import History
from tests.services.alerts.receiving import Receiving, receiving
from tests.services.alerts.scene import table


@pytest.fixture
def at() -> Iterator[Receiving]:
    with receiving() as one:
        yield one


@pytest.fixture
def history() -> Iterator[History]:
    with table() as one:
        yield one


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks and tries again sooner than people need it."""
    monkeypatch.setattr("services.alerts.delivery.LOOK_SECONDS", 0.05)
    monkeypatch.setattr("services.alerts.delivery.RETRY_SECONDS_MIN", 0.05)
