"""Run'em Twice: the three steps at which a spot plays or folds, and what was decided at which.

Source: Run'em Twice (1) to (5); event contract 1, "How a round runs": a decision belongs to the
step in whose window it lies; where an earlier step is undecided and more than one decision lies in
a window, the first of them belongs to the earliest undecided step and is out of turn; after the
last reveal all of them are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from replay.arrays import (
    NEVER,
    among,
    by_turn,
    equal_to,
    first_by_group,
    value_at,
)
from replay.bets import Argument, BetDocket
from replay.events import Bools, Int64s
from replay.findings import FindingCode
from replay.fold import Folded
from replay.vocabulary import Decision, Place
from replay.words import decider_words

STEP_COUNT: Final = 3
STEP_CLAUSES: Final = ("(1)", "(3)", "(5)")
STEP_WORDS: Final = ("first run", "second run", "center")
REVEAL_WORDS: Final = ("left and right were", "top and bottom were", "the center card was")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Steps:
    """What each seat decided. P seats; steps 0 to 2."""

    reveal_seq: Int64s
    """(3, R) `seq` of the reveal that ends each step; NEVER where it did not come."""
    passed_seq: Int64s
    """(3, R) `seq` at which each step was past, by its own reveal or a later one."""
    fold_seq: Int64s
    """(P,) of the spot's first fold; NEVER."""
    fold_step: Int64s
    """(P,) step at which it folded; STEP_COUNT where it did not, or after all were decided."""
    decided: Bools
    """(3, P)."""
    played: Bools
    """(3, P) the step was played, which announces its bet."""
    out_of_turn: Int64s
    """Rows of decisions made too early or too late."""
    out_of_turn_step: Int64s
    """The step that each of those belongs to; STEP_COUNT: all were decided."""
    out_of_turn_early: Bools
    """Whether each came before the spot's cards."""
    after_fold: Int64s
    """Rows of decisions of spots that had folded."""


def take_steps(folded: Folded, cards_seq: Int64s) -> Steps:
    """Assign every decision to its step.

    Shapes:  cards_seq (P,), `seq` of the last card dealt to each spot.
    """
    seat_count = folded.seat_count
    reveal = np.stack(
        [
            folded.first_reveal(Place.LEFT, Place.RIGHT),
            folded.first_reveal(Place.TOP, Place.BOTTOM),
            folded.first_reveal(Place.CENTER),
        ]
    )
    rows = folded.decisions(*Decision)
    seq, seat = folded.events.seq.take(rows), folded.seat_of.take(rows)
    decision = folded.events.at("decision", rows)
    is_fold = equal_to(decision, Decision.FOLD)
    folds = rows[is_fold]
    fold_seq = value_at(
        folded.events.seq[folds], first_by_group(folded.seat_of[folds], seat_count), NEVER
    )
    gone = seq > fold_seq[seat]
    after_fold = rows[gone]
    counts = ~gone & among(decision, (Decision.PLAY, Decision.FOLD))
    rows, seq, seat, is_fold = rows[counts], seq[counts], seat[counts], is_fold[counts]
    passed: Int64s = np.minimum.accumulate(reveal[::-1], axis=0)[
        ::-1
    ]  # a later reveal ends a step too
    round_of, window = folded.round_of.take(rows), np.zeros(len(rows), np.int64)
    for each in passed:
        window += seq > each.take(round_of)
    step, decided = _assign(seat, window, seat_count)
    fold_step = np.full(seat_count, STEP_COUNT, np.int64)
    fold_step[seat[is_fold]] = step[is_fold]
    played = np.zeros((STEP_COUNT + 1, seat_count), np.bool_)
    played[step[~is_fold], seat[~is_fold]] = True
    early = seq < cards_seq[seat]
    untimely = (step != window) | (window == STEP_COUNT) | early
    return Steps(
        reveal_seq=reveal,
        passed_seq=passed,
        fold_seq=fold_seq,
        fold_step=fold_step,
        decided=decided,
        played=played[:STEP_COUNT] & (fold_step != np.arange(STEP_COUNT)[:, None]),
        out_of_turn=rows[untimely],
        out_of_turn_step=step[untimely],
        out_of_turn_early=early[untimely],
        after_fold=after_fold,
    )


