"""Amounts up to the last of 64 bits: engine and oracle agree, and nothing runs over."""

from __future__ import annotations

import os
from collections.abc import Callable
from random import Random

import pytest

from tests.property import weird_dakota_duel_draw, weird_run_em_twice, weird_texas_shootout
from tests.property.compare import differences
from tests.replay.streams import Event

STREAMS = (weird_run_em_twice.stream, weird_dakota_duel_draw.stream, weird_texas_shootout.stream)
SEEDS = int(os.environ.get("PITPROOF_SEEDS", "12"))
"""How many streams of each game: some in the default run, thousands for a soak."""

LARGE = (2**31, 2**53 + 1, 2**62, 2**63 - 1, (2**63 - 1) // 50, (2**63 - 1) // 5000, -(2**63))


def enlarged(events: list[Event], random: Random) -> list[Event]:
    """The same with some amounts as large as they can be, and others many times what they were."""
    share = random.choice((0.02, 0.3, 1))
    factor = random.choice((10**8, 10**12, 10**14))
    found = []
    for event in events:
        for name in ("amount_cents", "paid_cents"):
            if name in event and random.random() < share:
                many = min(event[name] * factor, 2**63 - 1)
                cents = random.choice((many, many, random.choice(LARGE)))
                event = event | {name: max(cents, 0 if name == "paid_cents" else cents)}
        found.append(event)
    return found


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("stream", STREAMS)
def test_engine_and_oracle_agree(stream: Callable[[int, int], list[Event]], seed: int) -> None:
    assert differences(enlarged(stream(seed, 6), Random(seed))) == []
