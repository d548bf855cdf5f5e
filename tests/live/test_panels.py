"""Dashboards after an evening: every query of every panel has an answer, from a real Prometheus."""

import contextlib
import math
import time
from collections.abc import Iterator

import pytest

from services.api.address import read_address
from tests.dashboards.boards import Query, queries
from tests.live.conftest import topics_of
from tests.live.monitoring import Watch, watching
from tests.live.serving import Stage, evening, pitproof, send, wait_until

pytestmark = pytest.mark.real_kafka

PARTS = 6
ALL_OF_IT = "30m"
VALUES = {"game": ".*", "table": "DD-01", "instance": ".*"}


@pytest.fixture(scope="module")
def watch(kafka: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watch]:
    """An evening played while Prometheus looks, with people who ask and verify."""
    folder = tmp_path_factory.mktemp("evening")
    with topics_of(kafka) as topic, contextlib.ExitStack() as stack:
        on = Stage(kafka, folder, topic(3), topic(2), topic(1))
        stack.enter_context(on.serving("--listen", "127.0.0.1:0"))
        wait_until(lambda: read_address(folder / "history.duckdb"), "the service answers")
        address = read_address(folder / "history.duckdb")
        assert address is not None
        seen = stack.enter_context(watching(folder, f"{address.host}:{address.port}"))
        rows = evening(rounds=20)
        wait_until(lambda: seen.query("pitproof_ready == 1"), "Prometheus has seen it ready")
        for part in range(PARTS):
            begin, end = (len(rows) * at // PARTS for at in (part, part + 1))
            send(on.servers, on.topic, rows[begin:end])
            pitproof("findings", "--db", folder / "history.duckdb", "--format", "json")
            time.sleep(1.1)
        assert pitproof("verify", "--db", folder / "history.duckdb").returncode == 0
        events = f"pitproof_history_events == {len(rows)}"
        wait_until(lambda: seen.query(events), "Prometheus has seen the whole evening")
        wait_until(lambda: seen.query("pitproof_verify_ok == 1"), "and the verification")
        yield seen


@pytest.mark.parametrize(
    "query", [*queries()], ids=lambda query: f"{query.board}: {query.panel}: {query.legend}"
)
def test_a_panel_has_something_to_show(watch: Watch, query: Query) -> None:
    found = watch.query(query.asked(**VALUES, __rate_interval=ALL_OF_IT))
    values = [float(one["value"][1]) for one in found]
    assert values, query.text
    assert not any(math.isnan(value) for value in values), query.text


def test_the_lists_of_variables_have_entries(watch: Watch) -> None:
    for name, label in (
        ("pitproof_rounds", "game"),
        ("pitproof_table_open", "table"),
        ("pitproof_build_info", "instance"),
    ):
        assert {one["metric"].get(label) for one in watch.query(name)} - {None}


def test_what_is_shown_is_what_the_history_holds(watch: Watch) -> None:
    (raised,) = watch.query('sum(pitproof_finding_changes_total{change="raised"})')
    (held,) = watch.query("sum(pitproof_findings)")
    (withdrawn,) = watch.query('sum(pitproof_finding_changes_total{change="withdrawn"})')
    assert float(held["value"][1]) == float(raised["value"][1]) - float(withdrawn["value"][1]) > 0
