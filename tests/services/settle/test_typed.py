"""What is typed, line by line: taken as meant, or refused with what would do."""

from __future__ import annotations

from datetime import date

import pytest

from replay.vocabulary import Bettor, Game, Place, Wager
from services.errors import BadArgumentError
from services.settle.games import FORMS
from services.settle.typed import TypedRound, cents_of, lines_of


def typed(game: Game = Game.RUN_EM_TWICE) -> TypedRound:
    return TypedRound(form=FORMS[game], gaming_day=date(2026, 4, 18))


@pytest.mark.parametrize(
    ("text", "cents"),
    [("10", 1000), ("$10", 1000), ("62.5", 6250), ("62.50", 6250), ("1,000", 100_000), ("0.05", 5)],
)
def test_an_amount(text: str, cents: int) -> None:
    assert cents_of("", text) == cents


@pytest.mark.parametrize("text", ["", "0", "-5", "ten", "1.005", "10,00", "1e3", "$", "٣"])
def test_no_amount(text: str) -> None:
    with pytest.raises(BadArgumentError):
        cents_of("", text)


def test_bets_name_seat_wager_and_dollars() -> None:
    dakota = typed(Game.DAKOTA_DUEL_DRAW)
    dakota.add("bet", "2 big_8 5")
    dakota.add("bet", "2 BIG-8 $2.50 tip")
    one, tip = dakota.bets
    assert (one.spot, one.wager, one.cents, one.bettor) == (2, Wager.BIG_8, 500, Bettor.PLAYER)
    assert (tip.cents, tip.bettor) == (250, Bettor.DEALER)
    shootout = typed(Game.TEXAS_SHOOTOUT)
    shootout.add("bet", "1 PRIMARY 10 hand 2")
    assert shootout.bets[0].hand == 2


def test_cards_in_any_spelling() -> None:
    dakota = typed(Game.DAKOTA_DUEL_DRAW)
    dakota.add("cards", "seat 1 10h aS")
    dakota.add("cards", "hand 1 T♣ ?? 2d")
    dakota.add("cards", "HAND_2 3c")
    dakota.add("cards", "hand-2 4c 5c")
    assert dakota.cards == {
        (Place.PLAYER, 1): ["Th", "As"],
        (Place.HAND_1, 0): ["Tc", None, "2d"],
        (Place.HAND_2, 0): ["3c", "4c", "5c"],
    }


@pytest.mark.parametrize(
    ("word", "text", "told"),
    [
        ("bet", "1 FIRST_ANTE", "SEAT WAGER DOLLARS"),
        ("bet", "1 BIG_8 5", "FIRST_ANTE"),
        ("bet", "0 FIRST_ANTE 5", "no seat"),
        ("bet", "one FIRST_ANTE 5", "no seat"),
        ("bet", "1 FIRST_ANTE five", "62.50"),
        ("bet", "1 FIRST_ANTE 5 tip", "no tips"),
        ("cards", "dealer Ah", "left"),
        ("cards", "flop", "left"),
        ("cards", "1 Ah 1s", "1s is no card"),
        ("cards", "1 Ah As Ad", "takes 2 cards"),
        ("cards", "left Ah Ah", "takes 1 card"),
        ("decision", "1", "SEAT DECISION"),
        ("decision", "1 KEEP Ah Kd", "PLAY, FOLD"),
        ("decision", "dealer PLAY", "the dealer decides nothing"),
        ("paid", "1 CENTER WIN", "OUTCOME"),
        ("paid", "1 BIG_8 LOSE", "CENTER"),
    ],
)
def test_what_does_not_do_is_refused(word: str, text: str, told: str) -> None:
    with pytest.raises(BadArgumentError) as raised:
        typed().add(word, text)
    if told == "OUTCOME":
        told = "WIN DOLLARS"
    assert told in str(raised.value)
    assert text.split()[0] in raised.value.message


def test_a_card_is_used_once_in_one_deck_and_six_times_in_six() -> None:
    one = typed()
    one.add("cards", "1 Ah Kd")
    with pytest.raises(BadArgumentError, match="Ah is used already, at seat 1"):
        one.add("cards", "left Ah")
    assert (Place.LEFT, 0) not in one.cards
    six = typed(Game.TEXAS_SHOOTOUT)
    six.add("cards", "1 Ah Ah Ah Ah")
    six.add("cards", "2 Ah Ah 2c 3c")
    with pytest.raises(BadArgumentError, match="Ah is used already"):
        six.add("cards", "flop Ah")


def test_what_lacks_is_named() -> None:
    lacking = typed()
    with pytest.raises(BadArgumentError, match="nobody has a bet"):
        lacking.check_whole()
    lacking.add("bet", "3 FIRST_ANTE 5")
    lacking.add("cards", "3 Ah")
    with pytest.raises(BadArgumentError, match="seat 3: 1 card lacking"):
        lacking.check_whole()


def test_lines_of_a_text_file() -> None:
    text = '# a round\n\nbet 1 FIRST_ANTE 5  # ten\n  --cards "1 Ah Kd"\nhouse-way published-2011\n'
    assert lines_of(text, "r.txt") == [
        ("bet", "1 FIRST_ANTE 5"),
        ("cards", "1 Ah Kd"),
        ("house-way", "published-2011"),
    ]
    with pytest.raises(BadArgumentError, match=r"r\.txt, line 2: 'bets 1' is no line"):
        lines_of("\nbets 1\n", "r.txt")
