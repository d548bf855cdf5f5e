"""Texas Shootout: a folded round played again, from the chips to what is due.

Source: 20:18:16:15.08(1) to (19), whose clauses `texas_shootout` carries out; readings `TS-*`.
Array convention as in `replay.fold`; money in cents, net to the player.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from replay.arrays import NEVER, distinct, equal_to, first_by_group, value_at
from replay.bets import Argument, BetDocket
from replay.cards import Cards
from replay.chips import Chips, lay_out
from replay.docket import Docket
from replay.events import Bools, Int64s
from replay.findings import FindingCode
from replay.fold import Folded
from replay.games import texas_shootout as rule
from replay.games.play import Play
from replay.games.posted import seats_posting, stakeless_slots
from replay.games.texas_shootout_choices import HELD_MAX, Choices, choose
from replay.games.texas_shootout_dues import (
    HANDS,
    NO_PARTNERS,
    Settler,
    excludes_partners,
    partners_of,
)
from replay.layout import Lay, clockwise, community_cards, count_right, first_deal_seq, seat_cards
from replay.rulebook.house_way import HouseWay
from replay.rulebook.loader import Rulebook
from replay.shoes import Seen
from replay.stream import RoundEnd
from replay.unread import bounds
from replay.vocabulary import EventKind, Game, Place, Wager
from replay.wagers import judge_chips, judge_limits, missing_wager, unequal_wagers
from replay.words import card_words, decider_words

PLACES = {Place.DEALER: rule.HAND_SIZE, Place.FLOP: rule.FLOP_SIZE}
PLACED = (Wager.PRIMARY, Wager.SHOOTOUT_BONUS)


@dataclass(frozen=True, slots=True)
class TexasShootout:
    """The game as the engine calls it."""

    game = Game.TEXAS_SHOOTOUT
    slots = rule.SLOTS

    def play(self, folded: Folded, rulebook: Rulebook, seen: Seen, docket: Docket) -> Play:
        """Lay out the chips, settle every bet, and enter the findings of the game's procedure."""
        seats = seat_cards(folded, rule.HAND_SIZE)
        dealer = community_cards(folded, Place.DEALER, rule.HAND_SIZE)
        choices = choose(folded, *_all_held(folded, seats, dealer))
        chips, offered = _lay_out(folded, choices)
        in_play = (seats.count > 0) | np.any(chips.stands > 0, axis=1)
        right = count_right(folded, in_play, rule.HAND_SIZE, PLACES)  # TS-CARDS
        settler = Settler(
            folded=folded,
            rulebook=rulebook,
            chips=chips,
            choices=choices,
            seats=seats.cards,
            has_cards=seats.count > 0,
            dealer=dealer.cards,
            flop=community_cards(folded, Place.FLOP, rule.FLOP_SIZE).cards,
            seen=seen,
            right=right,
            partners=partners_of(folded) if excludes_partners(rulebook) else NO_PARTNERS,
        )
        bets = BetDocket(docket, folded)
        judge_chips(bets, chips, offered, rulebook, self.game)
        judge_limits(bets, chips, rulebook, self.game)
        _judge_wagers(bets, chips, choices, in_play, rulebook)
        _judge_choices(bets, choices, seats, rulebook)
        _judge_dealer(bets, choices, dealer, seen, rulebook)
        _judge_order(bets, chips, rulebook)
        good = clockwise(folded, seats.count > 0, rule.HAND_SIZE, Place.DEALER, (Place.FLOP,))
        for place in np.flatnonzero(right & ~good):
            words = "not dealt clockwise from the dealer's left, the dealer last and then the flop"
            argument = Argument(rulebook.cite(self.game, "(7)"), words)
            dealt = bets.rows_in(int(place), EventKind.CARD_DEALT)
            bets.on_round(FindingCode.DEAL_ORDER, int(place), argument, rows=dealt)
        return Play(
            folded=folded,
            chips=chips,
            offered=offered,
            dues=settler.dues(),
            stakeless=stakeless_slots(folded),
            earned_by=settler.earned_by(),
            count_right=right,
            in_play=in_play,
            misdeal_clause=rulebook.cite(self.game, "(7)"),
            misdeal_readings=("TS-CARDS",),
            misdeal_due=None,
            other_dues=settler.other_dues,
            argue=settler.argue,
        )


