"""Dakota Duel Draw: a test for each clause, named by it. Amounts are worked out by hand."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from replay.cards import Cards
from replay.findings import Finding
from replay.games import dakota_duel_draw as rule
from replay.ranking import Category, Ranks, category_of
from replay.rulebook.loader import load_rulebook
from replay.vocabulary import Bettor, Game, Wager
from tests.replay.streams import judge
from tests.replay.tape import Tape

Dues = dict[tuple[int, str], int]

FIGURES = json.loads(
    (Path(__file__).parents[2] / "acceptance" / "acceptance.json").read_text(encoding="utf-8")
)
TIP: dict[str, Any] = {"bettor": "DEALER"}
LOSES = "4s 7d 9h"
"""Three cards that leave the hand they go to with nothing, unless the spot's two help."""


def tape_of(pocket_pair: str | None = "1", big_8: str | None = "1", **opening: Any) -> Tape:
    posted = {"pocket_pair": pocket_pair, "big_8": big_8}
    paytables = {name: table for name, table in posted.items() if table is not None}
    tape = Tape("DD-01", "DAKOTA_DUEL_DRAW", paytables=paytables, **opening)
    tape.open_round()
    return tape


def deals(seats: dict[int, str], hand_1: str, hand_2: str) -> list[tuple[str, int | None, str]]:
    """Places and cards in the rotation of (4)."""
    order: list[tuple[str, int | None, str]] = []
    for turn, (one, two) in enumerate(zip(hand_1.split(), hand_2.split(), strict=True)):
        order += [("HAND_2", None, two), ("HAND_1", None, one)]
        if turn < 2:
            order += [("PLAYER", spot, seats[spot].split()[turn]) for spot in sorted(seats)]
    return order


def deal(tape: Tape, seats: dict[int, str], hand_1: str, hand_2: str) -> None:
    for place, spot, card in deals(seats, hand_1, hand_2):
        tape.deal(place, card, spot)


def play(tape: Tape, spot: int = 1, cents: int = 1000) -> None:
    tape.decide(spot, "PLAY")
    tape.bet(spot, "HAND_1_PLAY", cents)


def show(tape: Tape) -> None:
    tape.reveal("HAND_1", "HAND_2")


def finish(tape: Tape) -> None:
    show(tape)
    tape.close_round()


def whole_round(
    cards: str, hand_1: str, hand_2: str, *, choice: str = "PLAY", **posted: str | None
) -> Tape:
    """All three bets of $10 at spot 1, closed without any settlement."""
    tape = tape_of(**posted)
    tape.bet(1, "HAND_2_ANTE", 1000)
    tape.bet(1, "BIG_8", 1000)
    deal(tape, {1: cards}, hand_1, hand_2)
    if choice == "PLAY":
        play(tape)
    elif choice == "FOLD":
        tape.decide(1, "FOLD")
    finish(tape)
    return tape


def dues_of(tape: Tape) -> Dues:
    """What is due on every standing bet and bonus; the round need not have been settled."""
    wagers = judge(tape.events)[0].wagers
    rows = zip(
        wagers.spot, wagers.wager, wagers.bettor, wagers.due_cents, wagers.due_known, strict=True
    )
    return {
        (int(spot), Wager(int(wager)).name + (" tip" if bettor == Bettor.DEALER else "")): int(due)
        for spot, wager, bettor, due, known in rows
        if known
    }


def findings_of(tape: Tape) -> list[Finding]:
    return judge(tape.events)[1]


def codes(tape: Tape) -> list[tuple[str, int | None, str | None]]:
    """Findings but for those that only say that nothing was settled."""
    return [
        (f.code.value, f.spot, f.wager) for f in findings_of(tape) if f.code != "WAGER_UNSETTLED"
    ]


# (10): hand 1 is made with the spot's two cards; hand 2 has nothing but high cards.
HANDS = [
    ("Ah Kh", "Qh Jh Th", 100),
    ("9h Kh", "Qh Jh Th", 50),
    ("8h 8c", "8d 8s Jh", 30),
    ("8h 8c", "8d Js Jh", 8),
    ("2h Kh", "Qh Jh Th", 6),
    ("9c Kh", "Qh Jh Th", 4),
    ("Ah 2c", "3d 4d 5h", 4),  # ALL-ACE
    ("8h 8c", "8d Qs Jh", 3),
    ("2h 2c", "Jd Js Qh", 2),  # two pair, DD-NINES
    ("Ah 3c", "Ad Js Qh", 2),
    ("9h 3c", "9d Js Qh", 2),  # the lowest pair that pays
    ("8h 3c", "8d Js Qh", -1),
    ("Ah 3c", "8d Js Qh", -1),
]


