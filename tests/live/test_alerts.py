"""Alerts of a live service: whatever stops meanwhile, each arrives, and none twice."""

import itertools
import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.live.conftest import Topic
from tests.live.serving import Stage, evening, pitproof, send, wait_until
from tests.services.alerts.receiving import Receiving, receiving

pytestmark = pytest.mark.real_kafka

SECRET = "s3cret-of-the-test"


@pytest.fixture
def stage(kafka: str, topic: Topic, tmp_path: Path) -> Stage:
    return Stage(kafka, tmp_path, topic(1), topic(1), topic(1))


def open_alerts(on: Stage) -> dict[str, int]:
    """Id and count of every open alert, as the service says."""
    shown = pitproof("alerts", "--db", on.folder / "history.duckdb", "--format", "json")
    if shown.returncode == 2:
        return {}
    found: list[dict[str, Any]] = json.loads(shown.stdout)["alerts"]
    return {one["id"]: one["count"] for one in found}


def last_told(at: Receiving) -> dict[str, int]:
    """Id and the last count of every alert that was taken and not ended."""
    last = {alert_id: (count, status) for alert_id, count, status in at.told}
    return {alert_id: count for alert_id, (count, status) in last.items() if status == "open"}


@pytest.mark.parametrize("seconds_down", [2, pytest.param(60, marks=pytest.mark.slow)])
def test_a_receiver_down_and_the_service_killed(stage: Stage, seconds_down: int) -> None:
    on, rows = stage, evening(rounds=10, seed=5)
    cuts = [len(rows) * part // 4 for part in range(5)]
    quarters = [rows[a:b] for a, b in itertools.pairwise(cuts)]
    with receiving() as at:
        pass  # it has a port, and listens no more
    settings = {"PITPROOF_WEBHOOKS": f"pager={at.url}", "PITPROOF_WEBHOOK_SECRET": SECRET}
    send(on.servers, on.topic, quarters[0])
    with on.serving(**settings) as process:
        with receiving(at):
            wait_until(lambda: open_alerts(on), "an alert")
            wait_until(lambda: last_told(at) == open_alerts(on), "all that is open is told")
        send(on.servers, on.topic, quarters[1])
        wait_until(lambda: set(open_alerts(on)) - set(last_told(at)), "an alert that waits")
        wait_until(lambda: on.said("problem", code="alerts_undelivered"), "it is said")
        time.sleep(seconds_down)
        process.send_signal(signal.SIGKILL)
        process.wait()
    send(on.servers, on.topic, quarters[2] + quarters[3])
    with receiving(at), on.serving(**settings) as process:
        wait_until(lambda: on.said("answering") and on.committed(0) == len(rows), "all is read")
        wait_until(lambda: last_told(at) == open_alerts(on), "all that is open is told")
        assert at.twice() == []
        assert at.at_once_max == 1
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 0
    assert SECRET not in (on.folder / "history.duckdb.log").read_text()


def test_clearing_goes_through_the_service_and_is_told(stage: Stage) -> None:
    on, rows = stage, evening(rounds=6)
    send(on.servers, on.topic, rows)
    with receiving() as at:
        settings = {"PITPROOF_WEBHOOKS": f"pager={at.url}", "PITPROOF_WEBHOOK_SECRET": SECRET}
        with on.serving(**settings):
            wait_until(lambda: on.committed(0) == len(rows), "all is read")
            wait_until(lambda: last_told(at) == open_alerts(on) != {}, "all is told")
            alert_id = min(open_alerts(on))
            db = on.folder / "history.duckdb"
            tested = pitproof("alerts", "test", "--db", db)
            assert (tested.returncode, "took it" in tested.stdout) == (0, True), tested.stderr
            words = ("--by", "R. Ames", "--why", "retrained")
            assert pitproof("alerts", "clear", alert_id, "--db", db, *words).returncode == 0
            wait_until(lambda: (alert_id, 0, "cleared") in at.told, "the clearing is told")
            assert alert_id not in open_alerts(on)
