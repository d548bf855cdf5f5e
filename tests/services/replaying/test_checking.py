"""Findings kept are held against findings computed: same where they are, named where not."""

from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import pytest

from services.history.digests import findings_digest
from services.history.store import History
from services.replaying import service
from services.report.gather import Scope
from tests.property.test_carriers_agree import weird
from tests.services.replaying.build import Answer, checked, floor, kept

SIZES = (1, 40, 10**6)


def digest_of(path: Path, where: str = "true") -> tuple[int, str]:
    """Rounds and digest as the history has them, of some of it."""
    copy = path.with_suffix(".some")
    shutil.copyfile(path, copy)
    with History.open(copy) as history:
        rounds = history.count(f"SELECT count(*) FROM rounds WHERE {where}")  # noqa: S608
        history.run(f"DELETE FROM findings WHERE NOT coalesce({where}, false)")  # noqa: S608
        return rounds, findings_digest(history)


@pytest.mark.parametrize("seed", range(3))
def test_one_digest_at_any_size_and_twice(seed: int, tmp_path: Path) -> None:
    path = kept(tmp_path / "h.db", weird(seed))
    expected = digest_of(path)
    for rows in (*SIZES, SIZES[-1]):
        answer = checked(path, rows=rows, cores=1)
        assert (answer.rounds, answer.digest, answer.differences) == (*expected, [])


def test_one_digest_in_processes_side_by_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "EVENTS_A_PROCESS_MIN", 1)
    path = kept(tmp_path / "h.db", floor(5, rounds=6))
    expected = digest_of(path)
    for rows, cores in ((100, 1), (100, 2), (10**6, 3)):
        answer = checked(path, rows=rows, cores=cores)
        assert (answer.rounds, answer.digest, answer.differences) == (*expected, [])


def test_what_came_late_and_in_parts_is_settled_as_it_is_kept(tmp_path: Path) -> None:
    events = weird(7)
    Random(1).shuffle(events)
    third = len(events) // 3
    parts = events[:third], events[third : 2 * third], events[2 * third :]
    path = kept(tmp_path / "h.db", *parts)
    expected = digest_of(path)
    for rows in SIZES:
        answer = checked(path, rows=rows, cores=1)
        assert (answer.rounds, answer.digest, answer.differences) == (*expected, [])


CHANGES = {
    "removed": ("DELETE FROM findings WHERE finding_id = ?", [False]),
    "altered": (
        "UPDATE findings SET clause = 'none' WHERE finding_id = ?",
        [True, False],
    ),
    "moved": (
        "UPDATE findings SET finding_id = '00000000000000000000000000000001' WHERE finding_id = ?",
        [True, False],
    ),
    "shown by others": (
        "UPDATE findings SET event_nos = [event_nos[1] + 1] WHERE finding_id = ?",
        [True, False],
    ),
    "kept twice": ("INSERT INTO findings SELECT * FROM findings WHERE finding_id = ?", [True]),
    "worded otherwise": ("UPDATE findings SET message = 'x' WHERE finding_id = ?", []),
}


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Answer]:
    path = kept(tmp_path_factory.mktemp("evening") / "h.db", floor(2, rounds=6))
    return path, checked(path)


@pytest.mark.parametrize("change", CHANGES)
def test_each_difference_is_named_by_its_side(
    change: str, evening: tuple[Path, Answer], tmp_path: Path
) -> None:
    unchanged, whole = evening
    path = tmp_path / "h.db"
    shutil.copyfile(unchanged, path)
    statement, sides = CHANGES[change]
    with History.open(path) as history:
        ((finding_id, table_id),) = history.rows(
            "SELECT finding_id::VARCHAR, table_id FROM findings WHERE code = 'OVERPAID' LIMIT 1"
        )
        history.run(statement, [finding_id])
    answer = checked(path)
    assert (answer.rounds, answer.digest) == (whole.rounds, whole.digest)  # as computed
    assert [each["kept"] is not None for each in answer.differences] == sides
    for each in answer.differences:
        finding: dict[str, Any] = each["kept"] or each["computed"]
        assert (each["kept"] is None) != (each["computed"] is None)
        assert finding["finding_id"] == each["finding_id"]
        assert (finding["code"], finding["table_id"]) == ("OVERPAID", table_id)
        assert finding["event_ids"]
    assert not checked(path, Scope(table_id=table_id, last_day=date(2000, 1, 1))).differences


def test_filters_take_the_findings_and_rounds_that_they_name(tmp_path: Path) -> None:
    first, second = floor(3, rounds=6), floor(4, rounds=6)
    last = {event["table_id"]: event["seq"] for event in first}
    for event in second:  # the day after, at the same tables
        event["seq"] += last.get(event["table_id"], 0)
        if event["type"] == "TableOpened":
            event["gaming_day"] = "2026-03-07"
        if "round_id" in event:
            event["round_id"] += "-2"
    path = kept(tmp_path / "h.db", first, second)
    day = date(2026, 3, 7)
    for scope, where in (
        (Scope(), "true"),
        (Scope(table_id="DD-01"), "table_id = 'DD-01'"),
        (Scope(game="TEXAS_SHOOTOUT"), "game = 'TEXAS_SHOOTOUT'"),
        (Scope(first_day=day), "gaming_day >= '2026-03-07'"),
        (Scope(last_day=day.replace(day=6)), "gaming_day <= '2026-03-06'"),
        (
            Scope(first_day=day, last_day=day, game="RUN_EM_TWICE"),
            "gaming_day = '2026-03-07' AND game = 'RUN_EM_TWICE'",
        ),
        (Scope(first_day=date(2030, 1, 1)), "false"),
    ):
        answer = checked(path, scope)
        assert (answer.rounds, answer.digest, answer.differences) == (*digest_of(path, where), [])
    assert checked(path).rounds > checked(path, Scope(first_day=day)).rounds > 0
