"""What is carried from one stretch of a table's stream to the next.

Judging is a function of (stretch, state before) to (findings, state after); any cutting into
stretches gives the same findings.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from replay.events import Int64s
from replay.openings import Opening


@dataclass(slots=True)
class ShoeState:
    """A loaded deck or shoe: what has come out of it so far."""

    decks: int
    """As loaded; 0: never loaded, the rule's number counts."""
    copies: Int64s | None = None
    """(52,) copies seen of each card, dealt and burned (of a single deck: burned only)."""
    cut_seq: int = 0
    """`seq` of its `CutCardReached`; 0: not reached."""


@dataclass(slots=True)
class PayFit:
    """How the pays of one wager fit another paytable of the rule, over a gaming day."""

    other_only: int = 0
    """Settled nets that fit the other paytable and not the posted one."""
    posted_only: int = 0
    """Settled nets that fit the posted paytable and not the other one."""
    rounds: list[str] = field(default_factory=list)
    event_nos: list[int] = field(default_factory=list)
    first_seq: int = 0
    posted: str = ""


@dataclass(slots=True)
class TableState:
    """One table before a stretch."""

    last_seq: int = 0
    """0: nothing seen yet, so that the lowest `seq` sets its start."""
    last_micros: int = 0
    opening: Opening | None = None
    shoes: dict[str, ShoeState] = field(default_factory=dict)
    """By shoe id; the empty name is the shoe of rounds that name none where none was loaded."""
    current_shoe: str = ""
    deck_orders: dict[int, tuple[str, int]] = field(default_factory=dict)
    """Digest of a deck order -> (round id, seq) of its first round."""
    pays: dict[tuple[int, str, str], PayFit] = field(default_factory=dict)
    """(wager, gaming day, id of the other paytable) -> fit."""


TableStates = dict[str, TableState]
