"""Cards and the ranking of hands: plain counting, and a brute force over all five-card subsets.

A card is an int, `rank * 4 + suit` with ranks 2 to 14 (the ace), suits 0 to 3. A hand's rank is a
tuple that compares as the rule ranks: the category first, then the ranks that decide within it.
The order is that of Texas Shootout (14); the single-deck games use the same order without the
five of a kind that their rules do not know.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Final

RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"
ACE: Final = 14

HIGH_CARD: Final = 0
PAIR: Final = 1
TWO_PAIR: Final = 2
THREE: Final = 3
STRAIGHT: Final = 4
FLUSH: Final = 5
FULL_HOUSE: Final = 6
FOUR: Final = 7
FIVE: Final = 8
STRAIGHT_FLUSH: Final = 9  # (14)(b) stands above the unsuited five of a kind of (14)(c)
FIVE_SUITED: Final = 10

Card = int
Rank = tuple[int, ...]


def parse_card(text: str) -> Card | None:
    """Read a card; `10` is read as `T`, and anything that is no card gives None.

    >>> parse_card("10h") == parse_card("Th"), parse_card("kd"), parse_card("")
    (True, None, None)
    """
    if len(text) == 3 and text.startswith("10"):
        text = "T" + text[2]
    if len(text) != 2 or text[0] not in RANKS or text[1] not in SUITS:
        return None
    return (RANKS.index(text[0]) + 2) * 4 + SUITS.index(text[1])


def card_name(card: Card) -> str:
    """Write a card in two characters."""
    return RANKS[card // 4 - 2] + SUITS[card % 4]


def rank_of(card: Card) -> int:
    """Give the rank, 2 to 14."""
    return card // 4


def suit_of(card: Card) -> int:
    """Give the suit, 0 to 3."""
    return card % 4


ALL_FACES: Final = tuple(rank * 4 + suit for rank in range(2, 15) for suit in range(4))


def straight_high(ranks: Iterable[int]) -> int:
    """Give the highest card of the best straight among the ranks, 0 for none.

    The ace counts low in 5-4-3-2-A only (reading ALL-ACE).
    """
    held = set(ranks)
    if ACE in held:
        held.add(1)
    for high in range(ACE, 4, -1):
        if all(high - step in held for step in range(5)):
            return high
    return 0


def best_rank(cards: Sequence[Card], five_of_a_kind: bool = False) -> Rank:
    """Rank the best five of the cards by counting, for any number of cards from five up.

    `five_of_a_kind` is for Texas Shootout; the single-deck rules have no such line, and should
    two decks be loaded there, five alike are four of a kind.
    """
    ranks = sorted((card >> 2 for card in cards), reverse=True)
    suited: list[list[int]] = [[], [], [], []]
    for card in cards:
        suited[card & 3].append(card >> 2)
    flush = [sorted(of_suit, reverse=True) for of_suit in suited if len(of_suit) >= 5]
    if flush:
        top = _of_a_flush(flush, five_of_a_kind)
        if top:
            return top
    counts = Counter(ranks)
    many = _of_a_kind(counts, ranks, five_of_a_kind)
    if many and many[0] >= FULL_HOUSE:
        return many
    if flush:
        return (FLUSH, *max(of_suit[:5] for of_suit in flush))
    high = straight_high(counts)
    return (STRAIGHT, high) if high else many


def _of_a_flush(flush: list[list[int]], five_of_a_kind: bool) -> Rank:
    """Find the five suited or the straight flush within the suits that hold five cards."""
    if five_of_a_kind:
        fives = [rank for of_suit in flush for rank in of_suit if of_suit.count(rank) >= 5]
        if fives:
            return (FIVE_SUITED, max(fives))
    high = max(straight_high(of_suit) for of_suit in flush)
    return (STRAIGHT_FLUSH, high) if high else ()


def _of_a_kind(counts: Counter[int], ranks: list[int], five_of_a_kind: bool) -> Rank:
    """Rank by repetition only: from five of a kind down to the high card."""
    groups = sorted(counts.items(), key=lambda item: (min(item[1], 5), item[0]), reverse=True)
    first, first_count = groups[0]
    if first_count >= 5 and five_of_a_kind:
        return (FIVE, first)
    if first_count >= 4:
        quads = max(rank for rank, count in counts.items() if count >= 4)
        fifth = [rank for rank in ranks if rank != quads] + [quads] * (counts[quads] - 4)
        return (FOUR, quads, max(fifth))
    pairs = sorted((rank for rank, count in counts.items() if count >= 2), reverse=True)
    if first_count == 3:
        second = [rank for rank in pairs if rank != first]
        if second:
            return (FULL_HOUSE, first, second[0])
        return (THREE, first, *[rank for rank in ranks if rank != first][:2])
    if len(pairs) >= 2:
        kicker = next(rank for rank in ranks if rank not in pairs[:2])
        return (TWO_PAIR, pairs[0], pairs[1], kicker)
    if pairs:
        return (PAIR, pairs[0], *[rank for rank in ranks if rank != pairs[0]][:3])
    return (HIGH_CARD, *ranks[:5])


def rank_five(cards: Sequence[Card], five_of_a_kind: bool = False) -> Rank:
    """Rank exactly five cards, written apart from `best_rank` so that each checks the other."""
    ranks = sorted((rank_of(card) for card in cards), reverse=True)
    one_suit = len({suit_of(card) for card in cards}) == 1
    counts = sorted(((ranks.count(rank), rank) for rank in set(ranks)), reverse=True)
    shape = [count for count, _ in counts]
    by_count = [rank for _, rank in counts]
    straight = straight_high(ranks) if shape == [1, 1, 1, 1, 1] else 0
    if shape == [5]:
        if five_of_a_kind:
            return (FIVE_SUITED if one_suit else FIVE, by_count[0])
        return (FOUR, by_count[0], by_count[0])
    if straight and one_suit:
        return (STRAIGHT_FLUSH, straight)
    if shape in ([4, 1], [3, 2]):
        return (FOUR if shape[0] == 4 else FULL_HOUSE, *by_count)
    if one_suit:
        return (FLUSH, *ranks)  # TS-TIES: card by card, repeated ranks included
    if straight:
        return (STRAIGHT, straight)
    category = {3: THREE, 2: TWO_PAIR if shape == [2, 2, 1] else PAIR, 1: HIGH_CARD}[shape[0]]
    return (category, *by_count)


def best_by_subsets(cards: Sequence[Card], five_of_a_kind: bool = False) -> Rank:
    """Rank the best five by trying every subset of five."""
    return max(rank_five(five, five_of_a_kind) for five in combinations(cards, 5))


def is_royal(rank: Rank) -> bool:
    """Tell whether the hand is the ace-high straight flush."""
    return rank == (STRAIGHT_FLUSH, ACE)
