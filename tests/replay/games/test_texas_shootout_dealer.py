"""Texas Shootout, (11) and (13) to (19), and unread cards: a test for each clause, named by it."""

from __future__ import annotations

import numpy as np
import pytest

from replay.cards import codes_of
from replay.games import texas_shootout as rule
from replay.rulebook.loader import load_rulebook
from replay.vocabulary import Wager
from tests.replay.games.shootout_rounds import (
    FLOP,
    codes,
    deal,
    dues_of,
    finish,
    one_spot,
    primary,
    tape_of,
)
from tests.replay.tape import Tape

# --- (11) the house way ---


def test_c11_a_misset_hand_is_settled_by_the_house_way() -> None:
    tape = tape_of()
    tape.bet(1, "PRIMARY", 1000)
    deal(tape, {1: "As Ah 2c 3d"}, dealer="Kd Kc 8d 3s")
    tape.decide(1, "KEEP", "As Ah")
    finish(tape, kept="8d 3s", flop=FLOP)
    assert primary(tape) == -1000  # three kings
    assert ("HOUSE_WAY_MISSET", None, None, None) in codes(tape)


def test_c11_the_last_setting_counts() -> None:
    tape = tape_of()
    tape.bet(1, "PRIMARY", 1000)
    deal(tape, {1: "As Ah 2c 3d"}, dealer="Kd Kc 8d 3s")
    tape.decide(1, "KEEP", "As Ah")
    finish(tape, kept="8d 3s", flop=FLOP)
    tape.decide(None, "KEEP", "Kd Kc")
    assert primary(tape) == -1000
    assert "HOUSE_WAY_MISSET" not in [code for code, *_ in codes(tape)]


def test_c11_without_a_house_way_the_kept_cards_count() -> None:
    tape = tape_of(house_way=None)
    tape.bet(1, "PRIMARY", 1000)
    deal(tape, {1: "As Ah 2c 3d"}, dealer="Kd Kc 8d 3s")
    tape.decide(1, "KEEP", "As Ah")
    finish(tape, kept="8d 3s", flop=FLOP)
    assert primary(tape) == 1000


def test_c11_unread_discards_of_the_dealer_may_call_for_another_setting() -> None:
    tape = tape_of()
    tape.bet(1, "PRIMARY", 1000)
    deal(tape, {1: "As Ah 2c 3d"}, dealer="Qc 8d ?? ??")
    tape.decide(1, "KEEP", "As Ah")
    finish(tape)
    assert primary(tape) == (-1000, 1000)


def test_c11_a_dealers_card_that_was_not_dealt_leaves_every_primary_undetermined() -> None:
    tape = tape_of()
    tape.bet(1, "PRIMARY", 1000)
    deal(tape, {1: "As Ah 2c 3d"})
    tape.decide(1, "KEEP", "As Ah")
    finish(tape, kept="Qc 9d")
    assert primary(tape) == (-1000, 1000)
    assert codes(tape) == [("KEPT_CARD_NOT_DEALT", None, None, None)]


# --- (13), (14) hands and their ranking ---


def test_c13_the_best_five_of_two_cards_and_the_flop() -> None:
    board = one_spot("2s 3s 4s 5s", "2s 3s", "Ah Kh Qh Jh Th")
    assert primary(board) == -1000  # both play the royal flush that lies on the flop


def test_c14_from_five_of_a_kind_suited_down() -> None:
    hands = [
        "2h 2h 2h 2h 2h 3c 4c",
        "Ah Kh Qh Jh Th 3c 4c",
        "5h 4h 3h 2h Ah Kc Kd",
        "Ah As Ad Ac Ah 3c 4c",
        "Ah As Ad Ac 9h 3c 4c",
        "Ah As Ad 9c 9h 3c 4c",
        "Ah Ah 9h 4h 2h 3c 5c",
        "Ah Kc Qh Jh Th 3c 4c",
        "Ah As Ad 9c 8h 3c 4c",
        "Ah As 9d 9c 8h 3c 4c",
        "Ah As 9d 8c 7h 3c 4c",
        "Ah Ks 9d 8c 7h 3c 4c",
    ]
    cards = np.stack([codes_of(hand.split()) for hand in hands], axis=1)
    ranks = rule.hand_ranks(cards[:2], cards[2:])
    assert (np.diff(ranks.astype(np.int64)) < 0).all()


# --- (15) primary ---


@pytest.mark.parametrize(
    ("keep", "net"), [("As Ah", 1000), ("2c 3d", -1000)], ids=["higher", "lower"]
)
def test_c15_higher_wins_even_money(keep: str, net: int) -> None:
    assert primary(one_spot("As Ah 2c 3d", keep)) == net


def test_c15_a_tie_loses() -> None:
    assert primary(one_spot("Qs 8h 2c 3d", "Qs 8h")) == -1000


