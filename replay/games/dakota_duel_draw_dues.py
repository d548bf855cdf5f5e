"""Dakota Duel Draw: what is due on every bet, exactly or between bounds.

Source: 20:18:16:15.23(7) to (12), whose clauses `dakota_duel_draw` carries out; reading
`ALL-UNSEEN`. Array convention as in `replay.fold`; money in cents, net to the player.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from replay.bets import Argument
from replay.cards import Cards
from replay.chips import Chips
from replay.events import Bools, Int32s, Int64s
from replay.fold import Folded
from replay.games import dakota_duel_draw as rule
from replay.games.dakota_duel_draw_words import argue
from replay.games.play import Dues
from replay.games.posted import posted_at, posted_tables, seats_paid_by, seats_unknown
from replay.ranking import Ranks
from replay.rulebook.loader import Rulebook
from replay.rulebook.model import Paytable
from replay.shoes import Seen
from replay.unread import bounds, staked
from replay.vocabulary import Wager

POSTED: Final = (Wager.POCKET_PAIR, Wager.BIG_8)
"""Wagers paid by the paytable that the table posts."""


ALL_SEATS: Final = slice(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settler:
    """What is due at every seat: cards (8, P), in the order of the rule's places."""

    folded: Folded
    rulebook: Rulebook
    cards: Cards
    chips: Chips
    has_folded: Bools
    seen: Seen
    settles: Bools
    """(P,) seats of rounds with the right number of cards and no copy too many."""
    known_hands: dict[Wager, Cards | Ranks] = field(default_factory=dict)
    """Those that were worked out so far."""

    def dues(self) -> Dues:
        """Due on every bet; bounds only for rounds that can be settled."""
        folded = self.folded
        dues = Dues.nothing(self.chips.stands)
        lines = {wager: self._lines(wager) for wager in rule.PLACES_OF}
        for slot, (_, wager, _) in enumerate(folded.slots[: folded.own_slots]):
            odds, line = lines[wager]
            stake, lost = self.stake(slot), self._lost(wager)
            open_seats = (stake > 0) & ~lost
            dues.put(slot, self._net(wager, stake, odds), np.where(open_seats, line, -1))
            if wager in POSTED:
                dues.unjudged[:, slot] = seats_unknown(folded, wager) & open_seats
            unread = self._unread(wager) & open_seats & self.settles & ~dues.unjudged[:, slot]
            for seat in np.flatnonzero(unread):
                table = self._table(int(seat), wager)
                if table is not None:
                    dues.bound(int(seat), slot, self._bounds(int(seat), slot, table))
        return dues

    def other_dues(self, slot: int, seats: Int64s, tables: Sequence[Paytable]) -> dict[str, Int64s]:
        """Due at some seats under paytables of a wager whose paytable is posted: id -> (M,).

        Shapes:  seats (M,). Where an unread card leaves it open under a paytable, the due under the
                 posted one stands: such a bet speaks for neither.
        """
        wager, stake = self.folded.slots[slot][1], self.stake(slot)[seats]
        hands = self._hands(wager)[..., seats]
        unread = (self._unread(wager) & self.settles)[seats] & (stake > 0)
        posted = {}
        for at in np.flatnonzero(unread).tolist():
            table = self._table(int(seats[at]), wager)
            span = self._bounds(int(seats[at]), slot, table) if table is not None else None
            if span is not None and span[0] == span[1]:  # else it is not known, and not weighed
                posted[at] = span
        found = {}
        for table in tables:
            lines = rule.hand_lines_of(hands, wager, table)
            cents = self._net(wager, stake, rule.line_odds(wager, table)[lines], seats)
            for at, own in posted.items():
                low, high = self._bounds(int(seats[at]), slot, table) or own
                cents[at] = low if low == high else own[0]
            found[table.id] = cents
        return found

    def argue(self, seat: int, slot: int) -> Argument:
        """Why what is due on a bet is due."""
        play = self.folded.slot(Wager.HAND_1_PLAY)
        wager = self.folded.slots[slot][1]
        return argue(
            self.rulebook,
            self.folded.slots[slot],
            self.cards[:, seat],
            self._table(seat, wager),
            folded=bool(self.has_folded[seat]),
            played=bool(self.chips.stands[seat, play] > 0),
        )

    def stake(self, slot: int) -> Int64s:
        """What a bet is paid on: its chips, or for the bonus the player's on hand 1 (9): (P,)."""
        if self.folded.slots[slot][1] == Wager.POCKET_PAIR:
            slot = self.folded.slot(Wager.HAND_1_PLAY)
        stands: Int64s = self.chips.stands[:, slot]
        return stands

    def _net(
        self, wager: Wager, stake: Int64s, odds: Int64s, seats: Int64s | slice = ALL_SEATS
    ) -> Int64s:
        if wager == Wager.POCKET_PAIR:
            return rule.pocket_pair_net_cents(stake, odds)
        return rule.ante_net_cents(stake, odds, self._lost(wager)[seats])

    def _lost(self, wager: Wager) -> Bools:
        """Spots that lose the wager by their fold: (P,)."""
        forfeits = wager == Wager.HAND_2_ANTE  # (7); big 8 survives (8)
        return self.has_folded if forfeits else np.zeros_like(self.has_folded)

    def _hands(self, wager: Wager) -> Cards | Ranks:
        """What decides a wager at each seat, as `wager_hands` has it; worked out once: (…, P)."""
        if wager not in self.known_hands:
            self.known_hands[wager] = rule.wager_hands(self._filled(), wager)
        return self.known_hands[wager]

    def _filled(self) -> Cards:
        filled: Cards = self.cards * (self.cards < 52)
        return filled

    def _unread(self, wager: Wager) -> Bools:
        unread = np.zeros(self.cards.shape[1], np.bool_)
        for place in rule.PLACES_OF[wager]:
            unread |= self.cards[place] >= 52
        return unread

    def _lines(self, wager: Wager) -> tuple[Int64s, Int32s]:
        """Net of one unit and paytable line of every seat: (P,), (P,).

        Without a paytable of the rule both stand for nothing due; unread cards leave no line.
        """
        hands = self._hands(wager)
        odds = np.zeros(hands.shape[-1], np.int64)
        lines = np.full(hands.shape[-1], -1, np.int32)
        if wager not in POSTED:
            table = rule.hand_paytable(self.rulebook)
            lines = rule.hand_lines_of(hands, wager, table)
            odds = rule.line_odds(wager, table)[lines]
        else:
            for table in posted_tables(self.folded, wager):
                mine = np.flatnonzero(seats_paid_by(self.folded, wager, table))
                lines[mine] = rule.hand_lines_of(hands[..., mine], wager, table)
                odds[mine] = rule.line_odds(wager, table)[lines[mine]]
        lines[self._unread(wager)] = -1
        return odds, lines

    def _table(self, seat: int, wager: Wager) -> Paytable | None:
        """The paytable that pays a wager at a seat; None: none, or none of the rule."""
        if wager in POSTED:
            return posted_at(self.folded, seat, wager)
        return rule.hand_paytable(self.rulebook)

    def _bounds(self, seat: int, slot: int, table: Paytable) -> tuple[int, int] | None:
        wager, stake = self.folded.slots[slot][1], int(self.stake(slot)[seat])
        places = list(rule.PLACES_OF[wager])
        odds = rule.line_odds(wager, table)

        def evaluate(cards: Cards) -> Int64s:
            columns = np.zeros((len(rule.BIG_8_PLACES), cards.shape[1]), np.uint8)
            columns[places] = cards
            due: Int64s = odds[rule.wager_lines(columns, wager, table)]
            return due

        left = self.seen.left(int(self.folded.seat_round[seat]))
        found = bounds(self.cards[places, seat], (0,) * len(places), left, evaluate)
        return staked(stake, found)
