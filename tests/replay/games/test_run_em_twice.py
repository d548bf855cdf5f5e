"""Run'em Twice: a test for each clause, named by it. Amounts are worked out by hand."""

from __future__ import annotations

import pytest

from replay.findings import Finding
from replay.rulebook.loader import load_rulebook
from replay.vocabulary import Wager
from tests.replay.streams import judge
from tests.replay.tape import Tape

Dues = dict[tuple[int, str], int]

STEPS = (
    ("FIRST_RUN", ("LEFT", "RIGHT")),
    ("SECOND_RUN", ("TOP", "BOTTOM")),
    ("CENTER", ("CENTER",)),
)


def tape_of(paytable: str = "1") -> Tape:
    tape = Tape("RT-01", "RUN_EM_TWICE", paytables={"ultimate_pairs": paytable})
    tape.open_round()
    return tape


def deal(tape: Tape, seats: dict[int, str], cross: str) -> None:
    """`cross` names left, right, top, bottom and center."""
    for spot, cards in seats.items():
        tape.deal("PLAYER", cards, spot)
    for place, card in zip(
        ("LEFT", "RIGHT", "TOP", "BOTTOM", "CENTER"), cross.split(), strict=True
    ):
        tape.deal(place, card)


def antes(tape: Tape, spot: int = 1, cents: int = 1000) -> None:
    tape.bet(spot, "FIRST_ANTE", cents)
    tape.bet(spot, "SECOND_ANTE", cents)


def run(tape: Tape, runs: tuple[int | None, ...] = (1000, 1000, 1000), spot: int = 1) -> None:
    """Play through the steps; None folds at that step."""
    gone = False
    for (wager, places), cents in zip(STEPS, runs, strict=True):
        if not gone:
            tape.decide(spot, "FOLD" if cents is None else "PLAY")
            gone = cents is None
            if cents is not None:
                tape.bet(spot, wager, cents)
        tape.reveal(*places)


def dues_of(tape: Tape) -> Dues:
    """What is due on every standing bet; the round need not have been settled."""
    verdict, _ = judge(tape.events)
    wagers = verdict.wagers
    assert wagers is not None
    return {
        (int(spot), Wager(int(wager)).name): int(due)
        for spot, wager, due, known in zip(
            wagers.spot, wagers.wager, wagers.due_cents, wagers.due_known, strict=True
        )
        if known
    }


def findings_of(tape: Tape, **readings: str) -> list[Finding]:
    rulebook = load_rulebook().with_readings(
        {name.replace("_", "-"): value for name, value in readings.items()}
    )
    return judge(tape.events, rulebook)[1]


def codes(tape: Tape, **readings: str) -> list[tuple[str, int | None, str | None]]:
    """Findings but for those that only say that nothing was settled."""
    return [
        (f.code.value, f.spot, f.wager)
        for f in findings_of(tape, **readings)
        if f.code != "WAGER_UNSETTLED"
    ]


def whole_round(seats: dict[int, str], cross: str, paytable: str = "1") -> Tape:
    tape = tape_of(paytable)
    for spot in seats:
        antes(tape, spot)
    deal(tape, seats, cross)
    return tape