@pytest.mark.parametrize(("cards", "three", "pays"), HANDS)
def test_c01_c10_hands_rank_and_pay_by_one_schedule(cards: str, three: str, pays: int) -> None:
    nothing = "2s 5s 7c" if "A" in cards and "2" in cards else "4s 6d 7c"
    dues = dues_of(whole_round(cards, three, nothing, pocket_pair=None))
    assert dues[1, "HAND_1_PLAY"] == 1000 * pays
    dues = dues_of(whole_round(cards, nothing, three, pocket_pair=None))
    assert dues[1, "HAND_2_ANTE"] == 1000 * pays


def test_c09_each_hand_has_its_own_three_cards() -> None:
    dues = dues_of(whole_round("9h Kd", "9c 2s 3d", "9d 9s Kc", pocket_pair=None))
    assert dues[1, "HAND_1_PLAY"] == 2000  # nines
    assert dues[1, "HAND_2_ANTE"] == 8000  # nines full of kings
    assert dues[1, "BIG_8"] == 15_000  # four nines


def test_c09_pocket_pair_bonus_is_paid_on_hand_1_whatever_else_loses() -> None:
    dues = dues_of(whole_round("2h 2c", "8d Js Qh", "9d 6s Kc"))
    assert dues[1, "HAND_1_PLAY"] == dues[1, "HAND_2_ANTE"] == dues[1, "BIG_8"] == -1000
    assert dues[1, "POCKET_PAIR"] == 3000


@pytest.mark.parametrize("choice", ["FOLD", "NONE"])
def test_c09_no_pocket_pair_bonus_unless_hand_1_was_played(choice: str) -> None:
    tape = whole_round("Ah Ac", "8d Js Qh", "9d Ts Kc", choice=choice)
    assert (1, "POCKET_PAIR") not in dues_of(tape)


def test_c09_a_bonus_that_is_not_due_is_overpaid_a_tip_earns_none() -> None:
    tape = tape_of()
    tape.bet(1, "HAND_2_ANTE", 1000)
    tape.bet(1, "HAND_2_ANTE", 500, **TIP)
    deal(tape, {1: "Ah Ac"}, "8d Js Qh", "9d Ts Kc")
    tape.decide(1, "PLAY")
    tape.bet(1, "HAND_1_PLAY", 1000)
    tape.bet(1, "HAND_1_PLAY", 500, **TIP)
    show(tape)
    tape.settle(1, "POCKET_PAIR", "WIN", 3000)
    tape.settle(1, "POCKET_PAIR", "WIN", 1000)  # paid in two parts, which add up
    tape.settle(1, "POCKET_PAIR", "WIN", 2000, **TIP)
    tape.close_round()
    found = [f for f in findings_of(tape) if f.wager == "POCKET_PAIR"]
    assert [(f.code.value, f.bettor, f.expected_cents, f.actual_cents) for f in found] == [
        ("OVERPAID", "DEALER", 0, 2000)
    ]
    assert "DD-TIP-BONUS" in found[0].readings


PAIRS = {
    "A": (4, 4, 4, 20, 20, 8),
    "K": (4, 4, 4, 10, 10, 8),
    "Q": (4, 4, 4, 8, 4, 8),  # printed 4s in paytable 1, DD-QUEENS
    "J": (4, 4, 4, 3, 4, 8),
    "T": (4, 4, 3, 3, 4, 8),
    "9": (4, 4, 3, 3, 4, 8),
    "8": (4, 4, 3, 0, 0, 0),  # N/A pays nothing
    "7": (4, 3, 3, 0, 0, 0),
    "6": (4, 3, 3, 0, 0, 0),
    "5": (4, 3, 3, 0, 0, 0),
    "4": (3, 3, 3, 0, 0, 0),
    "3": (3, 3, 3, 0, 0, 0),
    "2": (3, 3, 3, 0, 0, 0),
}


