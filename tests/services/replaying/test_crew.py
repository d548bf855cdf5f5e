"""Processes side by side: what goes wrong in one is told, and none outlives the replay."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from services.errors import PitproofError
from services.history.arrival import arrival_of
from services.history.frozen import FrozenHistory
from services.history.sql.source import SqlSource
from services.replaying import service
from services.replaying.crew import Crew, ReplayFailedError
from services.replaying.lot import Lot
from services.replaying.service import ReplayAsked, replayed
from services.report.gather import Scope
from services.settings import Settings
from tests.services.replaying.build import floor, kept


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return kept(tmp_path_factory.mktemp("evening") / "h.db", floor(31, rounds=20, faults=False))


def lots(path: Path, count: int, **more: object) -> list[Lot]:
    with FrozenHistory.over(SqlSource(database=path)) as history:
        shares = arrival_of(history).shares(count)
    return [Lot(share, Scope(), {}, None, rows=50) for share in shares]


def test_one_that_is_killed_is_told(evening: Path, started: list[subprocess.Popen[bytes]]) -> None:
    with Crew(SqlSource(database=evening)) as crew:
        told = crew.work(lots(evening, 2))
        next(told)
        started[1].send_signal(signal.SIGKILL)
        with pytest.raises(ReplayFailedError) as failed:
            list(told)
    assert "signal 9" in failed.value.message
    assert "--cores" in failed.value.next_step
    assert [each.returncode for each in started] == [-9, -9]


def test_what_one_cannot_do_is_told_as_it_said(tmp_path: Path) -> None:
    [lot] = lots(kept(tmp_path / "h.db", floor(1, rounds=1, faults=False)), 1)
    with (
        pytest.raises(PitproofError) as failed,
        Crew(SqlSource(database=tmp_path / "no.db")) as crew,
    ):
        list(crew.work([lot]))
    assert "there is no history" in failed.value.message


def test_a_fault_of_one_shows_where_it_lies(evening: Path) -> None:
    [lot] = lots(evening, 1)
    broken = Lot(lot.arrival, Scope(game="NO_SUCH_GAME"), {}, None)
    with (
        pytest.raises(RuntimeError, match="NO_SUCH_GAME"),
        Crew(SqlSource(database=evening)) as crew,
    ):
        list(crew.work([broken]))


def test_none_goes_on_once_nobody_waits(
    evening: Path, started: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "EVENTS_A_PROCESS_MIN", 1)

    class Impatient:
        def judging(self, judged: int, total: int) -> None:
            raise KeyboardInterrupt

    asked = ReplayAsked(cores=3, rows=50)
    with pytest.raises(KeyboardInterrupt):
        with replayed(SqlSource(database=evening), asked, Settings(), Impatient()):
            pass
    assert len(started) == 2
    assert [each.poll() for each in started] == [-9, -9]


def test_progress_ends_with_all_events(evening: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "EVENTS_A_PROCESS_MIN", 1)
    shown: list[tuple[int, int]] = []

    class Noting:
        def judging(self, judged: int, total: int) -> None:
            shown.append((judged, total))

    with replayed(SqlSource(database=evening), ReplayAsked(cores=2, rows=50), Settings(), Noting()):
        pass
    with FrozenHistory.over(SqlSource(database=evening)) as history:
        count = history.count("SELECT count(*) FROM events")
    assert [judged for judged, _ in shown] == sorted(judged for judged, _ in shown)
    assert {total for _, total in shown} == {count}
    assert shown[-1] == (count, count)
    assert len(shown) > 10
