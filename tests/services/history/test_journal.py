"""Events are kept once; of two contents under one id or place the first to arrive stands."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.decode.batch import DeadLetter
from services.history import journal as journal_module
from services.history.digests import events_digest
from services.history.journal import Journal
from services.history.store import History
from services.history.verify import problems_of
from tests.services.history.build import (
    Event,
    append,
    arrow,
    emptied,
    evening,
    event_id,
    opened,
    round_opened,
    wager,
)


def model(arrivals: list[Event]) -> list[tuple[Event, bool]]:
    """What is kept and whether it stands, one event at a time, as the contract says it."""
    kept: list[tuple[Event, bool]] = []
    for arrived in arrivals:
        if any(arrived == before for before, _ in kept):
            continue
        stands = not any(
            before["event_id"] == arrived["event_id"]
            or (before["table_id"], before["seq"]) == (arrived["table_id"], arrived["seq"])
            for before, _ in kept
        )
        kept.append((arrived, stands))
    return kept


def stored(history: History) -> list[tuple[str, str, int, int, bool]]:
    return history.rows(
        "SELECT event_id::VARCHAR, table_id, seq, amount_cents, standing FROM events "
        "ORDER BY event_no"
    )


ARRIVALS = st.lists(
    st.builds(
        lambda table, seq, name, cents: wager(table, seq, "r", cents, name=name),
        st.sampled_from("AB"),
        st.integers(1, 3),
        st.sampled_from("xyz"),
        st.sampled_from([100, 200]),
    ),
    max_size=14,
)


@pytest.fixture(scope="module")
def shared() -> Iterator[History]:
    """One history for all examples."""
    with History.open() as history:
        yield history


@settings(max_examples=50, deadline=None)
@given(
    arrivals=ARRIVALS,
    cuts=st.lists(st.integers(0, 14), max_size=3),
    commits=st.lists(st.booleans(), max_size=4),
)
def test_any_arrival_in_any_split_is_decided_as_one_by_one(
    shared: History, arrivals: list[Event], cuts: list[int], commits: list[bool]
) -> None:
    bounds = [0, *sorted(cuts), len(arrivals)]
    batches = [arrivals[a:b] for a, b in pairwise(bounds)]
    groups: list[list[list[Event]]] = [[]]
    for batch, commit in zip(batches, [*commits, *[False] * 9], strict=False):
        groups[-1].append(batch)
        if commit:
            groups.append([])
    expected = [
        (e["event_id"], e["table_id"], e["seq"], e["amount_cents"], stands)
        for e, stands in model(arrivals)
    ]
    history = emptied(shared)
    totals = [append(history, *group) for group in groups]
    assert stored(history) == expected
    assert sum(total.events for total in totals) == len(expected)
    assert sum(total.redelivered for total in totals) == len(arrivals) - len(expected)
    assert sum(total.conflicts for total in totals) == sum(not row[-1] for row in expected)
    assert not list(problems_of(history))


def test_buffers_smaller_than_a_batch_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    events = evening("A", 9) + evening("B", 9)
    with History.open() as history:
        append(history, events)
        whole = events_digest(history)
    monkeypatch.setattr(journal_module, "_BUFFER_ROWS", 4)
    monkeypatch.setattr(journal_module, "ROW_GROUP_ROWS", 3)
    with History.open() as history:
        append(history, *[events[at : at + 5] for at in range(0, len(events), 5)])
        assert events_digest(history) == whole


def test_every_field_is_stored_and_counts_in_the_digest() -> None:
    base = wager("A", 1, "r")
    others = {
        "occurred_at": 1,
        "recorded_by": "",
        "spot": 2,
        "hand": 2,
        "wager": 2,
        "bettor": 2,
        "paid_cents": 0,
        "player_id": "P",
        "place": 1,
        "card": "As",
        "card_code": 51,
        "face_up": False,
        "places": [],
        "decision": 1,
        "cards": [],
        "kept": 0,
        "kept_count": 0,
        "kept_bad": False,
        "outcome": 1,
        "reason": 1,
        "note": "",
        "authorised_by": "",
        "corrects": event_id("c"),
        "ruling": "",
        "dealer_id": "",
        "shoe_id": "",
        "decks": 1,
        "count": 1,
        "movement": 1,
        "game": 1,
        "gaming_day": date(2026, 3, 1),
        "currency": "",
        "spots": 1,
        "paytables": "",
        "minimum_cents": 1,
        "maximum_cents": 1,
        "house_way": "",
    }
    contents = [base, *[base | {name: value} for name, value in others.items()]]
    with History.open() as history:
        assert append(history, contents).redelivered == 0
        assert append(history, contents).redelivered == len(contents)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"recorded_by": "a", "round_id": "1:b"}, {"recorded_by": "a1:b", "round_id": ""}),
        ({"recorded_by": None}, {"recorded_by": ""}),
        ({"cards": ["As", "Kd"]}, {"cards": ["As,Kd"]}),
        ({"cards": ['"As'], "note": ""}, {"cards": [], "note": '"As'}),
        ({"spot": 1, "hand": 12}, {"spot": 11, "hand": 2}),
        ({"places": [1, 2]}, {"places": [2, 1]}),
        ({"note": "a\x00b"}, {"note": "a\x00c"}),
    ],
)
def test_no_two_contents_are_spelled_alike(one: Event, other: Event) -> None:
    base = wager("A", 1, "r")
    with History.open() as history:
        assert append(history, [base | one, base | other]).events == 2


def test_words_are_stored_where_the_engine_reads_numbers() -> None:
    with History.open() as history:
        append(history, [wager("A", 1, "r", places=[3, 4], outcome=4)])
        [row] = history.rows(
            "SELECT kind::VARCHAR, wager::VARCHAR, places::VARCHAR, outcome::VARCHAR, "
            "enum_code(outcome), epoch_us(occurred_at) FROM events"
        )
        assert row == (
            *("WagerPlaced", "FIRST_ANTE", "[LEFT, RIGHT]", "VOID", 4),
            1_772_396_105_000_000,
        )


def test_a_dead_letter_read_again_is_the_same_one() -> None:
    letters = [
        DeadLetter("a.jsonl", 3, "no JSON", b"{"),
        DeadLetter("a.jsonl", 4, "no JSON", b"{"),
        DeadLetter("b.jsonl", 3, "no JSON", b"{"),
    ]
    with History.open() as history:
        assert append(history, [], dead=letters).dead_letters == 3
        assert append(history, [], dead=letters).dead_letters == 0
        changed = DeadLetter("a.jsonl", 3, "no JSON", b"[")
        assert append(history, [], dead=[changed, changed]).dead_letters == 1
        assert history.count("SELECT count(*) FROM dead_letters") == 4


def test_touched_days_count_redelivered_events_too() -> None:
    first, second = date(2026, 3, 1), date(2026, 3, 2)
    events = [
        wager("A", 1, "r"),
        opened("A", 2, first),
        round_opened("A", 3, "r1"),
        opened("A", 5, second),
        round_opened("A", 6, "r2"),
        opened("B", 1, second),
    ]
    with History.open() as history:
        append(history, events)
        with history.transaction():
            journal = Journal(history)
            journal.append("b.jsonl", arrow([events[0], events[2], round_opened("A", 7, "r3")]))
            journal.decide()
            assert journal.changed_tables() == ["A"]
            assert journal.touched_days() == [("A", first), ("A", second), ("A", None)]
