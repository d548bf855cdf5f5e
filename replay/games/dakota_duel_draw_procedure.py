"""Dakota Duel Draw: findings about bets that belong together, the deal, its voiding, and paying.

Source: 20:18:16:15.23(2) to (7), whose clauses `dakota_duel_draw` carries out; findings contract.
Array convention as in `replay.fold`; money in cents, net to the player.
"""

from __future__ import annotations

import numpy as np

from replay.arrays import distinct, equal_to, first_by_group
from replay.bets import Argument, BetDocket, Money
from replay.chips import Chips
from replay.events import Bools, Int64s
from replay.findings import FindingCode, stated
from replay.fold import Folded
from replay.games import dakota_duel_draw as rule
from replay.games.dakota_duel_draw_choices import Choices
from replay.games.play import Dues
from replay.layout import first_deal_seq
from replay.rulebook.loader import Rulebook
from replay.stream import RoundEnd
from replay.vocabulary import Bettor, EventKind, VoidReason, Wager
from replay.wagers import missing_wager, unequal_wagers
from replay.words import bet_words


def judge_wagers(
    bets: BetDocket, chips: Chips, choices: Choices, play_back: Bools, rulebook: Rulebook
) -> None:
    """Enter bets that are missing or unequal, and tips without the player's own bet.

    Shapes:  play_back (P,), seats whose bet on hand 1 goes back for want of an ante.
    """
    folded, cite = bets.folded, rulebook.cite
    ante, play = (folded.slot(wager) for wager in (Wager.HAND_2_ANTE, Wager.HAND_1_PLAY))
    words = "hand 1 was bet on without it: the hand 1 play goes back"
    argument = Argument(cite(rule.GAME, "(2)"), words, ("DD-BIG-8-ONLY",))
    dealt = folded.has_come(first_deal_seq(folded))[folded.seat_round]
    missing_wager(bets, chips, play_back & dealt, ante, argument)
    announced = choices.plays & choices.betting_over & (chips.stands[:, ante] > 0)
    words = "the seat played, which announces this bet, and did not place it"
    missing_wager(bets, chips, announced, play, Argument(cite(rule.GAME, "(7)"), words))
    words = "hand 1 play must equal the hand 2 ante"
    unequal_wagers(bets, chips, ante, play, Argument(cite(rule.GAME, "(7)"), words))
    for wager in rule.WAGERS:
        own, tip = folded.slot(wager), folded.slot(wager, 1, Bettor.DEALER)
        alone = rule.tip_is_alone(chips.stands[:, tip], chips.stands[:, own])
        words = f"a tip on {bet_words(wager)} where the player has none: settled as it stands"
        argument = Argument(cite(rule.GAME, "(3)"), words)
        for seat in np.flatnonzero(alone):
            rows = bets.chip_rows(int(seat), tip)
            bets.on_bet(FindingCode.TIP_WITHOUT_WAGER, int(seat), tip, argument, rows=rows)


def judge_deal(bets: BetDocket, in_play: Bools, right: Bools, rulebook: Rulebook) -> None:
    """Enter rounds with the right number of cards in the wrong order: (P,), (R,)."""
    good = rule.dealt_in_rotation(bets.folded, in_play)
    words = "not dealt one at a time in rotation: hand 2, hand 1, the seats in turn"
    argument = Argument(rulebook.cite(rule.GAME, "(4)"), words)
    for place in np.flatnonzero(right & ~good):
        rows = bets.rows_in(int(place), EventKind.CARD_DEALT)
        bets.on_round(FindingCode.DEAL_ORDER, int(place), argument, rows=rows)


