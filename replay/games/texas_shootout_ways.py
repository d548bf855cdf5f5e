"""Texas Shootout: bounds of what is due where cards were not read, or not known to be kept.

Source: reading `ALL-UNSEEN`; 20:18:16:15.08(8), (9), (11). A hand whose kept cards are not known is
any that its four cards allow. A choice that names a card which was not dealt contradicts the cards:
either may be wrong, so that hand is any two cards of the shoe. One wager at a time, which is rarely
needed; ways are enumerated by `replay.unread`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from typing import Final

import numpy as np

from replay.cards import Cards, copies_of
from replay.events import Int64s
from replay.games import texas_shootout as rule
from replay.rulebook.house_way import HouseWay
from replay.rulebook.model import Paytable
from replay.unread import Bounds, Evaluate, bounds, can_be_tried, staked
from replay.vocabulary import CARD_UNREAD

Two = tuple[int, ...]
"""Codes of cards that are played together, unread ones among them."""
Places = tuple[int, ...]

_PAIRS: Final = ((0, 1), (2, 3))


@dataclass(frozen=True, slots=True)
class Ways:
    """What a spot or the dealer may play: arrangements of its cards into hands."""

    cards: Two
    """The cards that it may be of."""
    picks: tuple[tuple[Places, ...], ...]
    """Arrangements: for each hand the places of its cards among them."""
    back: Int64s = field(default_factory=lambda: np.zeros(52, np.int64))
    """(52,) cards seen that may be among these after all."""
    contradicted: bool = False
    """The choice names a card that was not dealt."""

    @property
    def unread(self) -> int:
        """Unread places that the arrangements draw on."""
        return sum(card >= 52 for card in self.cards)

    @property
    def alike(self) -> tuple[int, ...]:
        """Places with the same number are interchangeable: all, but hands that are not known."""
        return tuple(place // 2 if self.contradicted else 0 for place in range(len(self.cards)))

    @property
    def arrangements(self) -> tuple[tuple[Two, ...], ...]:
        """The cards of each hand, in the order dealt; each arrangement of other cards once."""
        arranged = {
            tuple(tuple(self.cards[place] for place in places) for places in pick)
            for pick in self.picks
        }
        return tuple(sorted(arranged))

    def of_hand(self, hand: int) -> Ways:
        """The same for one hand."""
        return self.of_hands((hand,))

    def of_hands(self, hands: tuple[int, ...]) -> Ways:
        """The same for some of the hands."""
        if self.contradicted:
            return _unknown(len(hands), self.back)
        picked = {tuple(pick[hand - 1] for hand in hands) for pick in self.picks}
        return replace(self, picks=tuple(sorted(picked)))


@dataclass(frozen=True, slots=True)
class DealerWays:
    """What the dealer may play: two cards, or by a house way two of four."""

    ways: Ways
    kept: Cards
    """(2,) cards named by the last `KEEP`."""
    way: HouseWay | None

    def two(self, cards: Cards) -> Cards:
        """The two cards played of those at the dealer's places: (2 or 4, M) -> (2, M)."""
        if self.way is None:
            return cards
        kept = np.repeat(self.kept[:, None], cards.shape[1], axis=1)
        return rule.dealer_cards(cards, kept, self.way)


def seat_ways(dealt: Cards, named: Cards, *, split: bool, wrong: bool) -> Ways:
    """What a spot may play: (4,) dealt, (4,) named by the choice that counts."""
    hand_count = 2 if split else 1
    if wrong:
        return _unknown(hand_count, copies_of(dealt))
    names = [[int(card) for card in named[2 * n : 2 * n + 2]] for n in range(hand_count)]
    if all(card < 52 for two in names for card in two):
        return Ways(tuple(card for two in names for card in two), (_PAIRS[:hand_count],))
    cards = [int(card) for card in dealt]
    pool = list(range(len(cards)))
    known: list[list[int]] = [[] for _ in names]
    for hand, two in enumerate(names):
        for card in two:
            if card < 52:
                known[hand].append(next(place for place in pool if cards[place] == card))
                pool.remove(known[hand][-1])
    picks: set[tuple[Places, ...]] = set()
    for first in combinations(pool, 2 - len(known[0])):
        one = tuple(sorted((*known[0], *first)))
        if not split:
            picks.add((one,))
            continue
        rest = [place for place in pool if place not in first]
        for second in combinations(rest, 2 - len(known[1])):
            picks.add((one, tuple(sorted((*known[1], *second)))))
    return Ways(tuple(cards), tuple(sorted(picks)))


def _unknown(hand_count: int, back: Int64s) -> Ways:
    """Hands of any two cards each."""
    cards = (CARD_UNREAD,) * 2 * hand_count
    return Ways(cards, (_PAIRS[:hand_count],), back, contradicted=True)


def dealer_ways(dealt: Cards, named: Cards, way: HouseWay | None, *, wrong: bool) -> DealerWays:
    """What the dealer may play: (4,) dealt, (2,) named by the last `KEEP`."""
    if wrong or way is None:
        four = np.concatenate([named, np.full(2, CARD_UNREAD, np.uint8)])
        return DealerWays(seat_ways(dealt, four, split=False, wrong=wrong), named, None)
    cards = tuple(int(card) for card in dealt)
    return DealerWays(Ways(cards, ((tuple(range(len(cards))),),)), named, way)


def primary_bounds(stake: int, mine: Ways, dealer: DealerWays, flop: Cards, left: Int64s) -> Bounds:
    """Bounds of a primary wager: lowest and highest net over all ways."""

    def evaluate(cards: Cards) -> Int64s:
        own, board, theirs = cards[:2], cards[2:7], dealer.two(cards[7:])
        ranks = rule.hand_ranks(own, board), rule.hand_ranks(theirs, board)
        return rule.primary_net_cents(np.ones(cards.shape[1], np.int64), *ranks)

    left = left + mine.back + dealer.ways.back
    unread = mine.unread + dealer.ways.unread + int((flop >= 52).sum())
    # By a house way the order of the dealer's cards may decide, of equals the first dealt.
    theirs = (2, 3, 4, 5) if dealer.way else (2, 2)
    alike = (0, 0, *(1,) * rule.FLOP_SIZE, *theirs)
    odds = over_all(
        (
            np.array([*own, *flop, *other], np.uint8)
            for (own,), (other,) in product(mine.arrangements, dealer.ways.arrangements)
        ),
        alike,
        left,
        unread,
        evaluate,
    )
    return staked(stake, odds)


def bonus_bounds(stake: int, mine: Ways, flop: Cards, left: Int64s, table: Paytable) -> Bounds:
    """Bounds of a bonus wager: lowest and highest net over all ways."""

    def evaluate(cards: Cards) -> Int64s:
        return rule.bonus_odds(rule.hand_ranks(cards[:2], cards[2:]), table)

    odds = over_all(
        (np.array([*own, *flop], np.uint8) for (own,) in mine.arrangements),
        (0,) * 7,
        left + mine.back,
        mine.unread + int((flop >= 52).sum()),
        evaluate,
    )
    return staked(stake, odds)


def over_all(
    columns: Iterable[Cards],
    alike: tuple[int, ...],
    left: Int64s,
    unread: int,
    evaluate: Evaluate,
) -> Bounds:
    """Lowest and highest over several sets of cards; None above the number of ways allowed."""
    if not can_be_tried(left, unread):
        return None
    found = [bounds(cards, alike, left, evaluate) for cards in columns]
    lows = [each[0] for each in found if each is not None]
    highs = [each[1] for each in found if each is not None]
    return (min(lows), max(highs)) if len(lows) == len(found) else None