@pytest.mark.parametrize(("spots", "good"), [((2, 1), True), ((1, 2), False)])
def test_c15_settled_from_the_highest_spot_down(spots: tuple[int, ...], good: bool) -> None:
    tape = tape_of()
    for spot in (1, 2):
        tape.bet(spot, "PRIMARY", 1000)
    deal(tape, {1: "As Ah 2c 3d", 2: "Jc 9s 4h 2d"})
    tape.decide(1, "KEEP", "As Ah")
    tape.decide(2, "KEEP", "Jc 9s")
    finish(tape)
    for spot in spots:
        tape.settle_net(spot, "PRIMARY", 1000)
    assert codes(tape) == ([] if good else [("SETTLEMENT_ORDER", None, None, None)])


# --- (16) bonus ---


@pytest.mark.parametrize(
    ("hand", "table_a", "table_b"),
    [
        ("2h 2h 2h 2h 2h 3c 4c", 5000, 1000),
        ("Ah Kh Qh Jh Th 3c 4c", 500, 200),
        ("9h 8h 7h 6h 5h 3c 4c", 100, 75),
        ("Ah As Ad Ac Ah 3c 4c", 50, 40),
        ("Ah As Ad Ac 9h 3c 4c", 5, 7),
        ("Ah As Ad 9c 9h 3c 4c", 3, 3),
        ("Ah Jh 9h 4h 2h 3c 5c", 2, 2),
        ("Ah Kc Qh Jh Th 3c 4c", 1, 1),
        ("Ah As Ad 9c 8h 3c 4c", -1, -1),
        ("Ah Ks 9d 8c 7h 3c 4c", -1, -1),
    ],
)
def test_c16_paytables(hand: str, table_a: int, table_b: int) -> None:
    cards = codes_of(hand.split())[:, None]
    ranks = rule.hand_ranks(cards[:2], cards[2:])
    tables = load_rulebook().paytables(rule.GAME, Wager.SHOOTOUT_BONUS)
    assert [int(rule.bonus_odds(ranks, table)[0]) for table in tables] == [table_a, table_b]


def test_c16_a_bonus_wins_though_the_primary_loses() -> None:
    tape = tape_of("B")
    tape.bet(1, "PRIMARY", 1000)
    tape.bet(1, "SHOOTOUT_BONUS", 500)
    deal(tape, {1: "9h 8c 3d 4s"}, dealer="Ac Kd 5h 3s")
    tape.decide(1, "KEEP", "9h 8c")
    finish(tape, kept="Ac Kd", flop="Qd Jh Td 5c 2s")  # a lower straight than the dealer's
    dues = dues_of(tape)
    assert (dues[(1, 1, "PRIMARY")], dues[(1, 1, "SHOOTOUT_BONUS")]) == (-1000, 500)


def test_c16_the_bonus_comes_after_the_primary() -> None:
    tape = one_spot("As Ah 2c 3d", "As Ah", PRIMARY=1000, SHOOTOUT_BONUS=500)
    tape.settle_net(1, "SHOOTOUT_BONUS", -500)
    tape.settle_net(1, "PRIMARY", 1000)
    assert codes(tape) == [("SETTLEMENT_ORDER", None, None, None)]


# --- (19) the cut card ---


@pytest.mark.parametrize("cut_first", [True, False])
def test_c19_no_round_after_the_cut_card(cut_first: bool) -> None:
    tape = Tape("TS-01", "TEXAS_SHOOTOUT", paytables={}, house_way="published-2011")
    tape.send("ShoeLoaded", shoe_id="S-1", decks=6)
    if cut_first:
        tape.send("CutCardReached", shoe_id="S-1")
    tape.round_id = "TS-01-000001"
    tape.send("RoundOpened", dealer_id=None, shoe_id="S-1")
    if not cut_first:
        tape.send("CutCardReached", shoe_id="S-1")
    tape.bet(1, "PRIMARY", 1000)
    deal(tape, {1: "As Ah 2c 3d"})
    tape.decide(1, "KEEP", "As Ah")
    finish(tape)
    tape.settle_net(1, "PRIMARY", 1000)
    assert codes(tape) == ([("SHOE_PAST_CUT", None, None, None)] if cut_first else [])


# --- unread cards ---


def test_an_unread_flop_card_bounds_every_wager() -> None:
    tape = tape_of()
    for spot in (1, 2):
        tape.bet(spot, "PRIMARY", 1000)
    tape.bet(1, "SHOOTOUT_BONUS", 500)
    deal(tape, {1: "9s 9c 5c 6s", 2: "Ah Kh 5c 6s"})
    tape.decide(1, "KEEP", "9s 9c")
    tape.decide(2, "KEEP", "Ah Kh")
    finish(tape, flop="Qh Jh ?? 2c 4d")
    dues = dues_of(tape)
    assert dues[(1, 1, "ENVY_BONUS")] == (0, 250_00)
    assert dues[(1, 1, "SHOOTOUT_BONUS")] == -500  # three nines are the most it can be
    assert dues[(2, 1, "PRIMARY")] == (-1000, 1000)


def test_too_many_ways_leave_no_bounds() -> None:
    assert primary(one_spot("As Ah 2c 3d", "As Ah", "?? ?? ?? ?? ??")) is None


def test_a_discard_that_was_not_read_decides_nothing() -> None:
    assert primary(one_spot("As Ah ?? ??", "As Ah")) == 1000