def judge_settlement_order(
    bets: BetDocket, chips: Chips, choices: Choices, rulebook: Rulebook
) -> None:
    """Enter rounds that were paid out of the order of (6), within a spot; a void has no order."""
    folded = bets.folded
    rows = _in_order(folded, chips, choices.has_folded)
    stages = np.array(
        [
            rule.PAID_ORDER.index(wager) if wager in rule.PAID_ORDER else 0
            for _, wager, _ in folded.slots
        ],
        np.int64,
    )
    late = rows[rule.paid_too_late(folded.seat_of[rows], stages[folded.slot_of[rows]])]
    order = "the order is pocket pair bonus, hand 1 play, hand 2 ante, big 8"
    for place in distinct(folded.round_of[late]):
        shown = late[folded.round_of[late] == place]
        words = f"settled too late: {bets.bets_of(shown)}; {order}"
        argument = Argument(rulebook.cite(rule.GAME, "(6)"), words)
        bets.on_round(FindingCode.SETTLEMENT_ORDER, int(place), argument, rows=shown)


def _in_order(folded: Folded, chips: Chips, has_folded: Bools) -> Int64s:
    """Rows of settlements that have a place in the order.

    The first of each standing bet, and every pay of the bonus; a folded ante may be taken at any
    time.
    """
    rows = folded.rows(EventKind.WAGER_SETTLED)
    voided = equal_to(folded.end[folded.round_of[rows]], RoundEnd.VOIDED)
    rows = rows[(folded.seat_of[rows] >= 0) & ~voided]
    cell = folded.cells(rows)
    first = first_by_group(cell, chips.stands.size)
    is_first = first[cell] == np.arange(len(rows))
    stands = is_first & (folded.flat(chips.stands)[cell] > 0)
    wagers = np.array([wager for _, wager, _ in folded.slots], np.int64)
    wager = wagers[folded.slot_of[rows]]
    stands |= equal_to(wager, Wager.POCKET_PAIR)
    stands &= ~(equal_to(wager, Wager.HAND_2_ANTE) & has_folded[folded.seat_of[rows]])
    picked: Int64s = rows[stands]
    return picked


def judge_voids(
    bets: BetDocket, dues: Dues, in_play: Bools, right: Bools, guilty: Bools, rulebook: Rulebook
) -> None:
    """Enter, for every spot in play, rounds that were voided as a misdeal and were none.

    Shapes:  in_play (P,); right (R,), the number of cards; guilty (R,), a copy too many. (5).
    """
    folded = bets.folded
    voids = folded.rows(EventKind.ROUND_VOIDED)
    voids = voids[equal_to(folded.events.at("reason", voids), VoidReason.MISDEAL)]
    if not len(voids):
        return
    cut_short = ~right & _right_beginning(folded, in_play)
    unknown = np.any(~dues.known | dues.unjudged, axis=1)
    due = dues.cents.sum(axis=1)
    for row in voids:
        place = int(folded.round_of[row])
        if guilty[place] or not (right[place] or cut_short[place]):
            continue
        words = "voided as a misdeal though every number of cards is right"
        if cut_short[place]:
            words = "the deal was cut short for an exposed card, which is no misdeal"
        argument = Argument(rulebook.cite(rule.GAME, "(5)"), words, ("DD-COUNT",))
        shown = [*bets.rows_in(place, EventKind.CARD_EXPOSED), int(row)]
        for seat in np.flatnonzero(in_play & (folded.seat_round == place)):
            known = right[place] and not unknown[seat]
            expected = stated(int(due[seat])) if known else None
            money = Money(expected=expected, actual=0)
            bets.on_seat(FindingCode.WRONGLY_VOIDED, int(seat), argument, rows=shown, money=money)


def _right_beginning(folded: Folded, in_play: Bools) -> Bools:
    """Rounds whose cards went right so far when a card had been exposed: (R,)."""
    exposed = np.zeros(folded.round_count, np.bool_)
    exposed[folded.round_of[folded.rows(EventKind.CARD_EXPOSED)]] = True
    dealt = np.bincount(
        folded.round_of[folded.rows(EventKind.CARD_DEALT)], minlength=folded.round_count
    )
    spots = np.bincount(folded.seat_round[in_play], minlength=folded.round_count)
    whole = rule.SPOT_CARDS * spots + len(rule.DEAL_ORDER) * rule.COMMUNITY_CARDS
    beginning: Bools = exposed & (dealt > 0) & (dealt < whole)
    return beginning & rule.dealt_in_rotation(folded, in_play)
