"""Corrections of cards and payouts, laid over the events that they correct.

Source: event contract 1 (`CardCorrected`, `PayoutCorrected`): the last correction by `seq` counts,
whenever it comes; a card that it names wrongly is taken as not read.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from replay.arrays import among, first_of_run, laid_over
from replay.events import NO_INDEX, EventColumns, Int64s, Stretch, Uint8s
from replay.vocabulary import EventKind


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Corrected:
    """Cards, outcomes and pays of N events as they stand after their last correction."""

    card: Uint8s
    outcome: Uint8s
    paid_cents: Int64s
    correction_no: Int64s
    """`event_no` of the correction that counts; NO_INDEX: never corrected."""


def corrected(stretch: Stretch, events: EventColumns) -> Corrected:
    """Lay the corrections of a stretch, and those that come after it, over its events."""
    parts = _in_order(events, stretch.later_corrections)
    if not parts:
        nowhere = np.broadcast_to(np.int64(NO_INDEX), len(events))
        return Corrected(events.card, events.outcome, events.amount_cents, nowhere)
    card, outcome = events.card.copy(), events.outcome.copy()
    paid = events.amount_cents.copy()
    correction_no = np.full(len(events), NO_INDEX, np.int64)
    row_of = _rows_of(events, parts)
    for source, rows in parts:
        named = source.corrects[rows].tolist()
        for row, no in zip(rows.tolist(), named, strict=True):  # by seq, so that the last one stays
            target = row_of.get(no)
            if target is None:
                continue
            correction_no[target] = source.event_no[row]
            if int(source.kind[row]) == EventKind.CARD_CORRECTED:
                card[target] = source.card[row]
            else:
                outcome[target] = source.outcome[row]
                paid[target] = source.amount_cents[row]
    return Corrected(card, outcome, paid, correction_no)


def _rows_of(events: EventColumns, parts: list[tuple[EventColumns, Int64s]]) -> dict[int, int]:
    """Rows, by their `event_no`, of the events that are corrected."""
    corrected_too = np.zeros(len(events.round_ids) + 1, np.bool_)  # the last: no round
    for source, rows in parts:
        corrected_too[source.round[rows]] = True
    begins = np.flatnonzero(first_of_run(events.round))
    found = np.flatnonzero(laid_over(corrected_too[events.round[begins]], begins, len(events)))
    named = np.sort(np.concatenate([source.corrects[rows] for source, rows in parts]))
    numbers = events.event_no[found]
    at = np.minimum(np.searchsorted(named, numbers), len(named) - 1)
    is_named = named[at] == numbers
    return dict(zip(numbers[is_named].tolist(), found[is_named].tolist(), strict=True))


def _in_order(events: EventColumns, elsewhere: EventColumns) -> list[tuple[EventColumns, Int64s]]:
    """Rows that correct: those before the stretch, those in it, those after it."""
    kinds = (EventKind.CARD_CORRECTED, EventKind.PAYOUT_CORRECTED)
    within = np.flatnonzero(among(events.kind, kinds) & events.standing)
    within = within[events.corrects[within] != NO_INDEX]
    parts = [(events, within)]
    if len(elsewhere):
        first_seq = np.zeros(len(events.table_ids), np.int64)
        first_seq[events.table[::-1]] = events.seq[::-1]
        outside = np.flatnonzero(elsewhere.standing & (elsewhere.corrects != NO_INDEX))
        before = elsewhere.seq[outside] < first_seq[elsewhere.table[outside]]
        parts = [(elsewhere, outside[before]), (events, within), (elsewhere, outside[~before])]
    return [(source, rows) for source, rows in parts if len(rows)]
