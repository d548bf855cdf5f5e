"""Run'em Twice: why a bet is due what it is, in clause, readings and words."""

from __future__ import annotations

import numpy as np

from replay.bets import Argument
from replay.cards import Cards
from replay.games import run_em_twice as rule
from replay.ranking import best_five, describe
from replay.rulebook.loader import Rulebook
from replay.rulebook.model import Line, Paytable
from replay.vocabulary import Game, Wager
from replay.words import bet_words, card_words

_READINGS = {
    Wager.FIRST_ANTE: ("RT-COLUMNS", "RT-HANDS"),
    Wager.SECOND_ANTE: ("RT-COLUMNS", "RT-HANDS"),
    Wager.FIRST_RUN: ("RT-COLUMNS", "RT-HANDS"),
    Wager.SECOND_RUN: ("RT-COLUMNS", "RT-HANDS"),
    Wager.CENTER: ("RT-CENTER", "RT-COLUMNS", "RT-HANDS"),
    Wager.FIVE_CARD_BONUS: (),
    Wager.ULTIMATE_PAIRS: ("RT-FACE",),
}

_BASE = (
    Wager.FIRST_ANTE,
    Wager.SECOND_ANTE,
    Wager.FIRST_RUN,
    Wager.SECOND_RUN,
    Wager.CENTER,
)


def argue(
    rulebook: Rulebook, wager: Wager, cards: Cards, paytable: Paytable | None, *, folded: bool
) -> Argument:
    """Argue one bet: `cards` (7,) in the order of the rule's places, `paytable` as posted."""
    cite = rulebook.cite
    if wager not in _READINGS:
        return Argument(cite(rule.GAME, "").strip(), f"{bet_words(wager)} is no bet of this game")
    if folded and wager in _BASE:
        words = f"{bet_words(wager)}: the spot folded and loses it"
        return Argument(cite(rule.GAME, "(2)"), words, ("RT-FOLD",))
    if wager == Wager.ULTIMATE_PAIRS:
        return _pairs(rulebook, cards, paytable)
    if wager == Wager.FIVE_CARD_BONUS:
        table = rule.paytables(rulebook)[2]
        return _hand(rulebook, wager, "board", cards[list(rule.BOARD_PLACES)], table)
    if wager == Wager.CENTER:
        return _center(rulebook, cards)
    first = wager in (Wager.FIRST_ANTE, Wager.FIRST_RUN)
    places = rule.HAND_1_PLACES if first else rule.HAND_2_PLACES
    antes, runs, _ = rule.paytables(rulebook)
    table = antes if wager in (Wager.FIRST_ANTE, Wager.SECOND_ANTE) else runs
    return _hand(rulebook, wager, f"hand {1 if first else 2}", cards[list(places)], table)


def row_of(
    wager: Wager, cards: Cards, rulebook: Rulebook, paytable: Paytable | None
) -> Line | None:
    """The paytable line that decides one bet on read cards (7,); None where none does."""
    if wager == Wager.CENTER:
        return None
    if wager == Wager.ULTIMATE_PAIRS:
        if paytable is None:
            return None
        number = int(rule.pair_lines(cards[:2, None], paytable)[0])
        return paytable.lines[number] if number >= 0 else None
    antes, runs, bonus = rule.paytables(rulebook)
    if wager == Wager.FIVE_CARD_BONUS:
        ranks = best_five(cards[list(rule.BOARD_PLACES), None])
        number = int(rule.bonus_lines(ranks, bonus)[0])
        return bonus.lines[number] if number >= 0 else None
    first = wager in (Wager.FIRST_ANTE, Wager.FIRST_RUN)
    places = rule.HAND_1_PLACES if first else rule.HAND_2_PLACES
    table = antes if wager in (Wager.FIRST_ANTE, Wager.SECOND_ANTE) else runs
    return table.lines[int(rule.run_lines(best_five(cards[list(places), None]), table)[0])]


def _hand(rulebook: Rulebook, wager: Wager, name: str, cards: Cards, table: Paytable) -> Argument:
    head = f"{bet_words(wager)}: {name} {card_words(cards)}"
    if (cards >= 52).any():
        return Argument(rulebook.cite(rule.GAME, table.clause), head, _READINGS[wager])
    rank = int(best_five(cards[:, None])[0])
    if wager == Wager.FIVE_CARD_BONUS:
        number = int(rule.bonus_lines(np.array([rank], np.int32), table)[0])
    else:
        number = int(rule.run_lines(np.array([rank], np.int32), table)[0])
    line = table.lines[number] if number >= 0 else None
    words = f"{head}, {describe(rank)}{_line_words(line)}"
    clause = line.clause if line else table.clause
    readings = _READINGS[wager] + (line.readings if line else ())
    return Argument(rulebook.cite(rule.GAME, clause), words, readings)


def _center(rulebook: Rulebook, cards: Cards) -> Argument:
    runs = rule.paytables(rulebook)[1]
    parts = []
    for name, places in (("hand 1", rule.HAND_1_PLACES), ("hand 2", rule.HAND_2_PLACES)):
        hand = cards[list(places)]
        if (hand >= 52).any():
            parts.append(f"{name} {card_words(hand)}")
            continue
        rank = int(best_five(hand[:, None])[0])
        line = runs.lines[int(rule.run_lines(np.array([rank], np.int32), runs)[0])]
        parts.append(f"{name} {card_words(hand)}, {describe(rank)}{_line_words(line)}")
    words = f"center takes the better of {' and '.join(parts)}"
    return Argument(rulebook.cite(rule.GAME, "(8)"), words, _READINGS[Wager.CENTER])


def _pairs(rulebook: Rulebook, cards: Cards, paytable: Paytable | None) -> Argument:
    head = f"ultimate pairs: {card_words(cards[:2])}"
    if paytable is None:
        return Argument(rulebook.cite(Game.RUN_EM_TWICE, "(10)"), f"{head}; no paytable is posted")
    if (cards[:2] >= 52).any():
        line = None
    else:
        number = int(rule.pair_lines(cards[:2, None], paytable)[0])
        line = paytable.lines[number] if number >= 0 else None
        head += f", paytable {paytable.id}{_line_words(line)}"
    readings = _READINGS[Wager.ULTIMATE_PAIRS] + (line.readings if line else ())
    if paytable.id == "1":
        readings += ("RT-MIDDLE",)
    return Argument(rulebook.cite(rule.GAME, paytable.clause), head, readings)


def _line_words(line: Line | None) -> str:
    if line is None:
        return ": no line pays it"
    if line.result == "pays":
        return f": {line.words}, {line.to_one} to 1"
    return f": {line.words}, {line.result}"
