"""Metrics: declared once, listed for people, right by the history, and cheap to keep so."""

import itertools
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from services.audit import audit
from services.encode import json_line
from services.gauges import HistoryGauges
from services.history.store import History
from services.live.state import PartitionState, Problem, ServiceState, TransactionFacts
from services.metrics import OTHER_TABLES, Metrics, replace
from services.simulate.service import START, FloorPlan, simulate_floor
from tests.deploy.tools import tool
from tests.services.api.standing import Standing
from tests.tidy.project import ROOT

README = (ROOT / "dashboards" / "README.md").read_text("utf-8")
ROW = re.compile(r"^\| `(pitproof_\w+)` \| (\w+) \| ([\w, ]*) \| (.+) \|$", flags=re.MULTILINE)


def declared() -> dict[str, tuple[str, set[str]]]:
    """Name, as Prometheus shows it -> type and labels."""
    metrics = {}
    for one in Metrics().registry._collector_to_names:
        name = getattr(one, "_name", "process")
        kind, labels = getattr(one, "_type", ""), set(getattr(one, "_labelnames", ()))
        if kind == "counter":
            name += "_total"
        elif kind == "info":
            name, kind, labels = f"{name}_info", "gauge", {"version", "python"}
        metrics[name] = (kind, labels)
    del metrics["process"]
    return metrics


def test_the_list_and_the_code_are_one() -> None:
    listed = {
        name: (kind, {label for label in labels.replace(" ", "").split(",") if label})
        for name, kind, labels, _ in ROW.findall(README)
    }
    assert listed == declared()


def test_no_label_names_a_person_or_has_no_bound() -> None:
    allowed = (
        "cause change code game outcome partition python question receiver severity status table"
    )
    labels = {label for _, labels in declared().values() for label in labels}
    assert labels - {*allowed.split(), "version"} == set()


def test_tables_beyond_the_bound_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.metrics.TABLES_MAX", 2)
    metrics = Metrics()
    assert [metrics.table(name) for name in ("A", "B", "C", "A")] == ["A", "B", OTHER_TABLES, "A"]


def test_a_gauge_has_the_series_there_are() -> None:
    metrics = Metrics()
    replace(metrics.gaps, {("A",): 1, ("B",): 2})
    replace(metrics.gaps, {("B",): 3})
    assert metrics.registry.get_sample_value("pitproof_gaps", {"table": "A"}) is None
    assert metrics.registry.get_sample_value("pitproof_gaps", {"table": "B"}) == 3


def test_what_the_service_does_is_seen(stands: Standing) -> None:
    state = stands.state
    state.settled(True)
    state.owns({3: PartitionState(3, position=7, end=10, goal=5)})
    state.trouble(Problem("expired", "t[3]", "gone"))
    state.count("published", 2)
    state.count("rolled_back")
    state.committed(TransactionFacts(9, 5, 1, 0, 2, {"UNDERPAID RAISED": 3}, 0.2, (0.1, 0.4)))
    expected = {
        "pitproof_ready": 0,
        "pitproof_events_total": 5,
        "pitproof_dead_letters_total": 2,
        "pitproof_published_records_total": 2,
        "pitproof_produced_to_finding_seconds_count": 2,
        "pitproof_transaction_duration_seconds_count": 1,
        "pitproof_settle_duration_seconds_count": 1,
    }
    assert {name: stands.metric(name) for name in expected} == expected
    assert stands.metric("pitproof_partition_lag_records", partition="3") == 3
    assert stands.metric("pitproof_partition_caught_up", partition="3") == 1
    assert stands.metric("pitproof_problems", code="expired") == 1
    assert stands.metric("pitproof_transactions_total", outcome="rolled_back") == 1
    assert stands.metric("pitproof_finding_changes_total", code="UNDERPAID", change="raised") == 3
    state.owns({})
    state.solved("expired", "t[3]")
    assert stands.metric("pitproof_ready") == 1
    assert stands.metric("pitproof_partition_lag_records", partition="3") is None
    assert stands.metric("pitproof_problems", code="expired") is None


def test_what_the_history_holds_is_seen(stands: Standing) -> None:
    summary = stands.asked("/api/findings").said["summary"]
    game = {"game": "RUN_EM_TWICE"}
    assert stands.metric("pitproof_history_events") == summary["events"]
    assert stands.metric("pitproof_rounds", status="settled", **game) == summary["settled"]
    assert stands.metric("pitproof_wagers", **game) == summary["wagers"]
    assert stands.metric("pitproof_staked_cents", **game) == summary["staked_cents"]
    short = stands.metric("pitproof_underpaid_cents", table="RT-12", **game)
    net = summary["player_net_expected_cents"] - summary["player_net_actual_cents"]
    assert short == net > 0
    labels = {"code": "UNDERPAID", "severity": "critical", "table": "RT-12", **game}
    assert stands.metric("pitproof_findings", **labels) == 1
    alert = {"cause": "payout", "severity": "warning", "table": "RT-12", **game}
    assert stands.metric("pitproof_alerts_open", **alert) == 1
    assert stands.metric("pitproof_table_open", table="RT-12", **game) == 0