def _all_held(folded: Folded, seats: Lay, dealer: Lay) -> tuple[Lay, Lay]:
    """The same with cards beyond the fourth, which a choice may name, where there are any."""
    if max(seats.count.max(initial=0), dealer.count.max(initial=0)) <= rule.HAND_SIZE:
        return seats, dealer
    return (
        replace(seats, cards=seat_cards(folded, HELD_MAX).cards),
        replace(dealer, cards=community_cards(folded, Place.DEALER, HELD_MAX).cards),
    )


def _lay_out(folded: Folded, choices: Choices) -> tuple[Chips, Bools]:
    """The chips of every bet, and which bets are offered: (P, K)."""
    shape = (folded.seat_count, len(folded.slots))
    moments = np.full(shape, NEVER, np.int64, order="F")
    for slot, (hand, wager, _) in enumerate(folded.slots):
        if wager in PLACED:
            seqs = first_deal_seq(folded) if hand == 1 else choices.exposed_seq
            moments[:, slot] = seqs[folded.seat_round]
    posted = seats_posting(folded, Wager.SHOOTOUT_BONUS)
    bonus, second = (folded.slot(Wager.SHOOTOUT_BONUS, hand) for hand in HANDS)
    offered = np.zeros(shape, np.bool_, order="F")
    offered[:, folded.slot(Wager.PRIMARY)] = True
    offered[:, folded.slot(Wager.PRIMARY, 2)] = choices.split
    offered[:, bonus] = posted
    offered[:, second] = posted & choices.split
    never = np.full(folded.seat_count, NEVER, np.int64)
    chips = lay_out(folded, moments, never, offered)
    beside = rule.second_bonus_offered(posted, choices.split, chips.stands[:, bonus])
    lonely = offered[:, second] & ~beside & chips.placed[:, second]
    offered[:, second] = beside
    if lonely.any():
        chips = lay_out(folded, moments, never, offered)
    return chips, offered


def _judge_wagers(
    bets: BetDocket, chips: Chips, choices: Choices, in_play: Bools, rulebook: Rulebook
) -> None:
    """Enter required wagers that lack, and a split's wagers that do not fit the first ones."""
    folded, cite = bets.folded, rulebook.cite
    dealt = folded.has_come(first_deal_seq(folded))
    exposed = folded.has_come(choices.exposed_seq)
    first, second = (folded.slot(Wager.PRIMARY, hand) for hand in HANDS)
    words = "the primary wager is required to take part, and was not placed"
    required = rule.primary_required(in_play, dealt[folded.seat_round])
    missing_wager(bets, chips, required, first, Argument(cite(rule.GAME, "(4)"), words))
    split_clause = cite(rule.GAME, "(9)")
    words = "a split hand needs a second primary wager, and it was not placed"
    required = rule.primary_required(choices.split & in_play, exposed[folded.seat_round])
    argument = Argument(split_clause, words, ("TS-SPLIT",))
    missing_wager(bets, chips, required, second, argument)
    words = "the second primary of a split must match the first"
    unequal_wagers(bets, chips, first, second, Argument(split_clause, words, ("TS-SPLIT",)))
    bonus, other = (folded.slot(Wager.SHOOTOUT_BONUS, hand) for hand in HANDS)
    stakes = chips.stands[:, other], chips.stands[:, bonus]
    for seat in np.flatnonzero(rule.second_bonus_out_of_range(*stakes)):
        words = "the bonus of a split's second hand is above the first: settled on what stands"
        bets.on_bet(
            FindingCode.WAGER_OUT_OF_RANGE,
            int(seat),
            other,
            Argument(split_clause, words, ("TS-SPLIT",)),
            rows=bets.chip_rows(int(seat), other),
        )


