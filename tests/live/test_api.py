"""What a running `serve` answers, by its address file, while events come in."""

import http.client
import json
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from services.api.address import ServiceAddress, address_path, read_address
from tests.live.conftest import Topic
from tests.live.serving import COMMAND, Stage, evening, send, wait_until

pytestmark = pytest.mark.real_kafka

STOP_SECONDS_MAX = 5


@pytest.fixture
def stage(kafka: str, topic: Topic, tmp_path: Path) -> Stage:
    return Stage(kafka, tmp_path, topic(3), topic(2), topic(1))


def answering(path: Path) -> ServiceAddress:
    wait_until(lambda: read_address(path), "the address of the service")
    address = read_address(path)
    assert address is not None
    return address


def get(address: ServiceAddress, path: str) -> tuple[int, bytes]:
    bearer = {"Authorization": f"Bearer {address.token}"}
    connection = http.client.HTTPConnection(address.host, address.port, timeout=20)
    with closing(connection):
        connection.request("GET", path, headers=bearer)
        answer = connection.getresponse()
        return answer.status, answer.read()


def metric(address: ServiceAddress, name: str) -> float:
    lines = get(address, "/metrics")[1].decode().splitlines()
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(name))


def outside(*arguments: object) -> subprocess.CompletedProcess[bytes]:
    command = [str(COMMAND), *map(str, arguments)]
    return subprocess.run(command, check=False, capture_output=True, timeout=60)


def test_commands_go_on_while_it_runs(stage: Stage, tmp_path: Path) -> None:
    path, rows = tmp_path / "history.duckdb", evening()
    calls: list[Callable[[], subprocess.CompletedProcess[bytes]]] = [
        lambda: outside("findings", "--db", path, "--format", "json"),
        lambda: outside("findings", "--db", path),
        lambda: outside("verify", "--db", path, "--format", "json"),
    ]
    with stage.serving() as process:
        address = answering(path)
        assert address.process_id == process.pid
        wait_until(lambda: get(address, "/readyz")[0] == 200, "ready on an empty topic")
        send(stage.servers, stage.topic, rows)
        wait_until(
            lambda: metric(address, "pitproof_history_events ") == len(rows), "every event held"
        )
        wait_until(lambda: metric(address, "pitproof_outbox_records ") == 0, "all is published")
        assert metric(address, "pitproof_events_total ") == len(rows)
        assert metric(address, "pitproof_partition_lag_records") == 0
        assert metric(address, "pitproof_produced_to_finding_seconds_count ") > 0
        asked = [call() for call in calls]
        assert get(address, "/api/findings") == (200, asked[0].stdout)
        found = len(json.loads(asked[0].stdout)["findings"])
        assert metric(address, "pitproof_findings{") == found > 0
        refused = outside("audit", Path("tests/samples/run_em_twice.jsonl"), "--db", path)
        assert refused.returncode == 2
        assert f"process {process.pid} owns" in refused.stderr.decode()
        process.send_signal(signal.SIGTERM)
        began = time.monotonic()
        assert process.wait(timeout=20) == 0
        assert time.monotonic() - began < STOP_SECONDS_MAX
    assert not address_path(path).exists()
    on_file = [call() for call in calls]
    assert [(one.returncode, one.stdout) for one in asked] == [
        (one.returncode, one.stdout) for one in on_file
    ]


def test_two_side_by_side_and_one_that_was_killed(stage: Stage, tmp_path: Path) -> None:
    send(stage.servers, stage.topic, evening(rounds=4))
    first, second = tmp_path / "first.duckdb", tmp_path / "second.duckdb"
    with stage.serving(db=first.name) as one, stage.serving(db=second.name, group="other"):
        addresses = [answering(first), answering(second)]
        assert addresses[0].port != addresses[1].port
        for address in addresses:
            wait_until(lambda at=address: get(at, "/readyz")[0] == 200, "ready")
        one.kill()
        one.wait()
        assert address_path(first).exists(), "a killed service cannot take its file away"
        assert outside("findings", "--db", first).returncode == 1
        assert not address_path(first).exists()
        assert outside("findings", "--db", second).returncode == 1
        assert read_address(second) is not None
