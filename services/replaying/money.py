"""The money of wagers under two sets of rules: summed up in four ways, and wager by wager.

Cents, net to the player. A wager of which what is due is not exactly known under both is in no sum.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from replay.arrays import sums_by_group
from replay.events import Bools, EventColumns, Int64s
from replay.verdict import RoundColumns
from replay.vocabulary import Bettor, Wager
from services.arrow import array_of
from services.history.verdicts import named
from services.replaying.dues import Compared

WAYS: Final = ("table", "wager", "player", "day")
"""By what sums are kept; the player is empty where the table named none."""


@dataclass(slots=True)
class Sum:
    """Of some wagers; amounts may be more than 64 bits hold."""

    wagers: int = 0
    expected_cents: int = 0
    what_if_cents: int = 0
    changed: int = 0
    """Wagers of which another amount is due."""
    unknown: int = 0
    """Wagers that are in neither net."""

    def add(self, other: Sum) -> None:
        """Take in another sum."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))


@dataclass(frozen=True, slots=True)
class Money:
    """Sums over wagers and bonuses."""

    by: dict[str, dict[str, Sum]] = field(default_factory=lambda: {way: {} for way in WAYS})

    def add(self, other: Money) -> None:
        """Take in those of other wagers."""
        for way, sums in other.by.items():
            for key, each in sums.items():
                self.by[way].setdefault(key, Sum()).add(each)

    def packed(self) -> bytes:
        """As JSON, whose numbers may be of any length."""
        return json.dumps(asdict(self)).encode()

    @staticmethod
    def unpacked(content: bytes) -> Money:
        """What `packed` made."""
        said = json.loads(content)["by"]
        return Money(
            {way: {key: Sum(**each) for key, each in sums.items()} for way, sums in said.items()}
        )

    def total(self) -> Sum:
        """Of all wagers."""
        total = Sum()
        for each in self.by["table"].values():
            total.add(each)
        return total


@dataclass(frozen=True, slots=True)
class Priced:
    """Wagers of a stretch under both sets of rules, and the rounds that they are of."""

    events: EventColumns
    rounds: RoundColumns
    wagers: Compared
    place: Int64s
    """(W,) the round of each wager, into `rounds`."""

    @staticmethod
    def of(events: EventColumns, rounds: RoundColumns, wagers: Compared, taken: Bools) -> Priced:
        """Those of the rounds that are taken, (R,)."""
        places = np.full(len(events.round_ids), -1, np.int64)
        places[rounds.round[taken]] = np.flatnonzero(taken)
        place = places[wagers.of.round]
        return Priced(events, rounds, wagers.take(place >= 0), place[place >= 0])

    def money(self) -> Money:
        """Their sums."""
        of, days = self.wagers.of, self.rounds.gaming_day[self.place].astype("datetime64[D]")
        nobody = (*self.events.player_ids, "")  # NO_INDEX picks the last
        named_by: dict[str, tuple[npt.NDArray[Any], Any]] = {
            "table": (self.rounds.table[self.place], self.events.table_ids.__getitem__),
            "wager": (of.wager, lambda code: Wager(code).name),
            "player": (of.player, nobody.__getitem__),
            "day": (days.astype(np.int64), lambda day: str(np.datetime64(day, "D"))),
        }
        return Money({way: self._sums(*named_by[way]) for way in WAYS})

    def _sums(self, numbers: npt.NDArray[Any], name: Any) -> dict[str, Sum]:
        distinct, group = np.unique(numbers, return_inverse=True)
        wagers = self.wagers
        columns = [
            _exact_sums(group, values, len(distinct))
            for values in (
                np.ones(len(group), np.int64),
                np.where(wagers.known, wagers.expected, 0),
                np.where(wagers.known, wagers.what_if, 0),
                (wagers.known & wagers.changed).astype(np.int64),
                (~wagers.known).astype(np.int64),
            )
        ]
        return {
            name(number): Sum(*sums)
            for number, *sums in zip(distinct.tolist(), *columns, strict=True)
        }

    def changed_rows(self) -> pa.Table:
        """The wagers of which another amount is due, or not known under both."""
        rows = np.flatnonzero(self.wagers.changed)
        wagers, place = self.wagers.take(rows), self.place[rows]
        of, rounds = wagers.of, self.rounds
        return pa.table(
            {
                "table_id": named(self.events.table_ids, rounds.table[place]),
                "opened_seq": array_of(rounds.opened_seq[place]),
                "round_id": named(self.events.round_ids, of.round),
                "spot": array_of(of.spot),
                "hand": array_of(of.hand),
                "wager": named([each.name for each in Wager], of.wager),
                "bettor": named([each.name for each in Bettor], of.bettor),
                "player_id": named(self.events.player_ids, of.player),
                "expected_cents": array_of(wagers.expected, wagers.expected_known),
                "what_if_cents": array_of(wagers.what_if, wagers.what_if_known),
            }
        )


def _exact_sums(group: Int64s, values: Int64s, size: int) -> list[int]:
    """Of each group: halves of 32 bits are added up, so that nothing runs over."""
    high, low = values >> 32, values & 0xFFFF_FFFF
    sums = (sums_by_group(group, half, size).tolist() for half in (high, low))
    return [(above << 32) + below for above, below in zip(*sums, strict=True)]