def _judge_choices(bets: BetDocket, choices: Choices, seats: Lay, rulebook: Rulebook) -> None:
    """Enter choices that lack, come too early or late, or keep or split what they may not."""
    folded, cite = bets.folded, rulebook.cite
    for row, early in zip(choices.untimely, choices.untimely_early, strict=True):
        spot = int(folded.events.spot[row])
        late = "after the dealer's hand lay open" if spot else "after the flop had begun"
        when = "before the four cards were dealt" if early else late
        words = f"{decider_words(spot, int(folded.events.decision[row]))} {when}"
        argument = Argument(cite(rule.GAME, "(8)" if spot else "(11)"), words, ("TS-SPLIT",))
        bets.on_event(FindingCode.DECISION_OUT_OF_TURN, int(row), argument)
    past = choices.exposed_seq[folded.seat_round] < NEVER
    lacking = (seats.count > 0) & (choices.row < 0) & past
    for seat in np.flatnonzero(lacking):
        place = int(folded.seat_round[seat])
        spot = int(folded.seat_spot[seat])
        words = f"seat {spot} neither kept nor split before the dealer's hand lay open"
        bets.on_seat(
            FindingCode.DECISION_MISSING,
            int(seat),
            Argument(cite(rule.GAME, "(8)"), words),
            rows=[bets.row_at(place, int(choices.exposed_seq[place]))],
        )
    for seat in np.flatnonzero(choices.wrong):
        words = "names a card that was not dealt to the seat, or not two cards for each hand"
        argument = Argument(cite(rule.GAME, "(8)"), f"{words}: the hand is undetermined")
        chosen = [int(choices.row[seat])]
        bets.on_seat(FindingCode.KEPT_CARD_NOT_DEALT, int(seat), argument, rows=chosen)
    illegal = choices.split & (seats.count == rule.HAND_SIZE) & rule.no_split(seats.cards)
    for seat in np.flatnonzero(illegal):
        words = "the four cards are neither two pair nor four of a kind: settled as split"
        argument = Argument(cite(rule.GAME, "(9)"), words, ("TS-SPLIT",))
        chosen = [int(choices.row[seat])]
        bets.on_seat(FindingCode.ILLEGAL_SPLIT, int(seat), argument, rows=chosen)


def _judge_dealer(
    bets: BetDocket, choices: Choices, dealer: Lay, seen: Seen, rulebook: Rulebook
) -> None:
    """Enter dealer's hands that keep what was not dealt, or not what the house way keeps."""
    folded, clause = bets.folded, rulebook.cite(rule.GAME, "(11)")
    for place in np.flatnonzero(choices.dealer_wrong):
        words = "the dealer kept a card that was not dealt there, or not two: undetermined"
        rows = [int(choices.dealer_row[place])]
        argument = Argument(clause, words)
        bets.on_round(FindingCode.KEPT_CARD_NOT_DEALT, int(place), argument, rows=rows)
    known = np.all(choices.dealer_named < 52, axis=0) & ~choices.dealer_wrong
    known &= dealer.count == rule.HAND_SIZE
    for way in {o.house_way.name: o.house_way for o in folded.openings if o.house_way}.values():
        posted = folded.per_round([int(o.house_way == way) for o in folded.openings]) > 0
        suspect = known & posted & ~way.is_right(dealer.cards, choices.dealer_named)
        for place in np.flatnonzero(suspect):
            cards, kept = dealer.cards[:, place], choices.dealer_named[:, place]
            if _may_be_right(way, cards, kept, seen.left(int(place))):
                continue
            words = (
                f"the dealer kept {card_words(kept)} of {card_words(cards)}; {_kept_by(way, cards)}"
            )
            bets.on_round(
                FindingCode.HOUSE_WAY_MISSET,
                int(place),
                Argument(clause, words, ("TS-HOUSE-WAY",)),
                rows=[int(choices.dealer_row[place])],
            )


