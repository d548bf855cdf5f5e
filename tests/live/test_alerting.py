"""Prometheus, Alertmanager and the shipped rules: wrong pays come out at a receiver, and clear."""

import contextlib
import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from services.broker.ports import free_ports
from services.simulate.service import FloorPlan, simulate_floor
from tests.live.conftest import Topic
from tests.live.monitoring import RUNBOOK, Notice, Watch, get, watching
from tests.live.serving import Stage, pitproof, send, wait_until

pytestmark = pytest.mark.real_kafka

PAYOUT = "PitproofPayoutMismatch"

# One second from the evaluation that finds it to the receiver; more where others use the machine.
DELAY_SECONDS_MAX = 1.0 * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))

HABIT_ROUNDS = 3


def floor() -> list[dict[str, Any]]:
    """A table of each game, with overpayments of several rounds and a duplicate card."""
    faults = ("pays-a-loser",) * HABIT_ROUNDS + ("duplicate-card",)
    plan = FloorPlan(tables=1, rounds=25, seed=5, faults=faults)
    return [dict(event) for event in simulate_floor(plan).events()]


class Floor:
    """A service that was watched while the floor played."""

    def __init__(self, stage: Stage, watch: Watch) -> None:
        self.stage, self.watch = stage, watch
        self.db = stage.folder / "history.duckdb"

    def alerts(self) -> list[dict[str, Any]]:
        """What is open, as people see it."""
        shown = pitproof("alerts", "--db", self.db, "--format", "json")
        assert shown.returncode in (0, 1), shown.stderr
        found: list[dict[str, Any]] = json.loads(shown.stdout)["alerts"]
        return found

    def clear(self, alert: dict[str, Any]) -> None:
        words = ("--by", "R. Ames", "--why", "dealer retrained")
        cleared = pitproof("alerts", "clear", alert["id"], "--db", self.db, *words)
        assert cleared.returncode == 0, cleared.stderr

    def payouts(self, status: str) -> Iterator[dict[str, Any]]:
        """Alerts about payouts that reached the receiver in that state."""
        for notice in self.watch.receiver.told(PAYOUT, status):
            yield from (one for one in notice.alerts if one["status"] == status)


@contextlib.contextmanager
def played(stage: Stage, folder: Path, *, tells_itself: bool) -> Iterator[Floor]:
    """The floor has played, and the service has settled it."""
    first = free_ports(3)
    target, ports = f"127.0.0.1:{first}", (first + 1, first + 2)
    told = f"alertmanager=http://127.0.0.1:{ports[1]}" if tells_itself else ""
    with (
        watching(folder, target, ports=ports) as watch,
        stage.serving(
            "--listen", target, PITPROOF_ALERTMANAGERS=told, PITPROOF_RUNBOOK_URL=RUNBOOK
        ),
    ):
        wait_until(lambda: watch.query("pitproof_ready == 1"), "Prometheus has seen it ready")
        rows = floor()
        send(stage.servers, stage.topic, rows)
        events = f"pitproof_history_events == {len(rows)}"
        wait_until(lambda: watch.query(events), "Prometheus has seen what the tables sent")
        yield Floor(stage, watch)


@pytest.fixture
def stage(kafka: str, topic: Topic, tmp_path: Path) -> Stage:
    return Stage(kafka, tmp_path, topic(3), topic(1), topic(1))


def test_wrong_pays_reach_a_receiver_by_table_and_are_cleared(stage: Stage, tmp_path: Path) -> None:
    with played(stage, tmp_path, tells_itself=False) as floor:
        watch = floor.watch
        causes = [one for one in floor.alerts() if one["cause"] == "payout"]
        tables = {one["table_id"] for one in causes}
        assert sum(one["rounds"] for one in causes) >= HABIT_ROUNDS
        assert tables

        def told() -> set[str]:
            return {one["labels"]["table"] for one in floor.payouts("firing")}

        wait_until(lambda: told() == tables, "the receiver knows of each table")
        first: dict[str, Notice] = {}
        for notice in watch.receiver.told(PAYOUT):
            (table,) = {one["labels"]["table"] for one in notice.alerts}
            first.setdefault(table, notice)
            assert notice.receiver == "compliance"
        active = {
            one["labels"]["table"]: datetime.fromisoformat(one["activeAt"]).timestamp()
            for one in watch.firing()
            if one["labels"]["alertname"] == PAYOUT
        }
        delays = {table: notice.at - active[table] for table, notice in first.items()}
        assert max(delays.values()) < DELAY_SECONDS_MAX
        # One a table and severity, however many rounds and causes there are.
        seen = Counter(
            (one["labels"]["table"], one["labels"]["severity"]) for one in floor.payouts("firing")
        )
        assert set(seen) == {(one["table_id"], one["severity"]) for one in causes}
        for one in floor.payouts("firing"):
            assert one["labels"]["path"] == "metrics"
            assert one["annotations"]["runbook_url"] == f"{RUNBOOK}#payout-mismatch"

        wait_until(lambda: watch.receiver.told("PitproofDeck"), "the receiver knows of the deck")
        duty = watch.receiver.told("PitproofDeck")
        assert {notice.receiver for notice in duty} == {"executive-secretary"}

        for cause in causes:
            floor.clear(cause)

        def over() -> set[str]:
            return {one["labels"]["table"] for one in floor.payouts("resolved")}

        wait_until(lambda: over() == tables, "the receiver knows that it is over")
        assert not watch.query('pitproof_alerts_open{cause="payout"}')
        assert watch.query('pitproof_alerts_open{cause="deck"}'), "others stay"


def test_what_pitproof_tells_by_itself_is_told_once(stage: Stage, tmp_path: Path) -> None:
    with played(stage, tmp_path, tells_itself=True) as floor:
        causes = {one["id"]: one for one in floor.alerts()}
        payouts = {name for name, one in causes.items() if one["cause"] == "payout"}
        assert payouts

        def told(status: str) -> set[str]:
            return {one["labels"]["alert_id"] for one in floor.payouts(status)}

        wait_until(lambda: told("firing") == payouts, "the receiver knows of each cause")
        for one in floor.payouts("firing"):
            assert one["labels"]["path"] == "direct"
        messages = {name: causes[name]["message"] for name in payouts}

        def summaries() -> dict[str, str]:
            """As Alertmanager has them; its receivers hear of what grew when it repeats itself."""
            return {
                one["labels"]["alert_id"]: one["annotations"]["summary"]
                for one in get(f"{floor.watch.alertmanager}/api/v2/alerts")
                if one["labels"]["alertname"] == PAYOUT
            }

        wait_until(lambda: summaries() == messages, "Alertmanager has what each cause grew to")
        for name in payouts:
            floor.clear(causes[name])
        wait_until(lambda: told("resolved") == payouts, "the receiver knows that they are over")
        time.sleep(3)  # the rules have looked again: what was cleared comes back by no other way
        paths = {
            alert["labels"]["path"]
            for notice in floor.watch.receiver.notices
            if notice.receiver != "operations"
            for alert in notice.alerts
        }
        assert paths == {"direct"}
