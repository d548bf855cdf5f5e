"""Bounds of what is due where cards were not read: every way in which they may have fallen.

Source: reading `ALL-UNSEEN`: ways are the distinct multisets of card faces that may still be in the
deck or shoe, over all unread places of the wager together; above a million of them no bounds are
given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import combinations
from typing import Final

import numpy as np

from replay.cards import Cards
from replay.events import Int64s

WAYS_MAX: Final = 1_000_000

Evaluate = Callable[[Cards], Int64s]
"""Cards at the places of a wager (n, M) -> due for each of M ways (M,): for one unit, or cents."""
Bounds = tuple[int, int] | None
"""Lowest and highest; None where there are none."""


def can_be_tried(left: Int64s, size: int) -> bool:
    """Whether there are ways to draw `size` cards where `left` (52,) remain, and not too many."""
    return 0 < way_count(left, size) <= WAYS_MAX


def way_count(left: Int64s, size: int) -> int:
    """How many distinct multisets of `size` faces may be drawn where `left` (52,) copies remain."""
    return _way_count(tuple(left.tolist()), size)


@lru_cache(maxsize=1024)
def _way_count(left: tuple[int, ...], size: int) -> int:
    """Remembered, since the wagers of a round ask for the same over and over."""
    ways = [1] + [0] * size
    for copies in left:
        ways = [
            sum(ways[total - taken] for taken in range(min(copies, total) + 1))
            for total in range(size + 1)
        ]
    return ways[size]


def multisets(left: Int64s, size: int) -> Cards:
    """Every distinct multiset of `size` faces: (size, M), each column ascending."""
    faces = np.flatnonzero(left > 0)
    picked = np.zeros((0, 1), np.int64)
    for _ in range(size):
        low = picked[-1] if len(picked) else np.zeros(1, np.int64)
        counts = len(faces) - low
        parent = np.repeat(np.arange(picked.shape[1]), counts)
        start = np.repeat(np.cumsum(counts) - counts, counts)
        extra = low[parent] + np.arange(len(parent)) - start
        picked = np.vstack([picked[:, parent], extra])
        copies = (picked == picked[-1]).sum(axis=0)
        picked = picked[:, copies <= left[faces[picked[-1]]]]
    drawn: Cards = faces[picked].astype(np.uint8)
    return drawn


def bounds(cards: Cards, alike: tuple[int, ...], left: Int64s, evaluate: Evaluate) -> Bounds:
    """Lowest and highest due over all ways in which the unread cards may have fallen.

    Shapes:  cards (n,), codes, 52 and above unread; alike (n,), places with the same number are
             interchangeable for the wager; left (52,) copies that may remain.
    Units:   those of `evaluate`.
    Returns: None where there are more than WAYS_MAX ways, or not cards enough.
    Source:  reading `ALL-UNSEEN`.
    """
    if not can_be_tried(left, int((cards >= 52).sum())):
        return None
    lows, highs = [], []
    for filled in fillings(cards, alike, left):
        due = evaluate(filled)
        lows.append(int(due.min()))
        highs.append(int(due.max()))
    return min(lows), max(highs)


def fillings(cards: Cards, alike: tuple[int, ...], left: Int64s) -> Iterator[Cards]:
    """Every way in which the unread cards may have fallen, in pieces: (n, M) read cards.

    Shapes and order as in `bounds`; only where there are ways, and not too many.
    """
    unread = [place for place, card in enumerate(cards.tolist()) if card >= 52]
    drawn = multisets(left, len(unread))
    for order in _arrangements(tuple(alike[place] for place in unread)):
        filled = np.repeat(cards[:, None], drawn.shape[1], axis=1)
        filled[unread] = drawn[list(order)]
        yield filled


def staked(stake_cents: int, odds: Bounds) -> Bounds:
    """What is due on a stake by the bounds of what is due for one unit."""
    return odds and (stake_cents * odds[0], stake_cents * odds[1])


def _arrangements(alike: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Orders in which drawn cards fill the places, one of each that differ only among like places.

    >>> list(_arrangements((0, 0)))
    [(0, 1)]
    >>> list(_arrangements((0, 1)))
    [(0, 1), (1, 0)]
    """
    places = [
        [place for place, group in enumerate(alike) if group == each] for each in sorted(set(alike))
    ]

    def fill(groups: list[list[int]], cards: tuple[int, ...]) -> Iterator[dict[int, int]]:
        if not groups:
            yield {}
            return
        for chosen in combinations(cards, len(groups[0])):
            rest = tuple(card for card in cards if card not in chosen)
            for filled in fill(groups[1:], rest):
                yield dict(zip(groups[0], chosen, strict=True)) | filled

    for filled in fill(places, tuple(range(len(alike)))):
        yield tuple(filled[place] for place in range(len(alike)))
