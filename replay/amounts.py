"""Amounts that 64 bits may not hold: chips that add up, stakes times odds, bonuses together.

An amount on the wire has 64 bits, a sum or a product of some need not fit into as many. Where none
of a batch can run over, as nearly always, money is columns of 64-bit integers; else the same
columns hold Python's integers, in which nothing runs over, and every formula over money works on
either. What is stated at last, in findings, is an integer of the contract or not stated at all.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from replay.events import Bools, Int64s
from replay.findings import CENTS_MAX, CENTS_MIN

ODDS_MAX: Final = 8192
"""No paytable of the rulebook pays more for one; a unit of the envy bonus is its dollar."""


def may_run_over(cents_max: int, count: int) -> bool:
    """Whether a sum of so many amounts, each times any odds, may be more than 64 bits hold."""
    return max(cents_max, 1) * max(count, 1) * (ODDS_MAX + 1) > CENTS_MAX


def unbounded(cents: Int64s) -> Int64s:
    """The same amounts as Python's integers."""
    exact: Int64s = cents.astype(np.object_)
    return exact


def statable(cents: Int64s) -> Bools:
    """Which amounts a finding can state: any shape."""
    if cents.dtype != np.object_:
        return np.ones(cents.shape, np.bool_)
    within: Bools = (cents >= CENTS_MIN) & (cents <= CENTS_MAX)
    return within
