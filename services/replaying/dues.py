"""What is due on the wagers of a stretch under two sets of rules, held side by side.

Arrays: a row a wager or bonus of settled rounds; money in cents, net to the player.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Final, Self

import numpy as np

from replay.arrays import first_by_group, value_at
from replay.events import NO_INDEX, Bools, Int32s, Int64s, Uint8s
from replay.fold import Folded
from replay.games.play import Play
from replay.payouts import Payouts
from replay.verdict import RoundStatus
from replay.vocabulary import EventKind

_WAGERS: Final = 16
_BETTORS: Final = 3
_HANDS: Final = 3


@dataclass(frozen=True, slots=True)
class Dues:
    """What is due on W wagers: shapes (W,). Rounds are numbered as in the stretch."""

    round: Int32s
    spot: Int32s
    hand: Uint8s
    wager: Uint8s
    bettor: Uint8s
    player: Int32s
    """Index into the stretch's `player_ids`; NO_INDEX: nobody was named."""
    cents: Int64s
    """0 unless `known`."""
    known: Bools

    @classmethod
    def joined(cls, parts: list[Self]) -> Self:
        """Those of several games together."""
        columns: dict[str, Any] = {
            name: np.concatenate([np.zeros(0, type_), *(getattr(part, name) for part in parts)])
            for name, type_ in _TYPES.items()
        }
        return cls(**columns)

    def take(self, rows: Int64s | Bools) -> Self:
        """Some of the wagers."""
        return type(self)(*(getattr(self, each.name)[rows] for each in fields(self)))

    def keys(self) -> Int64s:
        """(2, W): the round and its spot, and the bet there; the same for the same wager."""
        place = self.round.astype(np.int64) << 32 | self.spot
        bet = (self.hand.astype(np.int64) * _WAGERS + self.wager) * _BETTORS + self.bettor
        return np.vstack([place, bet])


_TYPES: Final = {
    "round": np.int32,
    "spot": np.int32,
    "hand": np.uint8,
    "wager": np.uint8,
    "bettor": np.uint8,
    "player": np.int32,
    "cents": np.int64,
    "known": np.bool_,
}


@dataclass(slots=True)
class DuesSeen:
    """Looks on while a stretch is judged, and notes what is due."""

    parts: list[Dues] = field(default_factory=list)

    def __call__(self, play: Play, payouts: Payouts, status: Uint8s) -> None:
        """Told of the rounds of one game."""
        folded, dues = play.folded, play.dues
        takes_part = (play.chips.stands > 0) | play.stakeless
        known = dues.known & ~dues.unjudged
        counts = takes_part & (status == RoundStatus.SETTLED)[folded.seat_round][:, None]
        seat, slot = np.nonzero(counts & (~known | (dues.cents != 0) | ~play.stakeless))
        codes = np.array([[h, int(w), int(b)] for h, w, b in folded.slots], np.uint8)
        hand, wager, bettor = codes.reshape(-1, 3)[slot].T
        self.parts.append(
            Dues(
                round=folded.events.round[folded.starts[folded.seat_round[seat]]],
                spot=folded.seat_spot[seat].astype(np.int32),
                hand=hand,
                wager=wager,
                bettor=bettor,
                player=_players(folded)[seat, slot],
                cents=np.where(known[seat, slot], dues.cents[seat, slot], 0).astype(np.int64),
                known=known[seat, slot],
            )
        )

    def taken(self) -> Dues:
        """All that was noted, once."""
        parts, self.parts = self.parts, []
        return Dues.joined(parts)


def _players(folded: Folded) -> Int32s:
    """Who put chips on each bet first, else on any bet of the seat: (P, K)."""
    rows = folded.rows(EventKind.WAGER_PLACED)
    player = folded.events.player[rows]
    named = (player != NO_INDEX) & (folded.seat_of[rows] >= 0)
    rows, player = rows[named], player[named].astype(np.int64)
    of_bet = first_by_group(folded.cells(rows), folded.seat_count * len(folded.slots))
    of_seat = first_by_group(folded.seat_of[rows], folded.seat_count)
    bets = folded.by_bet(value_at(player, of_bet, np.int64(NO_INDEX)))
    seats = value_at(player, of_seat, np.int64(NO_INDEX))[:, None]
    return np.where(bets != NO_INDEX, bets, seats).astype(np.int32)


@dataclass(frozen=True, slots=True)
class Compared:
    """Wagers under both: shapes (W,), by round, spot, hand, wager and bettor."""

    of: Dues
    """Whose they are; its `cents` and `known` are of whichever side has the wager."""
    expected: Int64s
    expected_known: Bools
    what_if: Int64s
    what_if_known: Bools

    def take(self, rows: Int64s | Bools) -> Compared:
        """Some of the wagers."""
        return Compared(
            self.of.take(rows),
            self.expected[rows],
            self.expected_known[rows],
            self.what_if[rows],
            self.what_if_known[rows],
        )

    @property
    def known(self) -> Bools:
        """Exactly known under both."""
        return self.expected_known & self.what_if_known

    @property
    def changed(self) -> Bools:
        """Another amount is due, or it is not known under both."""
        changed: Bools = ~self.known | (self.expected != self.what_if)
        return changed


def compared(expected: Dues, what_if: Dues, settled: tuple[Bools, Bools]) -> Compared:
    """Hold one against the other: where one side has no such wager, 0 is due there.

    Of a round that one side does not settle, for want of rules, nothing is known there.

    Shapes:  settled, two of (rounds of the stretch,).
    """
    both = Dues.joined([expected, what_if])
    place, bet = both.keys()
    order = np.lexsort((bet, place))
    first = np.ones(len(order), np.bool_)
    first[1:] = (place[order][1:] != place[order][:-1]) | (bet[order][1:] != bet[order][:-1])
    wager = np.empty(len(order), np.int64)
    wager[order] = np.cumsum(first) - 1
    split = len(expected.round)
    of = both.take(order[first])
    as_was = _spread(expected, wager[:split], settled[0][of.round])
    return Compared(of, *as_was, *_spread(what_if, wager[split:], settled[1][of.round]))


def _spread(side: Dues, wager: Int64s, settled: Bools) -> tuple[Int64s, Bools]:
    """What is due on each of the wagers under one side, and whether it is known.

    Shapes:  wager (V,), those of the side among all W; settled (W,), whether their rounds are.
    """
    cents, known = np.zeros(len(settled), np.int64), settled.copy()
    cents[wager], known[wager] = side.cents, side.known
    return cents, known
