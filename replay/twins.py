"""Bets that look recorded twice: one bet, amount and spot, within a second.

Source: findings contract, section Stream, `SUSPECTED_DUPLICATE`. Both bets count.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from replay.docket import Docket
from replay.events import Bools, EventColumns, Int64s
from replay.findings import FindingCode

TWIN_MICROS_MAX: Final = 1_000_000


def enter_twins(docket: Docket, events: EventColumns, placed: Int64s) -> None:
    """Enter the later of two such bets; `placed` has the rows of chips put down in place."""
    rows = _met_twice(events, placed)
    rows = rows[events.amount_cents[rows] > 0]
    if len(rows) < 2:
        return
    keys = [
        column[rows]
        for column in (
            events.seq,
            events.amount_cents,
            events.bettor,
            events.wager,
            events.hand,
            events.spot,
            events.round,
        )
    ]
    order = np.lexsort(keys)
    same = np.ones(len(rows) - 1, np.bool_)
    for key in keys[1:]:
        same &= key[order][1:] == key[order][:-1]
    bets = np.append(0, np.cumsum(~same))
    for first, second in _near_earlier(rows[order], bets, events.at_micros):
        docket.add_event(
            FindingCode.SUSPECTED_DUPLICATE,
            events,
            second,
            message="the same bet of the same amount within a second, under another id: both count",
            more_rows=(first,),
        )


def _near_earlier(rows: Int64s, bets: Int64s, at_micros: Int64s) -> Iterator[tuple[int, int]]:
    """Rows with the last row before them of the same bet within a second: (earlier, later).

    Where the clock goes back within a bet, that need not be the row right before.

    Shapes:  rows (M,) by bet and `seq`; bets (M,), which bet each is of, ascending.
    """
    at, lag = at_micros[rows], 1
    alone: Bools = np.ones(len(rows), np.bool_)
    while True:
        same = bets[lag:] == bets[:-lag]
        if not same.any():
            return
        after = at[lag:] - at[:-lag]
        later = lag + np.flatnonzero(same & alone[lag:] & (np.abs(after) <= TWIN_MICROS_MAX))
        alone[later] = False
        yield from zip(rows[later - lag].tolist(), rows[later].tolist(), strict=True)
        if lag == 1:
            goes_back = np.isin(bets, bets[1:][same & (after < 0)])
            rows, bets, at = rows[goes_back], bets[goes_back], at[goes_back]
            alone = alone[goes_back]
        lag += 1


def _met_twice(events: EventColumns, rows: Int64s) -> Int64s:
    """Of rows that name bets, those whose bet may be named by another one, too; few beside those.

    A bet leaves its row at a place that its numbers make, where only another one can displace it:
    of the same bet, or of one that the same place falls to.
    """
    bet = (events.hand[rows].astype(np.int64) * 16 + events.wager[rows]) * 4 + events.bettor[rows]
    places = (events.round[rows].astype(np.int64) * 31 + events.spot[rows]) * 211 + bet
    places &= (1 << (len(rows) * 4).bit_length()) - 1
    holds = np.empty(int(places.max(initial=0)) + 1, np.int32)
    holds[places] = rows
    displaced = places[holds[places] != rows]
    is_met = np.zeros(len(holds), np.bool_)
    is_met[displaced] = True
    met: Int64s = rows[is_met[places]]
    return met
