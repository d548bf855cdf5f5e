"""The words of the event contract as small integers, one enum a field, in the contract's order.

Source: event contract, version 1. Code 0 is always the word that must never be taken for a known
one (`UNKNOWN`) or, where the field may be absent, its absence. The numbers are stored in histories:
they are only ever added to.
"""

from enum import IntEnum
from typing import Final


class EventKind(IntEnum):
    """Every record of the contract."""

    UNKNOWN = 0
    TABLE_OPENED = 1
    TABLE_CLOSED = 2
    SHOE_LOADED = 3
    CARD_BURNED = 4
    CUT_CARD_REACHED = 5
    TRAY_COUNTED = 6
    CHIPS_MOVED = 7
    ROUND_OPENED = 8
    WAGER_PLACED = 9
    WAGER_REMOVED = 10
    CARD_DEALT = 11
    CARD_EXPOSED = 12
    CARDS_REVEALED = 13
    DECISION_MADE = 14
    WAGER_SETTLED = 15
    ROUND_CLOSED = 16
    ROUND_VOIDED = 17
    CARD_CORRECTED = 18
    PAYOUT_CORRECTED = 19
    RULING_MADE = 20


class Game(IntEnum):
    """The three games."""

    UNKNOWN = 0
    RUN_EM_TWICE = 1
    DAKOTA_DUEL_DRAW = 2
    TEXAS_SHOOTOUT = 3


class Wager(IntEnum):
    """Bets, and the two bonuses that are settled without being placed."""

    UNKNOWN = 0
    FIRST_ANTE = 1
    SECOND_ANTE = 2
    FIRST_RUN = 3
    SECOND_RUN = 4
    CENTER = 5
    FIVE_CARD_BONUS = 6
    ULTIMATE_PAIRS = 7
    BIG_8 = 8
    HAND_2_ANTE = 9
    HAND_1_PLAY = 10
    PRIMARY = 11
    SHOOTOUT_BONUS = 12
    POCKET_PAIR = 13
    ENVY_BONUS = 14


class Bettor(IntEnum):
    """Whose chips: the player's, or a tip bet for the dealer."""

    UNKNOWN = 0
    PLAYER = 1
    DEALER = 2


class Place(IntEnum):
    """Where a card lies."""

    UNKNOWN = 0
    PLAYER = 1
    DEALER = 2
    LEFT = 3
    RIGHT = 4
    TOP = 5
    BOTTOM = 6
    CENTER = 7
    HAND_1 = 8
    HAND_2 = 9
    FLOP = 10


class Decision(IntEnum):
    """What a spot, or the dealer, chose."""

    UNKNOWN = 0
    PLAY = 1
    FOLD = 2
    KEEP = 3
    SPLIT = 4


class Outcome(IntEnum):
    """How the table settled a wager."""

    UNKNOWN = 0
    WIN = 1
    LOSE = 2
    PUSH = 3
    VOID = 4


class VoidReason(IntEnum):
    """Why a round was voided."""

    UNKNOWN = 0
    MISDEAL = 1
    DEFECTIVE_DECK = 2
    EQUIPMENT = 3
    OTHER = 4


class TrayCount(IntEnum):
    """Which count of the tray."""

    UNKNOWN = 0
    OPENING = 1
    CLOSING = 2


class Movement(IntEnum):
    """Chips to or from the tray."""

    UNKNOWN = 0
    FILL = 1
    CREDIT = 2
    BUY_IN = 3


RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"
CARD_NAMES: Final = tuple(rank + suit for rank in RANKS for suit in SUITS)
"""Card code -> name: code = 4 * rank + suit, deuce of clubs 0 to ace of spades 51."""

CARD_CODES: Final = {name: code for code, name in enumerate(CARD_NAMES)} | {
    "10" + suit: 4 * RANKS.index("T") + SUITS.index(suit) for suit in SUITS
}
"""Card name -> code; `10h` is read as `Th`. Case counts."""

CARD_BAD: Final = 254  # the event named something that is no card: taken as not read
CARD_UNREAD: Final = 255  # dealt, not read
