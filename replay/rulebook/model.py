"""What the rule data say, as frozen values: editions, clauses, paytables, limits, readings.

Source: the TOML files of this folder, read by `loader`. Money is integer cents, odds are integers
"to one" (the stake comes back besides, ALL-TO-ONE); there is no float anywhere.
"""

from dataclasses import dataclass
from datetime import date
from typing import Final, Literal, get_args

from replay.rulebook.reader import RulebookError
from replay.vocabulary import Game, Wager

Result = Literal["pays", "push", "lose", "na"]
"""What a line of a paytable does; `na` is a cell printed N/A, which is not a pay of nought."""

Spots = Literal["any", "highest-first"]
"""The order of the spots in settlement: free, or from the dealer's right, the highest, down."""

RESULTS: Final[tuple[Result, ...]] = get_args(Result)
ONLY_PAYTABLE: Final = "only"
"""The id of a paytable that has no other beside it in the rule and so is never posted."""


@dataclass(frozen=True)
class Edition:
    """One text of a game's rule: where it is printed and since when it is in force."""

    game: Game
    citation: str  # "20:18:16:15.23"; "Run'em Twice" for the text without a section number
    register: str  # the South Dakota register, "49 SDR 9"
    in_force_from: date
    held: bool  # whether the wording is at hand; without it nothing is settled


@dataclass(frozen=True)
class Clause:
    """One numbered clause of the held text, summed up in our own words."""

    number: str  # "(7)"
    summary: str


@dataclass(frozen=True)
class Line:
    """One row of a paytable, in one of its columns.

    `to_one` is set only where `result` is "pays" and the pay is a multiple of a stake; `cents` only
    where the pay is a fixed amount (the envy bonus).
    """

    id: str
    words: str  # the row as the rule words it, "Full House"
    clause: str  # as deep as the row is lettered, "(9)(d)"
    to_one: int | None
    result: Result
    cents: int | None
    readings: tuple[str, ...] = ()  # the readings that this very cell rests on

    @property
    def net_to_one(self) -> int | None:
        """The net of one unit staked: +x for x to 1, 0 for a push, -1 for a loss; else None."""
        return {"pays": self.to_one, "push": 0, "lose": -1, "na": None}[self.result]


@dataclass(frozen=True)
class Paytable:
    """One paytable of one wager: its lines as printed, the best first.

    A hand that no line names loses its stake, or earns no bonus.
    """

    wager: Wager
    id: str  # as posted at the table: "1", "A"; `ONLY_PAYTABLE` where the rule has but one
    clause: str
    lines: tuple[Line, ...]

    def line(self, line_id: str) -> Line:
        """The line of that id; RulebookError names those there are."""
        for line in self.lines:
            if line.id == line_id:
                return line
        raise RulebookError(
            file="rulebook",
            key=f"{self.wager.name} paytable {self.id}",
            problem=f"no line {line_id!r}",
            next_step=f"use one of: {', '.join(line.id for line in self.lines)}",
        )


@dataclass(frozen=True)
class GameWager:
    """One wager or bonus of a game, and how the table posts its paytable."""

    wager: Wager
    clause: str
    posted_as: str | None  # the key of `TableOpened.paytables`; None: there is nothing to post
    placed: bool  # False for a bonus that is settled without chips of its own


@dataclass(frozen=True)
class SettlementOrder:
    """The order of settlement that a rule prescribes; no wagers where it prescribes none."""

    clause: str | None
    wagers: tuple[Wager, ...]  # within a spot and hand
    spots: Spots


@dataclass(frozen=True)
class GameRules:
    """All that one game's file says."""

    game: Game
    citation: str
    decks: int
    editions: tuple[Edition, ...]  # by first day
    clauses: tuple[Clause, ...]  # of the held text, in its order
    wagers: tuple[GameWager, ...]
    paytables: tuple[Paytable, ...]
    settlement: SettlementOrder


@dataclass(frozen=True)
class Limit:
    """The legal maximum of one bet, from a day on."""

    in_force_from: date
    maximum_cents: int
    source: str


@dataclass(frozen=True)
class Reading:
    """How an open question of a text is read, and by whose leave.

    Where `values` is empty the reading is part of the engine and cannot be chosen otherwise.
    """

    id: str
    games: tuple[Game, ...]
    clause: str
    question: str
    reading: str  # what the default says
    value: str | None  # the value in force, one of `values`
    values: tuple[str, ...]
    alternatives: tuple[str, ...]  # what else the text could mean
    approved_by: str
