"""Settlements as recorded: what the table paid or took on each bet.

Source: findings contract, opening part: the player's net is `+paid` for a win, `-stake` for a loss,
0 for a push or void, and the pay alone for a bonus that has no stake of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from replay.arrays import equal_to, sums_by_group
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
    size, kind = takes.size, EventKind.WAGER_SETTLED
    bets = folded.at_seats(kind)
    rows, cell = bets.rows(kind), bets.bet_cells(kind)
    adds_up = stakeless.take(bets.column("slot_of", kind))
    # Nothing stands on a bonus, but chips may lie there by mistake.
    taken = folded.flat(takes).take(cell)
    net = net_of(bets.column("outcome", kind), bets.column("paid_cents", kind), taken)
    first_row = np.full(size, NO_INDEX, np.int64)
    first_row[cell[::-1]] = rows[::-1]
    counts = (first_row.take(cell) == rows) | adds_up
    was_corrected, before = np.zeros(size, np.bool_), net
    fixed = np.flatnonzero(bets.column("correction_no", kind) != NO_INDEX)
    if len(fixed):
        said = folded.events
        own_outcome, own_cents = said.outcome[rows[fixed]], said.amount_cents[rows[fixed]]
        before = net.copy()
        before[fixed] = net_of(own_outcome, own_cents, taken[fixed])
        was_corrected[cell[fixed[counts[fixed]]]] = True
    extra = np.flatnonzero(~counts)
    extra_net = net[extra]
    if len(extra):
        net, before = net * counts, before * counts
    return Payouts(
        settled=folded.by_bet(first_row >= 0),
        first_row=folded.by_bet(first_row),
        net=folded.by_bet(sums_by_group(cell, net, size)),
        net_before=folded.by_bet(sums_by_group(cell, before, size)),
        corrected=folded.by_bet(was_corrected),
        extra_rows=rows[extra],
        extra_net=extra_net,
    )


def net_of(outcome: Uint8s, paid_cents: Int64s, taken_cents: Int64s) -> Int64s:
    """Net of each settlement: `+paid` for a win, minus what is taken for a loss, else 0."""
    net: Int64s = paid_cents * equal_to(outcome, Outcome.WIN)
    net -= taken_cents * equal_to(outcome, Outcome.LOSE)
    return net
