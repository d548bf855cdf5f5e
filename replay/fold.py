"""Folding: the events of rounds of one game become dense arrays of seats, bets and cards.

A seat is a spot in one round. A slot is one bet that a seat may hold: (hand, wager, bettor); each
game names its slots, and whatever else was placed or settled in a batch gets a slot of its own
behind them, so that a bet the game does not know needs no second way through the code.

Array convention: F rows of events in order, R rounds, P seats by (round, spot), K slots; `(P, K)`
is one cell a bet. Money is in cents, of 64 bits or as Python's integers (`replay.amounts`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from replay.amounts import may_run_over, unbounded
from replay.arrays import NEVER, among, compact, first_seq, starts_of
from replay.corrections import Corrected
from replay.events import NO_INDEX, Bools, EventColumns, Int32s, Int64s, Uint8s
from replay.openings import Opening
from replay.stream import Lifecycle, RoundEnd
from replay.vocabulary import Bettor, Decision, EventKind, Place, Wager

Slot = tuple[int, Wager, Bettor]
"""(hand, wager, bettor)."""

_SPOT_BITS: Final = 32
T = TypeVar("T", bound=np.generic)

_SLOT_CODES: Final = 3 * 16 * 3  # hand 0..2, wager 0..15, bettor 0..2

_BET_KINDS: Final = (
    EventKind.WAGER_PLACED,
    EventKind.WAGER_REMOVED,
    EventKind.WAGER_SETTLED,
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Folded:
    """Judged rounds of one game."""

    events: EventColumns
    """F rows, of these rounds alone, all in place."""
    card: Uint8s
    """(F,) cards after correction."""
    outcome: Uint8s
    paid_cents: Int64s
    correction_no: Int64s
    round_of: Int32s
    """(F,) into the R rounds here, ascending."""
    starts: Int64s
    """(R + 1,) first row of each round."""
    round_place: Int64s
    """(R,) into the lifecycle's rounds."""
    end: Uint8s
    openings: list[Opening]
    opening_of: Int32s
    """(R,) into `openings`."""
    seat_of: Int32s
    """(F,) into the P seats; NO_INDEX where the event names no spot."""
    seat_round: Int32s
    seat_spot: Int32s
    slots: tuple[Slot, ...]
    own_slots: int
    """How many of the slots are the game's own; the rest are not offered."""
    slot_of: Int32s
    """(F,) slot of a bet's event; NO_INDEX for other kinds."""
    rows_of_kinds: tuple[Int64s, ...]
    """By kind: its rows, ascending."""

    @property
    def round_count(self) -> int:
        """R."""
        return len(self.round_place)

    @property
    def seat_count(self) -> int:
        """P."""
        return len(self.seat_round)

    def rows(self, kind: EventKind) -> Int64s:
        """Rows of one kind of event, in order."""
        rows: Int64s = self.rows_of_kinds[kind]
        return rows

    def cells(self, rows: Int64s) -> Int64s:
        """Cell of each row of a bet, as `flat` and `by_bet` count them: slot after slot."""
        cells: Int64s = self.slot_of[rows].astype(np.int64) * self.seat_count + self.seat_of[rows]
        return cells

    def flat(self, values: npt.NDArray[T]) -> npt.NDArray[T]:
        """(P, K) -> (K * P,). Slots lie in one piece each, since they are worked on one by one."""
        return values.T.reshape(-1)

    def by_bet(self, values: npt.NDArray[T]) -> npt.NDArray[T]:
        """(K * P,) -> (P, K), without a copy."""
        return values.reshape(len(self.slots), self.seat_count).T

    def slot(self, wager: Wager, hand: int = 1, bettor: Bettor = Bettor.PLAYER) -> int:
        """Number of one of the game's own slots."""
        return self.slots.index((hand, wager, bettor))

    def per_round(self, values: list[int]) -> Int64s:
        """A value of each opening, laid over the rounds: (R,)."""
        table = np.array(values, np.int64)
        spread: Int64s = table[self.opening_of]
        return spread

    def dealt(self, place: Place) -> Int64s:
        """Rows of the cards dealt to a place, in order."""
        rows = self.rows(EventKind.CARD_DEALT)
        picked: Int64s = rows[self.events.place[rows] == place]
        return picked

    def first_reveal(self, *places: Place) -> Int64s:
        """`seq` of the first `CardsRevealed` that names any of the places: (R,), NEVER if none."""
        mask = np.uint16(sum(1 << place for place in places))
        rows = self.rows(EventKind.CARDS_REVEALED)
        rows = rows[(self.events.at("places", rows) & mask) != 0]
        return first_seq(self.events.seq[rows], self.round_of[rows], self.round_count)

    def has_come(self, seq: Int64s) -> Bools:
        """Whether a moment of each round came, or the round closed without it: (R,) `seq`."""
        came: Bools = (seq < NEVER) | (self.end == RoundEnd.CLOSED)
        return came

    def decisions(self, *wanted: Decision) -> Int64s:
        """Rows of the spots' decisions of these kinds, in order."""
        rows = self.rows(EventKind.DECISION_MADE)
        is_wanted = among(self.events.at("decision", rows), wanted)
        picked: Int64s = rows[is_wanted & (self.seat_of[rows] >= 0)]
        return picked