@pytest.mark.parametrize(("rank", "pays"), PAIRS.items())
def test_c11_pocket_pairs(rank: str, pays: tuple[int, ...]) -> None:
    board = "8s Js Qs" if rank not in "8JQ" else "2s 3s 4s"
    for paytable, pay in zip("123456", pays, strict=True):
        tape = whole_round(f"{rank}h {rank}c", board, "5d 6d Kd", pocket_pair=paytable)
        assert dues_of(tape).get((1, "POCKET_PAIR"), 0) == 1000 * pay, f"paytable {paytable}"


def test_c11_no_bonus_without_a_pair_or_without_a_posted_paytable() -> None:
    assert (1, "POCKET_PAIR") not in dues_of(whole_round("Ah Kc", "8s Js Qs", "5d 6d 2d"))
    tape = whole_round("Ah Ac", "8s Js Qs", "5d 6d 2d", pocket_pair=None)
    assert (1, "POCKET_PAIR") not in dues_of(tape)
    tape = whole_round("Ah Ac", "8s Js Qs", "5d 6d 2d", pocket_pair="9")
    assert codes(tape) == [("PAYTABLE_UNKNOWN", None, "POCKET_PAIR")]


BIG_8 = [
    ("Ah Kh", "Qh 2c 3d", "Jh Th 4s", (50, 50, 50, 50, 80, 150, 150)),
    ("9h Kh", "Qh 2c 3d", "Jh Th 4s", (30, 30, 30, 35, 40, 70, 80)),
    ("9h 9c", "9d 2c 3d", "9s Th 4s", (15, 20, 20, 30, 30, 30, 35)),
    ("9h 9c", "9d 2c 3d", "Ts Th 4s", (5, 5, 6, 4, 4, 5, 5)),
    ("9h 2h", "4h 2c 3d", "Kh Th 7s", (3, 4, 3, 3, 3, 3, 4)),
    ("9h 8c", "7h 2c 3d", "6h 5d Ks", (2, 1, 1, 2, 2, 1, 0)),  # table 7 pushes it, DD-PUSH
    ("9h 9c", "9d 2c 4d", "7s Th Ks", (-1,) * 7),
    ("9h 9c", "Kd 2c 4d", "7s Th Ks", (-1,) * 7),
]


@pytest.mark.parametrize(("cards", "hand_1", "hand_2", "pays"), BIG_8)
def test_c12_big_8_wins_with_a_straight_or_better(
    cards: str, hand_1: str, hand_2: str, pays: tuple[int, ...]
) -> None:
    for paytable, pay in zip("1234567", pays, strict=True):
        tape = whole_round(cards, hand_1, hand_2, big_8=paytable)
        assert dues_of(tape)[1, "BIG_8"] == 1000 * pay, f"paytable {paytable}"


def test_c12_big_8_is_offered_where_its_paytable_is_posted() -> None:
    tape = whole_round("Ah Kh", "Qh 2c 3d", "Jh Th 4s", big_8=None)
    assert codes(tape) == [("WAGER_NOT_OFFERED", 1, "BIG_8")]
    assert (1, "BIG_8") not in dues_of(tape)


def test_c07_c08_a_fold_forfeits_the_ante_and_its_tip_and_leaves_big_8() -> None:
    tape = tape_of()
    for wager in ("HAND_2_ANTE", "BIG_8"):
        tape.bet(1, wager, 1000)
        tape.bet(1, wager, 500, **TIP)
    deal(tape, {1: "9h 9c"}, "9d 2c 3d", "9s Th 4s")
    tape.decide(1, "FOLD")
    finish(tape)
    assert dues_of(tape) == {
        (1, "HAND_2_ANTE"): -1000,
        (1, "HAND_2_ANTE tip"): -500,
        (1, "BIG_8"): 15_000,
        (1, "BIG_8 tip"): 7500,
    }
    assert codes(tape) == []


def test_c07_whoever_neither_plays_nor_folds_stays_in_play_on_hand_2() -> None:
    tape = whole_round("9h 9c", "2d 3c 4d", "9s Th 5s", choice="NONE")
    assert dues_of(tape) == {(1, "HAND_2_ANTE"): 3000, (1, "BIG_8"): -1000}
    assert codes(tape) == [("DECISION_MISSING", 1, None)]


