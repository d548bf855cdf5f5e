"""Each fault is found every time, and nothing else is."""

import pytest

from replay.findings import FindingCode
from services.errors import BadArgumentError
from services.simulate.service import (
    FaultInfo,
    FloorPlan,
    faults_available,
    faults_for,
    games_available,
    simulate_floor,
)
from services.simulate.writing import expected_rows
from tests.services.simulate.floors import differences, oracle_dues, played

GAMES = games_available()
SEEDS = range(1, 3)
MANY_SEEDS = range(100, 150)

EACH = [
    pytest.param(fault, game, id=f"{fault.name}-{game}")
    for fault in faults_available()
    for game in fault.games
]


@pytest.mark.parametrize(("fault", "game"), EACH)
def test_a_fault_is_found_and_nothing_else(fault: FaultInfo, game: str) -> None:
    codes: set[str] = set()
    for seed in SEEDS:
        plan = FloorPlan((game,), rounds=6, seed=seed, faults=(fault.name,))
        events, planted = played(plan, oracle_dues)
        assert differences(events, planted) == []
        assert bool(planted) == bool(fault.codes), "planted once, unless it raises nothing"
        codes |= {row["code"] for row in planted}
    assert codes <= set(fault.codes)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("game", GAMES)
def test_all_faults_at_one_table_do_not_hide_each_other(game: str, seed: int) -> None:
    plan = FloorPlan((game,), rounds=40, seed=seed, faults=faults_for((game,)))
    events, planted = played(plan, oracle_dues)
    assert differences(events, planted) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", MANY_SEEDS)
def test_all_faults_are_found_and_nothing_else_over_many_seeds(seed: int) -> None:
    plan = FloorPlan(GAMES, tables=2, rounds=60, seed=seed, faults=faults_for(GAMES))
    events, planted = played(plan)
    assert differences(events, planted) == []


def test_a_fault_named_twice_happens_twice() -> None:
    plan = FloorPlan(GAMES[:1], rounds=10, seed=3, faults=("pays-a-loser", "pays-a-loser"))
    events, planted = played(plan, oracle_dues)
    assert [row["code"] for row in planted] == ["OVERPAID", "OVERPAID"]
    assert len({row["round_id"] for row in planted}) == 2
    assert differences(events, planted) == []


def test_more_faults_than_rounds_find_room() -> None:
    plan = FloorPlan(GAMES[:1], rounds=2, seed=3, faults=faults_for(GAMES[:1]))
    events, planted = played(plan, oracle_dues)
    assert differences(events, planted) == []


def test_every_code_that_a_floor_can_show_has_its_fault() -> None:
    raised = {code for fault in faults_available() for code in fault.codes}
    assert raised == {str(code) for code in FindingCode}


def test_info_findings_are_planted_but_not_expected() -> None:
    plan = FloorPlan(GAMES[:1], rounds=6, seed=1, faults=("corrects-mispay",))
    floor = simulate_floor(plan, oracle_dues)
    assert list(floor.events())
    assert [row["code"] for row in floor.planted()] == ["MISPAY_CORRECTED"]
    assert expected_rows(floor) == []


@pytest.mark.parametrize(
    ("plan", "names"),
    [
        (FloorPlan(("BACCARAT",)), "RUN_EM_TWICE"),
        (FloorPlan(faults=("pays-wrong-raw",)), "pays-wrong-row"),
        (FloorPlan(("RUN_EM_TWICE",), faults=("lone-tip",)), "DAKOTA_DUEL_DRAW"),
    ],
)
def test_what_cannot_be_simulated_is_refused_with_what_can(plan: FloorPlan, names: str) -> None:
    with pytest.raises(BadArgumentError) as refused:
        simulate_floor(plan)
    assert names in str(refused.value)
