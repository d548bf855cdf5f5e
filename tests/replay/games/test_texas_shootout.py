"""Texas Shootout, (1) to (9), (12) and (17): a test for each clause, named by it."""

from __future__ import annotations

import numpy as np
import pytest

from replay.cards import codes_of
from replay.games import texas_shootout as rule
from replay.rulebook.loader import load_rulebook
from tests.replay.games.shootout_rounds import (
    DEALER,
    codes,
    deal,
    dues_of,
    findings_of,
    finish,
    one_spot,
    primary,
    split_spot,
    tape_of,
)
from tests.replay.tape import Tape

# --- (1) six decks ---


@pytest.mark.parametrize(("copies", "guilty"), [(6, False), (7, True)])
def test_c01_six_decks_hold_six_copies_over_the_shoe(copies: int, guilty: bool) -> None:
    tape = tape_of()
    dealt = ["As As As As", "As As 2c 3d" if copies == 6 else "As As As 3d"]
    for number, cards in enumerate(dealt):
        if number:
            tape.round_id = "TS-01-000002"
            tape.send("RoundOpened", dealer_id=None, shoe_id="TS-01-S0001")
        tape.bet(1, "PRIMARY", 1000)
        deal(tape, {1: cards})
        tape.decide(1, "KEEP", "As As")
        finish(tape)
        tape.settle_net(1, "PRIMARY", 1000)
        found = [(f.code.value, f.round_id) for f in findings_of(tape)]
    assert found == ([("DUPLICATE_CARD", "TS-01-000002")] if guilty else [])


def test_c01_another_number_of_decks_is_wrong() -> None:
    tape = Tape("TS-01", "TEXAS_SHOOTOUT", paytables={}, house_way="published-2011")
    tape.open_round(decks=2)
    assert codes(tape) == [("DECKS_WRONG", None, None, None)]


# --- (2) each player plays the dealer ---


def test_c02_two_players_may_both_beat_the_dealer() -> None:
    tape = tape_of()
    for spot in (1, 2):
        tape.bet(spot, "PRIMARY", 1000)
    deal(tape, {1: "As Ah 2c 3d", 2: "Jc 9s 4h 2d"})
    tape.decide(1, "KEEP", "As Ah")
    tape.decide(2, "KEEP", "Jc 9s")
    finish(tape)
    assert [primary(tape, spot) for spot in (1, 2)] == [1000, 1000]


# --- (4) the primary wager ---


def test_c04_the_primary_is_required() -> None:
    tape = one_spot("As Ah 2c 3d", "As Ah", SHOOTOUT_BONUS=500)
    tape.settle_net(1, "SHOOTOUT_BONUS", -500)
    assert codes(tape) == [("WAGER_MISSING", 1, 1, "PRIMARY")]


def test_c04_nothing_is_missing_in_a_round_voided_before_the_deal() -> None:
    tape = tape_of()
    tape.bet(1, "SHOOTOUT_BONUS", 500)
    tape.send("RoundVoided", reason="OTHER", note=None, authorised_by=None)
    tape.round_id = None
    assert codes(tape) == []


def test_c04_a_primary_after_the_first_card_is_late() -> None:
    tape = tape_of()
    deal(tape, {1: "As Ah 2c 3d"})
    tape.bet(1, "PRIMARY", 1000)
    tape.decide(1, "KEEP", "As Ah")
    finish(tape)
    assert codes(tape) == [("WAGER_LATE", 1, 1, "PRIMARY")]


# --- (5) the bonus is optional, by the posted paytable ---


@pytest.mark.parametrize(
    ("paytable", "code"),
    [("A", None), (None, "WAGER_NOT_OFFERED"), ("C", "PAYTABLE_UNKNOWN")],
)
def test_c05_the_bonus_needs_a_posted_paytable(paytable: str | None, code: str | None) -> None:
    tape = tape_of(paytable)
    tape.bet(1, "PRIMARY", 1000)
    tape.bet(1, "SHOOTOUT_BONUS", 500)
    deal(tape, {1: "As Ah 2c 3d"})
    tape.decide(1, "KEEP", "As Ah")
    finish(tape)
    tape.settle_net(1, "PRIMARY", 1000)
    tape.settle_net(1, "SHOOTOUT_BONUS", 0 if paytable is None else -500)
    tape.close_round()
    assert [found for found, *_ in codes(tape)] == ([code] if code else [])