def test_c07_a_bet_on_hand_1_locks_the_spot_in() -> None:
    tape = tape_of()
    tape.bet(1, "HAND_2_ANTE", 1000)
    deal(tape, {1: "9h Kc"}, "9d 2c 3d", "4s 7d 8h")
    tape.bet(1, "HAND_1_PLAY", 1000)
    tape.decide(1, "FOLD")
    finish(tape)
    assert dues_of(tape) == {(1, "HAND_2_ANTE"): -1000, (1, "HAND_1_PLAY"): 2000}
    # The bet alone is no decision, and the void fold is none either.
    assert codes(tape) == [("DECISION_OUT_OF_TURN", 1, None), ("DECISION_MISSING", 1, None)]


def test_c07_a_bet_taken_back_in_time_locks_nobody_in() -> None:
    tape = tape_of()
    tape.bet(1, "HAND_2_ANTE", 1000)
    deal(tape, {1: "9h Kc"}, "9d 2c 3d", "9s Th Kd")
    play(tape)
    tape.take_back(1, "HAND_1_PLAY", 1000)
    tape.decide(1, "FOLD")
    finish(tape)
    assert dues_of(tape) == {(1, "HAND_2_ANTE"): -1000}
    assert codes(tape) == []


def test_c07_what_a_folded_spot_does_after_that_counts_for_nothing() -> None:
    tape = tape_of()
    tape.bet(1, "HAND_2_ANTE", 1000)
    deal(tape, {1: "9h Kc"}, "9d 2c 3d", "9s Th Kd")
    tape.decide(1, "FOLD")
    play(tape)
    finish(tape)
    assert dues_of(tape) == {(1, "HAND_2_ANTE"): -1000}
    assert codes(tape) == [
        ("ACTION_AFTER_FOLD", 1, None),
        ("ACTION_AFTER_FOLD", 1, "HAND_1_PLAY"),
    ]


@pytest.mark.parametrize("late", [False, True])
def test_c07_hand_1_is_bet_before_the_six_are_exposed(late: bool) -> None:
    tape = tape_of()
    tape.bet(1, "HAND_2_ANTE", 1000)
    deal(tape, {1: "9h Kc"}, "9d 2c 3d", "9s Th Kd")
    tape.decide(1, "PLAY")
    show(tape)
    if late:
        tape.bet(1, "HAND_1_PLAY", 1000)
    tape.close_round()
    assert dues_of(tape) == {(1, "HAND_2_ANTE"): 2000}
    assert codes(tape) == [("WAGER_LATE" if late else "WAGER_MISSING", 1, "HAND_1_PLAY")]


def test_c07_hand_1_equals_the_ante_and_is_settled_on_what_stands() -> None:
    tape = tape_of()
    tape.bet(1, "HAND_2_ANTE", 1000)
    deal(tape, {1: "9h 9c"}, "9d 2c 3d", "Ts Th Kd")
    play(tape, cents=1500)
    finish(tape)
    dues = dues_of(tape)
    assert (dues[1, "HAND_1_PLAY"], dues[1, "POCKET_PAIR"]) == (4500, 6000)
    assert codes(tape) == [("WAGERS_UNEQUAL", 1, "HAND_1_PLAY")]


def test_c02_without_an_ante_there_is_no_hand_1_play() -> None:
    tape = tape_of()
    tape.bet(1, "BIG_8", 1000)
    deal(tape, {1: "9h 9c"}, "9d 2c 3d", "Ts Th Kd")
    play(tape)
    tape.bet(1, "HAND_1_PLAY", 500, **TIP)
    show(tape)
    tape.settle(1, "HAND_1_PLAY", "PUSH")
    tape.close_round()
    dues = dues_of(tape)
    assert dues[1, "HAND_1_PLAY"] == 0  # it goes back
    assert dues[1, "HAND_1_PLAY tip"] == 1500
    assert (1, "POCKET_PAIR") not in dues
    assert sorted(codes(tape)) == [
        ("TIP_WITHOUT_WAGER", 1, "HAND_1_PLAY"),
        ("WAGER_MISSING", 1, "HAND_2_ANTE"),
    ]


