"""Run'em Twice: a folded round played again, from the chips to what is due.

Source: Run'em Twice (1) to (10), whose clauses `run_em_twice` carries out; readings `RT-*`. Array
convention as in `replay.fold`; money in cents, net to the player.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from replay.arrays import NEVER
from replay.bets import Argument, BetDocket
from replay.cards import Cards
from replay.chips import Chips, lay_out
from replay.docket import Docket
from replay.events import Bools, Int64s
from replay.findings import FindingCode
from replay.fold import Folded
from replay.games import run_em_twice as rule
from replay.games.play import Dues, Play
from replay.games.posted import (
    posted_at,
    posted_tables,
    seats_paid_by,
    seats_posting,
    seats_unknown,
    stakeless_slots,
)
from replay.games.run_em_twice_steps import STEP_CLAUSES, Steps, judge_steps, take_steps
from replay.games.run_em_twice_words import argue
from replay.layout import clockwise, community_cards, count_right, first_deal_seq, seat_cards
from replay.rulebook.loader import Rulebook
from replay.rulebook.model import Paytable
from replay.shoes import Seen
from replay.unread import bounds, staked
from replay.vocabulary import EventKind, Game, Place, Wager
from replay.wagers import judge_chips, judge_limits, missing_wager, unequal_wagers
from replay.words import bet_words, money

COMMUNITY = (Place.LEFT, Place.RIGHT, Place.TOP, Place.BOTTOM, Place.CENTER)
ANTES = (Wager.FIRST_ANTE, Wager.SECOND_ANTE)
STEP_WAGERS = (Wager.FIRST_RUN, Wager.SECOND_RUN, Wager.CENTER)
BASE_WAGERS = (*ANTES, *STEP_WAGERS)

ALIKE = {
    Wager.CENTER: (0, 0, 1, 1, 2, 2, 0),  # player's cards and center are in both hands
}
"""Places that are interchangeable for a wager, where not all of its places are."""

PLACES_OF = {
    Wager.FIRST_ANTE: rule.HAND_1_PLACES,
    Wager.FIRST_RUN: rule.HAND_1_PLACES,
    Wager.SECOND_ANTE: rule.HAND_2_PLACES,
    Wager.SECOND_RUN: rule.HAND_2_PLACES,
    Wager.CENTER: tuple(range(7)),
    Wager.FIVE_CARD_BONUS: rule.BOARD_PLACES,
    Wager.ULTIMATE_PAIRS: (rule.PLAYER_1, rule.PLAYER_2),
}
"""Cards on which each wager rests."""


@dataclass(frozen=True, slots=True)
class RunEmTwice:
    """The game as the engine calls it."""

    game = Game.RUN_EM_TWICE
    slots = rule.SLOTS

    def play(self, folded: Folded, rulebook: Rulebook, seen: Seen, docket: Docket) -> Play:
        """Lay out the chips, settle every bet, and enter the findings of the game's procedure."""
        seats = seat_cards(folded, 2)
        community = [community_cards(folded, place, 1) for place in COMMUNITY]
        cards = np.vstack([seats.cards, *(lay.cards[:, folded.seat_round] for lay in community)])
        steps = take_steps(folded, seats.last_seq)
        offered = _offered(folded)
        chips = lay_out(folded, _moments(folded, steps), steps.fold_seq, offered)
        in_play = (seats.count > 0) | np.any(chips.stands > 0, axis=1)
        right = count_right(folded, in_play, 2, dict.fromkeys(COMMUNITY, 1))  # RT-CARDS
        bets = BetDocket(docket, folded)
        judge_chips(bets, chips, offered, rulebook, self.game)
        judge_limits(bets, chips, rulebook, self.game)
        _judge_wagers(bets, chips, steps, in_play, rulebook)
        antes = [folded.slot(wager) for wager in ANTES]
        with_ante = np.any(chips.stands[:, antes] > 0, axis=1)
        cite = tuple(rulebook.cite(self.game, clause) for clause in STEP_CLAUSES)
        judge_steps(bets, steps, with_ante, cite)
        good = clockwise(folded, seats.count > 0, 2, None, COMMUNITY)
        for place in np.flatnonzero(right & ~good):
            words = "not dealt clockwise from the dealer's left, the community cards last"
            argument = Argument(rulebook.cite(self.game, "(1)"), words)
            dealt = bets.rows_in(int(place), EventKind.CARD_DEALT)
            bets.on_round(FindingCode.DEAL_ORDER, int(place), argument, rows=dealt)
        settler = _Settler(folded, rulebook, cards, chips, steps.fold_seq < NEVER, seen)
        return Play(
            folded=folded,
            chips=chips,
            offered=offered,
            dues=settler.dues(right),
            stakeless=stakeless_slots(folded),
            earned_by=np.zeros_like(chips.stands),
            count_right=right,
            in_play=in_play,
            misdeal_clause=rulebook.cite(self.game, "(1)"),
            misdeal_readings=("RT-CARDS",),
            misdeal_due=None,
            other_dues=settler.other_dues,
            argue=settler.argue,
        )