# --- (6), (17) envy ---

ROYAL_FLOP = "Qh Jh Th 2c 4d"
"""A royal flush for whoever keeps the ace and king of hearts."""


def envious(bonus: int, seats: int = 2, **players: str) -> Tape:
    """Spot 2 holds a royal flush; every other spot bets `bonus`, spot 2 has none."""
    tape = tape_of()
    for spot in range(1, seats + 1):
        player = players.get(f"spot_{spot}")
        tape.bet(spot, "PRIMARY", 1000, player_id=player)
        if spot != 2:
            tape.bet(spot, "SHOOTOUT_BONUS", bonus, player_id=player)
    held = {1: "9s 9c 5c 6s", 2: "Ah Kh 5c 6s", 3: "9d 8c 5c 6s"}
    deal(tape, {spot: held[spot] for spot in range(1, seats + 1)})
    for spot in range(1, seats + 1):
        tape.decide(spot, "KEEP", held[spot][:5])
    finish(tape, flop=ROYAL_FLOP)
    return tape


@pytest.mark.parametrize(("bonus", "due"), [(4_99, None), (5_00, 250_00), (5_01, 250_00)])
def test_c06_envy_needs_a_bonus_of_five_dollars(bonus: int, due: int | None) -> None:
    assert dues_of(envious(bonus)).get((1, 1, "ENVY_BONUS")) == due


def test_c06_each_bonus_wager_is_tested_by_itself() -> None:
    tape = envious(4_00, 3, spot_1="P-1", spot_3="P-1")
    assert not any(wager == "ENVY_BONUS" for _, _, wager in dues_of(tape))


def test_c17_every_qualifying_wager_is_paid_for_a_hand_without_a_bonus() -> None:
    dues = dues_of(envious(5_00, 3))
    assert dues[(1, 1, "ENVY_BONUS")] == dues[(3, 1, "ENVY_BONUS")] == 250_00
    assert (2, 1, "ENVY_BONUS") not in dues


def test_c17_the_own_hand_and_the_dealers_pay_no_envy() -> None:
    tape = tape_of()
    tape.bet(1, "PRIMARY", 1000)
    tape.bet(1, "SHOOTOUT_BONUS", 500)
    deal(tape, {1: "Ah Kh 5c 6s"}, dealer="Ah Kh 5d 6d")
    tape.decide(1, "KEEP", "Ah Kh")
    finish(tape, kept="Ah Kh", flop=ROYAL_FLOP)
    dues = dues_of(tape)
    assert (1, 1, "ENVY_BONUS") not in dues
    assert dues[(1, 1, "SHOOTOUT_BONUS")] == 500 * 500
    assert dues[(1, 1, "PRIMARY")] == -1000  # equal: both hold the royal flush


@pytest.mark.parametrize(
    ("reading", "due"), [("every-other-hand", 250_00), ("exclude-same-player", None)]
)
def test_c17_another_hand_of_the_same_player(reading: str, due: int | None) -> None:
    tape = envious(5_00, 3, spot_1="P-1", spot_2="P-1", spot_3="P-2")
    dues = dues_of(tape, TS_ENVY_OWN=reading)
    assert dues.get((1, 1, "ENVY_BONUS")) == due
    assert dues[(3, 1, "ENVY_BONUS")] == 250_00


@pytest.mark.parametrize(
    ("reading", "due"), [("every-other-hand", 50_00), ("exclude-same-player", None)]
)
def test_c17_the_other_hand_of_a_split(reading: str, due: int | None) -> None:
    cards = "9h 8h 9s 8s"
    tape = split_spot(cards, bonuses=(500, 500), flop="7h 6h 5h 2c Kd")
    dues = dues_of(tape, TS_ENVY_OWN=reading)
    assert (1, 1, "ENVY_BONUS") not in dues
    assert dues.get((1, 2, "ENVY_BONUS")) == due


