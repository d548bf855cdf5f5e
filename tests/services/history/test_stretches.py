"""Stretches hold every event in order, and never cut a round in two."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from datetime import date
from itertools import groupby
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replay.events import NO_INDEX, EventColumns, Stretch, TableOpening
from replay.vocabulary import CARD_UNREAD, EventKind
from services.history.store import History
from services.history.stretches import stretches
from tests.services.history.build import (
    Event,
    append,
    closed,
    corrected,
    dealt,
    emptied,
    evening,
    event,
    event_id,
    opened,
    round_opened,
    wager,
)

LOOKUPS = {"table": "table_ids", "round": "round_ids", "shoe": "shoe_ids", "player": "player_ids"}
ORDERED = "SELECT event_no FROM events ORDER BY table_id, seq, event_no"


def rows_of(events: EventColumns) -> list[dict[str, Any]]:
    """Rows with names in place of numbers, so that rows of different stretches compare."""
    named = LOOKUPS | {"dealer": "dealer_ids"}
    columns = {}
    for name in (f.name for f in fields(events)):
        column = getattr(events, name)
        if isinstance(column, np.ndarray) and len(column) == len(events) and "opened" not in name:
            columns[name] = column.tolist()
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    for row in rows:
        first = row["round"]
        row["opened"] = events.round_opened_seq[first].item() if first != NO_INDEX else None
        for name, names in named.items():
            row[name] = getattr(events, names)[row[name]] if row[name] != NO_INDEX else None
    return rows


def check_cuts(cut: list[Stretch]) -> None:
    """Each table's part ends at its end, or just before a standing `RoundOpened`."""
    rows = [row | {"part": n} for n, stretch in enumerate(cut) for row in rows_of(stretch.events)]
    ends = {
        (n, table): int(stretch.next_seq[i])
        for n, stretch in enumerate(cut)
        for i, table in enumerate(stretch.events.table_ids)
    }
    rows.sort(key=lambda row: (row["table"], row["part"]))
    for table, of_table in groupby(rows, key=lambda row: row["table"]):
        parts = [list(part) for _, part in groupby(of_table, key=lambda row: row["part"])]
        for part, following in zip(parts, [*parts[1:], None], strict=True):
            end = ends[part[0]["part"], table]
            if following is None:
                assert end == 0
                continue
            assert end == following[0]["seq"] > part[-1]["seq"]
            begun = [row for row in following if row["seq"] == end and row["standing"]]
            assert [row["kind"] for row in begun] == [EventKind.ROUND_OPENED]


def joined(cut: list[Stretch]) -> list[dict[str, Any]]:
    rows = [row for stretch in cut for row in rows_of(stretch.events)]
    return sorted(rows, key=lambda row: (row["table"], row["seq"], row["event_no"]))


@pytest.mark.parametrize("rows", [1, 2, 7, 30, 100_000])
def test_all_events_in_order_at_any_size(rows: int) -> None:
    events = evening("B", 5) + evening("A", 7, cards=20) + evening("C", 0) + evening("D", 1)
    with History.open() as history:
        append(history, events)
        cut = list(stretches(history, rows=rows))
        check_cuts(cut)
        whole = list(stretches(history, rows=10**6))
        assert len(whole) == 1
        assert joined(cut) == rows_of(whole[0].events)
        assert [row["event_no"] for row in joined(cut)] == [no for (no,) in history.rows(ORDERED)]
        assert rows > 2 or len(cut) >= 5 + 7  # about a round each


ARRIVING = st.lists(
    st.tuples(
        st.sampled_from("AB"),
        st.integers(1, 12),
        st.sampled_from(["open", "wager", "close", "deal", "correct"]),
        st.sampled_from(["r1", "r2", "r3"]),
        st.integers(0, 5),
    ),
    max_size=30,
)


def arrived(table: str, seq: int, kind: str, round_id: str, name: int) -> Event:
    if kind == "correct":
        return corrected(table, seq, round_id, event_id(name)) | {"event_id": event_id((seq, name))}
    makers: dict[str, Any] = {
        "open": round_opened,
        "wager": wager,
        "close": closed,
        "deal": dealt,
    }
    made: Event = makers[kind](table, seq, round_id)
    return made | {"event_id": event_id(name if name < 4 else seq)}


@pytest.fixture(scope="module")
def shared() -> Iterator[History]:
    """One history for all examples."""
    with History.open() as history:
        yield history


@settings(max_examples=25, deadline=None)
@given(arriving=ARRIVING, rows=st.sampled_from([1, 4, 9, 1000]))
def test_late_conflicting_and_stray_events_cut_alike(
    shared: History, arriving: list[tuple[str, int, str, str, int]], rows: int
) -> None:
    history = emptied(shared)
    append(history, [arrived(*words) for words in arriving])
    cut = list(stretches(history, rows=rows))
    check_cuts(cut)
    whole = list(stretches(history, rows=10**6))
    expected = [row for stretch in whole for row in rows_of(stretch.events)]
    assert joined(cut) == expected
    first_seq = {
        (t, r): seq
        for t, r, seq in history.rows(
            "SELECT table_id, round_id, min(seq) FROM events "
            "WHERE kind = 'RoundOpened' AND standing GROUP BY ALL"
        )
    }
    for row in expected:
        assert row["opened"] == first_seq.get((row["table"], row["round"]), 0)
    by_no = {row["event_no"]: row for row in expected}
    for stretch in cut:
        own = {row["event_no"] for row in rows_of(stretch.events)}
        due = [
            no
            for no, row in by_no.items()
            if row["corrects"] in own and no not in own and row["standing"]
        ]
        later = rows_of(stretch.later_corrections)
        assert [row["event_no"] for row in later] == due
        for row in later:
            assert {k: v for k, v in row.items() if k != "player"} == {
                k: v for k, v in by_no[row["event_no"]].items() if k != "player"
            }


