"""What comes first into a history is told to be all different only where it is."""

from typing import Any

import pyarrow as pa
import pytest

from services.history import seen
from services.history.seen import Seen
from tests.services.history.build import arrow, event_id, wager

A_DOZEN = [wager("AB"[n % 2], 1 + n // 2, "R") for n in range(12)]


def all_differ(*batches: list[dict[str, Any]]) -> bool:
    told = Seen()
    for batch in batches:
        told.add(arrow(batch))
    return told.all_differ()


def all_differ_of(events: pa.Table) -> bool:
    told = Seen()
    told.add(events)
    return told.all_differ()


def test_different_ids_and_rising_numbers() -> None:
    assert all_differ(A_DOZEN)
    assert all_differ(*([each] for each in A_DOZEN))
    assert all_differ(A_DOZEN[:5], A_DOZEN[5:])
    assert all_differ_of(pa.concat_tables([arrow(A_DOZEN)[:0], arrow(A_DOZEN)]))
    many = arrow([wager("A", seq, "R") for seq in range(1, 5_000)])
    assert all_differ_of(many.slice(100))
    assert not all_differ_of(pa.concat_tables([many.slice(100), many.slice(200, 4_500)]))
    sliced = Seen()
    sliced.add(arrow(A_DOZEN).slice(3, 5))
    sliced.add(arrow(A_DOZEN).slice(8))
    assert sliced.all_differ()


@pytest.mark.parametrize("twin", range(12))
@pytest.mark.parametrize("at_once", [True, False])
def test_an_id_that_came_before(twin: int, at_once: bool) -> None:
    again = wager("C", 1, "R") | {"event_id": A_DOZEN[twin]["event_id"]}
    assert not (all_differ([*A_DOZEN, again]) if at_once else all_differ(A_DOZEN, [again]))


@pytest.mark.parametrize("seq", [6, 3])
@pytest.mark.parametrize("at_once", [True, False])
def test_a_place_that_was_taken_or_passed(seq: int, at_once: bool) -> None:
    again = wager("B", seq, "R", name="other")
    assert not (all_differ([*A_DOZEN, again]) if at_once else all_differ(A_DOZEN, [again]))


@pytest.mark.parametrize("at", [at for at in range(36) if at not in (8, 13, 18, 23)])
def test_every_digit_of_an_id_counts(at: int) -> None:
    known = event_id("A")
    other = known[:at] + ("0" if known[at] != "0" else "1") + known[at + 1 :]
    assert all_differ([wager("A", 1, "R"), wager("A", 2, "R") | {"event_id": known}])
    two = [wager("A", n + 1, "R") | {"event_id": each} for n, each in enumerate((known, other))]
    assert all_differ(two)


def test_more_than_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seen, "EVENTS_MAX", 12)
    assert all_differ(A_DOZEN)
    assert not all_differ(A_DOZEN, [wager("C", 1, "R")])
