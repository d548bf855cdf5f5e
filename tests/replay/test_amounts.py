"""Money beyond 64 bits: exact where it can be stated, not stated otherwise, never run over."""

from __future__ import annotations

import numpy as np
import pytest

from replay.amounts import ODDS_MAX, may_run_over, statable
from replay.findings import Finding
from replay.resettle import GAMES
from replay.rulebook.loader import load_rulebook
from tests.replay.games.dakota_rounds import deal, play, show, tape_of
from tests.replay.streams import judge
from tests.replay.tape import Tape

LAST = 2**63 - 1
NO_PAIR = ("Kc Qd", "9c 8d 2h", "3c 4d 5h")
FLUSH = ("Kc Jc", "9c 8d Qc", "3c 4d Ac")
ROYAL = ("Kc Jc", "9c 8d Qc", "Tc 4d Ac")


def big_8(cards: tuple[str, str, str], *cents: int) -> Tape:
    tape = tape_of(big_8="1")
    for each in cents:
        tape.bet(1, "BIG_8", each)
    deal(tape, {1: cards[0]}, cards[1], cards[2])
    show(tape)
    return tape


def ended(tape: Tape) -> dict[str, Finding]:
    tape.close_round()
    return {finding.code: finding for finding in judge(tape.events)[1]}


def test_no_paytable_pays_more_than_is_reckoned_with() -> None:
    rulebook = load_rulebook()
    lines = [
        line
        for game in GAMES
        for entry in rulebook.wagers(game)
        for table in rulebook.paytables(game, entry.wager)
        for line in table.lines
    ]
    assert max(line.to_one or 0 for line in lines) <= ODDS_MAX
    assert max((line.cents or 0) // 100 for line in lines) <= ODDS_MAX


@pytest.mark.parametrize(
    ("cents", "count", "may"),
    [(1000_00, 200_000, False), (2**33, 200_000, True), (LAST // (ODDS_MAX + 1), 1, False)],
)
def test_only_what_may_run_over_is_reckoned_otherwise(cents: int, count: int, may: bool) -> None:
    assert may_run_over(cents, count) == may


def test_what_can_be_stated_is_an_integer_of_the_contract() -> None:
    cents = np.array([-(2**63) - 1, -(2**63), LAST, LAST + 1], object)
    assert statable(cents).tolist() == [False, True, True, False]


def test_a_stake_near_the_last_is_paid_to_the_cent() -> None:
    stake = LAST // 3
    tape = big_8(FLUSH, stake)  # 3 to 1
    tape.settle(1, "BIG_8", "WIN", LAST)
    found = ended(tape)
    assert found["OVERPAID"].expected_cents == 3 * stake
    assert found["OVERPAID"].actual_cents == LAST
    assert "WAGER_OVER_LIMIT" in found


def test_chips_that_add_up_to_more_lose_them_all() -> None:
    tape = big_8(NO_PAIR, LAST, LAST)
    tape.settle(1, "BIG_8", "LOSE")
    found = ended(tape)
    assert set(found) == {"UNDETERMINED", "WAGER_OVER_LIMIT"}
    assert "$184,467,440,737,095,516.14" in found["WAGER_OVER_LIMIT"].message
    [rounds] = [judge(tape.events)[0].rounds]
    assert rounds.staked_cents.tolist() == [2 * LAST]
    assert rounds.net_actual_cents.tolist() == [0]  # not known what is due: in neither net


def test_odds_that_make_more_of_a_stake_leave_its_due_unstated() -> None:
    tape = big_8(ROYAL, LAST // 10)  # 50 to 1
    tape.settle(1, "BIG_8", "WIN", LAST)
    finding = ended(tape)["UNDETERMINED"]
    bounds = finding.expected_low_cents, finding.expected_high_cents
    assert (finding.expected_cents, finding.actual_cents, *bounds) == (None, LAST, None, None)
    assert "more than 64 bits hold" in finding.message
    assert "ALL-UNSEEN" not in finding.readings


def test_what_cannot_be_stated_and_was_not_settled_is_unsettled() -> None:
    finding = ended(big_8(ROYAL, LAST // 10))["WAGER_UNSETTLED"]
    assert (finding.expected_cents, finding.actual_cents) == (None, None)


def test_bounds_that_cannot_be_stated_are_none() -> None:
    tape = big_8(("Kc ??", *ROYAL[1:]), LAST // 10)
    tape.settle(1, "BIG_8", "LOSE")
    finding = ended(tape)["UNDETERMINED"]
    assert (finding.expected_low_cents, finding.expected_high_cents) == (None, None)


def test_a_bonus_paid_in_parts_is_overpaid_by_all_of_them() -> None:
    tape = tape_of(pocket_pair="1")
    tape.bet(1, "HAND_2_ANTE", 1000)
    deal(tape, {1: "Kc Kd"}, "9c 8d 2h", "3c 4d 5h")
    play(tape)
    show(tape)
    for _ in range(2):
        tape.settle(1, "POCKET_PAIR", "WIN", LAST)
    finding = ended(tape)["OVERPAID"]
    assert (finding.expected_cents, finding.actual_cents) == (4000, None)
    assert finding.delta_cents is None
    assert "$184,467,440,737,095,516.14" in finding.message


def test_a_round_beside_it_is_reckoned_as_ever() -> None:
    large = big_8(ROYAL, LAST, LAST)
    large.close_round()
    large.open_round(2)
    large.bet(1, "BIG_8", 500)
    deal(large, {1: "Kc Jc"}, "9c 8d Qc", "3c 4d Ac")
    show(large)
    large.settle(1, "BIG_8", "WIN", 1500)
    large.close_round()
    verdict, findings = judge(large.events)
    assert not [f for f in findings if f.round_id == "DD-01-000002"]
    assert verdict.rounds.net_expected_cents.tolist() == [0, 1500]
