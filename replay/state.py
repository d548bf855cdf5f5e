"""What is carried from one stretch of a table's stream to the next.

Judging is a function of (stretch, state before) to (findings, state after); any cutting into
stretches gives the same findings.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from datetime import date

import numpy as np

from replay.events import Int64s, TableOpening
from replay.openings import Opening, resolve
from replay.rulebook.loader import Rulebook


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
    """How the pays of one wager fit another paytable of the rule, under one table opening."""

    other_only: int = 0
    """Settled nets that fit the other paytable and not the posted one."""
    posted_only: int = 0
    """1 if a settled net fits the posted paytable and not the other one: one is enough, and then
    nothing else is kept."""
    rounds: list[str] = field(default_factory=list)
    """Rounds whose nets fit the other paytable only."""
    event_nos: list[int] = field(default_factory=list)
    first_seq: int = 0
    """`seq` of the first such settlement; 0: none."""


@dataclass(slots=True)
class TableState:
    """One table before a stretch."""

    last_seq: int = 0
    """0: nothing seen yet, so that the lowest `seq` sets its start."""
    last_micros: int = 0
    opening: Opening | None = None
    opening_seq: int = 0
    """`seq` of the `TableOpened` in force; 0: none."""
    closed: bool = False
    """The table closed, and for certain did not open again: nothing is missing since."""
    shoes: dict[str, ShoeState] = field(default_factory=dict)
    """By shoe id, those never loaded first, then the last loaded last; the empty name is the
    shoe of rounds that name none where none was loaded."""
    current_shoe: str = ""
    pays: dict[tuple[int, str], PayFit] = field(default_factory=dict)
    """(wager, id of the other paytable) -> fit, under the opening in force."""


TableStates = dict[str, TableState]


def dump(state: TableState) -> str:
    """A state as JSON text, the same text for the same state."""
    opening = state.opening
    return json.dumps(
        {
            "last_seq": state.last_seq,
            "last_micros": state.last_micros,
            "opening": None if opening is None else _said(opening.said),
            "opening_seq": state.opening_seq,
            **({"closed": True} if state.closed else {}),
            "shoes": [
                [
                    name,
                    shoe.decks,
                    shoe.cut_seq,
                    None if shoe.copies is None else shoe.copies.tolist(),
                ]
                for name, shoe in state.shoes.items()
            ],
            "current_shoe": state.current_shoe,
            "pays": [[*key, asdict(fit)] for key, fit in sorted(state.pays.items())],
        },
        separators=(",", ":"),
    )


def load(text: str, rulebook: Rulebook) -> TableState:
    """A state from its JSON text, its opening held against this rulebook again."""
    data = json.loads(text)
    said = data["opening"]
    opening = None
    if said is not None:
        said["gaming_day"] = date.fromisoformat(said["gaming_day"])
        opening = resolve(TableOpening(**said), rulebook)
    return TableState(
        last_seq=data["last_seq"],
        last_micros=data["last_micros"],
        opening=opening,
        opening_seq=data["opening_seq"],
        closed=data.get("closed", False),
        shoes={
            name: ShoeState(decks, None if copies is None else np.array(copies, np.int64), cut_seq)
            for name, decks, cut_seq, copies in data["shoes"]
        },
        current_shoe=data["current_shoe"],
        pays={(wager, other): PayFit(**fit) for wager, other, fit in data["pays"]},
    )


def _said(said: TableOpening) -> dict[str, object]:
    fields = asdict(said)
    return fields | {
        "gaming_day": said.gaming_day.isoformat(),
        "paytables": dict(sorted(said.paytables.items())),
    }
