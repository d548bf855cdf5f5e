"""Engine and oracle agree on Texas Shootout, whatever happens at the table.

A longer soak: `PITPROOF_SEEDS=2000 pytest tests/property/test_texas_agrees.py`.
"""

from __future__ import annotations

import os

import pytest

from tests.property.compare import differences
from tests.property.weird_texas_shootout import stream

SEEDS = int(os.environ.get("PITPROOF_SEEDS", "34"))
"""How many streams: 34 in the default run, thousands for a soak."""
ROUNDS_EACH = 3
TABLES = ("TS-01", "TS-02")
"""Judged together, so that rounds under several openings share a batch."""


@pytest.mark.parametrize("seed", range(SEEDS))
def test_engine_and_oracle_agree(seed: int) -> None:
    events = [event for table in TABLES for event in stream(seed, ROUNDS_EACH, table)]
    assert differences(events) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_engine_and_oracle_agree_with_many_unread_cards(seed: int) -> None:
    assert differences(stream(seed, ROUNDS_EACH, deep=True)) == []
