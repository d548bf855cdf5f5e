"""The card room's words for money, cards and bets, as findings say them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from replay.vocabulary import CARD_NAMES, Bettor, Wager

_SUIT_SIGNS: Final = {"c": "\u2663", "d": "\u2666", "h": "\u2665", "s": "\u2660"}

WAGER_WORDS: Final = {
    Wager.FIRST_ANTE: "first ante",
    Wager.SECOND_ANTE: "second ante",
    Wager.FIRST_RUN: "first run",
    Wager.SECOND_RUN: "second run",
    Wager.CENTER: "center",
    Wager.FIVE_CARD_BONUS: "5-card bonus",
    Wager.ULTIMATE_PAIRS: "ultimate pairs",
    Wager.BIG_8: "big 8",
    Wager.HAND_2_ANTE: "hand 2 ante",
    Wager.HAND_1_PLAY: "hand 1 play",
    Wager.PRIMARY: "primary",
    Wager.SHOOTOUT_BONUS: "shootout bonus",
    Wager.POCKET_PAIR: "pocket pair bonus",
    Wager.ENVY_BONUS: "envy bonus",
    Wager.UNKNOWN: "wager",
}


def money(cents: int) -> str:
    """Cents as dollars: `$1,240.00`, `-$5.00`.

    >>> money(124000), money(-500)
    ('$1,240.00', '-$5.00')
    """
    dollars, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}${dollars:,}.{rest:02d}"


def net_words(cents: int | None) -> str:
    """A net as the pit says it: `+$5.00`, `push`, `-$5.00`, `not settled`."""
    if cents is None:
        return "not settled"
    if cents == 0:
        return "push"
    return f"+{money(cents)}" if cents > 0 else money(cents)


def card_word(code: int) -> str:
    """A card with its suit's sign: `4\u2660`; `??` where it was not read."""
    if code >= len(CARD_NAMES):
        return "??"
    name = CARD_NAMES[code]
    return name[0] + _SUIT_SIGNS[name[1]]


def card_words(codes: Iterable[int]) -> str:
    """Cards one after the other."""
    return " ".join(card_word(int(code)) for code in codes)


def bet_words(wager: int, hand: int = 1, bettor: int = Bettor.PLAYER) -> str:
    """A bet: `first run`, `primary of hand 2`, `big 8 tip`."""
    words = WAGER_WORDS[Wager(wager)]
    if hand == 2:
        words += " of hand 2"
    return words + (" tip" if bettor == Bettor.DEALER else "")
