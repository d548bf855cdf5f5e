"""The tables behind `ranking`: keys of cards, and a value for every multiset of n ranks.

Source: the order of hands of 20:18:16:15.08(14); readings `ALL-ACE`, `TS-ROYAL` and `TS-TIES`.

A card's key is one 64-bit integer of three fields, wide enough that sums never carry from one field
into the next (HIGH and LOW: nine to ace and deuce to eight, a digit in base 9 for each rank but the
deuce, whose count follows from the others; SUITS: a 4-bit count for each suit).

HIGH and LOW have six digits each, so both are numbered by one list: the multisets of up to eight
things of six kinds, by size. As it is ordered by size, a multiset has the same number whatever n
is, and the low parts that go with k high cards (deuces filling up) are its first C(6 + n - k, 6).
That makes the dense index a sum: where the high part begins, plus the number of the low part.
"""

from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from itertools import combinations_with_replacement
from math import comb
from typing import Final

import numpy as np
import numpy.typing as npt

Longs = npt.NDArray[np.int64]
Ranks = npt.NDArray[np.int32]

CARD_COUNT_MIN: Final = 5
CARD_COUNT_MAX: Final = 8

CATEGORY_SHIFT: Final = 20
CATEGORY_STEP: Final = 1 << CATEGORY_SHIFT  # room for the ranks of five cards, four bits each

RANK_COUNT: Final = 13
DECK_CARD_COUNT: Final = 52
ACE: Final = 12
DIGIT_COUNT: Final = 6
DIGIT_BASE: Final = CARD_COUNT_MAX + 1  # six decks can give eight cards of one rank
PART_SIZE: Final = CARD_COUNT_MAX * DIGIT_BASE ** (DIGIT_COUNT - 1) + 1

LOW_SHIFT: Final = 16
HIGH_SHIFT: Final = 36
LOW_MASK: Final = (1 << (HIGH_SHIFT - LOW_SHIFT)) - 1
assert PART_SIZE <= LOW_MASK

# Each suit's count starts at 3, so that five cards or more of it set the top bit of its four.
SUIT_BIAS: Final = 0x3333
SUIT_FLAGS: Final = 0x8888


class Category(IntEnum):
    """Kinds of hand, lowest first.

    The order is that of 20:18:16:15.08(14): suited five of a kind stands above the straight flush,
    which stands above five of a kind. A royal flush is the highest straight flush, and a category
    of its own because paytables name it (reading `TS-ROYAL`): the order comes out the same.
    """

    HIGH_CARD = 0
    PAIR = 1
    TWO_PAIR = 2
    THREE_OF_A_KIND = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    FOUR_OF_A_KIND = 7
    FIVE_OF_A_KIND = 8
    STRAIGHT_FLUSH = 9
    ROYAL_FLUSH = 10
    FIVE_OF_A_KIND_SUITED = 11


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SetTables:
    """What can be read off a set of ranks, a 13-bit mask with the deuce lowest; (8192,) each.

    `top[k]` packs the k highest ranks of the set into 4 * k bits, highest first, zeros where it has
    fewer; `straight` packs the five ranks of its best straight, or is 0.
    """

    top: dict[int, Ranks]
    straight: Ranks


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HandTables:
    """The dense table for hands of one size.

    `pair_key_first` and `pair_key` (52 * 52,) add the keys of two cards, the first with the bias of
    the suit counts; `card_key` (52,) is for the odd card. `high_index` and `low_index` (PART_SIZE,)
    turn the parts of a sum into two numbers whose sum is the place in `value` (C(12 + n, n),).
    """

    pair_key_first: Longs
    pair_key: Longs
    card_key: Longs
    high_index: Longs
    low_index: Longs
    value: Ranks


@cache
def set_tables() -> SetTables:
    """Build the tables over sets of ranks."""
    sets = np.arange(1 << RANK_COUNT, dtype=np.int32)
    top_rank = np.zeros_like(sets)
    for rank in range(1, RANK_COUNT):
        top_rank[1 << rank :] = rank
    top: dict[int, Ranks] = {}
    packed, rest = np.zeros_like(sets), sets
    for count in range(1, 6):
        highest = top_rank[rest]
        packed = packed << 4 | highest
        rest = rest & ~(1 << highest)
        top[count] = packed
    straight = np.zeros_like(sets)
    for top_of_five in range(3, ACE + 1):  # ALL-ACE: the five is the top of 5-4-3-2-A, the lowest
        ranks = [rank % RANK_COUNT for rank in range(top_of_five, top_of_five - 5, -1)]
        needed = sum(1 << rank for rank in ranks)
        straight[sets & needed == needed] = _packed(ranks)
    return SetTables(top, straight)


def _packed(ranks: list[int]) -> int:
    return sum(rank << 4 * place for place, rank in enumerate(reversed(ranks)))


