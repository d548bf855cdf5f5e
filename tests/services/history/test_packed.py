"""Packed keys are all found, and hardly anything else is."""

import numpy as np
import pytest

from services.history.packed import PackedKeys


@pytest.mark.parametrize("count", [1, 2, 1_000, 300_000])
def test_what_is_held_is_found_and_nothing_else(count: int) -> None:
    drawn = np.random.default_rng(count).integers(0, 2**64, 2 * count, np.uint64, endpoint=False)
    held, others = drawn[:count], drawn[count:]
    packed = PackedKeys.of(np.sort(held))
    assert packed.hits(held).all()
    assert not packed.hits(others).any()
    assert not packed.hits(held ^ np.uint64(1 << 40)).any()
    assert packed.hits(np.zeros(0, np.uint64)).tolist() == []
    assert packed.rests.nbytes == 4 * count


def test_keys_of_one_part() -> None:
    held = np.arange(0, 200 << 16, 2 << 16, dtype=np.uint64)
    packed = PackedKeys.of(held)
    asked = np.arange(0, 300 << 16, 1 << 16, dtype=np.uint64)
    assert packed.hits(asked).tolist() == [key in held for key in asked]


def test_joined_they_are_those_of_both() -> None:
    drawn = np.random.default_rng(5).integers(0, 2**64, 90_000, np.uint64)
    some, others = np.sort(drawn[:30_000]), np.sort(drawn[30_000:])
    both = PackedKeys.of(some).joined(PackedKeys.of(others))
    whole = PackedKeys.of(np.sort(drawn))
    assert both.starts.tolist() == whole.starts.tolist()
    assert both.rests.tolist() == whole.rests.tolist()
    alone = PackedKeys.of(some).joined(PackedKeys.of(np.zeros(0, np.uint64)))
    assert alone.rests.tolist() == PackedKeys.of(some).rests.tolist()
