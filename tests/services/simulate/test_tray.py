"""The tray of a simulated table comes to what was played there, and players bring what they bet."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from services.audit import audit
from services.encode import json_line
from services.simulate.chance import seeded
from services.simulate.round import Where
from services.simulate.seats import Seat
from services.simulate.service import FloorPlan, faults_for, games_available, simulate_floor
from services.simulate.tray import FULL_CENTS, LOW_CENTS, Cashier, Tray
from services.statistics.model import Line, Period
from tests.services.statistics.test_worked_evening import report

GAMES = games_available()
ANTE = Where(1, 1, "ANTE", "PLAYER")
SEAT = Seat(1, None, 5_00, 0.0, 0.0, 1.0)


def lines_of(plan: FloorPlan, path: Path) -> list[Line]:
    """Of each table, from the report on its whole evening."""
    path.write_bytes(b"".join(map(json_line, simulate_floor(plan).events())))
    db = path.with_suffix(".db")
    audit([str(path)], db=str(db))
    told = report(db, first_day=date(1990, 1, 1), last_day=date(2026, 12, 31))
    lines = [line for line in told.lines if line.period is Period.PERIOD]
    return [line for line in lines if line.table_id is not None]


def settled(outcome: str, paid_cents: int = 0, event_id: str = "1") -> dict[str, Any]:
    place = {"spot": 1, "hand": 1, "wager": "ANTE", "bettor": "PLAYER"}
    said = {"outcome": outcome, "paid_cents": paid_cents, "event_id": event_id}
    return {"type": "WagerSettled", **place, **said}


def counted(count: str, cents: int = 0) -> dict[str, Any]:
    return {"type": "TrayCounted", "count": count, "amount_cents": cents}


def closing(*events: dict[str, Any]) -> int:
    """What a tray of $10,000.00 comes to, with $5.00 down on the ante."""
    tray, count = Tray(), counted("CLOSING")
    for event in (counted("OPENING", 10_000_00), *events, count):
        tray.take(event, {ANTE: 5_00})
    cents: int = count["amount_cents"]
    return cents


@pytest.mark.parametrize(
    ("events", "more_cents"),
    [
        ([settled("WIN", 7_50)], -7_50),
        ([settled("LOSE")], 5_00),
        ([settled("PUSH")], 0),
        ([settled("LOSE"), settled("LOSE", event_id="2")], 10_00),
    ],
)
def test_what_is_settled_is_in_the_closing_count(
    events: list[dict[str, Any]], more_cents: int
) -> None:
    assert closing(*events) == 10_000_00 + more_cents


def test_a_payout_put_right_counts_once() -> None:
    right = {"type": "PayoutCorrected", "corrects": "1", "outcome": "WIN", "paid_cents": 2_00}
    assert closing(settled("LOSE"), right, right) == 9_998_00


def test_fills_come_in_and_credits_and_buy_ins_go_out() -> None:
    moved = [
        {"type": "ChipsMoved", "movement": movement, "amount_cents": cents}
        for movement, cents in (("FILL", 500_00), ("CREDIT", 200_00), ("BUY_IN", 40_00))
    ]
    assert closing(*moved) == 10_260_00


def test_a_tray_that_runs_low_is_filled() -> None:
    cashier = Cashier("RT-01", 1, seeded(1))
    assert cashier.fill() == []  # nothing was counted into it
    cashier.tray.take(counted("OPENING", LOW_CENTS - 1_00), {})
    [fill] = cashier.fill()
    cashier.tray.take(fill, {})
    assert FULL_CENTS - 100_00 < cashier.tray.cents <= FULL_CENTS
    assert cashier.fill() == []


def test_who_has_chips_buys_none_and_who_lost_them_does() -> None:
    cashier = Cashier("RT-01", 1, seeded(1))
    [bought] = cashier.serve([], [SEAT])
    assert bought["movement"] == "BUY_IN"
    assert cashier.serve([], [SEAT]) == []
    cashier.tray.nets[1] = -bought["amount_cents"]
    assert len(cashier.serve([], [SEAT])) == 1


@pytest.mark.parametrize("game", GAMES)
def test_on_a_clean_floor_the_count_is_what_the_rounds_come_to(game: str, tmp_path: Path) -> None:
    lines = lines_of(FloorPlan((game,), tables=2, rounds=60, seed=5), tmp_path / "floor.jsonl")
    assert [line.difference_cents for line in lines] == [0, 0]
    assert all(line.win_by_count_cents for line in lines)
    assert all(line.drop_cents > abs(line.win_by_rounds_cents) for line in lines)


def test_where_they_differ_findings_explain_it(tmp_path: Path) -> None:
    faults = faults_for(GAMES)
    lines = lines_of(FloorPlan(rounds=40, seed=5, faults=faults), tmp_path / "floor.jsonl")
    off = {line.table_id: line.difference_cents for line in lines if line.difference_cents}
    assert off
    assert off == {line.table_id: line.explained_cents for line in lines if line.difference_cents}
