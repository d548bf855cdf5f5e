"""Alerts that are not what findings and records come to are seen by `verify`."""

import pytest

from services.alerts.clearing import clear_alert
from services.alerts.told import Teller
from services.history.store import History
from services.history.verify import problems_of
from services.settings import Settings
from tests.services.alerts.plain import held
from tests.services.alerts.scene import find, found


@pytest.fixture
def cleared(history: History) -> History:
    """Three findings of two causes, of which one is cleared."""
    find(history, found(2), found(4), found(3))
    alert_id = min(held(history).items(), key=lambda item: item[1]["findings"])[0]
    clear_alert(history, Teller(Settings()), alert_id, by="R. Ames", why="seen to")
    return history


def seen(history: History) -> set[str]:
    """Messages about alerts; the rest of the history was made up for the test."""
    told = [problem.message for problem in problems_of(history)]
    return {message for message in told if "alert" in message or "cause" in message}


def test_alerts_as_they_are(cleared: History) -> None:
    assert len(held(cleared)) == 1
    assert seen(cleared) == set()


def test_a_record_that_was_tampered_with_holds_up_nothing(cleared: History) -> None:
    cleared.run("UPDATE records SET fields = '{'")
    find(cleared, found(2), found(4), found(6))
    assert [one["findings"] for one in held(cleared).values()] == [3]
    assert "the record is not the one that was entered" in {
        problem.message for problem in problems_of(cleared)
    }


@pytest.mark.parametrize(
    ("sql", "part"),
    [
        ("DELETE FROM alerts", "not what its findings come to"),
        ("UPDATE alerts SET over_cents = 0", "not what its findings come to"),
        ("UPDATE alerts SET status = 'withdrawn'", "not what its findings come to"),
        ("DELETE FROM alert_findings WHERE NOT is_over", "under no cause"),
        ("UPDATE alert_findings SET is_over = true", "nobody cleared"),
        ("UPDATE alert_findings SET is_over = false", "nobody cleared"),
    ],
)
def test_what_was_changed_is_seen(cleared: History, sql: str, part: str) -> None:
    cleared.run(sql)
    assert any(part in message for message in seen(cleared))
