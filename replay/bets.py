"""Findings about one bet, at its seat and slot, with the events that show it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from replay.arrays import among, first_by_group
from replay.docket import Docket, Draft
from replay.events import NO_INDEX, Int64s
from replay.findings import FindingCode
from replay.fold import Folded
from replay.rulebook.model import Line
from replay.vocabulary import EventKind, Wager
from replay.words import bet_words


@dataclass(frozen=True, slots=True)
class Money:
    """Cents of a finding; see `Finding`."""

    expected: int | None = None
    actual: int | None = None
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True, slots=True)
class Hand:
    """Cards that a bet rests on, and the line of its paytable that they fall on."""

    whose: str
    """`hand 1`, `board`, `the dealer`, `seat 3 hand 2`."""
    cards: tuple[int, ...]
    """Codes, 52 and above where not read or not known."""
    line: Line | None = None
    """None: no line, no paytable, or not known."""


@dataclass(frozen=True, slots=True)
class Argument:
    """What a finding rests on, in clause, readings and words."""

    clause: str
    words: str
    readings: tuple[str, ...] = ()
    hands: tuple[Hand, ...] = ()
    """The hands that decide the bet; none where cards do not (a fold, no paytable)."""
    line: Line | None = None
    """The line by which the bet is paid or lost."""
    paytable: str = ""
    """Id of the posted paytable; empty where there is but one."""


NO_MONEY = Money()


@dataclass(slots=True)
class BetDocket:
    """Enters findings about bets, seats and rounds of a fold."""

    docket: Docket
    folded: Folded
    _of_cell: tuple[Int64s, Int64s] | None = field(default=None, init=False, repr=False)
    """Rows of bets by cell, and the cell of each; found when a finding first asks for them."""
    _of_seat: Int64s | None = field(default=None, init=False, repr=False)

    def rows_in(self, place: int, kind: EventKind) -> Int64s:
        """Rows of one kind in a round."""
        rows, folded = self.folded.rows(kind), self.folded
        low, high = np.searchsorted(rows, (folded.starts[place], folded.ends[place]))
        return rows[low:high]

    def row_at(self, place: int, seq: int) -> int:
        """Row of the event of a round that has this number."""
        start, end = self.folded.starts[place], self.folded.ends[place]
        return int(start + np.searchsorted(self.folded.events.seq[start:end], seq))

    def bet_rows(self, seat: int, slot: int, *kinds: EventKind) -> Int64s:
        """Rows of one bet, of these kinds."""
        folded = self.folded
        if self._of_cell is None:
            rows = np.flatnonzero((folded.slot_of >= 0) & (folded.seat_of >= 0))
            cells = folded.cells(rows)
            order = np.argsort(cells, kind="stable")
            self._of_cell = rows[order], cells[order]
        rows, cells = self._of_cell
        cell = slot * folded.seat_count + seat
        low, high = np.searchsorted(cells, (cell, cell + 1))
        picked: Int64s = rows[low:high]
        return picked[among(folded.events.kind[picked], kinds)]

    def first_of_seat(self, seat: int) -> int:
        """First row that names a seat."""
        if self._of_seat is None:
            rows = np.flatnonzero(self.folded.seat_of >= 0)
            first = first_by_group(self.folded.seat_of[rows], self.folded.seat_count)
            self._of_seat = rows[first]
        return int(self._of_seat[seat])

    def chip_rows(self, seat: int, slot: int) -> Int64s:
        """Rows that put chips on a bet or took them back."""
        return self.bet_rows(seat, slot, EventKind.WAGER_PLACED, EventKind.WAGER_REMOVED)

    def settled_rows(self, seat: int, slot: int) -> Int64s:
        """Rows that settle a bet."""
        return self.bet_rows(seat, slot, EventKind.WAGER_SETTLED)

    def corrected_cards(self, seat: int, slot: int, argument: Argument) -> list[int]:
        """Rows of the corrected cards on which a bet's argument rests."""
        folded, events = self.folded, self.folded.events
        rows = self.rows_in(int(folded.seat_round[seat]), EventKind.CARD_DEALT)
        rows = rows[folded.correction_no[rows] != NO_INDEX]
        held = {card for hand in argument.hands for card in hand.cards}
        own = {0, int(folded.seat_spot[seat])}
        if folded.slots[slot][1] == Wager.ENVY_BONUS:  # rests on the hands of all
            own |= set(events.spot[rows].tolist())
        return [
            int(row)
            for row in rows
            if int(folded.card[row]) in held and int(events.spot[row]) in own
        ]

    def on_bet(
        self,
        code: FindingCode,
        seat: int,
        slot: int,
        argument: Argument,
        *,
        rows: Iterable[int],
        money: Money = NO_MONEY,
        cards: Iterable[int] = (),
        own: int = 0,
    ) -> None:
        """Enter a finding about one bet; `cards` are rows that show it besides, in no order."""
        hand, wager, bettor = self.folded.slots[slot]
        self._enter(
            code,
            int(self.folded.seat_round[seat]),
            argument,
            list(rows),
            money,
            spot=int(self.folded.seat_spot[seat]),
            hand=hand,
            wager=int(wager),
            bettor=int(bettor),
            own=own,
            cards=cards,
        )

    def on_seat(
        self,
        code: FindingCode,
        seat: int,
        argument: Argument,
        *,
        rows: Iterable[int],
        money: Money = NO_MONEY,
        own: int | str = 0,
    ) -> None:
        """Enter a finding about one spot of a round."""
        self._enter(
            code,
            int(self.folded.seat_round[seat]),
            argument,
            list(rows),
            money,
            spot=int(self.folded.seat_spot[seat]),
            own=own,
        )

    def on_round(
        self,
        code: FindingCode,
        place: int,
        argument: Argument,
        *,
        rows: Iterable[int],
        money: Money = NO_MONEY,
        own: int | str = 0,
    ) -> None:
        """Enter a finding about a whole round."""
        self._enter(code, place, argument, list(rows), money, own=own)

    def on_event(self, code: FindingCode, row: int, argument: Argument) -> None:
        """Enter a finding about one event of the fold."""
        self.docket.add_event(
            code,
            self.folded.events,
            row,
            message=argument.words,
            clause=argument.clause,
            readings=argument.readings,
        )

    def bets_of(self, rows: Iterable[int]) -> str:
        """The bets that rows are about, each once: `seat 2 primary, seat 1 shootout bonus`."""
        folded, names = self.folded, []
        for row in rows:
            hand, wager, bettor = folded.slots[int(folded.slot_of[row])]
            spot = int(folded.seat_spot[folded.seat_of[row]])
            names.append(f"seat {spot} {bet_words(wager, hand, bettor)}")
        return ", ".join(dict.fromkeys(names))

    def _event_nos(self, rows: list[int]) -> tuple[int, ...]:
        """The events of the rows, and after them the corrections by which they are judged.

        Both in the order of the rows, so that it is the same in whatever order events arrived.
        """
        events, corrections = self.folded.events, self.folded.correction_no
        own = [int(events.event_no[row]) for row in rows]
        return (*own, *(int(corrections[r]) for r in rows if corrections[r] != NO_INDEX))

    def _enter(
        self,
        code: FindingCode,
        place: int,
        argument: Argument,
        rows: list[int],
        money: Money,
        *,
        spot: int = 0,
        hand: int = 0,
        wager: int = 0,
        bettor: int = 0,
        own: int | str = 0,
        cards: Iterable[int] = (),
    ) -> None:
        events = self.folded.events
        first = int(self.folded.starts[place])
        rows = sorted(int(row) for row in rows) or [first]
        self.docket.add(
            Draft(
                code=code,
                table=int(events.table[first]),
                seq=int(events.seq[rows[0]]),
                round=int(events.round[first]),
                spot=spot,
                hand=hand,
                wager=wager,
                bettor=bettor,
                expected=money.expected,
                actual=money.actual,
                low=money.low,
                high=money.high,
                clause=argument.clause,
                readings=argument.readings,
                event_nos=self._event_nos([*rows, *cards]),
                message=argument.words,
                own=own,
            )
        )
