"""Best five of n cards, n from 5 to 8, from any number of decks, whole batches at a time.

Source: the order of hands of 20:18:16:15.08(14), which with one deck is the usual one (ARSD
20:18:16:03); readings `ALL-ACE`, `TS-ROYAL` and `TS-TIES`.

Array convention: hands are columns, (n, N) card codes in `uint8`; a rank is one `int32` a hand,
`category * CATEGORY_STEP + tiebreak`, larger is better and equal is an exact tie. The tiebreak
holds the ranks of the five cards, four bits each, the most repeated and highest first; so whatever
describes a hand can be read back from its rank.

How: the keys of the cards are added up. A sum says how often each rank comes and how many cards
each suit has; two small tables turn it into the place in a dense table with a value for every
multiset of n ranks. Hands with five or more of a suit take a side path, and the higher value.
`ranking_tables` makes the tables at first use.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from replay.arrays import among
from replay.cards import Cards, rank_of, require_cards, suit_of
from replay.ranking_tables import (
    ACE,
    CARD_COUNT_MAX,
    CARD_COUNT_MIN,
    CATEGORY_SHIFT,
    CATEGORY_STEP,
    DECK_CARD_COUNT,
    HIGH_SHIFT,
    LOW_MASK,
    LOW_SHIFT,
    SUIT_FLAGS,
    Category,
    HandTables,
    Longs,
    Ranks,
    hand_tables,
    set_tables,
)

__all__ = [
    "CATEGORY_STEP",
    "Category",
    "Ranks",
    "best_five",
    "best_five_cards",
    "category_of",
    "describe",
    "pair_rank_of",
    "plural",
]

CHUNK_HAND_COUNT: Final = 32_768
"""Hands at a time, so that a batch of any size works in 2 MB. A quarter as many ranks a third
fewer hands a second, for the calls' own cost; without a limit it gains 2 to 10 %."""