def test_c17_several_hands_add_up_and_may_be_paid_in_parts() -> None:
    tape = tape_of()
    for spot in (1, 2, 3):
        tape.bet(spot, "PRIMARY", 1000)
    tape.bet(1, "SHOOTOUT_BONUS", 500)
    deal(tape, {1: "2s 3c 5c 6s", 2: "Ah Kh 5c 6s", 3: "9h 8h 5c 6s"})
    for spot, two in ((1, "2s 3c"), (2, "Ah Kh"), (3, "9h 8h")):
        tape.decide(spot, "KEEP", two)
    finish(tape, flop=ROYAL_FLOP)
    for spot, wager, net in (
        (3, "PRIMARY", 1000),
        (2, "PRIMARY", 1000),
        (1, "PRIMARY", -1000),
        (1, "SHOOTOUT_BONUS", -500),
        (1, "ENVY_BONUS", 250_00),
        (1, "ENVY_BONUS", 50_00),
    ):
        tape.settle_net(spot, wager, net)
    assert dues_of(tape)[(1, 1, "ENVY_BONUS")] == 300_00
    assert codes(tape) == []


def test_c17_five_of_a_kind_pays_its_highest_line_once() -> None:
    table = rule.envy_paytable(load_rulebook())
    hands = ["9c 9d 9h 9s 9c 2d 3d", "9c 9c 9c 9c 9c 9d 3d", "Th Jh Qh Kh Ah 9h 8h"]
    cards = np.stack([codes_of(hand.split()) for hand in hands], axis=1)
    ranks = rule.hand_ranks(cards[:2], cards[2:])
    assert rule.envy_hand_cents(ranks, table).tolist() == [10_00, 1_000_00, 250_00]


# --- (7), (12) cards ---


@pytest.mark.parametrize("order", ["together", "in turn"])
def test_c07_clockwise_the_dealer_last(order: str) -> None:
    tape = tape_of()
    tape.bet(1, "PRIMARY", 1000)
    hands: list[tuple[str, list[str], int | None]] = [
        ("PLAYER", "As Ah 2c 3d".split(), 1),
        ("DEALER", DEALER.split(), None),
    ]
    if order == "together":
        hands.reverse()
        for place, cards, spot in hands:
            tape.deal(place, " ".join(cards), spot)
    else:
        for turn in range(4):
            for place, cards, spot in hands:
                tape.deal(place, cards[turn], spot)
    tape.decide(1, "KEEP", "As Ah")
    finish(tape)
    tape.settle_net(1, "PRIMARY", 1000)
    wanted = [("DEAL_ORDER", None, None, None)] if order == "together" else []
    assert codes(tape) == wanted  # together, but the dealer first


@pytest.mark.parametrize("cards", ["As Ah 2c", "As Ah 2c 3d 4d"])
def test_c07_four_cards_and_no_other_number(cards: str) -> None:
    tape = one_spot(cards, "As Ah")
    tape.settle_net(1, "PRIMARY", 1000)
    found = [f for f in findings_of(tape) if f.code == "MISDEAL_NOT_CALLED"]
    assert [(f.expected_cents, f.actual_cents) for f in found] == [(None, 1000)]


@pytest.mark.parametrize("flop", ["Kh 7c 4d Ts", "Kh 7c 4d Ts Jh 2c"])
def test_c12_five_cards_on_the_flop(flop: str) -> None:
    tape = one_spot("As Ah 2c 3d", "As Ah", flop)
    tape.settle_net(1, "PRIMARY", 1000)
    tape.close_round()
    assert ("MISDEAL_NOT_CALLED", None, None, None) in codes(tape)


# --- (8) keeping two ---


def test_c08_the_last_choice_before_the_dealers_hand_lies_open_counts() -> None:
    tape = tape_of()
    tape.bet(1, "PRIMARY", 1000)
    deal(tape, {1: "As Ah 2c 3d"})
    tape.decide(1, "KEEP", "2c 3d")
    tape.decide(1, "KEEP", "As Ah")
    tape.reveal("DEALER")
    tape.decide(1, "KEEP", "2c 3d")
    finish(tape)
    assert primary(tape) == 1000
    assert ("DECISION_OUT_OF_TURN", 1, 1, None) in codes(tape)


