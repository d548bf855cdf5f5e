"""Folding: the events of rounds of one game become dense arrays of seats, bets and cards.

A seat is a spot in one round. A slot is one bet that a seat may hold: (hand, wager, bettor); each
game names its slots, and whatever else was placed or settled in a batch gets a slot of its own
behind them, so that a bet the game does not know needs no second way through the code.

Array convention: F rows of events in order, R rounds, P seats by (round, spot), K slots; `(P, K)`
is one cell a bet. Money is in cents, of 64 bits or as Python's integers (`replay.amounts`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from replay.amounts import may_run_over, unbounded
from replay.arrays import NEVER, among, compact, equal_to, first_by_group, first_of_run, value_at
from replay.corrections import Corrected
from replay.events import NO_INDEX, Bools, EventColumns, Int64s, Uint8s
from replay.openings import Opening
from replay.stream import Lifecycle, RoundEnd
from replay.vocabulary import Bettor, Decision, EventKind, Place, Wager

Slot = tuple[int, Wager, Bettor]
"""(hand, wager, bettor)."""

_SPOT_BITS: Final = 32
T = TypeVar("T", bound=np.generic)

_NO_SLOT: Final = 255  # codes of slots are less: hand 0..2, wager 0..15, bettor 0..2

_BET_KINDS: Final = (
    EventKind.WAGER_PLACED,
    EventKind.WAGER_REMOVED,
    EventKind.WAGER_SETTLED,
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Folded:
    """Judged rounds of one game."""

    events: EventColumns
    """F rows: all that the lifecycle has, be they of these rounds or not."""
    kinds: Uint8s
    """(F,) `EventKind` of the events of these rounds that are in place; 0 of all others."""
    card: Uint8s
    """(F,) cards after correction."""
    outcome: Uint8s
    paid_cents: Int64s
    correction_no: Int64s
    round_of: Int64s
    """(F,) into the R rounds here; of an event of no kind it says nothing."""
    starts: Int64s
    """(R,) first row of each round, ascending."""
    ends: Int64s
    """(R,) row past its last one."""
    round_place: Int64s
    """(R,) into the lifecycle's rounds."""
    end: Uint8s
    openings: list[Opening]
    opening_of: Int64s
    """(R,) into `openings`."""
    seat_of: Int64s
    """(F,) into the P seats; NO_INDEX where the event names no spot."""
    seat_round: Int64s
    seat_spot: Int64s
    slots: tuple[Slot, ...]
    own_slots: int
    """How many of the slots are the game's own; the rest are not offered."""
    slot_of: Int64s
    """(F,) slot of a bet's event; NO_INDEX for other kinds."""
    _copied: dict[tuple[tuple[EventKind, ...], str], Any] = field(default_factory=dict)
    """Rows of kinds, and columns there, that were asked for."""

    @property
    def round_count(self) -> int:
        """R."""
        return len(self.round_place)

    @property
    def seat_count(self) -> int:
        """P."""
        return len(self.seat_round)

    def rows(self, *kinds: EventKind) -> Int64s:
        """Rows of one kind of event, or of some, in order."""
        if (kinds, "") not in self._copied:
            self._copied[kinds, ""] = np.flatnonzero(among(self.kinds, kinds))
        rows: Int64s = self._copied[kinds, ""]
        return rows

    def column(self, name: str, *kinds: EventKind) -> Any:
        """A column at the rows of some kinds, copied once: of the fold, else of the events."""
        if (kinds, name) not in self._copied:
            rows, own = self.rows(*kinds), getattr(self, name, None)
            self._copied[kinds, name] = (
                self.events.at(name, rows) if own is None else own.take(rows)
            )
        return self._copied[kinds, name]

    def at_seats(self, *kinds: EventKind) -> Folded:
        """The same, of bets alone that name a seat: nearly always all of them."""
        seats = self.column("seat_of", *kinds)
        if seats.min(initial=0) >= 0:
            return self
        kept = np.where(self.seat_of >= 0, self.kinds, np.uint8(0))
        return replace(self, kinds=kept, _copied={})

    def bet_cells(self, *kinds: EventKind) -> Int64s:
        """Cell of each bet of some kinds, all of which name a seat; worked out once."""
        if (kinds, "cells") not in self._copied:
            cells = self.column("slot_of", *kinds) * self.seat_count
            cells += self.column("seat_of", *kinds)
            self._copied[kinds, "cells"] = cells
        found: Int64s = self._copied[kinds, "cells"]
        return found

    def cells(self, rows: Int64s) -> Int64s:
        """Cell of each row of a bet, as `flat` and `by_bet` count them: slot after slot."""
        cells: Int64s = self.slot_of.take(rows) * self.seat_count + self.seat_of.take(rows)
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

    def dealt_places(self, place: Place) -> Int64s:
        """Which of the cards dealt lie at a place, in order: places among those of the kind."""
        return np.flatnonzero(equal_to(self.column("place", EventKind.CARD_DEALT), place))

    def dealt(self, place: Place) -> Int64s:
        """Rows of the cards dealt to a place, in order."""
        return self.rows(EventKind.CARD_DEALT).take(self.dealt_places(place))

    def first_of_kind(self, kind: EventKind) -> Int64s:
        """The first event of a kind in each round, by its place among those: (R,), -1 if none."""
        if ((kind,), "first") not in self._copied:
            round_of = self.column("round_of", kind)
            begins = np.flatnonzero(first_of_run(round_of))
            first = np.full(self.round_count, NO_INDEX, np.int64)
            first[round_of.take(begins)] = begins
            self._copied[(kind,), "first"] = first
        first_places: Int64s = self._copied[(kind,), "first"]
        return first_places

    def first_reveal(self, *places: Place) -> Int64s:
        """`seq` of the first `CardsRevealed` that names any of the places: (R,), NEVER if none."""
        mask = np.uint16(sum(1 << place for place in places))
        kind = EventKind.CARDS_REVEALED
        named = np.flatnonzero(self.column("places", kind) & mask)
        first = first_by_group(self.column("round_of", kind).take(named), self.round_count)
        return value_at(self.column("seq", kind).take(named), first, NEVER)

    def has_come(self, seq: Int64s) -> Bools:
        """Whether a moment of each round came, or the round closed without it: (R,) `seq`."""
        came: Bools = (seq < NEVER) | equal_to(self.end, RoundEnd.CLOSED)
        return came

    def decisions(self, *wanted: Decision) -> Int64s:
        """Rows of the spots' decisions of these kinds, in order."""
        kind = EventKind.DECISION_MADE
        is_wanted = among(self.column("decision", kind), wanted)
        return self.rows(kind).compress(is_wanted & (self.column("seat_of", kind) >= 0))


