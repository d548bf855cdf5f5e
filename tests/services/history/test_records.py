"""What was done to a history is entered once, in order, under the chain of its transactions."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from services.history.prefix import journal_up_to
from services.history.records import GAP_RELEASED, Record, enter, records_of
from services.history.store import History
from services.history.verify import problems_of
from tests.services.history.build import append, evening

AT = datetime(2026, 5, 1, 12, tzinfo=UTC)


def entered(history: History) -> None:
    with history.transaction():
        enter(history, "alert_cleared", by="Ann", fields={"why": "seen: “ok”", "id": 7}, at=AT)
        enter(history, "other", by="Bob", table_id="A", fields={})
    with history.transaction():
        enter(history, "alert_cleared", by="Bob", fields={"id": 8})


def test_records_of_a_kind_come_back_in_order() -> None:
    with History.open() as history:
        entered(history)
        first, second = records_of(history, "alert_cleared")
        assert first == Record(
            record_no=1,
            transaction_no=1,
            kind="alert_cleared",
            table_id=None,
            at=AT,
            by="Ann",
            fields={"why": "seen: “ok”", "id": 7},
        )
        assert (second.record_no, second.transaction_no, second.fields) == (3, 2, {"id": 8})
        assert records_of(history, "alert_cleared", after_no=1) == [second]
        assert records_of(history, GAP_RELEASED) == []


def test_records_are_seen_as_of_a_transaction() -> None:
    with History.open() as history:
        entered(history)
        with journal_up_to(history, 1) as then:
            assert [each.record_no for each in records_of(then, "alert_cleared")] == [1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("UPDATE records SET fields = '{}' WHERE record_no = 1", "is not the one that was entered"),
        ("UPDATE records SET digest = uuid() WHERE record_no = 1", "what it brought"),
        ("DELETE FROM records WHERE record_no = 2", "records of its own were removed"),
        ("UPDATE records SET kind = 'gap_released', fields = '{'", "is not the one"),
    ],
)
def test_a_record_changed_behind_our_back_is_noticed(
    tmp_path: Path, change: str, message: str
) -> None:
    with History.open(tmp_path / "h.db") as history:
        append(history, evening("A", 2))
        entered(history)
        assert list(problems_of(history)) == []
        history.run(change)
        assert any(message in problem.message for problem in problems_of(history))
        assert history.rows("SELECT DISTINCT first_missing_seq FROM releases") in ([], [(None,)])
