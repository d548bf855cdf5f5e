"""Judging money: what was settled held against what was due, bet by bet.

Source: findings contract, opening part and section Money. Shapes (P, K), one cell a bet; money in
cents, net to the player. Each bet gets one money finding at the most.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from replay.arrays import equal_to, sums_by_group
from replay.bets import Argument, BetDocket, Money
from replay.events import Bools, Int64s, Uint8s
from replay.findings import FindingCode, stated
from replay.games.play import Play
from replay.payouts import Payouts
from replay.stream import RoundEnd
from replay.verdict import RoundStatus
from replay.vocabulary import EventKind, Outcome
from replay.words import NOTHING_WORDS, bet_words, net_words, off_words

BEYOND: Final = "due more than 64 bits hold, so that it is not stated"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sums:
    """Sums of each round: (R,), whatever their size."""

    wagers: Int64s
    staked: Int64s
    expected: Int64s
    actual: Int64s


def statuses(play: Play, payouts: Payouts, guilty: Bools) -> Uint8s:
    """What becomes of each round: (R,) `RoundStatus`; `guilty` (R,) rounds with a copy too many."""
    folded = play.folded
    any_settled = np.zeros(folded.round_count, np.bool_)
    any_settled[folded.seat_round[payouts.settled.any(axis=1)]] = True
    status = np.full(folded.round_count, RoundStatus.SETTLED, np.uint8)
    status[equal_to(folded.end, RoundEnd.CUT) & ~any_settled] = RoundStatus.NOT_SETTLED
    status[~play.count_right | guilty] = RoundStatus.NOT_SETTLED
    status[equal_to(folded.end, RoundEnd.VOIDED)] = RoundStatus.VOIDED
    return status


def judge_money(play: Play, payouts: Payouts, status: Uint8s, bets: BetDocket) -> Sums:
    """Enter the money findings of every settled or voided round; returns the rounds' sums."""
    folded, chips, dues = play.folded, play.chips, play.dues
    seat_status = status[folded.seat_round][:, None]
    voided = equal_to(seat_status, RoundStatus.VOIDED)
    judged = voided | equal_to(seat_status, RoundStatus.SETTLED)
    takes_part = (chips.stands > 0) | play.stakeless
    known = dues.known | voided | ~takes_part
    due = np.where(voided | ~takes_part, 0, dues.cents)
    stranger = ~chips.placed & ~play.stakeless
    unjudged = dues.unjudged & takes_part & ~voided
    open_bets = judged & ~unjudged & ~stranger
    settled = payouts.settled
    differs = open_bets & known & settled & (payouts.net != due)
    _differences(bets, play, payouts, differs, due)
    fixed = open_bets & known & settled & (payouts.net == due) & payouts.corrected
    _corrected(bets, play, payouts, fixed & (payouts.net_before != due), due)
    closed = equal_to(folded.end, RoundEnd.CLOSED)[folded.seat_round][:, None]
    owed = np.where(play.stakeless, due != 0, chips.stands > 0)
    _unsettled(bets, play, open_bets & known & ~settled & closed & owed & ~voided, due)
    _undetermined(bets, play, payouts, open_bets & ~known, closed)
    _strangers(bets, play, payouts, judged & stranger & settled, judged)
    return _sums(play, payouts, status, known & ~unjudged & ~stranger, due)


def judge_misdeals(play: Play, payouts: Payouts, guilty: Bools, bets: BetDocket) -> None:
    """Enter rounds that were settled though a wrong number of cards lay, and what they kept.

    Shapes:  guilty (R,), rounds with a copy too many, of which nothing can be said.
    """
    folded = play.folded
    wrong = ~play.count_right & ~equal_to(folded.end, RoundEnd.VOIDED)
    if not wrong.any():  # nearly always
        return
    net = sums_by_group(folded.seat_round, payouts.net.sum(axis=1), folded.round_count)
    if len(payouts.extra_rows):
        net += sums_by_group(
            folded.round_of[payouts.extra_rows], payouts.extra_net, folded.round_count
        )
    settled_rows = folded.rows(EventKind.WAGER_SETTLED)
    any_settled = np.zeros(folded.round_count, np.bool_)
    any_settled[folded.round_of[settled_rows]] = True
    due = play.misdeal_due
    rest = "every wager goes back" if due == 0 else "the rule names no misdeal"
    for place in np.flatnonzero(wrong & any_settled):
        dealt = bets.rows_in(int(place), EventKind.CARD_DEALT)
        words = f"a wrong number of cards lay and the round was settled: {rest}"
        bets.on_round(
            FindingCode.MISDEAL_NOT_CALLED,
            int(place),
            Argument(play.misdeal_clause, words, play.misdeal_readings),
            rows=dealt,
            money=Money(expected=due, actual=stated(int(net[place]))),
        )
    kept = wrong & ~any_settled & ~guilty & equal_to(folded.end, RoundEnd.CLOSED)
    for seat, slot in _cells(kept[folded.seat_round][:, None] & (play.chips.stands > 0)):
        hand, wager, bettor = folded.slots[slot]
        words = f"{bet_words(wager, hand, bettor)}: a wrong number of cards lay: {rest}"
        bets.on_bet(
            FindingCode.WAGER_UNSETTLED,
            seat,
            slot,
            Argument(play.misdeal_clause, f"{words}; never settled", play.misdeal_readings),
            rows=[*bets.chip_rows(seat, slot), *_closing(bets, seat)],
            money=Money(expected=due),
        )