# (7): one hand a line; hand 1 is the two cards with left, center, right. Hand 2 is nothing.
@pytest.mark.parametrize(
    ("cards", "cross", "ante", "first_run"),
    [
        ("Ah Kh", "Qh Th 2c 3d Jh", 1000, 500_000),  # (7)(a) royal flush
        ("9h Kh", "Qh Th 2c 3d Jh", 1000, 100_000),  # (7)(b) straight flush
        ("9h 9c", "9d 9s 2c 3d Jh", 1000, 40_000),  # (7)(c) four of a kind
        ("9h 9c", "9d Js 2c 3d Jh", 1000, 12_000),  # (7)(d) full house
        ("2h Kh", "Qh Th 2c 3d Jh", 1000, 8_000),  # (7)(e) flush
        ("9h Kc", "Qh Th 2c 3d Jh", 1000, 5_000),  # (7)(f) straight
        ("Ah 2c", "3d 4s Kd 9c 5h", 1000, 5_000),  # (7)(f) the ace low, ALL-ACE
        ("9h 9c", "9d Qs 2c 3d Jh", 1000, 3_000),  # (7)(g) three of a kind
        ("9h 9c", "Jd Qs 2c 3d Jh", 1000, 2_000),  # (7)(h) two pair
        ("Jh 9c", "Jd Qs 2c 3d Th", 1000, 1_000),  # (7)(i) the lowest high pair
        ("Ah Ac", "Jd Qs 2c 3d Th", 1000, 1_000),  # (7)(i) the highest
        ("Th 9c", "Td Qs 2c 3d 4h", 0, 0),  # (7)(j) the highest low pair, RT-LOW-PAIR
        ("6h 9c", "6d Qs 2c 3d 4h", 0, 0),  # (7)(j) the lowest
        ("5h 9c", "5d Qs 2c 3d 4h", -1000, -1000),  # (7)(k) a pair of fives loses
        ("Ah 9c", "5d Qs 2c 3d 4h", -1000, -1000),  # (7)(k) ace high
    ],
)
def test_c07_antes_and_runs(cards: str, cross: str, ante: int, first_run: int) -> None:
    tape = whole_round({1: cards}, cross)
    run(tape)
    tape.close_round()
    dues = dues_of(tape)
    assert dues[1, "FIRST_ANTE"] == ante
    assert dues[1, "FIRST_RUN"] == first_run


def test_c06_hand_1_lies_across_and_hand_2_down() -> None:
    tape = whole_round({1: "Ah Kd"}, "Ac As Kc Ks 2h")
    run(tape)
    tape.close_round()
    dues = dues_of(tape)
    assert dues[1, "FIRST_RUN"] == 3000  # A A A K 2
    assert dues[1, "SECOND_RUN"] == 3000  # K K K A 2
    tape = whole_round({1: "Ah Kd"}, "Ac 3s Kc Ks 2h")
    run(tape)
    tape.close_round()
    dues = dues_of(tape)
    assert dues[1, "FIRST_RUN"] == 1000  # A A K 3 2
    assert dues[1, "SECOND_RUN"] == 3000


@pytest.mark.parametrize(
    ("cards", "cross", "center"),
    [
        ("9h 9c", "9d Qs 9s 3d Jh", 3000),  # three and three
        ("9h 9c", "9d Qs Js 3d Jh", 3000),  # three of a kind beats two pair
        ("9h 4c", "9d Qs 2s 3d Jh", 0),  # one pushes, the other loses: a push, RT-CENTER
        ("8h 4c", "9d Qs 2s 3d Jh", -1000),  # both lose
    ],
)
def test_c08_center_takes_the_better_run(cards: str, cross: str, center: int) -> None:
    tape = whole_round({1: cards}, cross)
    run(tape)
    tape.close_round()
    assert dues_of(tape)[1, "CENTER"] == center


@pytest.mark.parametrize(
    ("step", "runs", "lost"),
    [
        (2, (None, None, None), {"FIRST_ANTE", "SECOND_ANTE"}),
        (4, (2000, None, None), {"FIRST_ANTE", "SECOND_ANTE", "FIRST_RUN"}),
        (5, (2000, 1000, None), {"FIRST_ANTE", "SECOND_ANTE", "FIRST_RUN", "SECOND_RUN"}),
    ],
)
def test_c02_c04_c05_fold_loses_every_base_bet(
    step: int, runs: tuple[int | None, ...], lost: set[str]
) -> None:
    tape = whole_round({1: "Ah Kh"}, "Qh Th Ac As Jh")
    run(tape, runs)
    tape.close_round()
    dues = dues_of(tape)
    assert {wager for _, wager in dues} == lost, f"({step})"
    assert all(due < 0 for due in dues.values())