def _assign(seat: Int64s, window: Int64s, seat_count: int) -> tuple[Int64s, Bools]:
    """Step of each decision, in order (N,), and the steps decided (3, P).

    Where no window holds more than one decision of a spot, and none comes after the last reveal,
    each belongs to the step of its window. The decisions of other spots are gone through turn by
    turn, all these spots at once. STEP_COUNT is the step of a decision that finds every step
    decided.
    """
    in_window = seat * (STEP_COUNT + 1) + window
    left_in_window = np.bincount(in_window, minlength=seat_count * (STEP_COUNT + 1))
    counts = left_in_window.reshape(seat_count, STEP_COUNT + 1)
    decided = (counts > 0).T.copy()
    decided[STEP_COUNT] = True
    step = window.copy()
    many_there = counts > 1
    many_there[:, STEP_COUNT] = counts[:, STEP_COUNT] > 0
    odd = many_there.any(axis=1)
    if odd.any():
        decided[:STEP_COUNT, odd] = False
        rows = np.flatnonzero(odd.take(seat))
        for turn in by_turn(seat[rows]):
            now = rows[turn]
            who, when = seat[now], window[now]
            earliest = np.argmin(decided[:, who], axis=0)  # first undecided; 0 where none is
            earliest = np.where(decided[earliest, who], STEP_COUNT, earliest)
            many = left_in_window[in_window[now]] > 1
            belated = (earliest < when) & (many | (when == STEP_COUNT))
            step[now] = np.where(belated, earliest, when)
            decided[step[now], who] = True
            left_in_window[in_window[now]] -= 1
    return step, decided[:STEP_COUNT]


def judge_steps(bets: BetDocket, steps: Steps, with_ante: Bools, cite: tuple[str, ...]) -> None:
    """Enter missing, untimely and idle decisions.

    Shapes:  with_ante (P,), spots on which an ante stands; cite, the clause of each step.
    """
    folded, events = bets.folded, bets.folded.events
    for row, step, early in zip(
        steps.out_of_turn, steps.out_of_turn_step, steps.out_of_turn_early, strict=True
    ):
        what = decider_words(int(events.spot[row]), int(events.decision[row]))
        if early:
            words = f"{what} before its cards were dealt"
        elif step == STEP_COUNT:
            words = f"{what} after the last reveal, when each of its steps was decided"
        else:
            words = f"{what} for the {STEP_WORDS[step]} after {REVEAL_WORDS[step]} revealed"
        argument = Argument(cite[0], f"{words}: it counts all the same")
        bets.on_event(FindingCode.DECISION_OUT_OF_TURN, int(row), argument)
    for row in steps.after_fold:
        what = decider_words(int(events.spot[row]), int(events.decision[row]))
        words = f"{what} after its fold: it counts for nothing"
        bets.on_event(FindingCode.ACTION_AFTER_FOLD, int(row), Argument(cite[0], words))
    for step in range(STEP_COUNT):
        revealed = steps.passed_seq[step][folded.seat_round] < NEVER
        missing = revealed & with_ante & ~steps.decided[step] & (steps.fold_step >= step)
        for seat in np.flatnonzero(missing):
            place = int(folded.seat_round[seat])
            reveal_row = bets.row_at(place, int(steps.passed_seq[step][place]))
            words = (
                f"seat {int(folded.seat_spot[seat])} neither played nor folded for the "
                f"{STEP_WORDS[step]} before {REVEAL_WORDS[step]} revealed"
            )
            bets.on_seat(
                FindingCode.DECISION_MISSING,
                int(seat),
                Argument(cite[step], words),
                rows=[reveal_row],
                own=STEP_WORDS[step],
            )