def _cells(mask: Bools) -> Iterable[tuple[int, int]]:
    if not mask.any():  # nearly always
        return []
    return [(int(seat), int(slot)) for seat, slot in zip(*np.nonzero(mask), strict=True)]


def _differences(
    bets: BetDocket, play: Play, payouts: Payouts, differs: Bools, due: Int64s
) -> None:
    for seat, slot in _cells(differs):
        expected, actual = int(due[seat, slot]), int(payouts.net[seat, slot])
        code = FindingCode.UNDERPAID if actual < expected else FindingCode.OVERPAID
        argument = argue_bet(play, seat, slot)
        settled = _settled_words(play, payouts, seat, slot)
        words = f"{argument.words}; {settled}: {off_words(expected, actual)}"
        bets.on_bet(
            code,
            seat,
            slot,
            Argument(argument.clause, words, argument.readings),
            rows=[*bets.chip_rows(seat, slot), *bets.settled_rows(seat, slot)],
            money=Money(expected=expected, actual=stated(actual)),
            cards=bets.corrected_cards(seat, slot, argument),
        )


def _corrected(bets: BetDocket, play: Play, payouts: Payouts, fixed: Bools, due: Int64s) -> None:
    for seat, slot in _cells(fixed):
        expected, before = int(due[seat, slot]), int(payouts.net_before[seat, slot])
        argument = argue_bet(play, seat, slot)
        was = Outcome(int(bets.folded.events.outcome[payouts.first_row[seat, slot]]))
        settled = f"settled {net_words(before, NOTHING_WORDS[was])} at first, then corrected"
        words = f"{argument.words}; {settled}"
        bets.on_bet(
            FindingCode.MISPAY_CORRECTED,
            seat,
            slot,
            Argument(argument.clause, words, argument.readings),
            rows=bets.settled_rows(seat, slot),
            money=Money(expected=expected, actual=stated(before)),
            cards=bets.corrected_cards(seat, slot, argument),
        )


def _unsettled(bets: BetDocket, play: Play, unsettled: Bools, due: Int64s) -> None:
    for seat, slot in _cells(unsettled):
        argument = argue_bet(play, seat, slot)
        bets.on_bet(
            FindingCode.WAGER_UNSETTLED,
            seat,
            slot,
            Argument(argument.clause, f"{argument.words}; never settled", argument.readings),
            rows=[*bets.chip_rows(seat, slot), *_closing(bets, seat)],
            money=Money(expected=int(due[seat, slot])),
            cards=bets.corrected_cards(seat, slot, argument),
        )


def _undetermined(
    bets: BetDocket, play: Play, payouts: Payouts, unknown: Bools, closed: Bools
) -> None:
    """Bets whose due cannot be stated: outside its bounds, or within, or not settled at all.

    An unread card decides, or more is due than an integer of the contract holds.
    """
    dues, stakeless = play.dues, play.stakeless
    for seat, slot in _cells(unknown & (payouts.settled | closed)):
        low = int(dues.low[seat, slot]) if dues.bounded[seat, slot] else None
        high = int(dues.high[seat, slot]) if dues.bounded[seat, slot] else None
        settled = bool(payouts.settled[seat, slot])
        actual = int(payouts.net[seat, slot]) if settled else None
        told = stated(actual)
        money_found = Money(actual=told, low=low, high=high)
        code = FindingCode.UNDETERMINED
        if actual is None:
            if not stakeless[slot] or (low is not None and low > 0):
                code = FindingCode.WAGER_UNSETTLED
            elif high == 0:
                continue
        elif low is not None and actual < low:
            code, money_found = FindingCode.UNDERPAID, Money(low, told, low, high)
        elif high is not None and actual > high:
            code, money_found = FindingCode.OVERPAID, Money(high, told, low, high)
        argument = unknown_due(play, seat, slot)
        why = BEYOND if dues.beyond[seat, slot] else _span_words(low, high)
        said = "never settled" if actual is None else _settled_words(play, payouts, seat, slot)
        if code is FindingCode.UNDETERMINED:
            said += ", which may be right"
        elif actual is not None and money_found.expected is not None:
            said += f": {off_words(money_found.expected, actual)} at the least"
        words = f"{argument.words}: {why}; {said}"
        bets.on_bet(
            code,
            seat,
            slot,
            Argument(argument.clause, words, argument.readings),
            rows=[*bets.chip_rows(seat, slot), *bets.settled_rows(seat, slot)],
            money=money_found,
            cards=bets.corrected_cards(seat, slot, argument),
        )


