"""Settlements as recorded: what the table paid or took on each bet.

Source: findings contract, opening part: the player's net is `+paid` for a win, `-stake` for a loss,
0 for a push or void, and the pay alone for a bonus that has no stake of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from replay.arrays import first_by_group, sums_by_group
from replay.events import NO_INDEX, Bools, Int64s, Uint8s
from replay.fold import Folded
from replay.vocabulary import EventKind, Outcome


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Payouts:
    """Shapes (P, K); money in cents, net to the player."""

    settled: Bools
    first_row: Int64s
    """Row of the bet's first settlement; -1: none."""
    net: Int64s
    """After corrections; of a bonus without a stake, all its pays together."""
    net_before: Int64s
    """Before corrections."""
    corrected: Bools
    extra_rows: Int64s
    """Rows that settle a bet which was settled before."""
    extra_net: Int64s
    """Net of each of those rows."""


def pay_out(folded: Folded, takes: Int64s, stakeless: Bools) -> Payouts:
    """Add up the settlements.

    Shapes:  takes (P, K), cents that a `LOSE` takes; stakeless (K,), bonuses without a stake.
    """
    size = takes.size
    rows = folded.rows(EventKind.WAGER_SETTLED)
    rows = rows[folded.seat_of[rows] >= 0]
    cell = folded.cells(rows)
    adds_up = stakeless[folded.slot_of[rows]]
    taken = folded.flat(takes)[
        cell
    ]  # nothing stands on a bonus, but chips may lie there by mistake
    net = net_of(folded.outcome[rows], folded.paid_cents[rows], taken)
    events = folded.events
    before = net_of(events.outcome[rows], events.amount_cents[rows], taken)
    first = first_by_group(cell, size)
    is_first = np.zeros(len(rows), np.bool_)
    is_first[first[first >= 0]] = True
    counts = is_first | adds_up
    was_corrected = np.zeros(size, np.bool_)
    fixed = counts & (folded.correction_no[rows] != NO_INDEX)
    was_corrected[cell[fixed]] = True
    first_row = np.where(first >= 0, rows[first], -1) if len(rows) else first
    return Payouts(
        settled=folded.by_bet(first >= 0),
        first_row=folded.by_bet(first_row),
        net=folded.by_bet(sums_by_group(cell[counts], net[counts], size)),
        net_before=folded.by_bet(sums_by_group(cell[counts], before[counts], size)),
        corrected=folded.by_bet(was_corrected),
        extra_rows=rows[~counts],
        extra_net=net[~counts],
    )


def net_of(outcome: Uint8s, paid_cents: Int64s, taken_cents: Int64s) -> Int64s:
    """Net of each settlement: `+paid` for a win, minus what is taken for a loss, else 0."""
    net: Int64s = np.where(
        outcome == Outcome.WIN,
        paid_cents,
        np.where(outcome == Outcome.LOSE, -taken_cents, np.int64(0)),
    )
    return net
