"""Bets that look recorded twice: one bet, amount and spot, within a second.

Source: findings contract, section Stream, `SUSPECTED_DUPLICATE`. Both bets count.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from operator import itemgetter
from typing import Final

import numpy as np

from replay.docket import Docket
from replay.events import NO_INDEX, EventColumns, Int64s
from replay.findings import FindingCode

TWIN_MICROS_MAX: Final = 1_000_000


def enter_twins(docket: Docket, events: EventColumns, placed: Int64s) -> None:
    """Enter the later of two such bets; `placed` has the rows of chips put down in place."""
    rows = _met_twice(events, placed)
    rows = rows[events.at("amount_cents", rows) > 0]
    if len(rows) < 2:
        return
    keys = [
        events.at(name, rows)
        for name in ("seq", "amount_cents", "bettor", "wager", "hand", "spot", "round")
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
    at = at_micros[rows]
    same, after = bets[1:] == bets[:-1], at[1:] - at[:-1]
    goes_back = np.zeros(int(bets[-1]) + 1, np.bool_)
    goes_back[bets[1:][same & (after < 0)]] = True
    near = same & (after <= TWIN_MICROS_MAX) & ~goes_back[bets[1:]]
    later = 1 + np.flatnonzero(near)
    yield from zip(rows[later - 1].tolist(), rows[later].tolist(), strict=True)
    back = np.flatnonzero(goes_back)
    firsts, ends = np.searchsorted(bets, back), np.searchsorted(bets, back, "right")
    for first, end in zip(firsts.tolist(), ends.tolist(), strict=True):
        yield from _near_where_back(rows[first:end].tolist(), at[first:end].tolist())


def _near_where_back(rows: list[int], at: list[int]) -> Iterator[tuple[int, int]]:
    """The same of one bet whose times, in micros, go back: rows ascending.

    Times fall to slots of a second: all of a slot are near each other, and of those of the slots
    beside it the last one that is early or late enough is sought.
    """
    rising: dict[int, list[tuple[int, int]]] = {}
    falling: dict[int, list[tuple[int, int]]] = {}
    for row, micros in zip(rows, at, strict=True):
        slot = micros // (TWIN_MICROS_MAX + 1)
        earlier = max(
            _last_up_to(rising.get(slot, []), micros + TWIN_MICROS_MAX),
            _last_up_to(rising.get(slot + 1, []), micros + TWIN_MICROS_MAX),
            _last_up_to(falling.get(slot - 1, []), TWIN_MICROS_MAX - micros),
        )
        if earlier != NO_INDEX:
            yield earlier, row
        _stack(rising.setdefault(slot, []), micros, row)
        _stack(falling.setdefault(slot, []), -micros, row)


def _last_up_to(stack: list[tuple[int, int]], limit: int) -> int:
    """The last row whose number is not above a limit; -1 where there is none."""
    end = bisect_right(stack, limit, key=itemgetter(0))
    return stack[end - 1][1] if end else NO_INDEX


def _stack(stack: list[tuple[int, int]], number: int, row: int) -> None:
    """Add (number, row); earlier rows with a number not below it will never be sought again."""
    while stack and stack[-1][0] >= number:
        stack.pop()
    stack.append((number, row))


def _met_twice(events: EventColumns, rows: Int64s) -> Int64s:
    """Of rows that name bets, those whose bet may be named by another one, too; few beside those.

    A bet leaves its row at a place that its numbers make, where only another one can displace it:
    of the same bet, or of one that the same place falls to.
    """
    bet = (events.hand * np.uint8(16) + events.wager) * np.uint8(3) + events.bettor
    mixed = events.round.take(rows).view(np.uint32) * np.uint32(31)
    mixed += events.spot.take(rows).view(np.uint32)
    mixed *= np.uint32(211)
    mixed += bet.take(rows)
    mixed &= np.uint32((1 << (len(rows) * 4).bit_length()) - 1)
    places = mixed.astype(np.int64)
    holds = np.empty(int(places.max(initial=0)) + 1, np.int32)
    holds[places] = rows
    displaced = np.flatnonzero(holds.take(places) != rows)
    is_met = np.zeros(len(holds), np.bool_)
    is_met[places[displaced]] = True
    met: Int64s = rows[np.flatnonzero(is_met.take(places))]
    return met