def test_c02_big_8_alone_needs_no_decision_and_a_fold_of_it_is_none() -> None:
    tape = tape_of()
    tape.bet(1, "BIG_8", 1000)
    deal(tape, {1: "9h 9c"}, "9d 2c 3d", "Ts Th Kd")
    tape.decide(1, "FOLD")
    finish(tape)
    assert dues_of(tape) == {(1, "BIG_8"): 5000}
    assert codes(tape) == []


@pytest.mark.parametrize("wager", ["BIG_8", "HAND_2_ANTE", "HAND_1_PLAY"])
def test_c03_a_tip_goes_with_a_bet_of_the_player(wager: str) -> None:
    tape = tape_of()
    if wager != "HAND_2_ANTE":
        tape.bet(1, "HAND_2_ANTE", 1000)
    if wager == "BIG_8":
        tape.bet(1, wager, 200, **TIP)
    elif wager == "HAND_2_ANTE":
        tape.bet(1, "BIG_8", 1000)
        tape.bet(1, wager, 200, **TIP)
    deal(tape, {1: "9h 9c"}, "9d 2c 3d", "9s Th Kd")
    if wager == "HAND_1_PLAY":
        tape.bet(1, wager, 200, **TIP)
    if wager != "HAND_2_ANTE":
        tape.decide(1, "FOLD")
    finish(tape)
    found = codes(tape)
    # A tip on hand 1 locks nobody in: only the player's own bet does.
    assert found == [("TIP_WITHOUT_WAGER", 1, wager)]
    assert dues_of(tape)[1, f"{wager} tip"] == {"BIG_8": 3000}.get(wager, 600)


def test_c03_the_ante_tip_stays_though_hand_1_has_none() -> None:
    tape = tape_of()
    tape.bet(1, "HAND_2_ANTE", 1000)
    tape.bet(1, "HAND_2_ANTE", 300, **TIP)  # a tip may be of any amount
    deal(tape, {1: "9h Kc"}, "2d 4c 3d", "9s Th Jd")
    play(tape)
    finish(tape)
    assert dues_of(tape)[1, "HAND_2_ANTE tip"] == 600
    assert codes(tape) == []


def ante_round(order: list[tuple[str, int | None, str]], spots: tuple[int, ...] = (2, 5)) -> Tape:
    tape = tape_of()
    for spot in spots:
        tape.bet(spot, "HAND_2_ANTE", 1000)
    for place, spot_dealt, card in order:
        tape.deal(place, card, spot_dealt)
    for spot in spots:
        tape.decide(spot, "FOLD")
    show(tape)
    for spot in spots:
        tape.settle(spot, "HAND_2_ANTE", "LOSE")
    tape.close_round()
    return tape


ROTATION = deals({2: "Ah Kc", 5: "8h 3c"}, "2d 4c 3d", "9s Th Jd")


@pytest.mark.parametrize(
    ("turns", "good"),
    [
        ((), True),
        ((0, 1), False),  # hand 1 before hand 2
        ((2, 3), False),  # spot 5 before spot 2
        ((3, 4), False),
        ((8, 9), False),
    ],
)
def test_c04_one_card_at_a_time_in_rotation(turns: tuple[int, ...], good: bool) -> None:
    order = list(ROTATION)
    if turns:
        first, second = turns
        order[first], order[second] = order[second], order[first]
    assert codes(ante_round(order)) == ([] if good else [("DEAL_ORDER", None, None)])


def test_c04_two_cards_together_are_not_one_at_a_time() -> None:
    order = [*ROTATION[:2], ROTATION[2], ROTATION[6], ROTATION[3], ROTATION[7]]
    order += ROTATION[4:6] + ROTATION[8:]
    assert codes(ante_round(order)) == [("DEAL_ORDER", None, None)]


@pytest.mark.parametrize(
    "order",
    [
        ROTATION[:-1],  # hand 1 is short
        [*ROTATION, ("HAND_2", None, "Qs")],
        ROTATION[:7] + ROTATION[8:],  # a spot is short
        [*ROTATION, ("PLAYER", 5, "Qs")],
        [*ROTATION, ("PLAYER", 6, "Qs")],  # a card to a spot that has no bet
        [*ROTATION, ("FLOP", None, "Qs")],
    ],
)
def test_c05_any_other_number_of_cards_is_a_misdeal(
    order: list[tuple[str, int | None, str]],
) -> None:
    found = [
        (f.code.value, f.expected_cents, f.actual_cents) for f in findings_of(ante_round(order))
    ]
    assert found == [("MISDEAL_NOT_CALLED", 0, -2000)]  # DEAL_ORDER is not judged


