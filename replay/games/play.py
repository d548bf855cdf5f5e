"""What a game's rule makes of folded rounds: the form in which every game answers.

Array convention as in `replay.fold`: R rounds, P seats, K slots; money in cents, net to the player.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from replay.amounts import statable
from replay.bets import Argument
from replay.chips import Chips
from replay.docket import Docket
from replay.events import Bools, Int32s, Int64s
from replay.findings import stated
from replay.fold import Folded, Slot
from replay.rulebook.loader import Rulebook
from replay.rulebook.model import Paytable
from replay.shoes import Seen
from replay.vocabulary import Game


@dataclass(slots=True, eq=False, repr=False)
class Dues:
    """What is due on every bet. Shapes (P, K)."""

    cents: Int64s
    """Exact where `known`."""
    known: Bools
    low: Int64s
    high: Int64s
    """Bounds where not known; equal to `cents` where known."""
    bounded: Bools
    """False: not known, and no bounds could be worked out."""
    unjudged: Bools
    """The posted paytable is not in the rule: neither due nor undetermined."""
    beyond: Bools
    """More is due, or may be, than an integer of the contract holds: neither known nor bounded."""
    line: Int32s
    """Line of the wager's paytable that decides; -1: none."""

    @staticmethod
    def nothing(stands: Int64s) -> Dues:
        """Nought due on every bet, exactly known; `stands` (P, K), what the chips are."""
        shape, kind = stands.shape, stands.dtype
        return Dues(
            cents=np.zeros(shape, kind, order="F"),
            known=np.ones(shape, np.bool_, order="F"),
            low=np.zeros(shape, kind, order="F"),
            high=np.zeros(shape, kind, order="F"),
            bounded=np.ones(shape, np.bool_, order="F"),
            beyond=np.zeros(shape, np.bool_, order="F"),
            unjudged=np.zeros(shape, np.bool_, order="F"),
            line=np.full(shape, -1, np.int32, order="F"),
        )

    def put(self, slot: int, cents: Int64s, line: Int32s | None = None) -> None:
        """Set what is due on one slot of every seat, exactly known if it can be stated."""
        self.cents[:, slot] = cents
        self.low[:, slot] = cents
        self.high[:, slot] = cents
        self.known[:, slot] = self.bounded[:, slot] = statable(cents)
        self.beyond[:, slot] = ~self.known[:, slot]
        if line is not None:
            self.line[:, slot] = line

    def bound(self, seat: int, slot: int, bounds: tuple[int, int] | None) -> None:
        """Set the bounds of one bet: exactly known where they meet, None where there are none."""
        beyond = bounds is not None and None in map(stated, bounds)
        self.beyond[seat, slot] = beyond
        self.bounded[seat, slot] = bounds is not None and not beyond
        if bounds is None or beyond:
            self.known[seat, slot] = False
            return
        low, high = bounds
        self.cents[seat, slot] = self.low[seat, slot] = low
        self.high[seat, slot] = high
        self.known[seat, slot] = low == high


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class Play:
    """One game's rounds, played again."""

    folded: Folded
    chips: Chips
    offered: Bools
    """(P, K) the game has the bet, and its paytable is posted."""
    dues: Dues
    stakeless: Bools
    """(K,) bonuses without a stake of their own, whose pays add up."""
    earned_by: Int64s
    """(P, K) for a bonus without a stake, the stake that earned it; else 0."""
    count_right: Bools
    """(R,) the rule's number of cards lies at every place in play."""
    in_play: Bools
    """(P,) chips stand there or cards were dealt there."""
    misdeal_clause: str
    misdeal_readings: tuple[str, ...] = ("ALL-MISDEAL",)
    misdeal_due: int | None
    """Due for a whole round with a wrong number of cards: 0, or None where no misdeal is named."""
    other_dues: Callable[[int, Int64s, Sequence[Paytable]], dict[str, Int64s]]
    """For a slot whose paytable is posted, some seats (M,) and paytables: id -> (M,) cents due."""
    unheld_readings: tuple[str, ...] = ()
    """By which the game sends bets back for a reason of its own."""
    argue: Callable[[int, int], Argument]
    """(seat, slot) -> why what is due is due."""


class GameRules(Protocol):
    """What a game module offers."""

    @property
    def game(self) -> Game:
        """Which game."""

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The bets and bonuses that a spot may have."""

    def play(self, folded: Folded, rulebook: Rulebook, seen: Seen, docket: Docket) -> Play:
        """Lay out the chips, settle every bet, and enter the findings of the game's procedure."""