def _kept_by(way: HouseWay, cards: Cards) -> str:
    """What a house way keeps of four cards, in words."""
    if (cards >= 52).any():
        return f"whatever was not read, house way {way.name} keeps others: settled by that"
    right = way.choose(cards[:, None])[:, 0]
    return f"house way {way.name} keeps {card_words(right)}: settled by that"


def _may_be_right(way: HouseWay, cards: Cards, kept: Cards, left: Int64s) -> bool:
    """Whether unread cards may make right what was kept: (4,), (2,)."""
    if (cards < 52).all():
        return False

    def evaluate(filled: Cards) -> Int64s:
        right = way.is_right(filled, np.repeat(kept[:, None], filled.shape[1], axis=1))
        flags: Int64s = np.where(right, np.int64(1), np.int64(0))
        return flags

    found = bounds(cards, (0,) * rule.HAND_SIZE, left, evaluate)
    return found is None or found[1] > 0


@rule.RULE.clause("(15)", "from the dealer's right down, the highest spot first")
@rule.RULE.clause("(16)", "the primary before the bonus")
def out_of_order(folded: Folded, stands: Int64s) -> Int64s:
    """Rows that settle a wager before one that comes first, in rounds that were not voided.

    Standing wagers by their first settlement; an envy bonus at any time after its own hand's.
    Shapes:  stands (P, K) cents.
    Source:  20:18:16:15.08(15) "Beginning with the player on the dealer's immediate right", (16)
             "primary wager first, then the player's Shootout Bonus wager"; reading `TS-ORDER`.
    """
    rows = folded.rows(EventKind.WAGER_SETTLED)
    rows = rows[
        (folded.seat_of[rows] >= 0) & ~equal_to(folded.end[folded.round_of[rows]], RoundEnd.VOIDED)
    ]
    if not len(rows):
        return np.zeros(0, np.int64)
    cell = folded.cells(rows)
    first = first_by_group(cell, stands.size)
    first_row = value_at(rows, np.where(folded.flat(stands) > 0, first, -1), np.int64(-1))
    turn = np.array(
        [2 * hand + PLACED.index(w) if w in PLACED else -1 for hand, w, _ in folded.slots], np.int64
    )
    own = rows[(first_row[cell] == rows) & (turn[folded.slot_of[rows]] >= 0)]
    spot_turn = (folded.seat_spot.max() - folded.seat_spot[folded.seat_of[own]]).astype(np.int64)
    keys = (folded.round_of[own] * (spot_turn.max(initial=0) + 1) + spot_turn) * 8
    keys += turn[folded.slot_of[own]]
    wrong = own[keys < np.maximum.accumulate(keys)] if len(own) else own
    envies = []
    for slot, (hand, wager, _) in enumerate(folded.slots):
        if wager == Wager.ENVY_BONUS:
            before = folded.by_bet(first_row)[:, [folded.slot(w, hand) for w in PLACED]]
            mine = rows[folded.slot_of[rows] == slot]
            envies.append(mine[mine < before.max(axis=1)[folded.seat_of[mine]]])
    disordered: Int64s = np.sort(np.concatenate([wrong, *envies]))
    return disordered


def _judge_order(bets: BetDocket, chips: Chips, rulebook: Rulebook) -> None:
    """Enter rounds whose wagers were settled out of order."""
    folded = bets.folded
    rows = out_of_order(folded, chips.stands)
    for place in distinct(folded.round_of[rows]):
        shown = [int(row) for row in rows[folded.round_of[rows] == place]]
        order = "from the dealer's right down, hand 1 first, primary, bonus, then envy"
        words = f"settled out of order: {bets.bets_of(shown)}; the order is {order}"
        bets.on_round(
            FindingCode.SETTLEMENT_ORDER,
            int(place),
            Argument(rulebook.cite(rule.GAME, "(15)"), words, ("TS-ORDER",)),
            rows=shown,
        )
