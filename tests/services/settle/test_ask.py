"""Rounds asked for one field after the other: wrong answers asked again, nothing needless asked."""

from __future__ import annotations

from datetime import date

import pytest

from replay.vocabulary import Decision, Game, Place, Wager
from services.errors import BadArgumentError
from services.settle.ask import Dialogue
from services.settle.service import Settling


class Sitting:
    """Somebody who answers from a list, and what was asked and said."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []
        self.said: list[str] = []

    def prompt(self, question: str) -> str:
        self.asked.append(question)
        if not self.answers:
            raise BadArgumentError("the round ended before everything was answered")
        return self.answers.pop(0)


def answered(game: Game, *answers: str) -> tuple[Settling, Sitting]:
    settling, sitting = Settling(game, date(2026, 4, 18)), Sitting(*answers)
    Dialogue(settling.typed, settling.rulebook, sitting.prompt, sitting.said.append).run()
    assert sitting.answers == []
    return settling, sitting


def test_run_em_twice_with_slips_of_the_hand() -> None:
    settling, sitting = answered(
        Game.RUN_EM_TWICE,
        *("", "1 3"),  # nobody
        *("9", "2"),  # no such paytable
        *("ten", "10", "", "", "5"),  # seat 1: ante, the second the same, no bonus, pairs
        *("5", "5", "1", ""),  # seat 3
        *("9c 9x", "9c", "9c 9s"),  # no card, too few
        *("9c Ah", "Ts Ah"),  # one is used already
        *("30", "fold"),  # first run; seat 3 is out
        *("25", "30"),  # second run, center of seat 1 alone
        *("4s", "6c", "4d", "4s", "4c", "??"),
    )
    typed = settling.typed
    assert typed.paytables == {Wager.ULTIMATE_PAIRS: "2"}
    assert [(bet.spot, bet.wager.name, bet.cents) for bet in typed.bets] == [
        (1, "FIRST_ANTE", 1000),
        (1, "SECOND_ANTE", 1000),
        (1, "ULTIMATE_PAIRS", 500),
        (3, "FIRST_ANTE", 500),
        (3, "SECOND_ANTE", 500),
        (3, "FIVE_CARD_BONUS", 100),
        (1, "FIRST_RUN", 3000),
        (1, "SECOND_RUN", 2500),
        (1, "CENTER", 3000),
    ]
    assert typed.cards[Place.CENTER, 0] == [None]
    said = "\n".join(sitting.said)
    for words in (
        "no paytable 9; there is 1, 2, 3, 4, 5",
        "no seat named",
        "ten is no amount",
        "9x is no card",
        "1 named, 2 lie there",
        "9c is used already, at seat 1",
        "4s is used already, at left",
    ):
        assert words in said
    assert not any("seat 3  second run" in question for question in sitting.asked)
    assert not any("dealer" in question for question in sitting.asked)


def test_no_paytable_no_question_about_its_bet() -> None:
    _, sitting = answered(
        Game.RUN_EM_TWICE, "1", "", "5", "", "", "Ah Kh", "fold", "2c", "3c", "4c", "5c", "6c"
    )
    assert [question for question in sitting.asked if "ultimate pairs $" in question] == []


def test_dakota_asks_for_tips_and_for_the_bonus_table_only_with_a_pair() -> None:
    settling, sitting = answered(
        Game.DAKOTA_DUEL_DRAW,
        "1 2",
        *("5", "10", "PRIMARY 5", "BIG_8 2", ""),  # seat 1; a tip is asked for until none
        *("", "10", ""),  # seat 2
        "7",  # big 8
        *("9c 9s", "Ah Kd"),
        *("", "f"),  # seat 1 plays its ante again, seat 2 folds
        "4",  # a pair was played
        *("2c 3c 4c", "5d 6d 7d"),
    )
    bets = [(bet.spot, bet.wager.name, bet.cents, bet.bettor.name) for bet in settling.typed.bets]
    assert (1, "HAND_1_PLAY", 1000, "PLAYER") in bets
    assert (1, "BIG_8", 200, "DEALER") in bets
    assert settling.typed.paytables == {Wager.BIG_8: "7", Wager.POCKET_PAIR: "4"}
    assert [choice.decision for choice in settling.typed.choices] == [Decision.PLAY, Decision.FOLD]
    assert any("no wager PRIMARY" in words for words in sitting.said)
    _, other = answered(
        Game.DAKOTA_DUEL_DRAW, "1", "", "10", "", "9c Ks", "10", "2c 3c 4c", "5d 6d 7d"
    )
    assert not any("paytable" in question for question in other.asked)


def test_dakota_asks_again_where_nobody_bet() -> None:
    settling, sitting = answered(
        Game.DAKOTA_DUEL_DRAW,
        *("2", "", "", ""),  # neither bet, nor a tip
        *("", "10", ""),
        *("9c Ah", "fold", "4s 4d 4c", "Tc Jc Qc"),
    )
    assert [bet.cents for bet in settling.typed.bets] == [1000]
    assert sitting.said == ["  nobody has a bet; somebody must play"]


def test_shootout_keeps_splits_and_the_house_way() -> None:
    settling, sitting = answered(
        Game.TEXAS_SHOOTOUT,
        "1 2",
        *("10", "5"),
        *("10", ""),
        "A",
        *("8c 8d As Ah", "Kh Kd 3d 4s"),
        *("As 2c 8c 8d", "As Ah 8c 8d"),  # 2c was not dealt
        *("", "5"),  # the second primary as the first, a bonus on hand 2
        *("Kh", "Kh Kd"),  # one card is no hand
        "2s 2c Ts 9s",
        "",  # the dealer by the house way
        "Ac Ad As 3h 8c",
    )
    typed = settling.typed
    assert [(bet.spot, bet.hand, bet.wager.name, bet.cents) for bet in typed.bets[-2:]] == [
        (1, 2, "PRIMARY", 1000),
        (1, 2, "SHOOTOUT_BONUS", 500),
    ]
    assert typed.choices[0].cards == ("As", "Ah", "8c", "8d")
    assert [choice.spot for choice in typed.choices] == [1, 2]
    assert any("2c was not dealt there" in words for words in sitting.said)
    assert any("published-2011" in question for question in sitting.asked)


def test_an_early_end_is_told() -> None:
    with pytest.raises(BadArgumentError, match="ended before"):
        answered(Game.TEXAS_SHOOTOUT, "1", "10")
