"""One round explained: every wager with what was due, why, and what was settled.

Source: the arguments of the games' own modules, taken while the round is judged with its stretch;
nothing is settled here a second way. Money in integer cents, the player's net.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from replay.arrays import equal_to
from replay.bets import Argument, Hand
from replay.events import Uint8s
from replay.games.play import Play
from replay.judge import argue_bet, unknown_due
from replay.payouts import Payouts
from replay.ranking import best_five, best_five_cards, describe
from replay.stream import RoundEnd
from replay.verdict import RoundStatus
from replay.vocabulary import Bettor, EventKind, Outcome, Place, Wager


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedWager:
    """One wager with standing chips, a settlement, or a bonus due."""

    spot: int
    hand: int
    wager: Wager
    bettor: Bettor
    stake_cents: int
    """What stands; for a bonus without a stake, the stake that earned it."""
    expected_cents: int | None
    """None: an unread card decides, the paytable is unknown, or the round was not settled."""
    expected_low_cents: int | None
    """Bounds where an unread card decides and they could be worked out."""
    expected_high_cents: int | None
    actual_cents: int | None
    """None: never settled."""
    settled_as: Outcome
    """By its first settlement, as corrected; UNKNOWN: never settled."""
    by_cards_cents: int | None
    """What the cards alone have it, also in a voided round; None where they cannot tell."""
    argument: Argument


@dataclass(frozen=True, slots=True)
class LyingCard:
    """A card as it was dealt, after corrections; 52 and above: not read."""

    place: Place
    spot: int
    code: int


@dataclass(frozen=True, slots=True)
class ExplainedRound:
    """A round that was judged."""

    status: RoundStatus
    end: RoundEnd
    wagers: tuple[ExplainedWager, ...]
    cards: tuple[LyingCard, ...]
    count_right: bool
    """The rule's number of cards lies at every place in play."""


class Explainer:
    """Looks on while stretches are judged, and keeps one round.

    Give it to a `Resettler`; `found` stays None where the round is not judged at all.
    """

    def __init__(self, table_id: str, round_id: str) -> None:
        """Look for the first round of that name at that table."""
        self._table_id = table_id
        self._round_id = round_id
        self.found: ExplainedRound | None = None

    def __call__(self, play: Play, payouts: Payouts, status: Uint8s) -> None:
        """Look through one game's rounds of a stretch."""
        events, first = play.folded.events, play.folded.starts
        for place in np.flatnonzero(events.round[first] >= 0) if self.found is None else ():
            row = int(first[place])
            if (
                events.round_ids[events.round[row]] == self._round_id
                and events.table_ids[events.table[row]] == self._table_id
            ):
                self.found = _explained(play, payouts, status, int(place))
                return


def words_of(hand: Hand) -> str:
    """What a hand is, in the words of the card room; empty where it is not known, or two cards."""
    if not _is_whole(hand):
        return ""
    return describe(int(best_five(_column(hand))[0]))


def best_of(hand: Hand) -> tuple[int, ...]:
    """The five cards that make a hand, best first; none where it is not known, or two cards."""
    if not _is_whole(hand):
        return ()
    return tuple(best_five_cards(_column(hand))[:, 0].tolist())


def _is_whole(hand: Hand) -> bool:
    return len(hand.cards) >= 5 and all(card < 52 for card in hand.cards)


def _column(hand: Hand) -> np.ndarray:
    return np.array(hand.cards, np.uint8)[:, None]


def _explained(play: Play, payouts: Payouts, status: Uint8s, place: int) -> ExplainedRound:
    folded = play.folded
    of_round = RoundStatus(int(status[place]))
    wagers = [
        _wager(play, payouts, of_round, int(seat), slot)
        for seat in np.flatnonzero(folded.seat_round == place)
        for slot in range(len(folded.slots))
        if _is_shown(play, payouts, int(seat), slot)
    ]
    rows = np.arange(folded.starts[place], folded.ends[place])
    dealt = rows[equal_to(folded.kinds[rows], EventKind.CARD_DEALT)]
    return ExplainedRound(
        status=of_round,
        end=RoundEnd(int(folded.end[place])),
        wagers=tuple(wagers),
        cards=tuple(
            LyingCard(
                Place(int(folded.events.place[row])),
                int(folded.events.spot[row]),
                int(folded.card[row]),
            )
            for row in dealt
        ),
        count_right=bool(play.count_right[place]),
    )


