"""What a source of events rests on: positions, schemas, letters, changes and the last word."""

from __future__ import annotations

from dataclasses import replace

import pytest

from services.decode.batch import DeadLetter, TopicDeadLetter
from services.history.archive import (
    keep_registry_schema,
    keep_writer_schema,
    registry_schemas,
    writer_schemas,
)
from services.history.changes import (
    changes_after,
    last_change_no,
    latest_changes,
    mark_published,
    published_up_to,
)
from services.history.dead_letters import letters_of, mark_redriven
from services.history.errors import PositionMovedError
from services.history.positions import Position, begin_at, move_on, positions_of
from services.history.store import History
from services.history.verify import problems_of
from tests.services.history.build import append, as_kept, evening, event_id
from tests.services.history.test_verdicts import finding, judge


def test_a_position_moves_on_only_from_where_it_is() -> None:
    with History.open() as history:
        with history.transaction():
            begin_at(history, Position("t", "id", 0, 0))
            begin_at(history, Position("t", "id", 1, 7))
        with history.transaction():
            move_on(history, "t", {0: (0, 40), 1: (7, 9)})
        with pytest.raises(PositionMovedError, match="expected offset 0") as moved:
            with history.transaction():
                move_on(history, "t", {1: (9, 12), 0: (0, 60)})
        assert (moved.value.partition, moved.value.held) == (0, 40)
        with pytest.raises(PositionMovedError), history.transaction():
            begin_at(history, Position("t", "id", 1, 0))
        with pytest.raises(PositionMovedError, match="found nothing"), history.transaction():
            move_on(history, "t", {5: (0, 1)})
        assert {no: each.next_offset for no, each in positions_of(history, "t").items()} == {
            0: 40,
            1: 9,
        }
        assert positions_of(history, "other") == {}


def test_the_last_word_before_the_commit_undoes_all() -> None:
    def refuse() -> None:
        raise TimeoutError("fenced")

    with History.open() as history:
        append(history, evening("A", 1))
        with pytest.raises(TimeoutError), history.transaction(before_commit=refuse):
            begin_at(history, Position("t", "id", 0, 0))
        assert positions_of(history, "t") == {}
        said: list[int] = []

        def look() -> None:
            said.append(history.count("SELECT max(transaction_no) FROM transactions"))

        with history.transaction(before_commit=look) as number:
            begin_at(history, Position("t", "id", 0, 0))
        assert said == [number]
        assert not list(problems_of(history))


def test_schemas_are_kept_once() -> None:
    with History.open() as history:
        with history.transaction():
            assert keep_writer_schema(history, "00aa", "{}")
            assert not keep_writer_schema(history, "00aa", "{}")
            assert keep_registry_schema(history, 7, "{}")
            assert not keep_registry_schema(history, 7, "{}")
        assert writer_schemas(history) == {"00aa": "{}"}
        assert registry_schemas(history) == {7: "{}"}


def test_letters_of_a_topic_keep_what_they_came_with() -> None:
    letters = [
        TopicDeadLetter("t[0]", 5, "bad magic", b"x", key=b"k", sent_micros=1_000_000),
        TopicDeadLetter("t[0]", 6, "a tombstone", b"", tombstone=True),
        TopicDeadLetter("t[1]", 7, "too large", b"head", last_position=19),
        DeadLetter("a.jsonl", 1, "no JSON", b"{"),
    ]
    with History.open() as history:
        assert append(history, dead=[*letters, letters[0]]).dead_letters == 4
        assert append(history, dead=letters[:2]).dead_letters == 0
        kept = letters_of(history)
        assert [each.letter_no for each in kept] == [1, 2, 3, 4]
        assert [each.position for each in kept] == [5, 6, 7, 1]
        first, second, third, fourth = kept
        assert (first.key, first.raw, first.tombstone) == (b"k", b"x", False)
        assert first.sent_at is not None
        assert first.sent_at.timestamp() == 1.0
        assert second.tombstone
        assert third.last_position == 19
        assert fourth.key is None
        with history.transaction() as number:
            mark_redriven(history, [1])
        assert letters_of(history)[0].redriven_in == number
        assert [each.letter_no for each in letters_of(history, waiting_only=True)] == [2, 3, 4]
        assert [each.letter_no for each in letters_of(history, source="t[1]")] == [3]
        assert [each.letter_no for each in letters_of(history, error_part="magic")] == [1]
        assert [each.letter_no for each in letters_of(history, after_no=2, limit=1)] == [3]
        assert not list(problems_of(history))


def test_every_change_is_told_once_and_in_order() -> None:
    with as_kept() as history:
        append(history, evening("A", 2))
        judge(history, [finding(1, "A", 2, event_nos=(3, 1)), finding(2, "A", 9, event_nos=(2,))])
        judge(history, [finding(1, "A", 2, event_nos=(3, 1), actual_cents=5)])
        judge(history, [finding(1, "A", 2, event_nos=(3, 1), actual_cents=5)])
        told = changes_after(history, 0)
        assert [(each.change_no, each.change, each.finding.seq) for each in told] == [
            (1, "RAISED", 2),
            (2, "RAISED", 9),
            (3, "CHANGED", 2),
            (4, "WITHDRAWN", 9),
        ]
        assert told[2].finding.actual_cents == 5
        for spot, where in ((None, "A"), (3, "A seat 3")):
            said = replace(told[0], finding=replace(told[0].finding, spot=spot, round_id=None))
            assert said.words == f"RAISED {said.finding.code} {where}: {said.finding.message}"
        assert told[0].event_ids == (event_id(("A", 3)), event_id(("A", 1)))
        assert len({each.change_id for each in told}) == 4
        assert changes_after(history, 0) == told
        assert changes_after(history, 1, limit=2) == told[1:3]
        assert last_change_no(history) == 4
        last = latest_changes(history, ["A"])
        assert {each.change for each in last.values()} == {"CHANGED", "WITHDRAWN"}
        assert published_up_to(history, "f") == 0
        with history.transaction():
            mark_published(history, "f", 3)
            mark_published(history, "f", 2)
        assert published_up_to(history, "f") == 3


def test_changes_are_told_across_holes_in_their_numbers() -> None:
    with as_kept() as history:
        append(history, evening("A", 2))
        judge(history, [finding(n, "A", n, event_nos=(n,)) for n in range(1, 5)])
        history.run("UPDATE finding_changes SET event_nos = [change_no, 9999]")
        history.run("UPDATE finding_changes SET change_no = change_no + 5000 WHERE change_no > 2")
        assert [each.change_no for each in changes_after(history, 0)] == [1, 2]
        told = changes_after(history, 2)
        assert [each.change_no for each in told] == [5_003, 5_004]
        assert told[0].event_ids == (event_id(("A", 3)),)
        assert changes_after(history, 5_004) == []
