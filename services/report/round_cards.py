"""The cards of a round as they lay on the table, drawn in a few lines of text.

The cross for Run'em Twice, two rows for Dakota Duel Draw, the dealer's hand and the flop for Texas
Shootout. A card that was not read is `??`, a place without a card is empty.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from replay.vocabulary import Game
from services.report.words import cards

Lying = Sequence[tuple[str, int, str]]
"""(place, spot or 0, card or "")."""


def drawn(game: Game, lying: Lying) -> list[str]:
    """The common cards, a line of text each."""
    at: dict[str, list[str]] = defaultdict(list)
    for place, _, card in lying:
        if place != "PLAYER":
            at[place].append(card)
    if not at:
        return []
    if game == Game.RUN_EM_TWICE:
        return _cross(at)
    if game == Game.DAKOTA_DUEL_DRAW:
        return [f"{name}   {cards(at[place])}" for name, place in _ROWS]
    return [f"{name:8}{cards(at[place])}" for name, place in _SHOOTOUT if at[place]]


def seats(lying: Lying) -> dict[int, str]:
    """The cards of every seat, in the order dealt."""
    held: dict[int, list[str]] = defaultdict(list)
    for place, spot, card in lying:
        if place == "PLAYER":
            held[spot].append(card)
    return {spot: cards(held[spot]) for spot in sorted(held)}


_ROWS = (("hand 1", "HAND_1"), ("hand 2", "HAND_2"))
_SHOOTOUT = (("dealer", "DEALER"), ("flop", "FLOP"))


def _cross(at: dict[str, list[str]]) -> list[str]:
    left, right, top, bottom, center = (
        cards(at[place][:1]) or "  " for place in ("LEFT", "RIGHT", "TOP", "BOTTOM", "CENTER")
    )
    lines = [
        f"   {top}            hand 1  left, center, right",
        f"{left} {center} {right}         hand 2  top, center, bottom",
        f"   {bottom}",
    ]
    more = [card for place in at.values() for card in place[1:]]
    return lines + ([f"one place has more than a card: {cards(more)}"] if more else [])
