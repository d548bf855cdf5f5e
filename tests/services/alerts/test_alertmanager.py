"""Alertmanager gets labels that its routes go by, and is told anew, and when it is over."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest
import yaml

from services.alerts.alertmanager import REFRESH_SECONDS
from services.alerts.causes import ALERT_NAMES, DUTY, RUNBOOK, Kind
from services.alerts.channels import channel_of
from services.alerts.clearing import clear_alert
from services.alerts.told import Teller
from services.history.store import History
from services.settings import Settings
from tests.services.alerts.receiving import Receiving
from tests.services.alerts.scene import alertmanager, find, found, telling
from tests.tidy.project import ROOT

RULES = ROOT / "deploy" / "prometheus" / "rules" / "compliance.yml"


def posted(at: Receiving) -> list[dict[str, Any]]:
    """Every alert of every request."""
    return [one for got in at.taken for one in got]


def is_over(one: dict[str, Any]) -> bool:
    return datetime.fromisoformat(one["endsAt"]) <= datetime.now(UTC)


def test_what_it_is_sent(history: History, at: Receiving) -> None:
    find(history, found(2, cents=600_00), found(3, "DUPLICATE_CARD", None))
    receiver = alertmanager(at, token="t0ken")
    with telling(history, receiver, runbook_url="https://runbook"):
        at.await_taken(1)
    [got] = at.requests
    assert got.path == "/api/v2/alerts"
    assert got.headers["Authorization"] == "Bearer t0ken"
    deck, payout = sorted(got.said, key=lambda one: str(one["labels"]["alertname"]))
    assert {**payout["labels"], "alert_id": "…"} == {
        "alertname": "PitproofPayoutMismatch",
        "alert_id": "…",
        "cause": "payout",
        "code": "OVERPAID",
        "table": "A",
        "game": "RUN_EM_TWICE",
        "wager": "BIG_8",
        "severity": "critical",
        "team": "compliance",
        "path": "direct",
    }
    assert payout["annotations"]["runbook_url"] == "https://runbook#payout-mismatch"
    assert payout["annotations"]["summary"].startswith("table A pays big 8 too much since 20:15")
    assert payout["startsAt"].startswith("2026-03-01T20:15:")
    assert not is_over(payout)
    assert (deck["labels"]["duty"], deck["labels"]["severity"]) == (DUTY, "critical")
    assert "executive secretary" in deck["annotations"]["summary"]


def test_clearing_ends_it(history: History, at: Receiving) -> None:
    find(history, found(2))
    with telling(history, alertmanager(at)):
        [first] = at.await_taken(1)[0]
        teller, alert_id = Teller(Settings()), first["labels"]["alert_id"]
        clear_alert(history, teller, alert_id, by="R. Ames", why="retrained")
        [ended] = at.await_taken(2)[1]
    assert not is_over(first)
    assert is_over(ended)
    assert ended["labels"] == first["labels"]


def test_what_becomes_critical_is_another_to_it(history: History, at: Receiving) -> None:
    with telling(history, alertmanager(at)):
        find(history, found(2))
        at.await_taken(1)
        find(history, found(2, cents=600_00))
        at.await_taken(2)
        find(history)
        at.await_taken(3)
    said = [(one["labels"]["severity"], is_over(one)) for one in posted(at)]
    assert said == [
        ("warning", False),
        ("warning", True),
        ("critical", False),
        ("critical", True),
    ]


def test_it_is_told_anew(history: History, at: Receiving, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not sent again it takes for over."""
    assert REFRESH_SECONDS < 300, "Alertmanager's own resolve_timeout"
    monkeypatch.setattr("services.alerts.channels._Alertmanager.refresh_seconds", 0.1)
    find(history, found(2))
    with telling(history, alertmanager(at)):
        at.await_taken(3)
    assert len({one["labels"]["alert_id"] for one in posted(at)}) == 1
    assert not any(is_over(one) for one in posted(at))


@pytest.mark.parametrize("status", [400, 500])
def test_one_that_it_does_not_take_holds_up_no_other(
    history: History, at: Receiving, status: int
) -> None:
    """Several go in a request: after one that was not taken each goes by itself."""

    def is_liked(one: dict[str, Any]) -> bool:
        return str(one["labels"]["code"]) != "UNDERPAID"

    find(history, found(2), found(3), found(5, "UNDERPAID", -5_00), found(7, "WAGER_LATE", None))
    at.answer = lambda said: 200 if all(map(is_liked, said)) else status
    with telling(history, alertmanager(at)):
        at.await_taken(3)
        assert all(is_liked(one) for one in posted(at))
        at.answer = lambda said: 200
        at.await_taken(4)
    ids = [one["labels"]["alert_id"] for one in posted(at)]
    assert (len(ids), len(set(ids))) == (4, 4)


def test_names_are_those_of_rules_and_runbook() -> None:
    rules = {
        one["alert"]: one["annotations"]["runbook_url"].partition("#")[2]
        for group in yaml.safe_load(RULES.read_text("utf-8"))["groups"]
        for one in group["rules"]
    }
    assert {ALERT_NAMES[kind]: RUNBOOK[kind] for kind in Kind}.items() <= rules.items()
    runbook = (ROOT / "deploy" / "runbook.md").read_text("utf-8")
    sections = {
        re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-")
        for title in re.findall(r"^## (.+)$", runbook, flags=re.MULTILINE)
    }
    assert set(RUNBOOK.values()) <= sections


def test_a_test_is_no_alert(at: Receiving) -> None:
    answer = channel_of(alertmanager(at), "").test()
    assert (answer.status, answer.is_good) == (200, True)
    [one] = posted(at)
    assert one["labels"]["alertname"] == "PitproofTest"