def fold(
    lifecycle: Lifecycle, corrections: Corrected, places: Int64s, slots: tuple[Slot, ...]
) -> Folded:
    """Fold the rounds at `places` (ascending, of one game) of a lifecycle.

    No column is copied: rows that are none of these rounds' are of no kind instead.
    """
    rounds, events = lifecycle.rounds, lifecycle.events
    round_of = lifecycle.round_of_row
    if len(places) < len(rounds.index):
        here = np.full(len(rounds.index) + 1, NO_INDEX, np.int64)
        here[places] = np.arange(len(places))
        round_of = here.take(round_of)
    mine = lifecycle.in_place & (round_of >= 0)
    kinds = events.kind * mine.view(np.uint8)
    starts, ends = rounds.open_row[places], rounds.last_row[places] + 1
    paid_cents = corrections.paid_cents
    cents_max = max(int(each.max(initial=0)) for each in (events.amount_cents, paid_cents))
    if may_run_over(cents_max, int((ends - starts).max(initial=0))):
        events = events.having(amount_cents=unbounded(events.amount_cents))
        paid_cents = unbounded(paid_cents)
    is_bet = among(kinds, _BET_KINDS)
    seat_of, seat_round, seat_spot = _seats(events, kinds, round_of, is_bet)
    slot_of, all_slots = _slots(events, is_bet & (seat_of >= 0), slots)
    return Folded(
        events=events,
        kinds=kinds,
        card=corrections.card,
        outcome=corrections.outcome,
        paid_cents=paid_cents,
        correction_no=corrections.correction_no,
        round_of=round_of,
        starts=starts,
        ends=ends,
        round_place=places,
        end=rounds.end[places],
        openings=lifecycle.openings,
        opening_of=rounds.opening[places].astype(np.int64),
        seat_of=seat_of,
        seat_round=seat_round,
        seat_spot=seat_spot,
        slots=all_slots,
        own_slots=len(slots),
        slot_of=slot_of,
    )


def _seats(
    events: EventColumns, kinds: Uint8s, round_of: Int64s, is_bet: Bools
) -> tuple[Int64s, Int64s, Int64s]:
    """Seats named by bets, cards dealt to players, decisions and settlements.

    Shapes:  kinds, round_of, is_bet (F,) -> seat of each row (F,), round (P,) and spot (P,).
    """
    named = is_bet | equal_to(kinds, EventKind.DECISION_MADE)
    named |= equal_to(kinds, EventKind.CARD_DEALT) & equal_to(events.place, Place.PLAYER)
    named &= events.spot > 0
    spot = events.spot * named
    stride = max(_SPOT_BITS, int(spot.max(initial=0)) + 1)
    keys = round_of * stride
    keys += spot
    keys *= named  # (also rows of other rounds)
    found, seat_of = compact(keys)
    if len(found) and found[0] == 0:  # the key of rows that name none
        found = found[1:]
        seat_of -= 1
    return seat_of, found // stride, found % stride


def _slots(
    events: EventColumns, is_bet: Bools, slots: tuple[Slot, ...]
) -> tuple[Int64s, tuple[Slot, ...]]:
    codes = (events.hand * np.uint8(16) + events.wager) * np.uint8(3) + events.bettor
    codes[~is_bet] = _NO_SLOT
    number = np.full(_NO_SLOT + 1, NO_INDEX, np.int16)
    for place, (hand, wager, bettor) in enumerate(slots):
        number[(hand * 16 + wager) * 3 + bettor] = place
    slot_of = number.take(codes)
    unknown = np.flatnonzero((slot_of < 0) & (codes != _NO_SLOT))
    strangers = np.flatnonzero(np.bincount(codes[unknown]))
    number[strangers] = len(slots) + np.arange(len(strangers), dtype=np.int16)
    slot_of[unknown] = number[codes[unknown]]
    more = tuple(
        (int(code) // 48, Wager(int(code) // 3 % 16), Bettor(int(code) % 3)) for code in strangers
    )
    return slot_of.astype(np.int64), slots + more


def judged_rounds(lifecycle: Lifecycle) -> Bools:
    """Rounds that are judged at all: ended, not held, under an edition whose text is held."""
    rounds = lifecycle.rounds
    in_force = np.array([opening.held for opening in lifecycle.openings] + [False], np.bool_)
    judged: Bools = ~equal_to(rounds.end, RoundEnd.OPEN) & ~rounds.held & in_force[rounds.opening]
    return judged
