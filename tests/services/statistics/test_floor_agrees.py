"""The win by the rounds of a simulated floor, added up once more from the bare events."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any, Final

import pytest

from services.audit import audit
from services.encode import json_line
from services.simulate.scribe import Event
from services.simulate.service import FloorPlan, faults_for, simulate_floor
from services.statistics.model import Period
from tests.services.statistics.test_worked_evening import report

CHIPS: Final = frozenset({"late-bet", "chips-taken-back"})
"""Faults in which not all chips that lie there are lost with the wager."""


def standing(events: Iterable[Event]) -> list[Event]:
    """By table and number, without what came twice or after another content of it."""
    by_id: dict[str, Event] = {}
    by_place: dict[tuple[str, int], Event] = {}
    for event in events:
        place = (event["table_id"], event["seq"])
        if event["event_id"] not in by_id and place not in by_place:
            by_id[event["event_id"]] = by_place[place] = event
    return [by_place[place] for place in sorted(by_place)]


def house_won(events: list[Event]) -> dict[str, int]:
    """Of each table: what its players lost, round by round."""
    put_right = {e["corrects"]: e for e in events if e["type"] == "PayoutCorrected"}
    won: dict[str, int] = defaultdict(int)
    rounds: dict[str, str] = {}
    chips: dict[tuple[Any, ...], int] = defaultdict(int)
    late: dict[tuple[Any, ...], list[Event]] = defaultdict(list)
    for event in events:
        table, kind = event["table_id"], event["type"]
        if kind == "RoundOpened":
            rounds[table] = event["round_id"]
        if rounds.get(table) is None or event.get("round_id") != rounds[table]:
            continue
        bet = (table, *(event.get(n) for n in ("round_id", "spot", "hand", "wager", "bettor")))
        if kind in ("WagerPlaced", "WagerRemoved") and event["amount_cents"] > 0:
            chips[bet] += event["amount_cents"] * (1 if kind == "WagerPlaced" else -1)
        elif kind == "WagerSettled":
            late[bet].append(put_right.get(event["event_id"], event))
        elif kind in ("RoundClosed", "RoundVoided"):
            del rounds[table]
    for bet, settled in late.items():
        for event in settled:
            lost = max(0, chips[bet]) if event["outcome"] == "LOSE" else 0
            won[bet[0]] += lost - (event["paid_cents"] if event["outcome"] == "WIN" else 0)
    return won


def agree(game: str, rounds: int, seed: int, path: Path) -> None:
    faults = tuple(name for name in faults_for((game,)) if name not in CHIPS)
    plan = FloorPlan(games=(game,), tables=2, rounds=rounds, seed=seed, faults=faults)
    events = list(simulate_floor(plan).events())
    path.write_bytes(b"".join(map(json_line, events)))
    db = path.with_suffix(".db")
    audit([str(path)], db=str(db))
    told = report(db, first_day=date(1990, 1, 1), last_day=date(2026, 12, 31))
    lines = {
        line.table_id: line.win_by_rounds_cents
        for line in told.lines
        if line.period is Period.PERIOD and line.table_id is not None
    }
    assert lines == house_won(standing(events))
    assert any(line.rounds_not_judged for line in told.lines)


GAMES = ("RUN_EM_TWICE", "DAKOTA_DUEL_DRAW", "TEXAS_SHOOTOUT")


@pytest.mark.parametrize("game", GAMES)
def test_win_by_the_rounds(game: str, tmp_path: Path) -> None:
    agree(game, 60, 5, tmp_path / "floor.jsonl")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 4))
@pytest.mark.parametrize("game", GAMES)
def test_win_by_the_rounds_of_many(game: str, seed: int, tmp_path: Path) -> None:
    agree(game, 250, seed, tmp_path / "floor.jsonl")
