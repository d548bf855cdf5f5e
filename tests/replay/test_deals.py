"""Deals up to the names of suits: each counted once, with the weight of those it stands for."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations
from math import comb

import numpy as np
import pytest

from replay.deals import class_count, deal_count, deals
from replay.ranking import best_five, category_of
from tests.replay.plain_poker import deal


def canonical(hand: tuple[int, ...]) -> tuple[int, ...]:
    """The first of all namings of a hand's suits, cards in order."""
    return min(
        tuple(sorted(code // 4 * 4 + names[code % 4] for code in hand))
        for names in permutations(range(4))
    )


@pytest.mark.parametrize("size", [1, 2, 3])
def test_every_hand_of_one_deck_stands_behind_one_column(size: int) -> None:
    wanted = Counter(canonical(hand) for hand in combinations(range(52), size))
    found: Counter[tuple[int, ...]] = Counter()
    for cards, weights in deals(size):
        for hand, weight in zip(cards.T.tolist(), weights.tolist(), strict=True):
            found[canonical(tuple(hand))] += weight
    assert found == wanted
    assert class_count(size) == len(wanted)


def test_two_cards_of_six_decks() -> None:
    shoe = [code for code in range(52) for _ in range(6)]
    wanted = Counter(canonical(hand) for hand in combinations(shoe, 2))
    [(cards, weights)] = [
        (np.concatenate([c for c, _ in deals(2, 6)], axis=1), [w for _, w in deals(2, 6)])
    ]
    counted = zip(cards.T.tolist(), np.concatenate(weights).tolist(), strict=True)
    assert {canonical(tuple(hand)): weight for hand, weight in counted} == wanted


@pytest.mark.parametrize(("size", "decks"), [(5, 1), (6, 1), (4, 6), (5, 6)])
def test_weights_add_up(size: int, decks: int) -> None:
    parts = [(cards.shape, int(weights.sum())) for cards, weights in deals(size, decks)]
    assert sum(count for _, count in parts) == deal_count(size, decks) == comb(52 * decks, size)
    assert sum(shape[1] for shape, _ in parts) == class_count(size, decks)


@pytest.mark.parametrize(("size", "decks"), [(8, 1), (7, 6)])
def test_a_hand_ranks_the_same_under_other_names_of_suits(size: int, decks: int) -> None:
    """What makes one column stand for many."""
    cards = deal(7, size, 2_000, decks)
    ranks = best_five(cards)
    for names in permutations(range(4)):
        renamed = cards // 4 * 4 + np.array(names, np.uint8)[cards % 4]
        assert np.array_equal(best_five(renamed), ranks)


def test_five_cards_by_category() -> None:
    found: Counter[int] = Counter()
    for cards, weights in deals(5):
        for category, weight in zip(
            category_of(best_five(cards)).tolist(), weights.tolist(), strict=True
        ):
            found[category] += weight
    assert sum(found.values()) == 2_598_960
    assert [found[each] for each in (10, 9, 7)] == [4, 36, 624]