@cache
def hand_tables(card_count: int) -> HandTables:
    """Build the dense table for hands of `card_count` cards, 5 to 8 (kept; 5 to 30 ms)."""
    parts, low_index = _parts()
    # The parts of a hand are those of at most `card_count` cards: a prefix, the list being by size.
    parts = parts[: comb(DIGIT_COUNT + card_count, DIGIT_COUNT)]
    sizes = parts.sum(axis=1, dtype=np.int64)
    low_count_by_size = np.array(
        [comb(DIGIT_COUNT + card_count - size, DIGIT_COUNT) for size in range(card_count + 1)]
    )
    low_counts = low_count_by_size[sizes]
    begins = np.cumsum(low_counts) - low_counts
    high_index = np.zeros(PART_SIZE, dtype=np.int64)
    high_index[_part_numbers(parts)] = begins

    high = np.repeat(np.arange(len(parts)), low_counts)
    low = np.arange(len(high)) - begins[high]
    assert len(high) == comb(RANK_COUNT - 1 + card_count, card_count)
    counts = np.empty((RANK_COUNT, len(high)), dtype=np.uint8)  # of each rank, deuce first
    counts[0] = card_count - sizes[high] - sizes[low]
    for digit in range(DIGIT_COUNT):
        counts[1 + digit] = parts[low, digit]
        counts[1 + DIGIT_COUNT + digit] = parts[high, digit]

    card_key = _card_keys()
    pair_key = (card_key[:, np.newaxis] + card_key).ravel()
    return HandTables(
        pair_key_first=pair_key + SUIT_BIAS,
        pair_key=pair_key,
        card_key=card_key,
        high_index=high_index,
        low_index=low_index,
        value=_values_of_counts(counts),
    )


@cache
def _parts() -> tuple[npt.NDArray[np.uint8], Longs]:
    """List the multisets of up to 8 of six kinds by size, (3003, 6), and number their sums."""
    kinds = range(DIGIT_COUNT + 1)  # kind 0 is the lack of a card, so that all sizes come at once
    choices = np.array(list(combinations_with_replacement(kinds, CARD_COUNT_MAX)), dtype=np.uint8)
    parts = np.stack([(choices == kind).sum(axis=1, dtype=np.uint8) for kind in kinds[1:]], axis=1)
    parts = parts[np.argsort(parts.sum(axis=1), kind="stable")]
    index = np.zeros(PART_SIZE, dtype=np.int64)
    index[_part_numbers(parts)] = np.arange(len(parts))
    return parts, index


def _part_numbers(parts: npt.NDArray[np.uint8]) -> Longs:
    return parts.astype(np.int64) @ DIGIT_BASE ** np.arange(DIGIT_COUNT, dtype=np.int64)


def _card_keys() -> Longs:
    """Key each card, (52,); see the head of the module."""
    digits = DIGIT_BASE ** np.arange(DIGIT_COUNT, dtype=np.int64)
    rank_keys = np.concatenate([[0], digits << LOW_SHIFT, digits << HIGH_SHIFT])
    codes = np.arange(DECK_CARD_COUNT)
    keys: Longs = rank_keys[codes >> 2] + (1 << 4 * (codes & 3))
    return keys


def _values_of_counts(counts: npt.NDArray[np.uint8]) -> Ranks:
    """Rank the best five of each multiset of ranks, suits aside.

    Shapes:  (13, M) how often each rank comes, five cards or more in all -> (M,).
    Source:  20:18:16:15.08(14)(c) to (k) without (f); ties by reading `TS-TIES`.
    """
    tables = set_tables()
    bits = (1 << np.arange(RANK_COUNT, dtype=np.int32))[:, np.newaxis]
    any_, twice, thrice, four, five = (
        np.where(counts >= times, bits, 0).sum(axis=0, dtype=np.int32) for times in range(1, 6)
    )
    top, straight = tables.top, tables.straight[any_]
    quad, trip, pair = top[1][four], top[1][thrice], top[1][twice]
    second = top[1][twice & ~(1 << trip)]  # the pair of a full house
    third = top[1][twice & ~(1 << pair)]  # the lower pair of two pair
    # The lowest category first: each one that a hand reaches overwrites the lower.
    value: Ranks = Category.HIGH_CARD * CATEGORY_STEP + top[5][any_]
    found: list[tuple[Category, npt.NDArray[np.bool_], Ranks]] = [
        (Category.PAIR, twice > 0, pair * 0x11000 | top[3][any_ & ~(1 << pair)]),
        (
            Category.TWO_PAIR,
            twice & (twice - 1) > 0,  # more than one rank comes twice
            pair * 0x11000 | third * 0x110 | top[1][any_ & ~(1 << pair | 1 << third)],
        ),
        (
            Category.THREE_OF_A_KIND,
            thrice > 0,
            trip * 0x11100 | top[2][any_ & ~(1 << trip)],
        ),
        (Category.STRAIGHT, straight > 0, straight),
        (
            Category.FULL_HOUSE,
            (thrice > 0) & (twice & (twice - 1) > 0),
            trip * 0x11100 | second * 0x11,
        ),
        (Category.FOUR_OF_A_KIND, four > 0, quad * 0x11110 | top[1][any_ & ~(1 << quad)]),
        (Category.FIVE_OF_A_KIND, five > 0, top[1][five] * 0x11111),
    ]
    for category, holds, tiebreak in found:
        value = np.where(holds, category * CATEGORY_STEP + tiebreak, value)
    return value.astype(np.int32, copy=False)
