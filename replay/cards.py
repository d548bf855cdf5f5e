"""Cards as small integers: names to codes and back, whole decks, and copies that no deck can hold.

Array convention: a card is a `uint8` code of `vocabulary` (4 * rank + suit, deuce of clubs 0 to
ace of spades 51). Hands are columns: shape (n, N) is n cards of each of N hands. Codes over 51
stand for cards that were not read (`CARD_BAD`, `CARD_UNREAD`): only the functions that say so take
them.
"""

from collections.abc import Iterable
from typing import Final

import numpy as np
import numpy.typing as npt

from replay.vocabulary import CARD_CODES, CARD_NAMES

Cards = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]

DECK_CARD_COUNT: Final = 52

_NAMES: Final = np.array(CARD_NAMES, dtype="<U2")


def codes_of(names: Iterable[str]) -> Cards:
    """Read card names.

    Shapes:  N names -> (N,).
    Errors:  ValueError for the first name that is no card, with its place.
    Source:  event contract: rank of `23456789TJQKA`, suit of `cdhs`, `10h` being read as `Th`.

    >>> codes_of(["2c", "10h", "As"]).tolist()
    [0, 34, 51]
    """
    codes: list[int] = []
    for place, name in enumerate(names):
        code = CARD_CODES.get(name)
        if code is None:
            raise ValueError(
                f"card {place} is {name!r}, which is no card; "
                "write rank then suit, such as 'Th' or 'As' (case counts)"
            )
        codes.append(code)
    return np.array(codes, dtype=np.uint8)


def names_of(cards: Cards) -> npt.NDArray[np.str_]:
    """Name cards.

    Shapes:  any shape -> the same, two characters each.
    Errors:  ValueError for a code over 51.

    >>> names_of(np.array([0, 34, 51], dtype=np.uint8)).tolist()
    ['2c', 'Th', 'As']
    """
    require_cards(cards)
    names: npt.NDArray[np.str_] = _NAMES[cards]
    return names


def rank_of(cards: Cards) -> Cards:
    """Give the rank of each card, deuce 0 to ace 12.

    Shapes:  any shape -> the same.
    Errors:  none; for a card that was not read the answer is over 12.
    """
    return cards >> np.uint8(2)


def suit_of(cards: Cards) -> Cards:
    """Give the suit of each card: clubs 0, diamonds 1, hearts 2, spades 3. Suits never rank.

    Shapes:  any shape -> the same.
    Errors:  none; for a card that was not read the answer means nothing.
    """
    return cards & np.uint8(3)


def full_decks(deck_count: int = 1) -> Cards:
    """List every card of `deck_count` whole decks, deuce of clubs first, copies side by side.

    Shapes:  -> (52 * deck_count,).
    Errors:  ValueError if there is no deck.
    Source:  one deck in Run'em Twice and Dakota Duel Draw; "Six standard decks of 52 cards each",
             20:18:16:15.08(1).
    """
    if deck_count < 1:
        raise ValueError(f"deck_count is {deck_count}; a game needs at least one deck")
    return np.repeat(np.arange(DECK_CARD_COUNT, dtype=np.uint8), deck_count)


def require_cards(cards: Cards) -> None:
    """Refuse anything but known cards: a lookup by code would silently take another's entry.

    Shapes:  any shape.
    Errors:  ValueError if the array is not `uint8`, or has a code over 51 (a card that was not read
             included), with its place.
    """
    if cards.dtype != np.uint8:
        raise ValueError(f"cards are {cards.dtype}; give card codes as uint8")
    if cards.size == 0 or int(cards.max()) < DECK_CARD_COUNT:
        return
    place = tuple(int(axis) for axis in np.argwhere(cards >= DECK_CARD_COUNT)[0])
    raise ValueError(
        f"code {int(cards[place])} at {place} is no card: codes run from 0 to 51; "
        "leave out hands with a card that was not read"
    )


def copies_of(cards: Cards) -> npt.NDArray[np.int64]:
    """Count the copies of each card, cards that were not read left aside.

    Shapes:  any shape -> (52,), by code.
    Errors:  none.
    """
    known = cards[cards < DECK_CARD_COUNT]
    return np.bincount(known, minlength=DECK_CARD_COUNT).astype(np.int64, copy=False)


def has_extra_copies(cards: Cards, deck_count: int) -> Flags:
    """Say of each hand, round or shoe whether it shows more copies of a card than its decks hold.

    Shapes:  (n, N) -> (N,), a column a hand; cards that were not read are left aside.
    Errors:  ValueError if there is no deck.
    Source:  a deck has each card once; six decks in 20:18:16:15.08(1).

    >>> has_extra_copies(np.array([[0, 0], [1, 1], [0, 2]], dtype=np.uint8), 1).tolist()
    [True, False]
    """
    if deck_count < 1:
        raise ValueError(f"deck_count is {deck_count}; a game needs at least one deck")
    if cards.shape[0] <= deck_count:
        return np.zeros(cards.shape[1], dtype=np.bool_)
    ordered = np.sort(cards, axis=0)
    # In order, one copy too many means that a card equals the one `deck_count` places on.
    first, last = ordered[:-deck_count], ordered[deck_count:]
    extra: Flags = ((first == last) & (first < DECK_CARD_COUNT)).any(axis=0)
    return extra
