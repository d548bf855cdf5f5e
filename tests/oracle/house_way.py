"""The house way `published-2011` (reading TS-HOUSE-WAY): which two of four the dealer keeps."""

from collections.abc import Sequence
from itertools import combinations
from typing import Final

from tests.oracle.cards import ACE, Card, rank_of, suit_of

PUBLISHED_2011: Final = "published-2011"
KNOWN: Final = (PUBLISHED_2011,)

Pair = tuple[Card, Card]


def _line(high: int, low: int, suited: bool) -> int:
    """Number the line of the list that two cards fall into first, 1 being the best."""
    lines = (
        high == low and low >= 8,  # 1 pair of eights or higher
        high == ACE and low >= 11,  # 2 ace with a jack or higher
        high == low and suited,  # 3 suited pair, twos to sevens
        high == low,  # 4 unsuited pair, twos to sevens
        high == ACE and suited,  # 5 ace high, suited
        low >= 10 and suited,  # 6 both ten or higher, suited
        low >= 10,  # 7 both ten or higher, unsuited (an ace and a ten stand here)
        high == ACE,  # 8 ace high, unsuited
        high >= 11 and suited,  # 9 face card high, suited
        high >= 11,  # 10 face card high, unsuited
        high == low + 1 and suited,  # 11 connected, suited
        high == low + 1,  # 12 connected, unsuited
        suited,  # 13 any suited
        True,  # 14 any unsuited
    )
    return lines.index(True) + 1


def standing_of(two: Sequence[Card]) -> tuple[int, int, int, bool]:
    """Give the place of two cards in the list; the smaller stands higher."""
    low, high = sorted(rank_of(card) for card in two)
    suited = suit_of(two[0]) == suit_of(two[1])
    return (_line(high, low, suited), -high, -low, not suited)


def right_pairs(four: Sequence[Card]) -> list[Pair]:
    """Give the pairs that may be kept, of cards in the order dealt; the first is the reset one.

    ambiguous: of equal pairs "the one dealt first" is the one whose first card, then whose second
    card was dealt first.
    """
    pairs = list(combinations(four, 2))
    best = min(standing_of(pair) for pair in pairs)
    return [pair for pair in pairs if standing_of(pair) == best]
