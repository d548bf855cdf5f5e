"""Engine and oracle agree on Dakota Duel Draw, whatever happens at the table."""

from __future__ import annotations

import os

import pytest

from tests.property.compare import differences
from tests.property.weird_dakota_duel_draw import stream

ROUNDS_EACH = 4
TABLES = ("DD-01", "DD-02")
"""Judged together, so that rounds under several openings share a batch."""
SEEDS = int(os.environ.get("PITPROOF_SEEDS", "40"))
"""How many streams: 40 in the default run, thousands for a soak."""


@pytest.mark.parametrize("seed", range(SEEDS))
def test_engine_and_oracle_agree(seed: int) -> None:
    events = [event for table in TABLES for event in stream(seed, ROUNDS_EACH, table)]
    assert differences(events) == []