def test_a_verification_is_seen(stands: Standing) -> None:
    before = stands.metric("pitproof_verify_ok")
    assert before is not None
    assert before != before, "neither good nor bad before the first"
    stands.asked("/api/verify")
    assert stands.metric("pitproof_verify_ok") == 1
    assert (stands.metric("pitproof_verify_timestamp_seconds") or 0) > 1_700_000_000


def samples(metrics: Metrics) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in metrics.registry.collect()
        for sample in family.samples
        if sample.name.startswith("pitproof_")
        and "occurred_to" not in sample.name
        and sample.value == sample.value  # NaN: there was no verification
    }


def two_days() -> list[bytes]:
    """Two evenings of a small floor: the lines of its tables, in order of arrival."""
    last: Counter[str] = Counter()
    lines = []
    games = ("DAKOTA_DUEL_DRAW", "RUN_EM_TWICE")
    for day, faults in enumerate((("pays-wrong-row", "takes-a-push"), ("forgets-wager",))):
        plan = FloorPlan(
            games, rounds=5, seed=day, faults=faults, start=START + timedelta(days=day)
        )
        before = dict(last)
        for event in simulate_floor(plan).events():
            table = str(event["table_id"])
            event = {**event, "seq": event["seq"] + before.get(table, 0)}
            last[table] = max(last[table], event["seq"])
            lines.append(json_line(event))
    return lines


def test_looking_at_what_is_new_gives_what_looking_at_all_gives(tmp_path: Path) -> None:
    """Parts come out of order, some again, the first evening's middle long after the second's."""
    lines = two_days()
    n = len(lines) // 6
    parts = [lines[i * n : (i + 1) * n] for i in range(5)] + [lines[5 * n :]]
    path = tmp_path / "floor.db"
    followed = Metrics()
    gauges = HistoryGauges(followed)
    arrivals = (4, 0, 5, 0, 2, 1, 3)
    for number, which in enumerate(arrivals):
        file = tmp_path / f"{number}.jsonl"
        file.write_bytes(b"".join(parts[which]))
        audit([str(file)], db=str(path))
        with History.open(path, create=False) as history:
            gauges.look(history)
            gauges.look(history)
            anew = Metrics()
            HistoryGauges(anew).look(history)
        assert samples(followed) == samples(anew)
    assert samples(followed)["pitproof_history_events", ()] == len(lines)


def failing_once(at: int) -> Callable[..., list[Any]]:
    """`History.rows`, but that the one of that number fails."""
    real, asked = History.rows, itertools.count(1)

    def rows(history: History, sql: str, values: Sequence[object] = ()) -> list[Any]:
        if next(asked) == at:
            raise RuntimeError
        return real(history, sql, values)

    return rows


@pytest.mark.parametrize("at", [2, 5, 8, 9])
def test_a_look_that_failed_is_taken_again_and_counts_nothing_twice(
    stands: Standing, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    metrics, whole = Metrics(), Metrics()
    HistoryGauges(whole).look(stands.history)
    gauges = HistoryGauges(metrics)
    monkeypatch.setattr(History, "rows", failing_once(at))
    with pytest.raises(RuntimeError):
        gauges.look(stands.history)
    gauges.look(stands.history)
    assert samples(metrics) == samples(whole)


def test_a_look_does_not_read_everything_again(
    stands: Standing, monkeypatch: pytest.MonkeyPatch
) -> None:
    gauges = HistoryGauges(Metrics())
    gauges.look(stands.history)
    asked: list[str] = []

    def rows(_: History, sql: str, values: object = ()) -> list[tuple[None, ...]]:
        asked.append(sql)
        return [(None, None, None)]

    monkeypatch.setattr(History, "rows", rows)
    gauges.look(stands.history)
    assert len(asked) == 1, "without a new transaction one question is enough"


def test_promtool_has_nothing_against_them(stands: Standing) -> None:
    promtool = tool("promtool")
    stands.state.committed(TransactionFacts(9, 5, 1, 0, 2, {"UNDERPAID RAISED": 3}, 0.2, (0.1,)))
    text = stands.get("/metrics").body
    ended = subprocess.run(
        [promtool, "check", "metrics"], input=text, check=False, capture_output=True
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


def test_every_state_can_be_shown() -> None:
    metrics = Metrics()
    metrics.show(ServiceState().snapshot())
    assert b"pitproof_ready 0.0" in metrics.exposition()