@pytest.mark.parametrize(
    ("cross", "due"),
    [
        ("Ah Kh Qh Jh Th", 250),
        ("9h Kh Qh Jh Th", 100),
        ("9h 9c 9d 9s Th", 40),
        ("9h 9c 9d Ts Th", 15),
        ("9h 2h Qh Jh Th", 10),
        ("9h 8c Qh Jh Th", 6),
        ("9h 9c 9d Js Th", 4),
        ("9h 9c Jd Js Th", 3),
        ("6h 6c Jd Qs Th", 1),  # RT-SIXES
        ("5h 5c Jd Qs Th", -1),
        ("5h Ac Jd Qs Th", -1),
    ],
)
def test_c09_five_card_bonus_is_settled_even_after_a_fold(cross: str, due: int) -> None:
    tape = tape_of()
    antes(tape)
    tape.bet(1, "FIVE_CARD_BONUS", 500)
    deal(tape, {1: "2c 3d"}, cross)
    run(tape, (None, None, None))
    tape.close_round()
    assert dues_of(tape)[1, "FIVE_CARD_BONUS"] == 500 * due


@pytest.mark.parametrize(
    ("cards", "pays"),
    [  # paytables 1 to 5
        ("Ah Ad", (30, 25, 100, 50, 25)),  # RT-RED-ACES
        ("Ah Ac", (30, 25, 30, 25, 25)),
        ("Ah Kh", (25, 20, 20, 20, 20)),
        ("Ah Qh", (20, 20, 20, 20, 20)),
        ("Ah Jh", (20, 20, 20, 20, 20)),
        ("Ah Kc", (15, 10, 10, 10, 10)),
        ("Kh Kc", (10, 5, 4, 5, 5)),
        ("Jh Jc", (10, 5, 4, 5, 5)),
        ("Ah Qc", (5, 10, 10, 10, 10)),
        ("Ah Jc", (5, 10, 10, 10, 10)),
        ("Th Tc", (3, 5, 4, 5, 5)),
        ("2h 2c", (3, 5, 4, 5, 5)),
        ("Ah Th", (-1, -1, -1, -1, -1)),
        ("Kh Qh", (-1, -1, -1, -1, -1)),
    ],
)
def test_c10_ultimate_pairs(cards: str, pays: tuple[int, ...]) -> None:
    for paytable, pay in zip("12345", pays, strict=True):
        tape = tape_of(paytable)
        antes(tape)
        tape.bet(1, "ULTIMATE_PAIRS", 300)
        deal(tape, {1: cards}, "4h 7c 8d 9s 3h")
        run(tape, (None, None, None))
        tape.close_round()
        assert dues_of(tape)[1, "ULTIMATE_PAIRS"] == 300 * pay, f"paytable {paytable}"


def test_c01_both_antes_are_required_and_equal() -> None:
    tape = tape_of()
    tape.bet(1, "FIRST_ANTE", 1000)
    antes(tape, 2)
    tape.bet(2, "SECOND_ANTE", 500)
    tape.bet(3, "FIVE_CARD_BONUS", 500)
    deal(tape, {1: "9h 4c", 2: "8h 4d", 3: "2d 5d"}, "9d Qs 2s 3d Jh")
    for spot in (1, 2):
        tape.decide(spot, "FOLD")
    for _, places in STEPS:
        tape.reveal(*places)
    tape.close_round()
    assert codes(tape) == [
        ("WAGER_MISSING", 1, "SECOND_ANTE"),
        ("WAGERS_UNEQUAL", 2, "SECOND_ANTE"),
        ("WAGER_MISSING", 3, "FIRST_ANTE"),
        ("WAGER_MISSING", 3, "SECOND_ANTE"),
    ]