def voided(order: list[tuple[str, int | None, str]], exposed: int = -1, **void: Any) -> Tape:
    tape = tape_of()
    tape.bet(2, "HAND_2_ANTE", 1000)
    tape.bet(2, "HAND_2_ANTE", 200, **TIP)
    tape.bet(2, "BIG_8", 500)
    tape.bet(5, "BIG_8", 500)
    for turn, (place, spot, card) in enumerate(order):
        tape.deal(place, card, spot)
        if turn == exposed:
            tape.send("CardExposed", place=place, spot=spot, card=card)
    fields = {"reason": "MISDEAL", "note": None, "authorised_by": None} | void
    tape.send("RoundVoided", **fields)
    return tape


def void_findings(tape: Tape) -> list[tuple[str, int | None, int | None, int | None]]:
    return [(f.code.value, f.spot, f.expected_cents, f.actual_cents) for f in findings_of(tape)]


def test_c05_an_exposed_card_is_no_misdeal() -> None:
    order = deals({2: "9h Kc", 5: "8h 3c"}, "2d 4c 3d", "9s Th Jd")
    assert void_findings(voided(order, exposed=3)) == [
        # Nines on hand 2: $20 and $4 for the tip; big 8 has no straight.
        ("WRONGLY_VOIDED", 2, 2000 + 400 - 500, 0),
        ("WRONGLY_VOIDED", 5, -500, 0),
    ]


def test_c05_what_an_unread_card_decides_leaves_the_void_without_an_amount() -> None:
    order = deals({2: "9h Kc", 5: "8h 3c"}, "2d 4c 3d", "9s ?? Jd")
    assert void_findings(voided(order)) == [
        ("WRONGLY_VOIDED", 2, None, 0),
        ("WRONGLY_VOIDED", 5, -500, 0),  # no card makes a straight of it
    ]


@pytest.mark.parametrize(
    ("order", "exposed", "rows"),
    [
        (ROTATION[:5], 3, 2),  # stopped for an exposed card
        (ROTATION[:5], -1, 0),  # no card was exposed: a wrong number
        ([ROTATION[1], ROTATION[0], *ROTATION[2:5]], 3, 0),  # not in rotation
        ([*ROTATION, ("HAND_1", None, "Qs")], 3, 0),  # one too many
        ([], -1, 0),
    ],
)
def test_c05_a_deal_cut_short_for_an_exposed_card(
    order: list[tuple[str, int | None, str]], exposed: int, rows: int
) -> None:
    assert void_findings(voided(order, exposed)) == [
        ("WRONGLY_VOIDED", spot, None, 0) for spot in (2, 5)[:rows]
    ]


def test_c05_voids_for_other_reasons_and_beside_a_second_copy_are_not_wrong() -> None:
    assert void_findings(voided(ROTATION, reason="EQUIPMENT")) == []
    twice = [*ROTATION[:-1], ("HAND_1", None, "Ah")]
    assert [row[0] for row in void_findings(voided(twice))] == ["DUPLICATE_CARD"]


@pytest.mark.parametrize(
    ("order", "good"),
    [
        ("POCKET_PAIR HAND_1_PLAY HAND_2_ANTE BIG_8", True),
        ("POCKET_PAIR HAND_2_ANTE HAND_1_PLAY BIG_8", False),
        ("HAND_1_PLAY POCKET_PAIR HAND_2_ANTE BIG_8", False),
        ("BIG_8 POCKET_PAIR HAND_1_PLAY HAND_2_ANTE", False),
    ],
)
def test_c06_order_of_settlement(order: str, good: bool) -> None:
    nets = {"POCKET_PAIR": 4000, "HAND_1_PLAY": 3000, "HAND_2_ANTE": 2000, "BIG_8": 5000}
    tape = tape_of()
    for wager in ("HAND_2_ANTE", "BIG_8"):
        tape.bet(1, wager, 1000)
    deal(tape, {1: "9h 9c"}, "9d 2c 4d", "Ts Th Kd")
    play(tape)
    show(tape)
    for wager in order.split():
        tape.settle_net(1, wager, nets[wager])
    tape.close_round()
    assert codes(tape) == ([] if good else [("SETTLEMENT_ORDER", None, None)])


