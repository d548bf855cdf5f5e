"""What each game needs typed: bets, places of cards, decisions, and which paytables it posts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from replay.vocabulary import Decision, Game, Place, Wager


@dataclass(frozen=True, slots=True, kw_only=True)
class GameForm:
    """The fields of one game; whatever is not here is not asked for and not taken."""

    game: Game
    decks: int
    seat_cards: int
    common: tuple[tuple[Place, int], ...]
    """Places of cards for everyone, and how many lie at each, in the order of asking."""
    wagers: tuple[Wager, ...]
    """What may be bet, in the order of asking."""
    posted: tuple[Wager, ...]
    """Wagers whose paytable a table posts."""
    decisions: tuple[Decision, ...]
    two_hands: bool = False
    """A seat may split its cards into two hands."""
    tips: bool = False
    """Tips for the dealer may be bet."""


RUN_EM_TWICE: Final = GameForm(
    game=Game.RUN_EM_TWICE,
    decks=1,
    seat_cards=2,
    common=tuple(
        (place, 1) for place in (Place.LEFT, Place.RIGHT, Place.TOP, Place.BOTTOM, Place.CENTER)
    ),
    wagers=(
        Wager.FIRST_ANTE,
        Wager.SECOND_ANTE,
        Wager.FIVE_CARD_BONUS,
        Wager.ULTIMATE_PAIRS,
        Wager.FIRST_RUN,
        Wager.SECOND_RUN,
        Wager.CENTER,
    ),
    posted=(Wager.ULTIMATE_PAIRS,),
    decisions=(Decision.PLAY, Decision.FOLD),
)
DAKOTA_DUEL_DRAW: Final = GameForm(
    game=Game.DAKOTA_DUEL_DRAW,
    decks=1,
    seat_cards=2,
    common=((Place.HAND_1, 3), (Place.HAND_2, 3)),
    wagers=(Wager.BIG_8, Wager.HAND_2_ANTE, Wager.HAND_1_PLAY),
    posted=(Wager.BIG_8, Wager.POCKET_PAIR),
    decisions=(Decision.PLAY, Decision.FOLD),
    tips=True,
)
TEXAS_SHOOTOUT: Final = GameForm(
    game=Game.TEXAS_SHOOTOUT,
    decks=6,
    seat_cards=4,
    common=((Place.DEALER, 4), (Place.FLOP, 5)),
    wagers=(Wager.PRIMARY, Wager.SHOOTOUT_BONUS),
    posted=(Wager.SHOOTOUT_BONUS,),
    decisions=(Decision.KEEP, Decision.SPLIT),
    two_hands=True,
)

FORMS: Final = {form.game: form for form in (RUN_EM_TWICE, DAKOTA_DUEL_DRAW, TEXAS_SHOOTOUT)}
RUNS: Final = (Wager.FIRST_RUN, Wager.SECOND_RUN, Wager.CENTER)
"""The bets of the three steps of Run'em Twice."""
HOUSE_WAY: Final = "published-2011"
"""By which the dealer's hand is set where nobody says which cards were kept."""
