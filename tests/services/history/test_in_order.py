"""Streams read in the order of arrival come out in their own, cut between rounds, at any size."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replay.events import Stretch
from services.history.arrival import arrival_of, steps_of
from services.history.in_order import stretches_in_order
from services.history.looked_up import LookUps
from services.history.store import History
from services.history.stretches import stretches
from tests.services.history.build import Event, append, emptied, evening
from tests.services.history.test_stretches import ARRIVING, arrived, check_cuts, joined, rows_of


def in_order(
    history: History,
    tables: Sequence[str] | None = None,
    *,
    run: int,
    rows: int,
    late: int,
    ahead: bool = False,
) -> list[Stretch]:
    return list(begun(history, tables, run=run, rows=rows, late=late, ahead=ahead))


def begun(
    history: History,
    tables: Sequence[str] | None = None,
    *,
    run: int,
    rows: int,
    late: int,
    ahead: bool,
) -> Generator[Stretch, None, None]:
    arrival = arrival_of(history, tables, run)
    look_ups = LookUps(history, sorted(arrival.counts()))
    return stretches_in_order(
        history, arrival, look_ups, rows=rows, late_rows_max=late, reads_ahead=ahead
    )


def expected(history: History, tables: Sequence[str] | None = None) -> list[dict[str, Any]]:
    whole = list(stretches(history, tables, rows=10**6))
    return [row for stretch in whole for row in rows_of(stretch.events)]


@pytest.fixture(scope="module")
def shared() -> Iterator[History]:
    """One history for all examples."""
    with History.open() as history:
        yield history


SIZES = {
    "run": st.sampled_from([1, 3, 8, 1_000]),
    "rows": st.sampled_from([1, 4, 9, 1_000]),
    "late": st.sampled_from([0, 3, 1_000]),
    "ahead": st.booleans(),
}


@settings(max_examples=25, deadline=None)
@given(arriving=ARRIVING, **SIZES)
def test_late_conflicting_and_stray_events_come_out_in_order(
    shared: History,
    arriving: list[tuple[str, int, str, str, int]],
    run: int,
    rows: int,
    late: int,
    ahead: bool,
) -> None:
    history = emptied(shared)
    append(history, [arrived(*words) for words in arriving])
    cut = in_order(history, run=run, rows=rows, late=late, ahead=ahead)
    check_cuts(cut)
    assert joined(cut) == expected(history)


@pytest.mark.parametrize("late", [0, 50, 1_000])
@pytest.mark.parametrize("run", [7, 60])
@pytest.mark.parametrize("rows", [1, 25, 1_000])
def test_a_day_that_comes_before_the_one_before(run: int, rows: int, late: int) -> None:
    first, second = evening("A", 12), evening("A", 12, first_seq=300)
    other = evening("B", 20)
    with History.open() as history:
        for events in (second, other[:60], first, other[60:]):
            append(history, events)
        cut = in_order(history, run=run, rows=rows, late=late)
        check_cuts(cut)
        assert joined(cut) == expected(history)
        tables = [set(stretch.events.table_ids) for stretch in cut]
        assert {"A"} in tables or rows == 1_000  # of which much is late, it is read by itself


def test_whoever_leaves_early_leaves_nobody_reading() -> None:
    with History.open() as history:
        append(history, evening("A", 30))
        before = threading.active_count()
        cut = begun(history, run=7, rows=10, late=0, ahead=True)
        assert len(next(cut).events) < 30
        cut.close()
        assert threading.active_count() == before


def test_tables_in_turns_are_cut_together() -> None:
    streams = [evening(table, 30, cards=number) for number, table in enumerate("ABC", start=2)]
    turns: list[Event] = [row for n in range(0, 300, 5) for s in streams for row in s[n : n + 5]]
    with History.open() as history:
        append(history, turns)
        cut = in_order(history, run=50, rows=100, late=1_000)
        check_cuts(cut)
        assert joined(cut) == expected(history)
        assert [len(stretch.events.table_ids) for stretch in cut[:-1]] == [3] * (len(cut) - 1)
        assert all(40 < len(stretch.events) < 160 for stretch in cut[:-1])
        for tables in (["B"], ["A", "C"]):
            some = in_order(history, tables, run=50, rows=100, late=1_000)
            assert joined(some) == expected(history, tables)


def test_shares_are_alike_and_hold_every_table_once() -> None:
    with History.open() as history:
        for number in range(12):
            append(history, evening(f"T-{number:02}", 5))
        arrival = arrival_of(history, run_events=20)
        shares = arrival.shares(3)
        counts = [share.counts() for share in shares]
        assert [len(each) for each in counts] == [4, 4, 4]
        assert {name: n for each in counts for name, n in each.items()} == arrival.counts()
        a_table = max(arrival.counts().values())
        ahead = arrival.shares(3, ahead=3 * a_table)
        assert [len(each.counts()) for each in ahead] == [6, 3, 3]
        assert arrival.shares(50)[0].counts().keys() == {"T-00"}
        alone = arrival.shares(1)[0]
        assert (alone.met, alone.shared) == (arrival.met, frozenset())
        for share in shares:  # what others share is told apart only where it is near
            own = set(share.counts())
            for step in steps_of(share, 40):
                found = history.rows(
                    "SELECT DISTINCT table_id FROM events WHERE event_no BETWEEN ? AND ?",
                    [step.first_no, step.last_no],
                )
                assert step.shared or {table_id for (table_id,) in found} <= own
