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
from replay.unread import WAYS_MAX, Bounds, Evaluate, bounds, staked, way_count
from replay.vocabulary import CARD_UNREAD

Two = tuple[int, ...]
"""Codes of cards that are played together, unread ones among them."""

UNKNOWN_TWO: Final = (CARD_UNREAD, CARD_UNREAD)


@dataclass(frozen=True, slots=True)
class Ways:
    """What a spot or the dealer may play: arrangements of its cards into hands."""

    arrangements: tuple[tuple[Two, ...], ...]
    unread: int
    """Unread places that the arrangements draw on."""
    back: Int64s = field(default_factory=lambda: np.zeros(52, np.int64))
    """(52,) cards seen that may be among these after all."""
    contradicted: bool = False
    """The choice names a card that was not dealt."""

    def of_hand(self, hand: int) -> Ways:
        """The same for one hand."""
        return self.of_hands((hand,))

    def of_hands(self, hands: tuple[int, ...]) -> Ways:
        """The same for some of the hands."""
        picked = {tuple(each[hand - 1] for hand in hands) for each in self.arrangements}
        unread = 2 * len(hands) if self.contradicted else self.unread
        return replace(self, arrangements=tuple(sorted(picked)), unread=unread)


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
        return Ways(
            ((UNKNOWN_TWO,) * hand_count,), 2 * hand_count, copies_of(dealt), contradicted=True
        )
    names = [tuple(int(card) for card in named[2 * n : 2 * n + 2]) for n in range(hand_count)]
    if all(card < 52 for two in names for card in two):
        return Ways((tuple(names),), 0)
    pool = [int(card) for card in dealt]
    known = [[card for card in two if card < 52] for two in names]
    for card in (card for two in known for card in two):
        pool.remove(card)
    arrangements: set[tuple[Two, ...]] = set()
    for first in combinations(range(len(pool)), 2 - len(known[0])):
        hand_1 = tuple(sorted(known[0] + [pool[place] for place in first]))
        if not split:
            arrangements.add((hand_1,))
            continue
        rest = [place for place in range(len(pool)) if place not in first]
        for second in combinations(rest, 2 - len(known[1])):
            hand_2 = tuple(sorted(known[1] + [pool[place] for place in second]))
            arrangements.add((hand_1, hand_2))
    return Ways(tuple(sorted(arrangements)), int((dealt >= 52).sum()))


def dealer_ways(dealt: Cards, named: Cards, way: HouseWay | None, *, wrong: bool) -> DealerWays:
    """What the dealer may play: (4,) dealt, (2,) named by the last `KEEP`."""
    if wrong or way is None:
        four = np.concatenate([named, np.full(2, CARD_UNREAD, np.uint8)])
        return DealerWays(seat_ways(dealt, four, split=False, wrong=wrong), named, None)
    cards = tuple(int(card) for card in dealt)
    return DealerWays(Ways(((cards,),), int((dealt >= 52).sum())), named, way)


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
    odds = _over_all(
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

    odds = _over_all(
        (np.array([*own, *flop], np.uint8) for (own,) in mine.arrangements),
        (0,) * 7,
        left + mine.back,
        mine.unread + int((flop >= 52).sum()),
        evaluate,
    )
    return staked(stake, odds)


def envy_bounds(others: list[Ways], flop: Cards, left: Int64s, table: Paytable) -> Bounds:
    """Bounds of an envy bonus: lowest and highest sum over the other hands' cards.

    A spot whose hands come to the same amount whatever its cards are is decided by itself; so is,
    once the flop was read, one without unread cards. The others are taken together.
    """
    base, together = [0, 0], []
    flop_read = bool((flop < 52).all())
    for ways in others:
        alone = _envy_together([ways], flop, left, table)
        if alone and (alone[0] == alone[1] or (flop_read and not ways.unread)):
            base = [base[0] + alone[0], base[1] + alone[1]]
        else:
            together.append(ways)
    if not together:
        return base[0], base[1]
    found = _envy_together(together, flop, left, table)
    return found and (base[0] + found[0], base[1] + found[1])


def _envy_together(others: list[Ways], flop: Cards, left: Int64s, table: Paytable) -> Bounds:
    def evaluate(cards: Cards) -> Int64s:
        total = np.zeros(cards.shape[1], np.int64)
        for first in range(rule.FLOP_SIZE, len(cards), 2):
            ranks = rule.hand_ranks(cards[first : first + 2], cards[: rule.FLOP_SIZE])
            total += rule.envy_hand_cents(ranks, table)
        return total

    hand_count = sum(len(ways.arrangements[0]) for ways in others)
    alike = (0,) * rule.FLOP_SIZE + tuple(1 + place // 2 for place in range(2 * hand_count))
    return _over_all(
        (
            np.array(
                [*flop, *(card for hands in chosen for two in hands for card in two)], np.uint8
            )
            for chosen in product(*(ways.arrangements for ways in others))
        ),
        alike,
        left + sum(ways.back for ways in others),
        sum(ways.unread for ways in others) + int((flop >= 52).sum()),
        evaluate,
    )


def _over_all(
    columns: Iterable[Cards],
    alike: tuple[int, ...],
    left: Int64s,
    unread: int,
    evaluate: Evaluate,
) -> Bounds:
    """Lowest and highest over several sets of cards; None above the number of ways allowed."""
    if not 0 < way_count(left, unread) <= WAYS_MAX:
        return None
    found = [bounds(cards, alike, left, evaluate) for cards in columns]
    lows = [each[0] for each in found if each is not None]
    highs = [each[1] for each in found if each is not None]
    return (min(lows), max(highs)) if len(lows) == len(found) else None
