"""What a game must tell the floor: what its tables post, how a round is played and settled."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from services.simulate.chance import Chance
from services.simulate.round import PLAYER, Dues, Round, Where
from services.simulate.shoe import Shoe

RANKS: Final = {rank: value for value, rank in enumerate("23456789TJQKA", 2)}


NEVER_PLACED: Final = frozenset({"POCKET_PAIR", "ENVY_BONUS"})
"""Bonuses without a stake of their own."""


@dataclass(frozen=True, slots=True)
class Posting:
    """What a table of the game posts besides its limits."""

    paytables: Mapping[str, str]
    house_way: str | None = None


@dataclass(frozen=True, slots=True)
class Manners:
    """How a table's dealers do what the rules leave open."""

    cards_together: bool
    """A spot's cards are dealt together, not one at a time."""
    takes_folded_antes_first: bool
    """Folded antes are collected before the reveal."""


class Script(Protocol):
    """One game."""

    game: str
    prefix: str
    """Of its tables' names."""
    decks: int
    one_deck_a_round: bool
    round_units: int
    """Usual bets that a spot has down in a round, about."""

    def post(self, rng: Chance) -> Posting:
        """Choose what a new table posts."""
        ...

    def play(self, play: Round, shoe: Shoe, manners: Manners) -> None:
        """Add the events of a whole round, up to where it is settled, or voided."""
        ...

    def order(self, play: Round, dues: Dues) -> list[Where]:
        """What is to be settled, in the prescribed order."""
        ...


def rank(card: str) -> int:
    """2 to 14."""
    return RANKS[card[0]]


def main_bet(spot: int, wager: str, hand: int = 1) -> Where:
    """A player's own wager."""
    return Where(spot, hand, wager, PLAYER)


def wish(play: Round, place: str, spot: int | None, index: int) -> str | None:
    """The card that a fault wants there."""
    wanted = play.wishes.cards.get((place, spot or 0), ())
    return wanted[index] if index < len(wanted) else None


def to_settle(dues: Dues) -> list[Where]:
    """Wagers with chips, and bonuses that are due."""
    return [
        where
        for where, due in dues.items()
        if due.stake_cents
        and due.due_cents is not None
        and (due.due_cents or where.wager not in NEVER_PLACED)
    ]