def _is_shown(play: Play, payouts: Payouts, seat: int, slot: int) -> bool:
    dues = play.dues
    owed = play.stakeless[slot] and (
        not dues.known[seat, slot] or dues.cents[seat, slot] != 0 or dues.unjudged[seat, slot]
    )
    return bool(play.chips.stands[seat, slot] > 0 or payouts.settled[seat, slot] or owed)


def _wager(
    play: Play, payouts: Payouts, status: RoundStatus, seat: int, slot: int
) -> ExplainedWager:
    hand, wager, bettor = play.folded.slots[slot]
    stands = int(play.chips.stands[seat, slot])
    stakeless = bool(play.stakeless[slot])
    expected, low, high = _due(play, status, seat, slot)
    return ExplainedWager(
        spot=int(play.folded.seat_spot[seat]),
        hand=hand,
        wager=wager,
        bettor=bettor,
        stake_cents=int(play.earned_by[seat, slot]) if stakeless else stands,
        expected_cents=expected,
        expected_low_cents=low,
        expected_high_cents=high,
        actual_cents=int(payouts.net[seat, slot]) if payouts.settled[seat, slot] else None,
        settled_as=_outcome(play, payouts, seat, slot),
        by_cards_cents=None if status == RoundStatus.NOT_SETTLED else _by_cards(play, seat, slot),
        argument=_argument(play, seat, slot),
    )


def _outcome(play: Play, payouts: Payouts, seat: int, slot: int) -> Outcome:
    row = int(payouts.first_row[seat, slot])
    return Outcome(int(play.folded.outcome[row])) if row >= 0 else Outcome.UNKNOWN


def _due(
    play: Play, status: RoundStatus, seat: int, slot: int
) -> tuple[int | None, int | None, int | None]:
    """What is due, and its bounds where that is not known."""
    dues = play.dues
    if not _is_counted(play, seat):  # a misdeal: every wager goes back, where the rule says so
        return (0 if status == RoundStatus.VOIDED else play.misdeal_due), None, None
    if status == RoundStatus.VOIDED or not _takes_part(play, seat, slot):
        return 0, None, None
    if status == RoundStatus.NOT_SETTLED or dues.unjudged[seat, slot]:
        return None, None, None
    if dues.known[seat, slot]:
        return int(dues.cents[seat, slot]), None, None
    if not dues.bounded[seat, slot]:
        return None, None, None
    return None, int(dues.low[seat, slot]), int(dues.high[seat, slot])


def _by_cards(play: Play, seat: int, slot: int) -> int | None:
    dues = play.dues
    if not _is_counted(play, seat) or dues.unjudged[seat, slot] or not dues.known[seat, slot]:
        return None
    return int(dues.cents[seat, slot]) if _takes_part(play, seat, slot) else 0


def _is_counted(play: Play, seat: int) -> bool:
    return bool(play.count_right[play.folded.seat_round[seat]])


def _takes_part(play: Play, seat: int, slot: int) -> bool:
    return bool(play.chips.stands[seat, slot] > 0 or play.stakeless[slot])


def _argument(play: Play, seat: int, slot: int) -> Argument:
    """The bet's argument: of a voided round by its cards, of a misdeal by the misdeal's clause."""
    if not _is_counted(play, seat):
        words = "a wrong number of cards lies: nothing is reckoned"
        if play.misdeal_due == 0:
            words = "a wrong number of cards is a misdeal: every wager goes back"
        return Argument(play.misdeal_clause, words, play.misdeal_readings)
    if not _takes_part(play, seat, slot):
        return argue_bet(play, seat, slot)
    return play.argue(seat, slot) if play.dues.known[seat, slot] else unknown_due(play, seat, slot)