def _strangers(
    bets: BetDocket, play: Play, payouts: Payouts, strangers: Bools, judged: Bools
) -> None:
    """Settlements of bets on which no chips were ever put, or which were settled before."""
    folded = bets.folded
    rows = [(int(payouts.first_row[seat, slot]), True) for seat, slot in _cells(strangers)]
    rows += [(int(row), False) for row in payouts.extra_rows if judged[folded.seat_of[row], 0]]
    nets = {
        int(row): int(net) for row, net in zip(payouts.extra_rows, payouts.extra_net, strict=True)
    }
    for row, alone in rows:
        seat, slot = int(folded.seat_of[row]), int(folded.slot_of[row])
        hand, wager, bettor = folded.slots[slot]
        actual = int(payouts.net[seat, slot]) if alone else nets[row]
        why = "no chips were ever put there" if alone else "it was settled before"
        settled = net_words(actual, NOTHING_WORDS[Outcome(int(folded.outcome[row]))])
        words = f"{bet_words(wager, hand, bettor)} settled {settled} though {why}"
        bets.on_bet(
            FindingCode.SETTLED_WITHOUT_WAGER,
            seat,
            slot,
            Argument(play.argue(seat, slot).clause, words),
            rows=[row],
            money=Money(expected=0, actual=stated(actual)),
            own=int(folded.events.seq[row]),
        )


def _sums(play: Play, payouts: Payouts, status: Uint8s, known: Bools, due: Int64s) -> Sums:
    folded = play.folded
    count, seat_round = folded.round_count, folded.seat_round
    settled = equal_to(status, RoundStatus.SETTLED)[seat_round]
    stands = np.where(settled[:, None], play.chips.stands, 0)
    counted = settled[:, None] & known
    expected = np.where(counted, due, 0).sum(axis=1)
    strange = settled[:, None] & ~play.chips.placed & ~play.stakeless
    actual = np.where((counted | strange) & payouts.settled, payouts.net, 0).sum(axis=1)
    total_actual = sums_by_group(seat_round, actual, count)
    if len(payouts.extra_rows):
        extra_round = folded.round_of[payouts.extra_rows]
        counts = equal_to(status[extra_round], RoundStatus.SETTLED)
        total_actual += sums_by_group(extra_round[counts], payouts.extra_net[counts], count)
    return Sums(
        wagers=sums_by_group(seat_round, (stands > 0).sum(axis=1), count),
        staked=sums_by_group(seat_round, stands.sum(axis=1), count),
        expected=sums_by_group(seat_round, expected, count),
        actual=total_actual,
    )


def argue_bet(play: Play, seat: int, slot: int) -> Argument:
    """Why what is due is due; chips that go back, and voided rounds, need no cards."""
    folded = play.folded
    hand, wager, bettor = folded.slots[slot]
    name = bet_words(wager, hand, bettor)
    argument = play.argue(seat, slot)
    if folded.end[folded.seat_round[seat]] == RoundEnd.VOIDED:
        return Argument(argument.clause, f"{name}: the round was voided, nothing is due")
    if play.chips.stands[seat, slot] == 0 and not play.stakeless[slot]:
        words = f"{name}: its chips take no part and go back"
        return Argument(argument.clause, words, _back_readings(play, seat, slot))
    due = net_words(int(play.dues.cents[seat, slot]), "nothing" if play.stakeless[slot] else "push")
    readings = argument.readings + _back_readings(play, seat, slot)
    return replace(argument, words=f"{argument.words}: due {due}", readings=readings)


def unknown_due(play: Play, seat: int, slot: int) -> Argument:
    """The argument of a bet whose due is not known, with the reading on cards not seen."""
    argument = play.argue(seat, slot)
    if play.dues.beyond[seat, slot]:
        return argument
    readings = (*argument.readings, *_back_readings(play, seat, slot), "ALL-UNSEEN")
    return replace(argument, readings=readings)


def _back_readings(play: Play, seat: int, slot: int) -> tuple[str, ...]:
    """Readings by which chips of a bet go back, all of them or some beside those that stand."""
    chips, folded = play.chips, play.folded
    unheld = chips.unheld is not None and chips.unheld[seat, slot]
    readings = play.unheld_readings if unheld else ()
    late = chips.late_rows[folded.seat_of[chips.late_rows] == seat]
    return (*readings, "ALL-LATE") if (folded.slot_of[late] == slot).any() else readings


def _closing(bets: BetDocket, seat: int) -> list[int]:
    place = int(bets.folded.seat_round[seat])
    return [int(row) for row in bets.rows_in(place, EventKind.ROUND_CLOSED)[:1]]


def _settled_words(play: Play, payouts: Payouts, seat: int, slot: int) -> str:
    """What a settled bet was settled as, after corrections."""
    outcome = Outcome(int(play.folded.outcome[payouts.first_row[seat, slot]]))
    return f"settled {net_words(int(payouts.net[seat, slot]), NOTHING_WORDS[outcome])}"


def _span_words(low: int | None, high: int | None) -> str:
    """Between what the due of a bet lies that cards decide which are not known."""
    if low is None or high is None:
        return "cards that are not known decide it, in too many ways for bounds"
    span = f"{net_words(low, '$0.00')} to {net_words(high, '$0.00')}"
    return f"cards that are not known decide it, due {span}"
