"""Engine and oracle agree on Run'em Twice, whatever happens at the table."""

from __future__ import annotations

import pytest

from tests.property.compare import differences
from tests.property.weird_run_em_twice import stream

ROUNDS_EACH = 8


@pytest.mark.parametrize("seed", range(40))
def test_engine_and_oracle_agree(seed: int) -> None:
    assert differences(stream(seed, ROUNDS_EACH)) == []