def test_c06_holds_within_a_spot_and_not_for_a_folded_ante() -> None:
    tape = tape_of()
    for spot in (1, 2):
        tape.bet(spot, "HAND_2_ANTE", 1000)
        tape.bet(spot, "BIG_8", 1000)
        tape.bet(spot, "BIG_8", 200, **TIP)
    deal(tape, {1: "9h Kc", 2: "2h 7c"}, "9d 3c 4d", "Ts Th Kd")
    play(tape)
    tape.decide(2, "FOLD")
    show(tape)
    tape.settle_net(2, "BIG_8", -1000)
    tape.settle_net(1, "HAND_1_PLAY", 2000)
    tape.settle_net(1, "HAND_2_ANTE", 2000)
    tape.settle_net(1, "BIG_8", -200, **TIP)  # a tip and its bet in either order
    tape.settle_net(1, "BIG_8", -1000)
    tape.settle_net(2, "BIG_8", -200, **TIP)
    tape.settle_net(2, "HAND_2_ANTE", -1000)  # folded: at any time
    tape.close_round()
    assert codes(tape) == []


def test_unread_card_leaves_open_only_what_it_decides() -> None:
    tape = tape_of()
    for wager in ("HAND_2_ANTE", "BIG_8"):
        tape.bet(1, wager, 1000)
    deal(tape, {1: "9h 9c"}, "?? 2c 4d", "Ts Th Kd")
    play(tape)
    show(tape)
    for wager, net in (("POCKET_PAIR", 4000), ("HAND_1_PLAY", 2000)):
        tape.settle_net(1, wager, net)
    for wager, net in (("HAND_2_ANTE", 2000), ("BIG_8", -1000)):
        tape.settle_net(1, wager, net)
    tape.close_round()
    found = [
        (f.wager, f.code.value, f.expected_low_cents, f.expected_high_cents)
        for f in findings_of(tape)
    ]
    assert found == [
        ("BIG_8", "UNDETERMINED", -1000, 5000),  # two pair, or a full house
        ("HAND_1_PLAY", "UNDETERMINED", 2000, 3000),  # a pair or two, or three nines
    ]


def test_a_card_that_cannot_matter_leaves_the_bonus_exactly_known() -> None:
    """Eights are N/A in paytable 4, so whatever lies beside one earns nothing."""
    tape = whole_round("8h ??", "2d 3c 4d", "Ts Th Kd", pocket_pair="4")
    assert [row for row in codes(tape) if row[2] == "POCKET_PAIR"] == []


@pytest.mark.parametrize(("wager", "paid_by"), [("BIG_8", "5"), ("POCKET_PAIR", "6")])
def test_pays_that_fit_another_paytable(wager: str, paid_by: str) -> None:
    tape = Tape("DD-01", "DAKOTA_DUEL_DRAW", paytables={"pocket_pair": "1", "big_8": "1"})
    for number in (1, 2):
        tape.open_round(number)
        tape.bet(1, "HAND_2_ANTE", 1000)
        tape.bet(1, "BIG_8", 1000)
        deal(tape, {1: ("9h 9c", "9d 9c")[number - 1]}, "9s 2c 3d", "Ts Th 4s")
        play(tape)
        show(tape)
        nets = {"POCKET_PAIR": 4000, "HAND_1_PLAY": 3000, "HAND_2_ANTE": 2000, "BIG_8": 5000}
        nets[wager] = {"BIG_8": 4000, "POCKET_PAIR": 8000}[wager]
        for name, net in nets.items():
            tape.settle_net(1, name, net)
        tape.close_round()
    found = [f for f in findings_of(tape) if f.code == "PAYTABLE_MISMATCH"]
    assert [f.wager for f in found] == [wager]
    assert f"paytable {paid_by} (2 rounds" in found[0].message


# --- figures over all hands ---


