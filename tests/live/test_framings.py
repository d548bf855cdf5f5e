"""Both framings, a registry that comes late, and letters that come in after all."""

import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from services import schemas
from services.encode import single_object
from tests.live.conftest import Topic
from tests.live.serving import Stage, evening, pitproof, send_raw, wait_until
from tests.services.live.registry_server import Server, registry_server

pytestmark = pytest.mark.real_kafka

IDS = {name: number for number, name in enumerate(schemas.RECORD_NAMES, start=100)}


@pytest.fixture
def registry() -> Iterator[Server]:
    with registry_server() as server:
        yield server


@pytest.fixture
def stage(kafka: str, topic: Topic, tmp_path: Path) -> Callable[[], Stage]:
    return lambda: Stage(kafka, tmp_path, topic(2), topic(1), topic(1))


def register(registry: Server, *names: str) -> None:
    for name in names:
        schema = json.dumps(schemas.record_schema(name))
        registry.schemas[IDS[name]] = {"schema": schema}


def framed(row: dict[str, Any]) -> tuple[bytes, bytes]:
    """Confluent's framing for every second event of a table."""
    value = single_object(row)
    if row["seq"] % 2:
        value = b"\x00" + IDS[row["type"]].to_bytes(4, "big") + value[10:]
    return row["table_id"].encode(), value


def test_both_framings_and_what_is_registered_late(
    stage: Callable[[], Stage], registry: Server
) -> None:
    on, rows = stage(), evening(rounds=6)
    late = {"WagerSettled", "CardDealt"}
    register(registry, *(set(schemas.RECORD_NAMES) - late))
    send_raw(on.servers, on.topic, map(framed, rows))
    flags = ("--schema-registry", registry.url)
    assert on.to_end(*flags).returncode == 1
    missing = [row for row in rows if row["type"] in late and row["seq"] % 2]
    assert on.verified()["events"] == len(rows) - len(missing)
    asked = ("redrive", "--db", on.folder / "history.duckdb", *flags, "--format", "json")
    counted = json.loads(pitproof(*asked, "--dry-run").stdout)
    assert (counted["letters"], counted["came_in"]) == (len(missing), 0)
    register(registry, "WagerSettled")
    settled = sum(row["type"] == "WagerSettled" for row in missing)
    assert json.loads(pitproof(*asked, "--dry-run").stdout)["came_in"] == settled
    refused = pitproof(*asked)
    assert refused.returncode == 2
    assert "--yes" in refused.stderr
    assert on.verified()["events"] == len(rows) - len(missing)
    register(registry, "CardDealt")
    only = pitproof(*asked, "--yes", "--error", f"schema {IDS['WagerSettled']}", "--source", "x[0]")
    assert json.loads(only.stdout)["letters"] == 0
    done = json.loads(pitproof(*asked, "--yes").stdout)
    assert (done["came_in"], done["events"], done["stay"]) == (len(missing), len(missing), {})
    assert on.verified() == on.audited(rows)
    # The schemas are in the history: the registry is not needed any more for what they wrote.
    send_raw(on.servers, on.topic, [framed(rows[0])])
    assert on.to_end().returncode == 1
    assert on.verified() == on.audited(rows)
    assert on.current() == on.held()


def test_a_redrive_asks_the_registry_of_the_service(
    stage: Callable[[], Stage], registry: Server
) -> None:
    on, rows = stage(), evening(rounds=4)
    register(registry, *(set(schemas.RECORD_NAMES) - {"WagerSettled"}))
    send_raw(on.servers, on.topic, map(framed, rows))
    missing = sum(row["type"] == "WagerSettled" and row["seq"] % 2 for row in rows)
    asked = ("redrive", "--db", on.folder / "history.duckdb", "--format", "json", "--yes")
    with on.serving("--schema-registry", registry.url):
        wait_until(
            lambda: sum(on.committed(one) or 0 for one in range(2)) == len(rows), "all is read"
        )
        register(registry, "WagerSettled")
        assert json.loads(pitproof(*asked).stdout)["came_in"] == missing
        expected = on.audited(rows)
        wait_until(lambda: len(on.current()) == expected["findings"], "what it brought is out")
    assert on.verified() == expected
    assert on.current() == on.held()


def test_a_registry_that_is_away_is_waited_for(
    stage: Callable[[], Stage], registry: Server
) -> None:
    on, rows = stage(), evening(rounds=4)
    registry.status = 503
    register(registry, *schemas.RECORD_NAMES)
    send_raw(on.servers, on.topic, map(framed, rows))
    with on.serving("--schema-registry", registry.url) as process:
        wait_until(lambda: on.said("problem", code="registry"), "it is said")
        registry.status = None
        wait_until(lambda: on.said("solved", code="registry"), "it goes on by itself")
        wait_until(lambda: len(on.current()) == on.audited(rows)["findings"], "findings")
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
    assert on.verified() == on.audited(rows)


def test_a_raised_limit_lets_a_batch_in(stage: Callable[[], Stage]) -> None:
    on, rows = stage(), evening(rounds=4)
    records = [(row["table_id"].encode(), single_object(row)) for row in rows]
    send_raw(on.servers, on.topic, records, compression_type="gzip", linger_ms=300)
    on.environment["PITPROOF_BATCH_BYTES_MAX"] = "2000"
    assert on.to_end().returncode == 1
    assert on.verified()["events"] < len(rows)
    asked = ("redrive", "--db", on.folder / "history.duckdb", "--format", "json", "--yes")
    kept_out = json.loads(pitproof(*asked, environment=on.environment).stdout)
    assert kept_out["came_in"] == 0 < kept_out["letters"]
    done = json.loads(pitproof(*asked).stdout)
    assert done["came_in"] == done["letters"] == kept_out["letters"]
    del on.environment["PITPROOF_BATCH_BYTES_MAX"]
    on.to_end()
    assert on.verified() == on.audited(rows)
    assert on.current() == on.held()
