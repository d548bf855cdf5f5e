"""A floor from a seed: the same every time, and nothing wrong with it unless asked for."""

import io
import os
import subprocess
import sys
from collections import Counter, defaultdict
from datetime import datetime
from pathlib import Path
from typing import Final

import pytest

from services.encode import avro_record
from services.settings import Settings
from services.simulate.faults.fault import FindingRow
from services.simulate.scribe import Event
from services.simulate.service import FloorPlan, faults_for, games_available, simulate_floor
from services.simulate.writing import expected_json, write_events
from tests.services.simulate.floors import differences, oracle_dues, played

GAMES = games_available()
ROOT: Final = Path(__file__).resolve().parents[3]


def evening(seed: int, faults: tuple[str, ...] = ()) -> tuple[list[Event], list[FindingRow]]:
    return played(FloorPlan(GAMES, tables=2, rounds=12, seed=seed, faults=faults), oracle_dues)


def as_bytes(events: list[Event], rows: list[FindingRow]) -> bytes:
    file = io.BytesIO()
    write_events(events, file, "jsonl")
    return file.getvalue() + expected_json(rows)


def test_the_same_seed_gives_the_same_bytes() -> None:
    faults = faults_for(GAMES)
    assert as_bytes(*evening(7, faults)) == as_bytes(*evening(7, faults))


def test_the_order_of_hashes_changes_nothing() -> None:
    program = (
        "import hashlib, io\n"
        "from services.simulate.service import FloorPlan, faults_for, games_available\n"
        "from services.simulate.writing import expected_json, write_floor\n"
        "file = io.BytesIO()\n"
        "faults = faults_for(games_available())\n"
        "rows = write_floor(FloorPlan(rounds=20, seed=9, faults=faults), file, 'jsonl')\n"
        "print(hashlib.sha256(file.getvalue() + expected_json(rows)).hexdigest())\n"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            cwd=ROOT,
            check=True,
            capture_output=True,
        ).stdout
        for hash_seed in ("1", "2")
    }
    assert len(digests) == 1


def test_another_seed_gives_another_evening() -> None:
    assert as_bytes(*evening(7)) != as_bytes(*evening(8))


def test_every_event_is_one_of_the_contract_with_every_field_given() -> None:
    events, _ = evening(3, faults_for(GAMES))
    for event in events:
        name, values = avro_record(event)
        assert name == event["type"]
        assert set(values) == set(event) - {"type"}


def test_numbers_run_without_holes_and_clocks_forward() -> None:
    events, _ = evening(4)
    by_table: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        by_table[event["table_id"]].append(event)
    assert len(by_table) == 6
    for told in by_table.values():
        assert [event["seq"] for event in told] == list(range(1, len(told) + 1))
        times = [datetime.fromisoformat(event["occurred_at"]) for event in told]
        assert times == sorted(times)


def test_an_evening_is_one_where_the_casino_lies() -> None:
    events, _ = evening(4)
    opened = [event for event in events if event["type"] == "TableOpened"]
    zone = Settings().zone()
    for event in opened:
        at = datetime.fromisoformat(event["occurred_at"]).astimezone(zone)
        assert (at.date().isoformat(), at.hour) == (event["gaming_day"], 18)


def test_tables_are_interleaved_by_time() -> None:
    events, _ = evening(4)
    times = [event["occurred_at"] for event in events]
    assert times == sorted(times)


def test_event_ids_are_unique_and_look_like_chance() -> None:
    events, _ = evening(5)
    ids = [event["event_id"] for event in events]
    assert len(set(ids)) == len(ids)
    assert {(len(each), each[14]) for each in ids} == {(36, "4")}


@pytest.mark.parametrize("seed", range(1, 4))
@pytest.mark.parametrize("game", GAMES)
def test_a_clean_floor_has_nothing_to_find(game: str, seed: int) -> None:
    plan = FloorPlan((game,), tables=2, rounds=60, seed=seed)
    events, planted = played(plan, oracle_dues)
    assert planted == []
    assert differences(events, planted) == []


def test_a_table_closes_and_opens_again_when_its_day_is_over() -> None:
    plan = FloorPlan(("DAKOTA_DUEL_DRAW",), rounds=401, seed=2)
    events, _ = played(plan, oracle_dues)
    openings = [event for event in events if event["type"] == "TableOpened"]
    assert [event["gaming_day"] for event in openings] == ["2026-03-06", "2026-03-07"]
    assert sum(event["type"] == "TableClosed" for event in events) == 2
    assert differences(events, []) == []


def test_a_floor_does_what_good_tables_do_every_evening() -> None:
    plan = FloorPlan(GAMES, tables=3, rounds=120, seed=11)
    events, _ = played(plan, oracle_dues)
    kinds = Counter(event["type"] for event in events)
    for kind in (
        "CardExposed",
        "CardCorrected",
        "RoundVoided",
        "RulingMade",
        "ChipsMoved",
        "TrayCounted",
        "CutCardReached",
        "CardBurned",
        "WagerRemoved",
    ):
        assert kinds[kind], f"no {kind}"
    decisions = Counter(e["decision"] for e in events if e["type"] == "DecisionMade")
    assert set(decisions) == {"PLAY", "FOLD", "KEEP", "SPLIT"}
    settled = [event for event in events if event["type"] == "WagerSettled"]
    assert {event["outcome"] for event in settled} == {"WIN", "LOSE", "PUSH"}
    assert "DEALER" in {event["bettor"] for event in settled}
    assert {event["hand"] for event in settled} == {1, 2}
    assert "POCKET_PAIR" in {event["wager"] for event in settled}


def test_a_floor_is_planned_as_it_is_read_not_all_at_once() -> None:
    asked: list[int] = []

    def counting(rounds: object) -> list[dict[object, object]]:
        assert isinstance(rounds, list)
        asked.append(len(rounds))
        return [{} for _ in rounds]

    floor = simulate_floor(FloorPlan(GAMES[:1], rounds=2_000, seed=1), counting)  # type: ignore[arg-type]
    next(floor.events())
    assert sum(asked) < 300