RANK_NAMES: Final = (
    *("deuce", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("jack", "queen", "king", "ace"),
)

FLUSHES: Final = (
    Category.FLUSH,
    Category.STRAIGHT_FLUSH,
    Category.ROYAL_FLUSH,
    Category.FIVE_OF_A_KIND_SUITED,
)


def best_five(cards: Cards) -> Ranks:
    """Rank the best five-card hand among the cards of each hand.

    Shapes:  (n, N), n from 5 to 8, a column a hand, in any order -> (N,).
    Decks:   any number: copies of a card are cards like others.
    Ranks:   larger is better, equal is an exact tie.
    Errors:  ValueError for another n or number of axes, for an array that is not `uint8`, and for a
             code over 51.
    Source:  20:18:16:15.08(13) "to make the best possible five-card poker hand", (14); readings
             `ALL-ACE`, `TS-ROYAL`, `TS-TIES`.

    >>> from replay.cards import codes_of
    >>> hands = [codes_of("Ah Ah 9h 9h 2h".split()), codes_of("Ah Kh Qh Jh 9h".split())]
    >>> ranks = best_five(np.stack(hands, axis=1))
    >>> bool(ranks[0] > ranks[1])
    True
    """
    _require_hands(cards)
    card_count, hand_count = cards.shape
    tables = hand_tables(card_count)
    ranks = np.empty(hand_count, dtype=np.int32)
    size = min(CHUNK_HAND_COUNT, hand_count)
    work = np.empty((3, size), dtype=np.int64)
    suited: list[Longs] = []
    waiting = 0
    for begin in range(0, hand_count, CHUNK_HAND_COUNT):
        end = min(begin + CHUNK_HAND_COUNT, hand_count)
        found = _rank_chunk(tables, cards[:, begin:end], work[:, : end - begin], ranks[begin:end])
        found[0] += begin
        suited.append(found)
        waiting += found.shape[1]
        if waiting >= CHUNK_HAND_COUNT or end == hand_count:
            _raise_suited(cards, np.concatenate(suited, axis=1), ranks)
            suited, waiting = [], 0
    return ranks


def category_of(ranks: Ranks) -> npt.NDArray[np.uint8]:
    """Give the `Category` of each rank.

    Shapes:  any shape -> the same.
    Errors:  none.
    """
    return (ranks >> CATEGORY_SHIFT).astype(np.uint8)


def pair_rank_of(ranks: Ranks) -> npt.NDArray[np.uint8]:
    """Give the rank of the pair, deuce 0 to ace 12.

    For other categories it is the rank of the main group: the higher pair, the three, the four, the
    five of a kind; of a straight, a flush or a high card the top card (of 5-4-3-2-A the five).

    Shapes:  any shape -> the same.
    Errors:  none.
    """
    return (ranks >> CATEGORY_SHIFT - 4 & 0xF).astype(np.uint8)


def best_five_cards(cards: Cards) -> Cards:
    """Pick the five cards that make the best hand, for explanations.

    The most repeated and highest come first, as ties are compared; 5-4-3-2-A has its ace last. Of
    cards that serve equally well, the one that stands first in the hand is picked.

    Shapes:  (n, N), n from 5 to 8, a column a hand -> (5, N).
    Errors:  as `best_five`.
    Source:  20:18:16:15.08(13), (14).

    >>> from replay.cards import codes_of, names_of
    >>> hand = codes_of("9d 2c Kh 9s Kd 9h 3c".split())
    >>> names_of(best_five_cards(hand[:, np.newaxis])[:, 0]).tolist()
    ['9d', '9s', '9h', 'Kh', 'Kd']
    """
    ranks = best_five(cards)
    suits, card_ranks = suit_of(cards), rank_of(cards)
    # No hand of eight has five cards of two suits, so the fullest suit is the flush's.
    suit_counts = np.stack([(suits == suit).sum(axis=0) for suit in range(4)])
    in_suit = suits == suit_counts.argmax(axis=0)
    left = in_suit | ~among(category_of(ranks), FLUSHES)
    hands = np.arange(cards.shape[1])
    picked = np.empty((5, cards.shape[1]), dtype=np.uint8)
    for place in range(5):
        rank = ranks >> 4 * (4 - place) & 0xF
        chosen = (left & (card_ranks == rank)).argmax(axis=0)
        picked[place] = cards[chosen, hands]
        left[chosen, hands] = False
    return picked


def describe(rank: int) -> str:
    """Say a rank in the words of the card room; kickers are left out.

    Errors:  ValueError for a number that is no rank.

    >>> describe(Category.FULL_HOUSE * CATEGORY_STEP + 0xBBB77)
    'full house, kings over nines'
    """
    category, digits = divmod(int(rank), CATEGORY_STEP)
    first, second = digits >> 16, digits & 0xF
    if not 0 <= category < len(Category) or max(first, second) > ACE:
        raise ValueError(f"{rank} is no rank; take one from best_five")
    name = Category(category).name.lower().replace("_", " ")
    match Category(category):
        case Category.ROYAL_FLUSH:
            return name
        case Category.HIGH_CARD:
            return f"{RANK_NAMES[first]} high"
        case Category.STRAIGHT | Category.FLUSH | Category.STRAIGHT_FLUSH:
            return f"{name}, {RANK_NAMES[first]} high"
        case Category.PAIR:
            return f"pair of {plural(first)}"
        case Category.TWO_PAIR:
            return f"{name}, {plural(first)} and {plural(digits >> 4 & 0xF)}"
        case Category.FULL_HOUSE:
            return f"{name}, {plural(first)} over {plural(second)}"
        case Category.FIVE_OF_A_KIND_SUITED:
            return f"five of a kind, suited, {plural(first)}"
        case _:
            return f"{name}, {plural(first)}"


def plural(rank: int) -> str:
    """Several of a rank, deuce 0 to ace 12: `sixes`.

    Errors:  IndexError for a number that is no rank.
    """
    return RANK_NAMES[rank] + ("es" if RANK_NAMES[rank] == "six" else "s")


def _require_hands(cards: Cards) -> None:
    if cards.ndim != 2 or not CARD_COUNT_MIN <= cards.shape[0] <= CARD_COUNT_MAX:
        raise ValueError(
            f"cards have shape {cards.shape}; give (n, N), {CARD_COUNT_MIN} to {CARD_COUNT_MAX} "
            "cards of N hands, a column a hand"
        )
    require_cards(cards)


def _rank_chunk(tables: HandTables, cards: Cards, work: Longs, ranks: Ranks) -> Longs:
    """Rank some hands into `ranks`, (n, M) -> (M,), as if they had no suits.

    `work` is room for (3, M). Returns which have five or more of a suit, and its flags: (2, S).
    """
    keys, index, place = work
    # Every index is in range, the cards being checked; `clip` spares `take` a copy of its output.
    for first in range(0, len(cards) - 1, 2):
        pair = np.multiply(cards[first], DECK_CARD_COUNT, dtype=np.uint16)
        pair += cards[first + 1]
        np.copyto(index, pair)
        if first == 0:
            tables.pair_key_first.take(index, out=keys, mode="clip")
        else:
            keys += tables.pair_key.take(index, out=place, mode="clip")
    if len(cards) % 2:
        keys += tables.card_key.take(cards[-1], out=place, mode="clip")
    np.right_shift(keys, HIGH_SHIFT, out=index)
    tables.high_index.take(index, out=place, mode="clip")
    np.right_shift(keys, LOW_SHIFT, out=index)
    index &= LOW_MASK
    place += tables.low_index.take(index, mode="clip")
    tables.value.take(place, out=ranks, mode="clip")

    keys &= SUIT_FLAGS
    suited = np.flatnonzero(keys)
    return np.stack([suited, keys.take(suited)])


def _raise_suited(cards: Cards, suited: Longs, ranks: Ranks) -> None:
    """Raise `ranks` where a suit makes a hand higher: hands of many chunks together, being few.

    Shapes:  (n, N); suited (2, S) as of `_rank_chunk`, but counted from the first hand of all.
    """
    hands, flags = suited
    if hands.size:
        by_suit = _rank_suited(cards.take(hands, axis=1), flags)
        ranks[hands] = np.maximum(ranks.take(hands), by_suit)


def _rank_suited(cards: Cards, flags: Longs) -> Ranks:
    """Rank hands with five or more of a suit by the cards of that suit alone.

    Shapes:  (n, M), (M,) the suit's flag -> (M,).
    Source:  20:18:16:15.08(14)(a), (b), (f).
    """
    suit = np.zeros(len(flags), dtype=np.uint8)
    for flag in (0x8, 0x80, 0x800):  # of clubs, diamonds and hearts
        suit += flags > flag
    # Ranks from 1 up, and 0 for the cards of other suits (and none), which then come last.
    ranks = np.zeros((CARD_COUNT_MAX, len(flags)), dtype=np.uint8)
    in_suit = (suit_of(cards) == suit).view(np.uint8)  # NumPy multiplies bool and uint8 slowly
    np.multiply(rank_of(cards) + np.uint8(1), in_suit, out=ranks[: len(cards)])
    _sort_down(ranks)
    value = np.full(len(flags), Category.FLUSH, dtype=np.int32)
    for row in ranks[:5] - np.uint8(1):
        value <<= 4
        value += row

    held = np.bitwise_or.reduce(np.left_shift(1, ranks, dtype=np.uint16), axis=0) >> 1
    straight = set_tables().straight.take(held)
    found = np.flatnonzero(straight)  # few
    royal = straight[found] >> 16 == ACE
    category = np.where(royal, Category.ROYAL_FLUSH, Category.STRAIGHT_FLUSH).astype(np.int32)
    value[found] = category * CATEGORY_STEP + straight[found]
    alike = (ranks[:4] == ranks[4:]) & (ranks[:4] > 0)
    if alike.any():
        found = np.flatnonzero(alike.any(axis=0))
        # Two ranks cannot come five times in eight cards, so any of the places gives the rank.
        rank = ranks[alike.argmax(axis=0)[found], found].astype(np.int32) - 1
        value[found] = Category.FIVE_OF_A_KIND_SUITED * CATEGORY_STEP + rank * 0x11111
    return value


def _sort_down(rows: Cards) -> None:
    """Sort each column of eight, highest first, in place.

    The sorting network of 19 comparisons in 6 layers, a layer being a few operations on half the
    rows: with dozens of bytes compared at once, many times as fast as `numpy.sort` of such short
    columns.
    """
    quarters = rows.reshape(2, 2, 2, -1)
    layers = (
        (quarters[:, 0], quarters[:, 1]),  # 0-2 1-3 4-6 5-7
        (rows[:4], rows[4:]),  # 0-4 1-5 2-6 3-7
        (rows[::2], rows[1::2]),  # 0-1 2-3 4-5 6-7
        (rows[2:4], rows[4:6]),  # 2-4 3-5
        (rows[1:4:2], rows[4:7:2]),  # 1-4 3-6
        (rows[1:6:2], rows[2:7:2]),  # 1-2 3-4 5-6
    )
    for upper, lower in layers:
        least = np.minimum(upper, lower)
        np.maximum(upper, lower, out=upper)
        lower[...] = least