def fold(
    lifecycle: Lifecycle, corrections: Corrected, places: Int64s, slots: tuple[Slot, ...]
) -> Folded:
    """Fold the rounds at `places` (ascending, of one game) of a lifecycle."""
    rounds = lifecycle.rounds
    here = np.full(len(rounds.index) + 1, NO_INDEX, np.int32)
    here[places] = np.arange(len(places), dtype=np.int32)
    round_of_row = here[lifecycle.round_of_row]
    mask = lifecycle.in_place & (round_of_row >= 0)
    events = lifecycle.events.take(mask)
    round_of = round_of_row[mask]
    starts = starts_of(round_of, len(places))
    paid_cents = corrections.paid_cents[mask]
    cents_max = max(int(each.max(initial=0)) for each in (events.amount_cents, paid_cents))
    if may_run_over(cents_max, int(np.diff(starts).max(initial=0))):
        events = replace(events, amount_cents=unbounded(events.amount_cents))
        paid_cents = unbounded(paid_cents)
    seat_of, seat_round, seat_spot = _seats(events, round_of)
    slot_of, all_slots = _slots(events, seat_of, slots)
    return Folded(
        events=events,
        card=corrections.card[mask],
        outcome=corrections.outcome[mask],
        paid_cents=paid_cents,
        correction_no=corrections.correction_no[mask],
        round_of=round_of,
        starts=starts,
        round_place=places,
        end=rounds.end[places],
        openings=lifecycle.openings,
        opening_of=rounds.opening[places],
        seat_of=seat_of,
        seat_round=seat_round,
        seat_spot=seat_spot,
        slots=all_slots,
        own_slots=len(slots),
        slot_of=slot_of,
        rows_of_kinds=_rows_of_kinds(events.kind),
    )


def _rows_of_kinds(kinds: Uint8s) -> tuple[Int64s, ...]:
    order = np.argsort(kinds, kind="stable")
    ends = np.cumsum(np.bincount(kinds, minlength=len(EventKind)))
    return tuple(np.split(order, ends[:-1]))


def _seats(events: EventColumns, round_of: Int32s) -> tuple[Int32s, Int32s, Int32s]:
    """Seats named by bets, cards dealt to players, decisions and settlements."""
    named = (events.spot > 0) & (
        among(events.kind, _BET_KINDS)
        | (events.kind == EventKind.DECISION_MADE)
        | ((events.kind == EventKind.CARD_DEALT) & (events.place == Place.PLAYER))
    )
    rows = np.flatnonzero(named)
    spot_max = int(events.spot[rows].max()) if len(rows) else 0
    stride = max(_SPOT_BITS, spot_max + 1)
    keys = round_of[rows].astype(np.int64) * stride + events.spot[rows]
    distinct, place = compact(keys)
    seat_of = np.full(len(events), NO_INDEX, np.int32)
    seat_of[rows] = place
    return seat_of, (distinct // stride).astype(np.int32), (distinct % stride).astype(np.int32)


def _slots(
    events: EventColumns, seat_of: Int32s, slots: tuple[Slot, ...]
) -> tuple[Int32s, tuple[Slot, ...]]:
    rows = np.flatnonzero((seat_of >= 0) & among(events.kind, _BET_KINDS))
    codes = (events.hand[rows].astype(np.int32) * 16 + events.wager[rows]) * 3 + events.bettor[rows]
    number = np.full(_SLOT_CODES, NO_INDEX, np.int32)
    for place, (hand, wager, bettor) in enumerate(slots):
        number[(hand * 16 + wager) * 3 + bettor] = place
    used: npt.NDArray[np.bool_] = np.zeros(_SLOT_CODES, np.bool_)
    used[codes] = True
    strangers = np.flatnonzero(used & (number < 0))
    number[strangers] = len(slots) + np.arange(len(strangers), dtype=np.int32)
    more = tuple(
        (int(code) // 48, Wager(int(code) // 3 % 16), Bettor(int(code) % 3)) for code in strangers
    )
    slot_of = np.full(len(events), NO_INDEX, np.int32)
    slot_of[rows] = number[codes]
    return slot_of, slots + more


def judged_rounds(lifecycle: Lifecycle) -> Bools:
    """Rounds that are judged at all: ended, not held, under an edition whose text is held."""
    rounds = lifecycle.rounds
    in_force = np.array([opening.held for opening in lifecycle.openings] + [False], np.bool_)
    judged: Bools = (rounds.end != RoundEnd.OPEN) & ~rounds.held & in_force[rounds.opening]
    return judged
