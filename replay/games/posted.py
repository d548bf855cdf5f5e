"""Posted paytables, laid over the seats of a fold.

A table posts by name which of several paytables it pays a wager from; it may post none, so that the
wager is not offered, or one that the rule does not have, so that the wager is not judged. Array
convention as in `replay.fold`: P seats.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from replay.events import Bools
from replay.fold import Folded
from replay.openings import Opening
from replay.rulebook.model import Paytable
from replay.vocabulary import Wager

STAKELESS: Final = (Wager.POCKET_PAIR, Wager.ENVY_BONUS)
"""Bonuses without a stake of their own; at a table of another game too, where none is due."""


def posted_tables(folded: Folded, wager: Wager) -> list[Paytable]:
    """The rule's paytables of a wager that are posted at some table here."""
    tables = [opening.paytables.get(wager) for opening in folded.openings]
    return list({table.id: table for table in tables if table is not None}.values())


def seats_posting(folded: Folded, wager: Wager) -> Bools:
    """Seats at tables that post a paytable of the wager, in the rule or not: (P,)."""
    return _seats(folded, lambda opening: wager in opening.paytables)


def seats_paid_by(folded: Folded, wager: Wager, table: Paytable) -> Bools:
    """Seats at tables that post this paytable: (P,)."""
    return _seats(folded, lambda opening: opening.paytables.get(wager) == table)


def seats_unknown(folded: Folded, wager: Wager) -> Bools:
    """Seats at tables that post a paytable of the wager which the rule does not have: (P,)."""
    return _seats(
        folded, lambda opening: wager in opening.paytables and opening.paytables[wager] is None
    )


def posted_at(folded: Folded, seat: int, wager: Wager) -> Paytable | None:
    """The paytable posted for one seat; None: none, or one that the rule does not have."""
    opening = folded.openings[folded.opening_of[folded.seat_round[seat]]]
    table: Paytable | None = opening.paytables.get(wager)
    return table


def stakeless_slots(folded: Folded) -> Bools:
    """Slots of bonuses without a stake of their own, whose pays add up: (K,)."""
    return np.array([wager in STAKELESS for _, wager, _ in folded.slots], np.bool_)


def _seats(folded: Folded, holds: Callable[[Opening], bool]) -> Bools:
    flags = folded.per_round([int(holds(opening)) for opening in folded.openings])
    seats: Bools = flags[folded.seat_round] > 0
    return seats