def choose(size: int) -> Cards:
    """Every hand of so many cards of one deck: (size, N)."""
    flat = np.fromiter((card for hand in combinations(range(52), size) for card in hand), np.uint8)
    return np.ascontiguousarray(flat.reshape(-1, size).T)


def test_acceptance_dakota_hand() -> None:
    wanted, table = FIGURES["dakota_hand"], rule.hand_paytable(load_rulebook())
    net = hits = 0
    for first in range(48):  # the lowest card, to work in little memory
        rest = np.array(list(combinations(range(first + 1, 52), 4)), np.uint8).T
        cards = np.zeros((8, rest.shape[1]), np.uint8)
        cards[0], cards[1:5] = first, rest
        odds = rule.line_odds(Wager.HAND_1_PLAY, table)[
            rule.wager_lines(cards, Wager.HAND_1_PLAY, table)
        ]
        net, hits = net + int(odds.sum()), hits + int((odds > 0).sum())
    assert (net, hits) == (wanted["net_per_2598960"], wanted["hits"])


def test_acceptance_pocket_pair_bonus() -> None:
    wanted, two = FIGURES["pocket_pair_bonus"], choose(2)
    for table in load_rulebook().paytables(Game.DAKOTA_DUEL_DRAW, Wager.POCKET_PAIR):
        lines = rule.pocket_pair_lines(two, table)
        assert (np.bincount(lines[lines >= 0]) == wanted["ways_each_pair"]).all()
        units = rule.pocket_pair_pays(table)[lines]
        assert int(units.sum()) == wanted["units_per_1326"][table.id]


def counts_of(ranks: Ranks) -> dict[str, int]:
    counts = np.bincount(category_of(ranks), minlength=len(Category))
    return {each.name.lower(): int(counts[each]) for each in Category}


def test_acceptance_big_8_on_a_sample() -> None:
    """Frequencies of 200,000 deals within five standard deviations; nets by the counts' odds."""
    wanted, size, random = FIGURES["big8"], 200_000, Random(8)
    cards = np.array([random.sample(range(52), 8) for _ in range(size)], np.uint8).T
    ranks = rule.wager_ranks(np.ascontiguousarray(cards), Wager.BIG_8)
    for name, count in counts_of(ranks).items():
        if name in wanted:
            mean = size * wanted[name]
            # Whole numbers: everything times the total, so that nothing is divided.
            deviation = count * wanted["total"] - mean
            variance = mean * (wanted["total"] - wanted[name])
            assert deviation**2 <= 25 * variance, name
    for table in load_rulebook().paytables(Game.DAKOTA_DUEL_DRAW, Wager.BIG_8):
        paid = {line.id: line.net_to_one for line in table.lines}
        counts = {each.name.lower(): wanted.get(each.name.lower(), 0) for each in Category}
        net = sum(count * (paid.get(name, -1) or 0) for name, count in counts.items())
        assert net == wanted["net"][table.id]


@pytest.mark.slow
def test_acceptance_big_8_over_every_eight_cards() -> None:
    wanted = FIGURES["big8"]
    tables = load_rulebook().paytables(rule.GAME, Wager.BIG_8)
    counts = dict.fromkeys((each.name.lower() for each in Category), 0)
    nets = {table.id: 0 for table in tables}
    fives = choose(5)
    for low in combinations(range(47), 3):  # the three lowest cards
        begin = int(np.searchsorted(fives[0], low[2] + 1))
        cards = np.empty((8, fives.shape[1] - begin), np.uint8)
        cards[:3], cards[3:] = np.array(low, np.uint8)[:, None], fives[:, begin:]
        ranks = rule.wager_ranks(cards, Wager.BIG_8)
        for name, count in counts_of(ranks).items():
            counts[name] += count
        for table in tables:
            by_line = np.bincount(
                rule.big_8_lines(ranks, table) + 1, minlength=len(table.lines) + 1
            )
            odds = np.roll(rule.line_odds(Wager.BIG_8, table), 1)  # the line -1 comes first
            nets[table.id] += int((by_line * odds).sum())
    assert sum(counts.values()) == wanted["total"]
    assert {name: count for name, count in counts.items() if count} == {
        name: count for name, count in wanted.items() if name not in ("total", "net")
    }
    assert nets == wanted["net"]
