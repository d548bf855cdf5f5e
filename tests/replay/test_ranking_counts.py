"""Every hand there is, counted by category against what combinatorics says."""

from collections.abc import Iterator
from math import comb
from typing import Final

import numpy as np
import numpy.typing as npt
import pytest

from replay.cards import Cards
from replay.ranking import Category, best_five, category_of, pair_rank_of

ONE_DECK: Final = {
    5: [1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 0, 36, 4, 0],
    7: [
        *(23294460, 58627800, 31433400, 6461620, 6180020, 4047644, 3473184, 224848),
        *(0, 37260, 4324, 0),
    ],
    8: [
        *(53476080, 236092500, 257760900, 38493000, 67072620, 50850320, 45652128, 2529262),
        *(0, 546480, 64860, 0),
    ],
}
"""How many of the C(52, n) hands are of each category, from high card up."""

SIX_DECKS_7: Final = [
    *(6520957954560, 20625558508800, 14197941208800, 4096700997120, 1966679637120),
    *(2394114840864, 2977407823104, 544254879168, 23329720440, 11611512000, 1344475584),
    14575392,
]
"""The same for the C(312, 7) hands from six decks."""


def choices(size: int, *, repeats: bool) -> Cards:
    """All choices of `size` faces in rising order, first things first, (size, M)."""
    table = np.arange(52, dtype=np.uint8)[np.newaxis]
    for _ in range(size - 1):
        tails = [table[:, begin_of(table, face + (not repeats)) :] for face in range(52)]
        heads = np.repeat(np.arange(52, dtype=np.uint8), [tail.shape[1] for tail in tails])
        table = np.concatenate([heads[np.newaxis], np.concatenate(tails, axis=1)])
    return table


def begin_of(table: Cards, face: int) -> int:
    """Where the choices begin whose lowest face is `face` or more."""
    return int(np.searchsorted(table[0], face))


def batches(card_count: int, *, repeats: bool) -> Iterator[Cards]:
    """All hands, a batch for each choice of the three lowest faces."""
    rest = choices(card_count - 3, repeats=repeats)
    for three in choices(3, repeats=repeats).T:
        tail = rest[:, begin_of(rest, int(three[2]) + (not repeats)) :]
        hands = np.empty((card_count, tail.shape[1]), dtype=np.uint8)
        hands[:3], hands[3:] = three[:, np.newaxis], tail
        yield hands


def category_counts(card_count: int) -> list[int]:
    totals = np.zeros(len(Category), dtype=np.int64)
    for hands in batches(card_count, repeats=False):
        totals += np.bincount(category_of(best_five(hands)), minlength=len(Category))
    return [int(total) for total in totals]


def ways(faces: Cards, deck_count: int) -> npt.NDArray[np.int64]:
    """In how many ways each choice of faces, (n, M) in rising order, is dealt from the decks."""
    copies = np.zeros(faces.shape[1], dtype=np.int64)
    total = np.ones(faces.shape[1], dtype=np.int64)
    for place, row in enumerate(faces):
        same = row == faces[place - 1] if place else False
        copies = np.where(same, copies + 1, 1)
        # C(d, k) from C(d, k - 1): times d - k + 1, over k. The product is always divisible.
        total = total * (deck_count - copies + 1) // copies
    return total


def test_all_hands_of_five() -> None:
    hands = choices(5, repeats=False)
    ranks = best_five(hands)
    categories = category_of(ranks)
    assert np.bincount(categories, minlength=12).tolist() == ONE_DECK[5]
    assert len(np.unique(ranks)) == 7_462  # hands of different worth, as is well known
    pairs = pair_rank_of(ranks)[categories == Category.PAIR]
    assert np.bincount(pairs).tolist() == [84_480] * 13


@pytest.mark.slow
@pytest.mark.parametrize("card_count", [7, 8])
def test_all_hands_of_one_deck(card_count: int) -> None:
    assert sum(ONE_DECK[card_count]) == comb(52, card_count)
    assert category_counts(card_count) == ONE_DECK[card_count]


@pytest.mark.slow
def test_all_hands_of_seven_from_six_decks() -> None:
    totals = np.zeros(len(Category), dtype=np.int64)
    for hands in batches(7, repeats=True):
        np.add.at(totals, category_of(best_five(hands)), ways(hands, 6))
    assert sum(SIX_DECKS_7) == comb(312, 7)
    assert [int(total) for total in totals] == SIX_DECKS_7
