"""The card room's words for money, cards and bets, as findings say them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from replay.vocabulary import CARD_NAMES, Bettor, Decision, EventKind, Game, Outcome, Wager

_SUIT_SIGNS: Final = {"c": "\u2663", "d": "\u2666", "h": "\u2665", "s": "\u2660"}

GAME_WORDS: Final = {
    Game.UNKNOWN: "",
    Game.RUN_EM_TWICE: "Run'em Twice",
    Game.DAKOTA_DUEL_DRAW: "Dakota Duel Draw",
    Game.TEXAS_SHOOTOUT: "Texas Shootout",
}

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

DECISION_WORDS: Final = {
    Decision.PLAY: "played",
    Decision.FOLD: "folded",
    Decision.KEEP: "kept",
    Decision.SPLIT: "split",
    Decision.UNKNOWN: "decided",
}

NOTHING_WORDS: Final = {
    Outcome.WIN: "win $0.00",
    Outcome.LOSE: "loss $0.00",
    Outcome.PUSH: "push",
    Outcome.VOID: "void",
    Outcome.UNKNOWN: "nothing",
}
"""What a settlement was that moved no money."""


def money(cents: int) -> str:
    """Cents as dollars: `$1,240.00`, `-$5.00`.

    >>> money(124000), money(-500)
    ('$1,240.00', '-$5.00')
    """
    dollars, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}${dollars:,}.{rest:02d}"


def net_words(cents: int | None, nothing: str = "push") -> str:
    """A net as the pit says it: `+$5.00`, `push`, `-$5.00`, `not settled`.

    `nothing` says what a net of 0 is: only a wager that is due back is a push.
    """
    if cents is None:
        return "not settled"
    if cents == 0:
        return nothing
    return f"+{money(cents)}" if cents > 0 else money(cents)


def off_words(expected_cents: int, actual_cents: int, whom: str = "the player") -> str:
    """By how much, and which way, what was paid or taken is not what was due.

    >>> off_words(2000, 1500), off_words(-500, -700), off_words(-500, 0)
    ('$5.00 too little paid', '$2.00 too much taken', '$5.00 too little taken')
    >>> off_words(2000, -500)
    '$25.00 too little for the player'
    """
    off = actual_cents - expected_cents
    amount = f"{money(abs(off))} too"
    if min(expected_cents, actual_cents) >= 0:
        return f"{amount} {'much' if off > 0 else 'little'} paid"
    if max(expected_cents, actual_cents) <= 0:
        return f"{amount} {'little' if off > 0 else 'much'} taken"
    return f"{amount} {'much' if off > 0 else 'little'} for {whom}"


def event_name(kind: int) -> str:
    """A record as the event contract names it.

    >>> event_name(EventKind.SHOE_LOADED)
    'ShoeLoaded'
    """
    return "".join(word.capitalize() for word in EventKind(kind).name.split("_"))


def decider_words(spot: int, decision: int) -> str:
    """Who decided what: `seat 3 folded`, `the dealer kept`."""
    who = f"seat {spot}" if spot else "the dealer"
    return f"{who} {DECISION_WORDS[Decision(decision)]}"


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
