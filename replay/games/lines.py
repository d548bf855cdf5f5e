"""Paytables as arrays: which line a hand falls on, and what the line pays.

A line number is the place of a line in its `Paytable`, -1 where no line names the hand (the wager
loses). Source: the paytables of the rulebook.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from replay.events import Int32s, Int64s
from replay.ranking import Category, Ranks, category_of, pair_rank_of
from replay.rulebook.model import Paytable

CATEGORY_LINES: Final = {
    Category.PAIR: "pair",
    Category.TWO_PAIR: "two_pair",
    Category.THREE_OF_A_KIND: "three_of_a_kind",
    Category.STRAIGHT: "straight",
    Category.FLUSH: "flush",
    Category.FULL_HOUSE: "full_house",
    Category.FOUR_OF_A_KIND: "four_of_a_kind",
    Category.FIVE_OF_A_KIND: "five_of_a_kind",
    Category.STRAIGHT_FLUSH: "straight_flush",
    Category.ROYAL_FLUSH: "royal_flush",
    Category.FIVE_OF_A_KIND_SUITED: "five_of_a_kind_suited",
}


def hand_lines(
    ranks: Ranks, paytable: Paytable, pair_lines: tuple[tuple[int, str], ...] = ()
) -> Int32s:
    """Line of each hand: (N,) ranks -> (N,).

    `pair_lines` gives, from the highest down, the lowest pair (0 deuce to 12 ace) of each line for
    pairs; below the last, and without a pair, the line `all_other` where there is one.
    """
    numbers = {line.id: place for place, line in enumerate(paytable.lines)}
    rest = numbers.get("all_other", -1)
    table = np.full((len(Category), 13), rest, np.int32)
    for category, line_id in CATEGORY_LINES.items():
        if line_id in numbers:
            table[category] = numbers[line_id]
    if "five_of_a_kind" not in numbers and "four_of_a_kind" in numbers:
        # Possible only from more decks than the rule knows: it holds four of a kind.
        table[[Category.FIVE_OF_A_KIND, Category.FIVE_OF_A_KIND_SUITED]] = numbers["four_of_a_kind"]
    for from_rank, line_id in reversed(pair_lines):
        table[Category.PAIR, from_rank:] = numbers[line_id]
    lines: Int32s = table[category_of(ranks), pair_rank_of(ranks)]
    return lines


def net_odds(paytable: Paytable) -> Int64s:
    """Net of one unit staked for each line, and last for no line (-1): (L + 1,)."""
    odds = [line.net_to_one for line in paytable.lines]
    return np.array([-1 if net is None else net for net in odds] + [-1], np.int64)
