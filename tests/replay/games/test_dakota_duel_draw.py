"""Dakota Duel Draw, bets and pays: a test for each clause, named by it. Amounts by hand."""

from __future__ import annotations

import pytest

from tests.replay.games.dakota_rounds import (
    TIP,
    codes,
    deal,
    dues_of,
    findings_of,
    finish,
    play,
    show,
    tape_of,
    whole_round,
)

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


@pytest.mark.parametrize(
    ("wager", "reading"), [("BIG_8", "ALL-LATE"), ("HAND_1_PLAY", "DD-BIG-8-ONLY")]
)
def test_c02_pay_on_chips_that_go_back_names_why_they_do(wager: str, reading: str) -> None:
    tape = tape_of()
    tape.bet(1, "HAND_2_ANTE" if wager == "BIG_8" else "BIG_8", 1000)
    deal(tape, {1: "9h 9c"}, "9d 2c 3d", "Ts Th Kd")
    tape.bet(1, wager, 1000)
    show(tape)
    tape.settle(1, wager, "WIN", 2000)
    tape.close_round()
    assert [f.readings for f in findings_of(tape) if f.code == "OVERPAID"] == [(reading,)]


@pytest.mark.parametrize("late", [False, True])
def test_c02_an_ante_is_missing_where_hand_1_was_bet_on_at_the_reveal(late: bool) -> None:
    tape = tape_of()
    tape.bet(1, "BIG_8", 1000)
    deal(tape, {1: "9h 9c"}, "9d 2c 3d", "Ts Th Kd")
    tape.bet(1, "HAND_1_PLAY", 1000)
    if not late:
        tape.take_back(1, "HAND_1_PLAY", 1000)
    show(tape)
    if late:  # it goes back anyway, which is no change
        tape.take_back(1, "HAND_1_PLAY", 1000)
    tape.close_round()
    assert codes(tape) == ([("WAGER_MISSING", 1, "HAND_2_ANTE")] if late else [])


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
