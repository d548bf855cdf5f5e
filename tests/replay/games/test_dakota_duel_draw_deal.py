"""Dakota Duel Draw, dealing, voids and order of payment: tests named by their clause."""

from __future__ import annotations

from typing import Any

import pytest

from tests.replay.games.dakota_rounds import (
    TIP,
    codes,
    deal,
    deals,
    findings_of,
    play,
    show,
    tape_of,
    whole_round,
)
from tests.replay.tape import Tape


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
