"""What judging a stretch yields: findings, a row a round, and (on request) a row a wager."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from replay.events import Bools, Int32s, Int64s, Uint8s
from replay.findings import Finding
from replay.state import PayFit


class RoundStatus(IntEnum):
    """What became of a round, as the audit's summary counts it."""

    OPEN = 0  # still open at the end of the events: counts among the rounds only
    SETTLED = 1
    VOIDED = 2
    HELD = 3  # kept back for a sequence gap
    NOT_SETTLED = 4  # may not be settled: duplicate card, edition not held, wrong number of cards


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RoundColumns:
    """R rounds in the order of their opening; every array has shape (R,). Money in cents.

    The four sums are 0 unless the round is settled. `net_expected_cents` and `net_actual_cents`
    run over wagers and bonuses whose due is exactly known, and settlements without a wager. Sums of
    money are Python's integers where 64 bits do not hold one of them (`replay.amounts`).
    """

    table: Int32s  # index into the stretch's table_ids
    round: Int32s  # index into the stretch's round_ids
    opened_seq: Int64s
    ended_seq: Int64s  # of RoundClosed or RoundVoided; 0 where neither came
    opened_micros: Int64s
    ended_micros: Int64s  # 0 where not ended by an event of its own
    game: Uint8s
    gaming_day: npt.NDArray[np.datetime64]  # datetime64[D]
    dealer: Int32s
    status: Uint8s  # RoundStatus
    wagers: Int32s  # standing wagers
    staked_cents: Int64s
    net_expected_cents: Int64s
    net_actual_cents: Int64s
    deck_order_known: Bools
    """Single deck, the right number of cards, all read: its order can be compared."""
    deck_order_high: npt.NDArray[np.uint64]
    deck_order_low: npt.NDArray[np.uint64]
    """128-bit digest of the cards dealt, in order; meaningless unless known."""
    opened_no: Int64s
    """`event_no` of the round's `RoundOpened`."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class WagerColumns:
    """W wagers and bonuses of judged rounds; every array has shape (W,). Money in cents, net."""

    table: Int32s
    round: Int32s
    spot: Int32s
    hand: Uint8s
    wager: Uint8s
    bettor: Uint8s
    stake_cents: Int64s  # what stands; for a bonus, the stake that earned it
    due_cents: Int64s  # meaningless unless due_known
    due_known: Bools
    low_cents: Int64s  # bounds, meaningless unless bounded
    high_cents: Int64s
    bounded: Bools
    settled: Bools
    actual_cents: Int64s  # meaningless unless settled
    line: Int32s  # paytable line that decides: index into the game's line table; -1 none


@dataclass(slots=True, kw_only=True)
class PayRow:
    """How the pays of one wager under one table opening fit another paytable, so far."""

    table_id: str
    opening_seq: int
    game: int
    gaming_day: str
    wager: int
    posted: str
    other: str
    fit: PayFit


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Verdict:
    """Findings in the contract's order, and the rows they rest on."""

    findings: list[Finding]
    rounds: RoundColumns
    wagers: WagerColumns | None
    """None unless they were asked for."""
    pays: list[PayRow]
    """For every opening that the stretch touches, as of the end of the stretch."""