def _moments(folded: Folded, steps: Steps) -> Int64s:
    """`seq` before which the chips of each bet may come and go: (P, K)."""
    moments = np.full((folded.seat_count, len(folded.slots)), NEVER, np.int64, order="F")
    for slot, (_, wager, _) in enumerate(folded.slots):
        if wager in STEP_WAGERS:
            moments[:, slot] = steps.reveal_seq[STEP_WAGERS.index(wager)][folded.seat_round]
        elif wager in PLACES_OF:
            moments[:, slot] = first_deal_seq(folded)[folded.seat_round]
    return moments


def _offered(folded: Folded) -> Bools:
    """Bets of the game, ultimate pairs only where its paytable is posted: (P, K)."""
    offered = np.zeros((folded.seat_count, len(folded.slots)), np.bool_, order="F")
    offered[:, : folded.own_slots] = True
    offered[:, folded.slot(Wager.ULTIMATE_PAIRS)] = seats_posting(folded, Wager.ULTIMATE_PAIRS)
    return offered


def _judge_wagers(
    bets: BetDocket, chips: Chips, steps: Steps, in_play: Bools, rulebook: Rulebook
) -> None:
    folded, game = bets.folded, Game.RUN_EM_TWICE
    first, second = (folded.slot(wager) for wager in ANTES)
    opening_clause = rulebook.cite(game, "(1)")
    required = in_play & folded.has_come(first_deal_seq(folded))[folded.seat_round]
    for slot in (first, second):
        words = "both antes are required to take part, and this one was not placed"
        argument = Argument(opening_clause, words, ("RT-SIDE-ONLY",))
        missing_wager(bets, chips, required, slot, argument)
    equal = Argument(opening_clause, "the two antes must be equal")
    unequal_wagers(bets, chips, first, second, equal)
    whole = rulebook.reading("RT-RANGE").value == "whole-multiples"
    ante_of = {Wager.FIRST_RUN: first, Wager.SECOND_RUN: second, Wager.CENTER: first}
    for step, wager in enumerate(STEP_WAGERS):
        slot, clause = folded.slot(wager), rulebook.cite(game, STEP_CLAUSES[step])
        words = "the seat played, which announces this bet, and did not place it"
        due_by_now = folded.has_come(steps.passed_seq[step])[folded.seat_round]
        argument = Argument(clause, words, ("RT-RANGE",))
        missing_wager(bets, chips, steps.played[step] & due_by_now, slot, argument)
        stake, ante = chips.stands[:, slot], chips.stands[:, ante_of[wager]]
        for seat in np.flatnonzero(rule.out_of_range(stake, ante, whole_multiples=whole)):
            bet, over = money(int(stake[seat])), money(int(ante[seat]))
            words = f"{bet_words(wager)} must be 1x to 3x its ante, is {bet} over {over}"
            bets.on_bet(
                FindingCode.WAGER_OUT_OF_RANGE,
                int(seat),
                slot,
                Argument(clause, f"{words}: settled on the amount that stands", ("RT-RANGE",)),
                rows=bets.chip_rows(int(seat), slot),
            )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Settler:
    """What is due at every seat: cards (7, P), in the order of the rule's places."""

    folded: Folded
    rulebook: Rulebook
    cards: Cards
    chips: Chips
    has_folded: Bools
    seen: Seen

    def dues(self, right: Bools) -> Dues:
        """Due on every bet; only rounds with the right number of cards are worked out."""
        dues = Dues.nothing(self.chips.stands)
        filled = np.where(self.cards < 52, self.cards, 0)
        for slot in range(self.folded.own_slots):
            wager = self.folded.slots[slot][1]
            stake = self.chips.stands[:, slot]
            odds = self._odds(filled, wager)
            dues.put(slot, rule.base_net_cents(stake, odds, self._lost(wager)))
            dues.unjudged[:, slot] = seats_unknown(self.folded, wager)
            unread = (self.cards[list(PLACES_OF[wager])] >= 52).any(axis=0)
            open_seats = unread & (stake > 0) & ~self._lost(wager) & right[self.folded.seat_round]
            for seat in np.flatnonzero(open_seats & ~dues.unjudged[:, slot]):
                dues.bound(int(seat), slot, self._bounds(int(seat), wager, int(stake[seat])))
        return dues

    def other_dues(self, slot: int, seats: Int64s, tables: Sequence[Paytable]) -> dict[str, Int64s]:
        """Due at some seats under paytables of ultimate pairs: id -> (M,).

        Shapes:  seats (M,). Where an unread card leaves that open, what is due under the posted
                 one: it tells nothing.
        """
        wager = self.folded.slots[slot][1]
        cards, stake = self.cards[:, seats], self.chips.stands[seats, slot]
        filled = np.where(cards < 52, cards, 0)
        unread = np.flatnonzero((cards[:2] >= 52).any(axis=0) & (stake > 0)).tolist()
        posted = {
            at: self._bounds(int(seats[at]), wager, int(stake[at]))
            for at in unread
            if posted_at(self.folded, int(seats[at]), wager) is not None
        }
        found = {}
        for table in tables:
            cents = stake * rule.wager_odds(filled, wager, self.rulebook, table)
            for at, own in posted.items():
                span = self._bounds(int(seats[at]), wager, int(stake[at]), table)
                if span is not None and own is not None:
                    cents[at] = span[0] if span[0] == span[1] else own[0]
            found[table.id] = cents
        return found

    def argue(self, seat: int, slot: int) -> Argument:
        """Why what is due on a bet is due."""
        wager = self.folded.slots[slot][1]
        return argue(
            self.rulebook,
            wager,
            self.cards[:, seat],
            posted_at(self.folded, seat, Wager.ULTIMATE_PAIRS),
            folded=bool(self.has_folded[seat]),
        )

    def _lost(self, wager: Wager) -> Bools:
        """Spots that lose the wager by their fold: (P,)."""
        return self.has_folded if wager in BASE_WAGERS else np.zeros_like(self.has_folded)

    def _odds(self, filled: Cards, wager: Wager) -> Int64s:
        """Net of one unit at every seat: (P,)."""
        if wager != Wager.ULTIMATE_PAIRS:
            return rule.wager_odds(filled, wager, self.rulebook, None)
        odds = np.zeros(filled.shape[1], np.int64)
        for table in posted_tables(self.folded, wager):
            mine = seats_paid_by(self.folded, wager, table)
            odds[mine] = rule.wager_odds(filled[:, mine], wager, self.rulebook, table)
        return odds

    def _bounds(
        self, seat: int, wager: Wager, stake: int, table: Paytable | None = None
    ) -> tuple[int, int] | None:
        """Bounds of a bet, of ultimate pairs by the posted paytable unless another is given."""
        places = list(PLACES_OF[wager])
        place = int(self.folded.seat_round[seat])
        paytable = table or posted_at(self.folded, seat, Wager.ULTIMATE_PAIRS)

        def evaluate(cards: Cards) -> Int64s:
            columns = np.zeros((7, cards.shape[1]), np.uint8)
            columns[places] = cards
            return rule.wager_odds(columns, wager, self.rulebook, paytable)

        alike = ALIKE.get(wager, (0,) * 7)
        odds = bounds(
            self.cards[places, seat],
            tuple(alike[each] for each in range(len(places))),
            self.seen.left(place),
            evaluate,
        )
        return staked(stake, odds)
