"""Poker hands ranked the slow way, a hand at a time, and hands to rank."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Final

import numpy as np

from replay.cards import Cards, codes_of
from replay.ranking import CATEGORY_STEP, Category

WHEEL: Final = [12, 3, 2, 1, 0]


def plain_rank(hand: Sequence[int]) -> int:
    """The best of all fives, encoded as `best_five` does."""
    return max(_rank_of_five(five) for five in combinations(hand, 5))


def _rank_of_five(five: Sequence[int]) -> int:
    ranks = sorted((code // 4 for code in five), reverse=True)
    times = Counter(ranks)
    ranks.sort(key=lambda rank: (times[rank], rank), reverse=True)
    suited = len({code % 4 for code in five}) == 1
    in_sequence = len(times) == 5 and (ranks[0] - ranks[4] == 4 or ranks == WHEEL)
    if ranks == WHEEL:
        ranks = [3, 2, 1, 0, 12]
    counts = sorted(times.values())
    category = _category(counts, suited=suited, in_sequence=in_sequence, top=ranks[0])
    if category == Category.FLUSH:
        ranks.sort(reverse=True)
    digits = 0
    for rank in ranks:
        digits = 16 * digits + rank
    return category * CATEGORY_STEP + digits


def _category(times: list[int], *, suited: bool, in_sequence: bool, top: int) -> Category:
    match times:
        case [5]:
            return Category.FIVE_OF_A_KIND_SUITED if suited else Category.FIVE_OF_A_KIND
        case _ if suited and in_sequence:
            return Category.ROYAL_FLUSH if top == 12 else Category.STRAIGHT_FLUSH
        case [1, 4]:
            return Category.FOUR_OF_A_KIND
        case [2, 3]:
            return Category.FULL_HOUSE
        case _ if suited:
            return Category.FLUSH
        case _ if in_sequence:
            return Category.STRAIGHT
        case [1, 1, 3]:
            return Category.THREE_OF_A_KIND
        case [1, 2, 2]:
            return Category.TWO_PAIR
        case [1, 1, 1, 2]:
            return Category.PAIR
    return Category.HIGH_CARD


def column(names: str) -> Cards:
    """One hand, (n, 1)."""
    return codes_of(names.split())[:, np.newaxis]


def deal(seed: int, card_count: int, hand_count: int, deck_count: int = 1) -> Cards:
    """Hands dealt at random, each from all the cards of its decks, (card_count, hand_count)."""
    rng = np.random.default_rng(seed)
    hands = np.empty((card_count, 0), dtype=np.uint8)
    while hands.shape[1] < hand_count:
        places = rng.integers(0, 52 * deck_count, (card_count, hand_count), dtype=np.uint16)
        ordered = np.sort(places, axis=0)
        fair = (ordered[1:] != ordered[:-1]).all(
            axis=0
        )  # no card twice: what is not is thrown away
        dealt = (places[:, fair] // deck_count).astype(np.uint8)
        hands = np.concatenate([hands, dealt], axis=1)
    return hands[:, :hand_count]