def test_c08_a_later_choice_counts_where_there_was_none_the_first_of_them() -> None:
    tape = tape_of()
    tape.bet(1, "PRIMARY", 1000)
    deal(tape, {1: "As Ah 2c 3d"})
    finish(tape)
    tape.decide(1, "KEEP", "As Ah")
    tape.decide(1, "KEEP", "2c 3d")
    assert primary(tape) == 1000
    found = [code for code, *_ in codes(tape)]
    assert found.count("DECISION_OUT_OF_TURN") == 2
    assert "DECISION_MISSING" not in found


def test_c08_a_spot_that_never_chose_may_hold_any_two_of_its_cards() -> None:
    tape = tape_of()
    tape.bet(1, "PRIMARY", 1000)
    deal(tape, {1: "As Ah 2c 3d"})
    finish(tape)
    assert primary(tape) == (-1000, 1000)
    assert ("DECISION_MISSING", 1, None, None) in codes(tape)


@pytest.mark.parametrize("keep", ["As Ad", "As", "As Ah 2c"])
def test_c08_what_was_not_dealt_cannot_be_kept(keep: str) -> None:
    tape = one_spot("As Ah 2c 3d", keep)
    tape.settle_net(1, "PRIMARY", 1000)
    found = [code for code, *_ in codes(tape)]
    assert sorted(found) == ["KEPT_CARD_NOT_DEALT", "UNDETERMINED"]


def test_c08_kept_cards_are_read_off_the_unread_ones() -> None:
    tape = one_spot("?? Ah ?? ??", "As Ah")
    assert primary(tape) == 1000


def test_c08_the_choice_that_counts_is_read_off_before_one_that_was_replaced() -> None:
    tape = tape_of()
    tape.bet(1, "PRIMARY", 1000)
    deal(tape, {1: "2c 3d ?? ??"})
    tape.decide(1, "KEEP", "Kd Kc")
    tape.decide(1, "KEEP", "As Ah")
    finish(tape)
    assert primary(tape) == 1000
    assert "KEPT_CARD_NOT_DEALT" not in [code for code, *_ in codes(tape)]


# --- (9) splitting ---


@pytest.mark.parametrize(
    ("cards", "legal"),
    [
        ("As Ah 3d 3c", True),
        ("As Ah Ad Ac", True),
        ("As As As As", True),
        ("As Ah Ad 3c", False),
        ("As Ah 3d 4c", False),
    ],
)
def test_c09_two_pair_or_four_of_a_kind_may_be_split(cards: str, legal: bool) -> None:
    assert [code for code, *_ in codes(split_spot(cards))].count("ILLEGAL_SPLIT") == (not legal)


def test_c09_an_illegal_split_is_settled_as_split() -> None:
    dues = dues_of(split_spot("As Ah 3d 4c"))
    assert (dues[(1, 1, "PRIMARY")], dues[(1, 2, "PRIMARY")]) == (1000, 1000)


@pytest.mark.parametrize(
    ("second", "code"), [(0, "WAGER_MISSING"), (1000, None), (1500, "WAGERS_UNEQUAL")]
)
def test_c09_the_second_primary_matches_the_first(second: int, code: str | None) -> None:
    assert codes(split_spot(second=second)) == ([(code, 1, 2, "PRIMARY")] if code else [])


@pytest.mark.parametrize(
    ("bonuses", "code"),
    [
        ((500, 500), None),
        ((500, 400), None),
        ((500, 600), "WAGER_OUT_OF_RANGE"),
        ((None, 500), "WAGER_NOT_OFFERED"),
    ],
)
def test_c09_the_second_bonus_is_at_most_the_first(
    bonuses: tuple[int | None, int], code: str | None
) -> None:
    assert codes(split_spot(bonuses=bonuses)) == ([(code, 1, 2, "SHOOTOUT_BONUS")] if code else [])


def test_c09_hand_2_needs_a_split() -> None:
    tape = tape_of()
    tape.bet(1, "PRIMARY", 1000)
    deal(tape, {1: "As Ah 3d 3c"})
    tape.decide(1, "KEEP", "As Ah")
    tape.bet(1, "PRIMARY", 1000, hand=2)
    finish(tape)
    assert codes(tape) == [("WAGER_NOT_OFFERED", 1, 2, "PRIMARY")]
