"""What a history keeps of its events in memory: whatever came before is known, however it came."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.history import live_index
from services.history.live_index import Ids, SortedRuns

BATCHES = st.lists(st.lists(st.integers(0, 40), max_size=12), max_size=12)


def keys_of(batch: list[int]) -> npt.NDArray[np.uint64]:
    return np.array(batch, np.uint64)


def spread(batch: list[int]) -> npt.NDArray[np.uint64]:
    """As ids are: they differ in what is looked at of them."""
    return keys_of(batch) << np.uint64(20)


@pytest.fixture(autouse=True, scope="module")
def _short_runs() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(live_index, "RUN_KEYS_MAX", 8)
        yield


@given(BATCHES, st.lists(st.integers(0, 45), max_size=12))
def test_what_came_in_any_batch_is_known(batches: list[list[int]], asked: list[int]) -> None:
    held, came = SortedRuns(), {key for batch in batches for key in batch}
    for batch in batches:
        held.add(keys_of(batch), np.zeros(0, np.int64))
    assert held.hits(keys_of(asked)).tolist() == [key in came for key in asked]


@given(BATCHES)
def test_each_key_is_counted_with_the_least_of_its_numbers(batches: list[list[int]]) -> None:
    held, numbers, number = SortedRuns(), dict[int, list[int]](), 0
    for batch in batches:
        for key in batch:
            numbers.setdefault(key, []).append(number := number + 1)
        held.add(keys_of(batch), np.arange(number - len(batch) + 1, number + 1))
    asked = list(range(42))
    count, least = held.counts(keys_of(asked))
    assert count.tolist() == [len(numbers.get(key, [])) for key in asked]
    assert least.tolist() == [min(numbers.get(key, [0])) for key in asked]


def test_runs_are_joined_up_to_a_length() -> None:
    held = SortedRuns()
    for key in range(100):
        held.add(keys_of([key]), np.zeros(0, np.int64))
    lengths = [len(keys) for keys, _ in held.runs]
    assert sum(lengths) == 100
    assert max(lengths) == 8
    assert Counter(lengths)[8] >= 10


@given(BATCHES, st.lists(st.integers(0, 45), max_size=12))
def test_ids_are_known_whether_they_are_packed_or_not(
    batches: list[list[int]], asked: list[int]
) -> None:
    held, came = Ids(), {key for batch in batches for key in batch}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(live_index, "PACKED_KEYS_MIN", 5)
        patched.setattr(live_index, "PACKED_KEYS_MAX", 20)
        for batch in batches:
            held.add(spread(batch))
    assert bool(held.packed) or len(came) < 5 or max(map(len, batches)) < 5
    assert held.hits(spread(asked)).tolist() == [key in came for key in asked]


def test_packed_ids_are_joined_up_to_a_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_index, "PACKED_KEYS_MIN", 8)
    monkeypatch.setattr(live_index, "PACKED_KEYS_MAX", 32)
    held = Ids()
    for first in range(0, 400, 8):
        held.add(spread(list(range(first, first + 8))))
    assert [len(packed.rests) for packed in held.packed] == [24] * 16 + [16]
    assert held.hits(spread(list(range(500)))).tolist() == [key < 400 for key in range(500)]
