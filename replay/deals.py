"""Every deal of n cards from one or more decks, each that differs only in its suits' names once.

For figures over all hands: what a bet pays does not change when the suits swap their names, so of
the up to 24 such deals one is ranked and counted for all. A deal is four multisets of ranks, one a
suit; suits with equally many cards are put in order. 752,538,150 hands of eight come down to 33
million, 53,359,916,132,952 of seven from six decks to 14 million.

Array convention: deals are columns, (n, N) card codes; weights (N,) say how many deals each stands
for. All of it is exact integers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement, groupby
from math import comb, factorial, prod
from typing import Final

import numpy as np

from replay.cards import Cards
from replay.events import Int64s

RANK_COUNT: Final = 13
SUIT_COUNT: Final = 4
CHUNK_DEALS: Final = 1 << 20
"""Deals at a time: some 10 MB."""


@dataclass(frozen=True, slots=True)
class _Suit:
    """Every multiset of `size` ranks of one suit."""

    ranks: Cards
    """(size, M), ascending."""
    weights: Int64s
    """(M,) ways to take those copies from the decks."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Suits that hold equally many cards, taken together: their multisets in order."""

    cards: Cards
    """(size x suits, M)."""
    weights: Int64s
    """(M,) ways to take the copies, divided by nothing."""
    repeats: Int64s
    """(M,) orders of the suits that change nothing, for multisets that come more than once."""


def deal_count(size: int, decks: int = 1) -> int:
    """How many deals there are."""
    return comb(52 * decks, size)


def class_count(size: int, decks: int = 1) -> int:
    """How many columns `deals` gives."""
    return sum(prod(len(group.weights) for group in groups) for groups in _all_groups(size, decks))


def deals(size: int, decks: int = 1) -> Iterator[tuple[Cards, Int64s]]:
    """Every deal of `size` cards up to the names of suits, in chunks: cards and weights.

    Shapes:  (size, N), (N,), N up to about `CHUNK_DEALS`.
    Errors:  none; weights add up to `deal_count`.

    >>> sum(int(weights.sum()) for _, weights in deals(5)) == deal_count(5) == 2598960
    True
    """
    for groups in _all_groups(size, decks):
        yield from _product(groups)


def _all_groups(size: int, decks: int) -> Iterator[list[_Group]]:
    """For each way to share the cards among suits, most first: the groups of equal suits."""
    for shares in _shares(size, SUIT_COUNT, size):
        groups, first_suit = [], 0
        for share, members in groupby(shares):
            suits = len(list(members))
            if share:
                groups.append(_group(share, suits, first_suit, decks))
            first_suit += suits
        yield groups


def _shares(total: int, parts: int, most: int) -> Iterator[tuple[int, ...]]:
    """Ways to write a total as that many parts, none more than the one before."""
    if parts == 0:
        if total == 0:
            yield ()
        return
    for first in range(min(total, most), -1, -1):
        for rest in _shares(total - first, parts - 1, first):
            yield first, *rest


@cache
def _suit(size: int, decks: int) -> _Suit:
    multisets = np.array(
        list(combinations_with_replacement(range(RANK_COUNT), size)), np.uint8
    ).reshape(-1, size)
    weights = np.array(
        [prod(comb(decks, row.count(rank)) for rank in set(row)) for row in multisets.tolist()],
        np.int64,
    )
    possible = weights > 0  # no more copies than decks
    return _Suit(np.ascontiguousarray(multisets[possible].T), weights[possible])


def _group(size: int, suits: int, first_suit: int, decks: int) -> _Group:
    """`suits` suits of `size` cards each: multisets of their multisets."""
    one = _suit(size, decks)
    picked = _multisets(len(one.weights), suits)
    repeats = np.ones(picked.shape[1], np.int64)
    run = np.ones(picked.shape[1], np.int64)
    for place in range(1, suits):  # the factorial of each run of equal ones, factor by factor
        run = np.where(picked[place] == picked[place - 1], run + 1, 1)
        repeats *= run
    cards = np.concatenate(
        [
            one.ranks[:, picked[place]] * SUIT_COUNT + np.uint8(first_suit + place)
            for place in range(suits)
        ]
    )
    weights = np.prod(one.weights[picked], axis=0)
    return _Group(cards.astype(np.uint8), weights, repeats)


def _multisets(count: int, size: int) -> Int64s:
    """Every non-descending choice of `size` of `count` things: (size, M)."""
    picked = np.arange(count, dtype=np.int64)[None]
    for _ in range(size - 1):
        follow = count - picked[-1]
        parent = np.repeat(np.arange(picked.shape[1]), follow)
        start = np.repeat(np.cumsum(follow) - follow, follow)
        last = picked[-1][parent] + np.arange(len(parent)) - start
        picked = np.vstack([picked[:, parent], last])
    return picked


def _product(groups: list[_Group]) -> Iterator[tuple[Cards, Int64s]]:
    """Every combination of one of each group, in chunks, with its weight."""
    *outer, inner = sorted(groups, key=lambda group: len(group.weights))
    sizes = [len(group.weights) for group in outer]
    total = prod(sizes)
    step = max(1, CHUNK_DEALS // len(inner.weights))
    for begin in range(0, total, step):
        places = np.arange(begin, min(begin + step, total))
        chosen = np.unravel_index(places, sizes) if outer else ()
        each = len(inner.weights)
        parts = [
            np.repeat(group.cards[:, rows], each, axis=1)
            for group, rows in zip(outer, chosen, strict=True)
        ]
        cards = np.concatenate([*parts, np.tile(inner.cards, len(places))])
        weights, repeats = np.tile(inner.weights, len(places)), np.tile(inner.repeats, len(places))
        for group, rows in zip(outer, chosen, strict=True):
            weights *= np.repeat(group.weights[rows], each)
            repeats *= np.repeat(group.repeats[rows], each)
        orders = factorial(SUIT_COUNT) // repeats
        yield cards, weights * orders // factorial(_empty_suits(groups))


def _empty_suits(groups: list[_Group]) -> int:
    """Suits that hold no card: their order changes nothing."""
    suits = {int(card) for group in groups for card in group.cards[:, 0] % SUIT_COUNT}
    return SUIT_COUNT - len(suits)
