"""The thread that seals beside a service waits for the topic, tells how it goes, ends when told."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from services.api.server import serving
from services.errors import PitproofError
from services.history.reader import HistoryReader
from services.history.records import records_of
from services.history.sealed.anchors import DAY_SEALED
from services.history.sealed.folder import folder_of
from services.history.store import History
from services.live import sealing as module
from services.live.sealing import sealing
from services.live.state import ServiceState
from services.metrics import Metrics
from services.settings import Settings
from tests.services.history.build import append, evening
from tests.services.history.sealed.days import FIRST, SECOND, days_of, grown

SETTINGS = Settings(seal_quiet_seconds=0)
SECONDS_MAX = 60.0


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(module, "READY_SECONDS", 0.02)


class Beside:
    """A history with the thread beside it; the test is the thread that writes."""

    def __init__(self, history: History) -> None:
        self.history, self.state = history, ServiceState()
        self.said: list[tuple[str, Mapping[str, Any]]] = []

    @contextmanager
    def sealing(self) -> Iterator[None]:
        with sealing(self.history, self.state, SETTINGS, lambda *one: self.said.append(one)):
            yield

    def until(self, true: Any) -> None:
        until = time.monotonic() + SECONDS_MAX
        while not true():
            self.state.do_asked()
            assert time.monotonic() < until
            time.sleep(0.01)

    def recorded(self) -> int:
        return len(records_of(self.history, DAY_SEALED))


def test_days_are_sealed_once_the_topic_is_caught_up_with(tmp_path: Path) -> None:
    path = grown(tmp_path / "h.db", days_of("A", FIRST, SECOND))
    with History.open(path) as history:
        beside, metrics = Beside(history), Metrics()
        value = metrics.registry.get_sample_value
        with (
            serving(history, beside.state, SETTINGS, listen="127.0.0.1:0", metrics=metrics),
            beside.sealing(),
        ):
            time.sleep(0.3)
            assert beside.said == []
            beside.state.settled(True)
            beside.until(lambda: beside.recorded() == 2)
            append(history, evening("B", 2))
            beside.until(lambda: beside.recorded() == 3)
            metrics.show(beside.state.snapshot())
        assert [fields["gaming_day"] for _, fields in beside.said] == [
            "2026-03-01",
            "2026-03-02",
            "2026-03-01",
        ]
        assert [fields.get("amends") for _, fields in beside.said] == [None, None, 1]
        assert value("pitproof_seal_duration_seconds_count") == 3
        assert value("pitproof_seal_overdue") == 0


def test_what_keeps_a_day_from_being_sealed_is_a_problem_until_it_is_over(tmp_path: Path) -> None:
    path = grown(tmp_path / "h.db", days_of("A", FIRST))
    with History.open(path) as history:
        beside = Beside(history)
        beside.state.settled(True)
        folder_of(path).path.write_bytes(b"in the way")
        with beside.sealing():
            beside.until(lambda: beside.state.snapshot().problems)
            [problem] = beside.state.snapshot().problems
            assert (problem.code, problem.is_stopping) == ("sealing", False)
            assert beside.state.snapshot().is_ready
            folder_of(path).path.unlink()
            beside.until(lambda: beside.recorded() == 1)
            beside.until(lambda: not beside.state.snapshot().problems)


def stopped_once(begun: threading.Event, path: Path) -> None:
    """The sealing of a history is stopped once it has begun: nothing is left of it."""
    with History.open(path) as history:
        beside = Beside(history)
        beside.state.settled(True)
        with beside.sealing():
            beside.until(begun.is_set)
        assert not folder_of(path).stage.exists()
        assert folder_of(path).chain().manifests == ()


def test_a_stop_leaves_nothing_half_sealed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = grown(tmp_path / "h.db", days_of("A", FIRST))
    begun = threading.Event()
    run = History.run

    def slow(self: History, sql: str, parameters: Any = ()) -> int:
        if sql.startswith("COPY"):
            begun.set()
            return run(self, "SELECT pg_sleep(60)")
        return run(self, sql, parameters)

    monkeypatch.setattr(History, "run", slow)
    stopped_once(begun, path)


def test_a_stop_between_two_queries_is_heard_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = grown(tmp_path / "h.db", days_of("A", FIRST))
    begun, told = threading.Event(), threading.Event()
    rows = History.rows

    def late(self: History, sql: str, parameters: Any = ()) -> list[Any]:
        if sql.startswith("COPY"):
            begun.set()
            assert told.wait(60)
            return rows(self, "SELECT pg_sleep(60)")
        return rows(self, sql, parameters)

    stop = HistoryReader.stop

    def stopped(self: HistoryReader, why: PitproofError) -> None:
        if told.is_set():
            stop(self, why)
        told.set()  # the first one comes between two queries, and breaks nothing off

    monkeypatch.setattr(History, "rows", late)
    monkeypatch.setattr(HistoryReader, "stop", stopped)
    stopped_once(begun, path)
