"""Run'em Twice: why a bet is due what it is, in clause, readings and words."""

from __future__ import annotations

import numpy as np

from replay.bets import Argument, Hand
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
        words = f"{bet_words(wager)}: the seat folded and loses it"
        return Argument(cite(rule.GAME, "(2)"), words, ("RT-FOLD",))
    if wager == Wager.ULTIMATE_PAIRS:
        return _pairs(rulebook, cards, paytable)
    if wager == Wager.CENTER:
        return _center(rulebook, cards)
    return _hand(rulebook, wager, cards)


def row_of(
    wager: Wager, cards: Cards, rulebook: Rulebook, paytable: Paytable | None
) -> Line | None:
    """The paytable line that decides one bet on read cards (7,); None where none does."""
    antes, runs, bonus = rule.paytables(rulebook)
    if wager == Wager.CENTER or (wager == Wager.ULTIMATE_PAIRS and paytable is None):
        return None
    if wager == Wager.ULTIMATE_PAIRS:
        assert paytable is not None
        table, number = paytable, int(rule.pair_lines(cards[:2, None], paytable)[0])
    elif wager == Wager.FIVE_CARD_BONUS:
        ranks = best_five(cards[list(rule.BOARD_PLACES), None])
        table, number = bonus, int(rule.bonus_lines(ranks, bonus)[0])
    else:
        table = antes if wager in (Wager.FIRST_ANTE, Wager.SECOND_ANTE) else runs
        ranks = best_five(cards[list(_hand_places(wager)), None])
        number = int(rule.run_lines(ranks, table)[0])
    return table.lines[number] if number >= 0 else None


def _hand_places(wager: Wager) -> tuple[int, ...]:
    """The five cards on which a bet other than center and ultimate pairs rests."""
    if wager == Wager.FIVE_CARD_BONUS:
        return rule.BOARD_PLACES
    first = wager in (Wager.FIRST_ANTE, Wager.FIRST_RUN)
    return rule.HAND_1_PLACES if first else rule.HAND_2_PLACES


def _hand(rulebook: Rulebook, wager: Wager, all_cards: Cards) -> Argument:
    cards = all_cards[list(_hand_places(wager))]
    names: dict[tuple[int, ...], str] = {
        rule.BOARD_PLACES: "board",
        rule.HAND_1_PLACES: "hand 1",
        rule.HAND_2_PLACES: "hand 2",
    }
    whose = names[_hand_places(wager)]
    head = f"{bet_words(wager)}: {whose} {card_words(cards)}"
    table_clause = "(9)" if wager == Wager.FIVE_CARD_BONUS else "(7)"
    if (cards >= 52).any():
        hands = (Hand(whose, tuple(cards.tolist())),)
        return Argument(rulebook.cite(rule.GAME, table_clause), head, _READINGS[wager], hands)
    line = row_of(wager, np.where(all_cards < 52, all_cards, 0), rulebook, None)
    words = f"{head}, {describe(int(best_five(cards[:, None])[0]))}{_line_words(line)}"
    readings = _READINGS[wager] + (line.readings if line else ())
    clause = rulebook.cite(rule.GAME, line.clause if line else table_clause)
    return Argument(clause, words, readings, (Hand(whose, tuple(cards.tolist()), line),), line)


def _center(rulebook: Rulebook, cards: Cards) -> Argument:
    runs = rule.paytables(rulebook)[1]
    parts, hands = [], []
    for name, places in (("hand 1", rule.HAND_1_PLACES), ("hand 2", rule.HAND_2_PLACES)):
        hand = cards[list(places)]
        if (hand >= 52).any():
            parts.append(f"{name} {card_words(hand)}")
            hands.append(Hand(name, tuple(hand.tolist())))
            continue
        rank = int(best_five(hand[:, None])[0])
        line = runs.lines[int(rule.run_lines(np.array([rank], np.int32), runs)[0])]
        parts.append(f"{name} {card_words(hand)}, {describe(rank)}{_line_words(line)}")
        hands.append(Hand(name, tuple(hand.tolist()), line))
    words = f"center takes the better of {' and '.join(parts)}"
    lines = [hand.line for hand in hands if hand.line is not None]
    better = (
        max(lines, key=lambda line: line.net_to_one or 0)
        if lines == [hand.line for hand in hands]
        else None
    )
    clause = rulebook.cite(rule.GAME, "(8)")
    return Argument(clause, words, _READINGS[Wager.CENTER], tuple(hands), better)


def _pairs(rulebook: Rulebook, cards: Cards, paytable: Paytable | None) -> Argument:
    head = f"ultimate pairs: {card_words(cards[:2])}"
    if paytable is None:
        return Argument(rulebook.cite(Game.RUN_EM_TWICE, "(10)"), f"{head}; no paytable is posted")
    line = None
    if (cards[:2] < 52).all():
        number = int(rule.pair_lines(cards[:2, None], paytable)[0])
        line = paytable.lines[number] if number >= 0 else None
        head += f", paytable {paytable.id}{_line_words(line)}"
    readings = _READINGS[Wager.ULTIMATE_PAIRS] + (line.readings if line else ())
    if paytable.id == "1":
        readings += ("RT-MIDDLE",)
    hands = (Hand("dealt", tuple(cards[:2].tolist()), line),)
    clause = rulebook.cite(rule.GAME, paytable.clause)
    return Argument(clause, head, readings, hands, line, paytable.id)


def _line_words(line: Line | None) -> str:
    if line is None:
        return ": no line pays it"
    if line.result == "pays":
        return f": {line.words}, {line.to_one} to 1"
    return f": {line.words}, {line.result}"
