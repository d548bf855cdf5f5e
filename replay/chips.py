"""Chips on the layout: what stands on each bet, and what goes back.

Source: findings contract, opening part and section Wagers. Chips that go back (late, not offered,
of an invalid amount, after a fold) take no part; of chips taken back, those that go back anyway
are the first; chips taken back after the bet's moment count as if they stood.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from replay.arrays import NEVER, by_turn, equal_to, sums_by_group, value_at
from replay.events import Bools, Int64s, Ints
from replay.fold import Folded
from replay.vocabulary import EventKind


@dataclass(slots=True, eq=False, repr=False)
class Chips:
    """Shapes (P, K); money in cents. Rows are rows of the fold, ascending."""

    stands: Int64s
    back: Int64s
    """Lying there at the end, to go back."""
    placed: Bools
    """Chips were put there at all, of whatever amount."""
    missed: Bools
    """Chips of a valid amount were put there and go back."""
    late_rows: Int64s
    """Chips placed after their moment."""
    folded_rows: Int64s
    """Chips placed by a spot that had folded."""
    invalid_rows: Int64s
    changed_rows: Int64s
    """Chips taken back after the moment that had stood."""
    unheld: Bools | None
    """Bets that the game sends back for a reason of its own; None: there are none."""

    def takes(self) -> Int64s:
        """What a `LOSE` takes: what stands, or where nothing does all that lies there."""
        taken: Int64s = self.stands + self.back * (self.stands == 0)
        return taken

    def send_back(self, cells: Bools) -> None:
        """Bets that turn out to take no part: their chips go back."""
        self.back[cells] += self.stands[cells]
        self.missed |= cells & (self.stands > 0)
        self.stands[cells] = 0


def lay_out(
    folded: Folded,
    moment: Int64s,
    fold_seq: Int64s,
    offered: Bools,
    *,
    goes_back: Bools | None = None,
) -> Chips:
    """Add up the chips of every bet.

    Shapes:  moment (P, K), the last `seq` before which chips may come and go; fold_seq (P,), `seq`
             of the spot's fold, NEVER if none; offered (P, K); goes_back (P, K), bets of the game
             that take no part for another reason.
    """
    size, kinds = moment.size, (EventKind.WAGER_PLACED, EventKind.WAGER_REMOVED)
    bets = folded.at_seats(*kinds)
    rows, cell, amount = (
        bets.rows(*kinds),
        bets.bet_cells(*kinds),
        bets.column("amount_cents", *kinds),
    )
    seq = bets.column("seq", *kinds)
    valid = amount > 0
    removed = equal_to(bets.column("kinds", *kinds), EventKind.WAGER_REMOVED)
    late = seq > folded.flat(moment).take(cell)
    folded_then = np.zeros(len(rows), np.bool_)
    if (fold_seq < NEVER).any():
        folded_then = ~removed & (seq > fold_seq.take(bets.column("seat_of", *kinds)))
    out = valid & (late | folded_then | ~folded.flat(offered).take(cell))
    if goes_back is not None:
        out |= valid & folded.flat(goes_back).take(cell)
    stay, go = valid & ~out & ~removed, np.flatnonzero(out & ~removed)
    stands = sums_by_group(cell, amount * stay, size)
    back = sums_by_group(cell[go], amount[go], size)
    placed, missed = np.zeros(size, np.bool_), np.zeros(size, np.bool_)
    missed[cell[go]] = True
    changed = np.zeros(len(rows), np.bool_)
    if not removed.any():
        placed[cell] = True
    else:
        placed[cell[np.flatnonzero(~removed)]] = True
        changed = _with_removals(stands, back, cell, amount * valid, removed, out, late)
    return Chips(
        stands=folded.by_bet(stands),
        back=folded.by_bet(back),
        placed=folded.by_bet(placed),
        missed=folded.by_bet(missed),
        late_rows=rows[np.flatnonzero(valid & late & ~removed)],
        folded_rows=rows[np.flatnonzero(valid & folded_then)],
        invalid_rows=rows[np.flatnonzero(~valid)],
        changed_rows=rows[np.flatnonzero(changed)],
        unheld=goes_back,
    )


def stands_before(folded: Folded, slot: int, moment: Int64s, seats: Ints, rows: Int64s) -> Int64s:
    """What stands on a bet of each seat just before a row: seats (M,), rows (M,) -> (M,) cents.

    Shapes:  moment (P,), as in `lay_out`. Folds are not looked at.
    """
    events, kinds = folded.events, (EventKind.WAGER_PLACED, EventKind.WAGER_REMOVED)
    mine = (folded.column("slot_of", *kinds) == slot) & (folded.column("amount_cents", *kinds) > 0)
    chips = folded.rows(*kinds).compress(mine)
    chips = chips[events.seq[chips] <= moment[folded.seat_of[chips]]]
    chips = chips[np.argsort(folded.seat_of[chips], kind="stable")]
    if not len(chips):
        return np.zeros(len(rows), np.int64)
    seat, amount = folded.seat_of[chips], events.amount_cents[chips]
    step = np.where(equal_to(events.kind[chips], EventKind.WAGER_REMOVED), -amount, amount)
    stands = np.zeros(folded.seat_count, amount.dtype)
    after = np.zeros(len(chips), amount.dtype)
    for now in by_turn(seat):
        after[now] = np.maximum(stands[seat[now]] + step[now], 0)
        stands[seat[now]] = after[now]
    stride = len(events) + 1
    keys = seat.astype(np.int64) * stride + chips
    latest = np.searchsorted(keys, seats.astype(np.int64) * stride + rows) - 1
    latest[seat[latest] != seats] = -1  # only bets of other seats lie before it
    return value_at(after, latest, np.int64(0))


def _with_removals(
    stands: Int64s,
    back: Int64s,
    cell: Int64s,
    amount: Int64s,
    removed: Bools,
    out: Bools,
    late: Bools,
) -> Bools:
    """Go through the bets from which chips were taken, event by event, all bets at once.

    Mends `stands` and `back` in place; returns which of the rows took back chips that stood, after
    their moment.
    """
    touched = np.zeros(len(stands), np.bool_)
    touched[cell[removed]] = True
    stands[touched], back[touched] = 0, 0
    rows = np.flatnonzero(touched[cell])
    changed = np.zeros(len(cell), np.bool_)
    for turn in by_turn(cell[rows]):
        now = rows[turn]
        adding = now[~removed[now]]
        to_back = adding[out[adding]]
        to_stand = adding[~out[adding]]
        back[cell[to_back]] += amount[to_back]
        stands[cell[to_stand]] += amount[to_stand]
        taking = now[removed[now]]
        at = cell[taking]
        from_back = np.minimum(back[at], amount[taking])
        back[at] -= from_back
        from_stands = np.minimum(stands[at], amount[taking] - from_back)
        in_time = ~late[taking]
        stands[at] -= np.where(in_time, from_stands, 0)
        changed[taking] = ~in_time & (from_stands > 0)
    return changed
