"""Three nodes, of which one dies and comes back: nothing is lost, nothing comes twice."""

import contextlib
import threading
from pathlib import Path
from typing import Any

import pytest
from kafka import KafkaAdminClient, KafkaProducer

from services.broker.broker import Broker
from services.broker.ports import is_open
from services.encode import single_object
from tests.live.conftest import Topic
from tests.live.serving import PATIENCE_SECONDS, Stage, evening, wait_until
from tests.live.test_broker import read

pytestmark = pytest.mark.real_kafka

IN_SYNC = {"min.insync.replicas": "2"}


def partition_of(servers: str, topic: str) -> dict[str, Any]:
    with contextlib.closing(KafkaAdminClient(bootstrap_servers=servers)) as admin:
        [described] = admin.describe_topics([topic])
        return dict(described["partitions"][0])


def port_of(server: str) -> int:
    return int(server.rpartition(":")[2])


def test_a_killed_node_costs_nothing(cluster: Broker, cluster_topic: Topic) -> None:
    name, servers = cluster_topic(**IN_SYNC), cluster.bootstrap_servers
    leader = partition_of(servers, name)["leader_id"]
    with KafkaProducer(bootstrap_servers=servers, acks="all") as producer:
        sent = [producer.send(name, str(value).encode()) for value in range(500)]
        cluster.kill(leader)
        assert not is_open(port_of(servers.split(",")[leader - 1]))
        sent += [producer.send(name, str(value).encode()) for value in range(500, 1_000)]
        for future in sent:
            future.get(timeout=PATIENCE_SECONDS)
    assert read(servers, name, 1_000) == list(range(1_000))
    assert partition_of(servers, name)["leader_id"] != leader
    cluster.start(leader)
    cluster.wait_in_sync()
    assert sorted(partition_of(servers, name)["isr_nodes"]) == [1, 2, 3]


def test_serve_goes_on_when_a_node_dies_and_comes_back(
    cluster: Broker, cluster_topic: Topic, tmp_path: Path
) -> None:
    servers, rows = cluster.bootstrap_servers, evening(rounds=30)
    topic, findings, dead = (cluster_topic(partitions, **IN_SYNC) for partitions in (3, 1, 1))
    on = Stage(servers, tmp_path, topic, findings, dead)
    leader = partition_of(servers, on.topic)["leader_id"]
    is_down, is_back = threading.Event(), threading.Event()
    part = len(rows) // 3

    def produce() -> None:
        with KafkaProducer(bootstrap_servers=servers, acks="all") as producer:
            for number, row in enumerate(rows):
                if number == part:
                    is_down.wait(PATIENCE_SECONDS)
                if number == 2 * part:
                    producer.flush(PATIENCE_SECONDS)
                    is_back.wait(PATIENCE_SECONDS)
                producer.send(on.topic, key=row["table_id"].encode(), value=single_object(row))
            producer.flush(PATIENCE_SECONDS)

    producing = threading.Thread(target=produce)
    with on.serving() as process:
        producing.start()
        wait_until(lambda: on.said("partitions"), "it follows the topic")
        cluster.kill(leader)
        is_down.set()
        expected = on.audited(rows)
        cluster.start(leader)
        cluster.wait_in_sync()
        is_back.set()
        producing.join()
        wait_until(lambda: len(on.current()) == expected["findings"], "every finding is out")
        process.terminate()
        assert process.wait(PATIENCE_SECONDS) == 0
    assert on.to_end().returncode == 1
    assert on.verified() == expected
    assert on.current() == on.held()