def test_absent_fields_have_their_absent_values() -> None:
    with History.open() as history:
        append(history, [event(EventKind.TRAY_COUNTED, "A", 1, count=1, amount_cents=900)])
        [stretch] = stretches(history)
        [row] = rows_of(stretch.events)
        assert row["amount_cents"] == 900
        absent = {"round", "spot", "hand", "wager", "bettor", "player", "place", "card", "places"}
        absent |= {"decision", "kept", "kept_count", "kept_bad", "outcome", "reason", "shoe"}
        values = {name: row[name] for name in absent | {"decks", "corrects", "dealer"}}
        special = {"card": CARD_UNREAD, "kept": 2**32 - 1, "corrects": NO_INDEX}
        names = {"round": None, "player": None, "shoe": None, "dealer": None}
        assert values == dict.fromkeys(values, 0) | special | names
        for field in fields(EventColumns):
            annotated = {"Int64s": "int64", "Int32s": "int32", "Uint8s": "uint8", "Bools": "bool"}
            annotated |= {"Uint16s": "uint16", "Uint32s": "uint32"}
            if str(field.type) in annotated:
                for events in (stretch.events, stretch.later_corrections):
                    assert getattr(events, field.name).dtype == annotated[str(field.type)]


def test_fields_reach_the_engine() -> None:
    decision: dict[str, Any] = {"round_id": "r", "spot": 1, "hand": 1, "decision": 3}
    decision |= {"cards": ["As", "xx"], "kept": 0xFFFFFE33, "kept_count": 2, "kept_bad": True}
    settlement: dict[str, Any] = {"round_id": "r", "spot": 1, "hand": 2, "wager": 11, "bettor": 1}
    settlement |= {"outcome": 1, "paid_cents": 700}
    events = [
        opened("A", 1, minimum_cents=500, house_way="published-2011"),
        event(EventKind.SHOE_LOADED, "A", 2, shoe_id="S1", decks=6),
        round_opened("A", 3, "r", dealer_id="D", shoe_id="S1"),
        event(EventKind.CARDS_REVEALED, "A", 4, round_id="r", places=[3, 4, 3]),
        event(EventKind.DECISION_MADE, "A", 5, **decision),
        event(EventKind.WAGER_SETTLED, "A", 6, **settlement),
        event(EventKind.ROUND_VOIDED, "A", 7, round_id="r", reason=1),
    ]
    with History.open() as history:
        append(history, events)
        [stretch] = stretches(history)
        rows = rows_of(stretch.events)
        assert stretch.events.openings == {
            1: TableOpening(
                1, date(2026, 3, 1), 6, {"ultimate_pairs": "2"}, 500, None, "published-2011"
            )
        }
        assert (rows[1]["decks"], rows[1]["shoe"], rows[2]["shoe"]) == (6, "S1", "S1")
        assert rows[2]["dealer"] == "D"
        assert rows[3]["places"] == 0b11000
        assert (rows[4]["kept"], rows[4]["kept_count"], rows[4]["kept_bad"]) == (
            0xFFFFFE33,
            2,
            True,
        )
        assert (rows[5]["amount_cents"], rows[5]["outcome"], rows[5]["wager"]) == (700, 1, 11)
        assert rows[6]["reason"] == 1


def test_a_round_id_at_two_tables_is_two_rounds() -> None:
    with History.open() as history:
        append(history, [round_opened("A", 1, "r"), round_opened("B", 5, "r"), wager("A", 2, "r")])
        [stretch] = stretches(history)
        assert stretch.events.round.tolist() == [0, 0, 1]
        assert stretch.events.round_ids == ("r", "r")
        assert stretch.events.round_opened_seq.tolist() == [1, 5]


def test_chosen_tables_only_and_within_a_transaction_too() -> None:
    with History.open() as history:
        append(history, evening("A", 3) + evening("B", 3))
        assert {t for s in stretches(history, ["B"]) for t in s.events.table_ids} == {"B"}
        assert not list(stretches(history, []))
        with history.transaction():
            seen = [s.events.table_ids for s in stretches(history, rows=5)]
            assert len(seen) > 3
            assert history.count("SELECT count(*) FROM events") == sum(
                len(s.events) for s in stretches(history)
            )


def test_an_empty_history_has_no_stretch() -> None:
    with History.open() as history:
        assert not list(stretches(history))


@pytest.mark.parametrize("rows", [3, 10, 50])
def test_tables_in_turns_and_a_late_table_are_cut_alike(rows: int) -> None:
    """Three tables whose events come in turns, one of them with an event that comes late."""
    streams = [evening(table, 12, cards=number) for number, table in enumerate("ABC", start=2)]
    turns = [row for n in range(0, 100, 4) for stream in streams for row in stream[n : n + 4]]
    late = turns.pop(5)
    with History.open() as history:
        append(history, [*turns, late])
        cut = list(stretches(history, rows=rows))
        check_cuts(cut)
        [whole] = stretches(history, ["B", "C"], rows=1000)
        rest = [row for row in joined(cut) if row["table"] != late["table_id"]]
        expected = [row for row in rows_of(whole.events) if row["table"] != late["table_id"]]
        assert [row for row in rest if row["table"] in "BC"] == expected
        assert [row["event_no"] for row in joined(cut)] == [no for (no,) in history.rows(ORDERED)]
        assert len(cut) > 2
