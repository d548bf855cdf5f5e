"""The compose file's brokers, from their jars: Kafka takes what they are set to, and it holds."""

import time
from collections.abc import Iterator

import pytest
from kafka import KafkaAdminClient, KafkaProducer

from services.broker.broker import Broker
from services.broker.config import BrokerConfig
from tests.deploy.test_compose import BROKERS, broker_properties
from tests.live.conftest import broker
from tests.live.serving import read_all

# Where a container listens and keeps its files; the jars' broker has its own places.
PLACES = (
    "controller.listener.names",
    "controller.quorum.voters",
    "inter.broker.listener.name",
    "listener.security.protocol.map",
    "listeners",
    "log.dirs",
    "process.roles",
)


@pytest.fixture(scope="module")
def brokers() -> Iterator[Broker]:
    said = {name: text for name, text in broker_properties().items() if name not in PLACES}
    with broker(len(BROKERS), BrokerConfig(properties=said)) as three:
        yield three


@pytest.mark.slow
@pytest.mark.real_kafka
def test_a_record_that_was_taken_outlives_a_broker(brokers: Broker) -> None:
    servers = brokers.bootstrap_servers
    admin = KafkaAdminClient(bootstrap_servers=servers)
    admin.create_topics({"kept": {"num_partitions": 1}}, wait_for_metadata=True)
    (topic,) = admin.describe_topics(["kept"])
    (partition,) = topic["partitions"]
    assert len(partition["replica_nodes"]) == len(BROKERS), "by default on every broker"
    with KafkaProducer(bootstrap_servers=servers, acks="all") as producer:
        producer.send("kept", b"before").get(timeout=30)
        brokers.kill(partition["leader_id"])
        time.sleep(1)
        producer.send("kept", b"after").get(timeout=60)
    admin.close()
    assert [record.value for record in read_all(servers, "kept")] == [b"before", b"after"]
