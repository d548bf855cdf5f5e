"""The broker itself: that it is a real one, and that it comes and goes as asked for."""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.errors import OffsetOutOfRangeError

from services.broker.broker import Broker
from services.broker.config import BrokerConfig
from services.broker.errors import BrokerFailedError
from services.broker.ports import free_ports, is_open
from tests.live.conftest import Topic, find_jars

pytestmark = pytest.mark.real_kafka

COMMAND = Path(sys.executable).parent / "pitproof"
PATIENCE_SECONDS = 30


def send(servers: str, topic: str, values: range, **settings: Any) -> None:
    with KafkaProducer(bootstrap_servers=servers, **settings) as producer:
        sent = [producer.send(topic, str(value).encode()) for value in values]
        for future in sent:
            future.get(timeout=PATIENCE_SECONDS)


def read(servers: str, topic: str, count: int, **settings: Any) -> list[int]:
    """So many values of partition 0 from its start; fewer if they do not come."""
    values: list[int] = []
    with KafkaConsumer(
        bootstrap_servers=servers, enable_auto_commit=False, auto_offset_reset="none", **settings
    ) as consumer:
        consumer.assign([TopicPartition(topic, 0)])
        consumer.seek(TopicPartition(topic, 0), 0)
        until = time.monotonic() + PATIENCE_SECONDS
        while len(values) < count and time.monotonic() < until:
            for records in consumer.poll(timeout_ms=500).values():
                values += [int(record.value) for record in records]
    return values


def test_what_is_sent_is_read(kafka: str, topic: Topic) -> None:
    name = topic()
    send(kafka, name, range(1_000), compression_type="lz4")
    assert read(kafka, name, 1_000) == list(range(1_000))


def test_a_position_past_the_end_is_refused(kafka: str, topic: Topic) -> None:
    name = topic()
    send(kafka, name, range(3))
    with KafkaConsumer(bootstrap_servers=kafka, auto_offset_reset="none") as consumer:
        partition = TopicPartition(name, 0)
        consumer.assign([partition])
        assert consumer.end_offsets([partition]) == {partition: 3}
        consumer.seek(partition, 4)
        with pytest.raises(OffsetOutOfRangeError):
            consumer.poll(timeout_ms=PATIENCE_SECONDS * 1_000)


def test_what_was_aborted_is_not_read(kafka: str, topic: Topic) -> None:
    name = topic()
    with KafkaProducer(bootstrap_servers=kafka, transactional_id=name) as producer:
        producer.init_transactions()
        for value, commit in ((1, True), (2, False), (3, True)):
            producer.begin_transaction()
            producer.send(name, str(value).encode()).get(timeout=PATIENCE_SECONDS)
            if commit:
                producer.commit_transaction()
            else:
                producer.abort_transaction()
    assert read(kafka, name, 2, isolation_level="read_committed") == [1, 3]
    assert read(kafka, name, 3) == [1, 2, 3]


def test_up_leaves_it_running_and_down_finds_it(
    pitproof: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    port = free_ports(2)
    servers = f"127.0.0.1:{port}"
    try:
        started = pitproof("up", "--port", port)
        assert (started.returncode, started.stdout) == (0, f"{servers}\n"), started.stderr
        send(servers, make_topic(servers), range(10))
        again = pitproof("up", "--port", port)
        assert (again.returncode, again.stdout) == (0, f"{servers}\n")
        assert "running already" in again.stderr
        other = pitproof("up", "--port", port, "--nodes", "3")
        assert (other.returncode, other.stdout) == (2, "")
        assert "pitproof kafka down" in other.stderr
        elsewhere = pitproof("up", "--port", port, "--dir", "elsewhere")
        assert (elsewhere.returncode, elsewhere.stdout) == (2, "")
        assert f"port {port}" in elsewhere.stderr
    finally:
        stopped = pitproof("down")
    assert (stopped.returncode, stopped.stdout) == (0, "")
    assert servers in stopped.stderr
    assert not is_open(port)
    deleted = pitproof("down", "--delete")
    assert deleted.returncode == 0
    assert "no broker was running" in deleted.stderr


def make_topic(servers: str) -> str:
    with contextlib.closing(KafkaAdminClient(bootstrap_servers=servers)) as admin:
        admin.create_topics({"evening": {"num_partitions": 1}}, wait_for_metadata=True)
    return "evening"


@pytest.fixture
def pitproof(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Call the command in a cache of its own, where it finds the jars."""
    cache = tmp_path / "cache" / "pitproof" / "kafka"
    cache.mkdir(parents=True)
    jars = find_jars()
    (cache / jars.name).symlink_to(jars)
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}

    def call(*arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(COMMAND), "kafka", *map(str, arguments)],
            check=False,
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
        )

    return call


def test_what_a_dying_node_says_is_shown(tmp_path: Path) -> None:
    find_jars()
    wrong = {"authorizer.class.name": "nowhere.to.be.Found"}
    dying = Broker(1, BrokerConfig(directory=tmp_path / "broker", properties=wrong))
    with pytest.raises(BrokerFailedError, match=r"nowhere\.to\.be\.Found") as failed:
        dying.open()
    assert str(tmp_path / "broker" / "node-1" / "kafka.log") in failed.value.next_step
