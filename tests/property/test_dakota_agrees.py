"""Engine and oracle agree on Dakota Duel Draw, whatever happens at the table."""

from __future__ import annotations

import os

import pytest

from tests.property.compare import differences
from tests.property.weird_dakota_duel_draw import stream

ROUNDS_EACH = 8
SEEDS = int(os.environ.get("PITPROOF_SEEDS", "40"))
"""How many streams: 40 in the default run, thousands for a soak."""


@pytest.mark.parametrize("seed", range(SEEDS))
def test_engine_and_oracle_agree(seed: int) -> None:
    assert differences(stream(seed, ROUNDS_EACH)) == []
