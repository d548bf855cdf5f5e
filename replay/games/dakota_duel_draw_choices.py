"""Dakota Duel Draw: what each spot chose, to play hand 1 or to fold.

Source: 20:18:16:15.23(7); findings contract, section Decisions. A decision counts only where the
player has a hand 2 ante (`DD-BIG-8-ONLY`); a fold only while nothing of the player stands on hand 1
(`DD-LOCKED`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from replay.arrays import (
    NEVER,
    among,
    equal_to,
    first_by_group,
    last_by_group,
    value_at,
)
from replay.bets import Argument, BetDocket
from replay.chips import stands_before
from replay.events import Bools, Int64s
from replay.findings import FindingCode
from replay.fold import Folded
from replay.games import dakota_duel_draw as rule
from replay.layout import first_deal_seq
from replay.vocabulary import Decision, Place, Wager
from replay.words import decider_words


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Choices:
    """What each seat chose. P seats."""

    reveal_seq: Int64s
    """(P,) `seq` of the reveal of the six cards; NEVER where it did not come."""
    betting_over: Bools
    """(P,) no bet on hand 1 can follow: the reveal came, or the round was closed without it."""
    fold_seq: Int64s
    """(P,) of the fold that counts; NEVER."""
    decided: Bools
    """(P,) chose at all."""
    plays: Bools
    """(P,) the last choice was to play, which announces a bet on hand 1."""
    void_folds: Int64s
    """Rows of folds that found chips standing on hand 1."""
    out_of_turn: Int64s
    """Rows of decisions made before the cards were dealt or after the reveal."""
    after_fold: Int64s
    """Rows of decisions of spots that had folded."""

    @property
    def has_folded(self) -> Bools:
        """(P,)."""
        folded: Bools = self.fold_seq < NEVER
        return folded


def choose(folded: Folded, cards_seq: Int64s) -> Choices:
    """Take every spot's decisions in order.

    Shapes:  cards_seq (P,), `seq` of the last card dealt to each spot.
    """
    seat_round, seat_count = folded.seat_round, folded.seat_count
    reveal = folded.first_reveal(Place.HAND_1, Place.HAND_2)
    reveal_seq = reveal[seat_round]
    ante, play = (folded.slot(wager) for wager in (Wager.HAND_2_ANTE, Wager.HAND_1_PLAY))
    all_rows = folded.decisions(*Decision)
    kind, seq = folded.events.decision, folded.events.seq
    rows = all_rows[among(kind[all_rows], (Decision.PLAY, Decision.FOLD))]
    seat, is_fold = folded.seat_of[rows], equal_to(kind[rows], Decision.FOLD)
    # A fold forfeits the ante that lies there; a play made too early waits for the ante.
    by_then = np.where(is_fold, rows, len(folded.events))
    first_card = first_deal_seq(folded)[seat_round]
    has_ante = stands_before(folded, ante, first_card, seat, by_then) > 0
    void = is_fold & has_ante
    play_cents = stands_before(folded, play, reveal_seq, seat[void], rows[void])
    void[void] = rule.fold_is_void(play_cents)
    folds = rows[is_fold & has_ante & ~void]
    fold_seq = value_at(seq[folds], first_by_group(folded.seat_of[folds], seat_count), NEVER)
    gone = seq[rows] > fold_seq[seat]
    counts = has_ante & ~void & ~gone
    last = last_by_group(seat[counts], seat_count)
    decided = last >= 0
    plays = np.zeros(seat_count, np.bool_)
    plays[decided] = ~is_fold[counts][last[decided]]
    void &= ~gone
    untimely = (seq[rows] > reveal_seq[seat]) | (seq[rows] < cards_seq[seat])
    return Choices(
        reveal_seq=reveal_seq,
        betting_over=folded.has_come(reveal)[seat_round],
        fold_seq=fold_seq,
        decided=decided,
        plays=plays,
        void_folds=rows[void],
        out_of_turn=rows[untimely & ~void & ~gone],
        after_fold=all_rows[seq[all_rows] > fold_seq[folded.seat_of[all_rows]]],
    )


def judge_choices(bets: BetDocket, choices: Choices, with_ante: Bools, clause: str) -> None:
    """Enter missing, untimely, void and idle decisions.

    Shapes:  with_ante (P,), spots on which a hand 2 ante of the player stands.
    """
    folded, events = bets.folded, bets.folded.events

    def enter(code: FindingCode, row: int, words: str, *readings: str) -> None:
        what = decider_words(int(events.spot[row]), int(events.decision[row]))
        bets.on_event(code, int(row), Argument(clause, f"{what} {words}", readings))

    for row in choices.out_of_turn:
        late = events.seq[row] > choices.reveal_seq[folded.seat_of[row]]
        when = "after hand 1 and hand 2 were revealed" if late else "before its cards were dealt"
        enter(FindingCode.DECISION_OUT_OF_TURN, row, f"{when}: it counts all the same")
    for row in choices.void_folds:
        words = "though chips stood on hand 1: the fold is void, the hand plays on"
        enter(FindingCode.DECISION_OUT_OF_TURN, row, words, "DD-LOCKED")
    for row in choices.after_fold:
        enter(FindingCode.ACTION_AFTER_FOLD, row, "after its fold: it counts for nothing")
    revealed = choices.reveal_seq < NEVER
    for seat in np.flatnonzero(with_ante & revealed & ~choices.decided):
        shown = [bets.row_at(int(folded.seat_round[seat]), int(choices.reveal_seq[seat]))]
        words = (
            f"seat {int(folded.seat_spot[seat])} neither played nor folded before hand 1 and "
            "hand 2 were revealed: its hand 2 ante stays in play"
        )
        bets.on_seat(FindingCode.DECISION_MISSING, int(seat), Argument(clause, words), rows=shown)