@pytest.mark.parametrize(
    ("runs", "flagged"),
    [
        ((1000, 3000, 2000), []),
        ((999, 1000, 1000), ["FIRST_RUN"]),  # (1)
        ((3001, 1000, 1000), ["FIRST_RUN"]),
        ((1000, 3001, 1000), ["SECOND_RUN"]),  # (3)
        ((1000, 1000, 999), ["CENTER"]),  # (5)
    ],
)
def test_c01_c03_c05_runs_and_center_of_one_to_three_antes(
    runs: tuple[int, ...], flagged: list[str]
) -> None:
    tape = whole_round({1: "9h 4c"}, "9d Qs 2s 3d Jh")
    run(tape, runs)
    tape.close_round()
    assert codes(tape) == [("WAGER_OUT_OF_RANGE", 1, wager) for wager in flagged]


def test_rt_range_whole_multiples_can_be_chosen() -> None:
    tape = whole_round({1: "9h 4c"}, "9d Qs 2s 3d Jh")
    run(tape, (1500, 2000, 1000))
    tape.close_round()
    assert codes(tape) == []
    assert codes(tape, RT_RANGE="whole-multiples") == [("WAGER_OUT_OF_RANGE", 1, "FIRST_RUN")]


def test_a_late_run_is_late_and_not_missing() -> None:
    tape = whole_round({1: "9h 9c"}, "9d Qs 2s 3d Jh")
    tape.decide(1, "PLAY")
    tape.reveal("LEFT", "RIGHT")
    tape.bet(1, "FIRST_RUN", 1000)
    tape.decide(1, "FOLD")
    tape.reveal("TOP", "BOTTOM")
    tape.reveal("CENTER")
    tape.close_round()
    assert codes(tape) == [("WAGER_LATE", 1, "FIRST_RUN")]


def test_an_announced_bet_that_never_came_is_missing() -> None:
    tape = whole_round({1: "9h 9c"}, "9d Qs 2s 3d Jh")
    tape.decide(1, "PLAY")
    tape.reveal("LEFT", "RIGHT")
    tape.decide(1, "FOLD")
    tape.reveal("TOP", "BOTTOM")
    tape.close_round()
    assert codes(tape) == [("WAGER_MISSING", 1, "FIRST_RUN")]


def test_two_decisions_in_one_window_make_up_for_the_step_before() -> None:
    tape = whole_round({1: "9h 9c"}, "9d Qs 2s 3d Jh")
    tape.bet(1, "FIRST_RUN", 1000)
    tape.reveal("LEFT", "RIGHT")
    tape.decide(1, "PLAY")
    tape.bet(1, "SECOND_RUN", 1000)
    tape.decide(1, "PLAY")
    tape.reveal("TOP", "BOTTOM")
    tape.decide(1, "PLAY")
    tape.bet(1, "CENTER", 1000)
    tape.reveal("CENTER")
    tape.close_round()
    assert codes(tape) == [("DECISION_OUT_OF_TURN", 1, None)]


def test_unread_center_leaves_only_what_it_decides_open() -> None:
    """Hand 1 holds two pair whatever the center is, or better; the bounds are exact."""
    tape = whole_round({1: "9h 9c"}, "Jd Js 2s 3d ??")
    run(tape)
    for wager, net in (("FIRST_ANTE", 1000), ("SECOND_ANTE", 0), ("FIRST_RUN", 2000)):
        tape.settle_net(1, wager, net)
    for wager, net in (("SECOND_RUN", 0), ("CENTER", 2000)):
        tape.settle_net(1, wager, net)
    tape.close_round()
    found = [
        (f.wager, f.code.value, f.expected_low_cents, f.expected_high_cents)
        for f in findings_of(tape)
    ]
    assert found == [
        ("SECOND_ANTE", "UNDETERMINED", 0, 1000),  # a pair of nines pushes, two pair wins
        ("FIRST_RUN", "UNDETERMINED", 2000, 12_000),  # two pair, or a full house
        ("SECOND_RUN", "UNDETERMINED", 0, 3000),  # a pair, two pair, three nines
        ("CENTER", "UNDETERMINED", 2000, 12_000),
    ]
