"""When a service seals a day: once it is over and quiet, but not never."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from services.history.journal import Journal
from services.history.reader import Readers
from services.history.sealed.anchors import catch_up
from services.history.sealed.folder import folder_of
from services.history.store import History
from services.sealing import Sealing
from services.settings import Settings
from tests.services.history.build import Event, arrow, evening
from tests.services.history.sealed.days import FIRST, SECOND, days_of

OVER = datetime(2026, 3, 2, 13, tzinfo=UTC)  # 06:00 in Denver


class Floor:
    """A history that grows and is sealed by a clock of its own."""

    def __init__(self, history: History, quiet_seconds: int = 600) -> None:
        self.history = history
        self.at = OVER - timedelta(hours=5)
        self.sealing = Sealing(Settings(seal_quiet_seconds=quiet_seconds), lambda: self.at)
        self.readers = Readers(history)

    def comes(self, events: list[Event]) -> None:
        with self.history.transaction(at=self.at):
            journal = Journal(self.history)
            journal.append("a.jsonl", arrow(events))
            journal.decide()

    def sealed(self, minutes: float) -> list[date]:
        """What a look so much later seals."""
        self.at += timedelta(minutes=minutes)
        with self.readers.reader() as reader:
            days = [each.manifest.gaming_day for each in self.sealing.step(reader)]
        catch_up(self.history, folder_of(self.history.path).chain())
        return days


def test_a_day_is_sealed_once_it_is_over_and_nothing_comes(tmp_path: Path) -> None:
    events = days_of("A", FIRST, rounds=3)
    with History.open(tmp_path / "h.db") as history:
        floor = Floor(history)
        floor.comes(events[:10])
        assert floor.sealed(299) == []
        assert list(floor.sealing.overdue) == []
        floor.comes(events[10:12])  # a minute before six
        assert floor.sealed(5) == []
        assert list(floor.sealing.overdue) == [FIRST]
        floor.comes(events[12:15])
        assert floor.sealed(9) == []
        assert floor.sealed(2) == [FIRST]
        assert list(floor.sealing.overdue) == []
        floor.comes(events[15:])
        assert floor.sealed(9) == []
        assert list(floor.sealing.overdue) == []
        assert floor.sealed(2) == [FIRST]
        assert floor.sealed(1_000) == []


def test_a_table_that_goes_on_for_ever_is_sealed_now_and_then(tmp_path: Path) -> None:
    events = evening("A", 5)
    with History.open(tmp_path / "h.db") as history:
        floor = Floor(history, quiet_seconds=3_600)
        floor.comes(events[:3])
        floor.sealed(299)
        hours_after = []
        for number in range(1, 17):
            floor.comes([events[2 + number]])
            if floor.sealed(55):
                hours_after.append(number * 55 // 60)
        assert hours_after == [6, 12]
        assert len(folder_of(history.path).chain().manifests) == 2


def test_days_of_long_ago_are_left_until_all_of_them_came(tmp_path: Path) -> None:
    events = days_of("A", FIRST, SECOND)
    with History.open(tmp_path / "h.db") as history:
        floor = Floor(history)
        floor.at = OVER + timedelta(days=100)
        for at in range(0, len(events), 5):
            floor.comes(events[at : at + 5])
            assert floor.sealed(1) == []
        assert floor.sealed(10) == [FIRST, SECOND]
