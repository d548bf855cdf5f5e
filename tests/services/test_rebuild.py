"""A history made again of sealed days is the same: its digests, what was known when, its future."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from replay.rulebook.loader import Rulebook, load_rulebook
from services.audit import made_with
from services.errors import PitproofError
from services.gaps import open_gaps, release_gap
from services.history.changes import changes_after
from services.history.digests import events_digest, findings_digest
from services.history.errors import HistoryMadeOtherwiseError
from services.history.sealed.errors import SealedDamagedError
from services.history.sealed.folder import folder_of
from services.history.store import History
from services.history.whole import all_problems
from services.judging import judge
from services.known import as_known_at
from services.rebuild import HistoryThereError, from_files, from_sealed
from services.sealing import seal_all
from services.settings import Settings
from tests.services.arrivals import append, arriving, evening, held, portions, troubled

FIRST = datetime(2026, 5, 1, tzinfo=UTC)
LATER = datetime(2026, 6, 1, tzinfo=UTC)
SETTINGS = Settings()
SAMPLES = Path(__file__).parents[1] / "samples"


class Nobody:
    """Is not told anything."""

    def reading(self, done: int, total: int) -> None: ...
    def judging(self, done: int, total: int) -> None: ...
    def checking(self, done: int, total: int) -> None: ...


@pytest.fixture(scope="module")
def rulebook() -> Rulebook:
    return load_rulebook()


def take(
    history: History, rulebook: Rulebook, cut: Sequence[Sequence[Any]], first: int = 0
) -> None:
    """A transaction a minute for each portion."""
    for number, events in enumerate(cut, start=first):
        with history.transaction(at=FIRST + timedelta(minutes=number)):
            judge(history, rulebook, append(history, events).changed())


def seal(path: Path, until: date | None = None) -> int:
    with History.open(path) as history:
        return len(list(seal_all(history, SETTINGS, until=until, clock=lambda: LATER)))


def facts(path: Path) -> dict[str, Any]:
    """What a history holds and concludes, whole as it is."""
    with History.open(path, create=False) as history:
        assert list(all_problems(history, folder_of(path))) == []
        return {
            "events": events_digest(history),
            "findings": findings_digest(history),
            "held": held(history),
            "changes": changes_after(history, 0),
            "alerts": history.rows("FROM alerts WHERE status = 'open' ORDER BY ALL"),
        }


def known(path: Path, rulebook: Rulebook) -> Iterator[tuple[str, str]]:
    """The digests of what was known at some times."""
    with History.open(path, create=False) as history:
        for minutes in (-1, 1, 4):
            with as_known_at(history, rulebook, FIRST + timedelta(minutes=minutes)) as then:
                yield events_digest(then), findings_digest(then)


@pytest.fixture(scope="module")
def cut() -> list[list[dict[str, object]]]:
    """An evening of two tables on two gaming days, late, in conflict, with gaps, in portions."""
    random = Random(11)
    came = [
        event
        for game, seed in (("RT", 9), ("DD", 4))
        for event in arriving(troubled(evening(game, seed, 3), random), random, 0.1)
    ]
    return [list(part) for part in portions(came, random, 120)]


@pytest.fixture(scope="module")
def grown(
    cut: list[list[dict[str, object]]],
    rulebook: Rulebook,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """Their history, a gap released, sealed in three goes with amendments between."""
    path = tmp_path_factory.mktemp("grown") / "h.db"
    half = len(cut) // 2
    with History.open(path) as history:
        history.require(made_with(rulebook, None))
        take(history, rulebook, cut[:half])
    seal(path)
    with History.open(path) as history:
        take(history, rulebook, cut[half:], first=half)
        gap = open_gaps(history)[0]
        table, seq = gap.table_id, gap.first_missing_seq
        release_gap(history, rulebook, table, seq, by="Ann", why="lost")
    assert seal(path) >= 2
    return path


def again(path: Path, below: Path, settings: Settings = SETTINGS) -> Path:
    from_sealed(path, below, settings, Nobody())
    return path


def test_the_same_history_in_another_place(grown: Path, tmp_path: Path, rulebook: Rulebook) -> None:
    rebuilt = again(tmp_path / "again.db", folder_of(grown).path)
    assert facts(rebuilt) == facts(grown)
    assert list(known(rebuilt, rulebook)) == list(known(grown, rulebook))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["again.db", "again.db.head"]


def test_the_same_history_in_its_own_place_goes_on(
    grown: Path, tmp_path: Path, rulebook: Rulebook
) -> None:
    path = tmp_path / "h.db"
    for each in grown.parent.rglob("*"):
        target = tmp_path / each.relative_to(grown.parent)
        if each.is_file() and each != grown:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(each.read_bytes())
    again(path, folder_of(path).path)
    assert facts(path) == facts(grown)
    late = evening("TS", 1, 2, openings=1)
    for one in (path, grown):
        with History.open(one) as history:
            take(history, rulebook, [late], first=99)
        assert seal(one) == 1
        assert seal(one) == 0
    told = ("events", "findings", "held")
    assert [facts(path)[name] for name in told] == [facts(grown)[name] for name in told]
    numbers = [len(folder_of(one).chain().manifests) for one in (path, grown)]
    assert numbers[0] == numbers[1]


def test_what_is_not_sealed_comes_in_again(rulebook: Rulebook, tmp_path: Path) -> None:
    path, part = tmp_path / "h.db", tmp_path / "part.db"
    random = Random(12)
    came = arriving(evening("RT", 8, 3), random, 0.1)
    assert {e["gaming_day"] for e in came if e["type"] == "TableOpened"} == {
        "2026-03-01",
        "2026-03-02",
    }
    cut = [list(portion) for portion in portions(came, random, 120)]
    with History.open(path) as history:
        history.require(made_with(rulebook, None))
        take(history, rulebook, cut)
    assert seal(path, until=date(2026, 3, 1)) == 1
    again(part, folder_of(path).path)
    before = facts(part)
    assert 0 < len(before["held"]["rounds"]) < len(facts(path)["held"]["rounds"])
    with History.open(part) as history:
        take(history, rulebook, cut, first=50)
    assert facts(part)["events"] == facts(path)["events"]
    assert facts(part)["findings"] == facts(path)["findings"]


def test_a_correction_after_its_day_was_sealed_is_an_amendment(
    tmp_path: Path, rulebook: Rulebook
) -> None:
    """New findings, the chain whole, and the same digest out of sealed days."""
    path = tmp_path / "h.db"
    events = evening("RT", 5, 4, openings=1)
    settled = next(e for e in events if e["type"] == "WagerSettled" and e["outcome"] == "WIN")
    correction = {
        "type": "PayoutCorrected",
        "event_id": "00000000-0000-4000-8000-00000000c0c0",
        "table_id": settled["table_id"],
        "seq": events[-1]["seq"] + 1,
        "occurred_at": "2026-03-01T23:00:00.000000Z",
        "round_id": settled["round_id"],
        "corrects": settled["event_id"],
        "outcome": "WIN",
        "paid_cents": settled["paid_cents"] + 700,
        "authorised_by": "Ann",
        "note": None,
    }
    with History.open(path) as history:
        history.require(made_with(rulebook, None))
        take(history, rulebook, [events])
    assert seal(path) == 1
    with History.open(path) as history:
        before = findings_digest(history)
        take(history, rulebook, [[correction]], first=60)
        assert findings_digest(history) != before
    assert seal(path) == 1
    last = folder_of(path).chain().manifests[-1]
    assert (last.amends, last.events) == (1, 1)
    assert last.finding_changes > 0
    rebuilt = again(tmp_path / "again.db", folder_of(path).path)
    assert facts(rebuilt) == facts(path)


def test_never_over_another(grown: Path, tmp_path: Path) -> None:
    there = tmp_path / "there.db"
    History.open(there).close()
    content = there.read_bytes()
    with pytest.raises(HistoryThereError, match="a history already"):
        again(there, folder_of(grown).path)
    assert there.read_bytes() == content
    log = tmp_path / "gone.db.wal"
    log.write_bytes(b"x")
    with pytest.raises(HistoryThereError, match="is left of a history"):
        again(tmp_path / "gone.db", folder_of(grown).path)


def damaged(below: Path) -> None:
    file = sorted(below.rglob("events-*.parquet"))[0]
    file.write_bytes(file.read_bytes()[:-1])


def shortened(below: Path) -> None:
    (below / "manifests" / "000001.json").unlink()


@pytest.mark.parametrize("broken", [damaged, shortened, lambda below: None])
def test_of_days_that_are_not_whole_nothing_is_made(
    grown: Path, tmp_path: Path, broken: Any
) -> None:
    below = tmp_path / "sealed"
    for file in folder_of(grown).path.rglob("*") if broken in (damaged, shortened) else ():
        if file.is_file():
            target = below / file.relative_to(folder_of(grown).path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read_bytes())
    broken(below)
    with pytest.raises(SealedDamagedError):
        again(tmp_path / "again.db", below)
    assert not list(tmp_path.glob("*again.db*"))


def test_interrupted_it_leaves_nothing(grown: Path, tmp_path: Path) -> None:
    class Impatient(Nobody):
        def judging(self, done: int, total: int) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        from_sealed(tmp_path / "again.db", folder_of(grown).path, SETTINGS, Impatient())
    with pytest.raises(KeyboardInterrupt):
        from_files(tmp_path / "f.db", [str(SAMPLES / "evening.jsonl")], SETTINGS, Impatient())
    assert list(tmp_path.iterdir()) == []


def test_by_other_readings_it_is_another_history(grown: Path, tmp_path: Path) -> None:
    other = Settings(readings={"RT-RANGE": "whole-multiples"})
    with pytest.raises(HistoryMadeOtherwiseError, match="RT-RANGE"):
        again(tmp_path / "again.db", folder_of(grown).path, other)
    assert list(tmp_path.iterdir()) == []


def test_of_files_it_is_what_an_audit_makes(evening_db: Path, tmp_path: Path) -> None:
    path = tmp_path / "again.db"
    made = from_files(path, [str(SAMPLES / "evening.jsonl")], SETTINGS, Nobody())
    with History.open(evening_db, create=False) as history:
        expected = (events_digest(history), findings_digest(history))
    assert (made.events_digest, made.findings_digest) == expected
    with pytest.raises(PitproofError):
        from_files(tmp_path / "no.db", [str(SAMPLES / "README.md")], SETTINGS, Nobody())
    assert sorted(each.name for each in tmp_path.iterdir()) == ["again.db", "again.db.head"]
