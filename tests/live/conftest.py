"""A broker for the tests: the one named, one in a container, one from its jars, or a reason."""

import contextlib
import gc
import os
import uuid
import warnings
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from kafka import KafkaAdminClient

from services.broker.broker import Broker
from services.broker.config import BrokerConfig
from services.broker.errors import BrokerUnavailableError
from services.broker.jars import fetch_jars
from services.broker.java import find_java

IMAGE = "confluentinc/cp-kafka:7.9.2"
REQUIRED = "PITPROOF_REQUIRE_BROKER"

Topic = Callable[..., str]
"""Makes a topic: `topic(partitions=1, **{"max.message.bytes": "4000000"})` gives its name."""


# kafka-python leaves the sockets of refused connections to the garbage collector, and so does the
# docker client where there is no engine. They are collected here, not in some other folder's test.
LEFT_OPEN = "unclosed <s"  # socket.socket, ssl.SSLSocket


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if _is_ours(item):
            item.add_marker(pytest.mark.filterwarnings(f"ignore:{LEFT_OPEN}:ResourceWarning"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Collect once the test's log is gone as well: the errors logged in it hold sockets."""
    result = yield
    if _is_ours(item):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", LEFT_OPEN, ResourceWarning)
            gc.collect()
    return result


@pytest.fixture(scope="session")
def kafka() -> Iterator[str]:
    """The bootstrap servers of a broker; of how many nodes is its own affair."""
    with contextlib.ExitStack() as stack:
        named = os.environ.get("KAFKA_BOOTSTRAP_SERVERS")
        yield named or _from_container(stack) or stack.enter_context(broker()).bootstrap_servers


@pytest.fixture(scope="module")
def cluster() -> Iterator[Broker]:
    """Three nodes to kill and bring back."""
    with broker(3) as three:
        yield three


@pytest.fixture
def topic(kafka: str) -> Iterator[Topic]:
    """Makes topics on `kafka`, each of a name of its own; they go after the test."""
    with topics_of(kafka) as make:
        yield make


@pytest.fixture
def cluster_topic(cluster: Broker) -> Iterator[Topic]:
    """Makes topics on `cluster`, replicated to each node."""
    with topics_of(cluster.bootstrap_servers) as make:
        yield make


@contextlib.contextmanager
def broker(nodes: int = 1, config: BrokerConfig | None = None) -> Iterator[Broker]:
    """A broker from its jars."""
    find_jars()
    with Broker(nodes, config or BrokerConfig()) as opened:
        yield opened


def find_jars() -> Path:
    """Kafka's jars; where this machine cannot run them, the test is skipped."""
    try:
        find_java()
        return fetch_jars()
    except BrokerUnavailableError as error:
        reason = f"no broker: {error.message}; {error.next_step}"
        if os.environ.get(REQUIRED) == "1":
            pytest.fail(f"{REQUIRED} is set, but {reason}", pytrace=False)
        pytest.skip(reason)


@contextlib.contextmanager
def topics_of(servers: str) -> Iterator[Topic]:
    with contextlib.closing(KafkaAdminClient(bootstrap_servers=servers)) as admin:
        made: list[str] = []

        def make(partitions: int = 1, **configs: str) -> str:
            name = f"test-{uuid.uuid4().hex[:12]}"
            asked: dict[str, Any] = {"num_partitions": partitions, "configs": configs}
            admin.create_topics({name: asked}, wait_for_metadata=True)
            made.append(name)
            return name

        yield make
        if made:
            admin.delete_topics(made)


def _is_ours(item: pytest.Item) -> bool:
    return item.path.is_relative_to(Path(__file__).parent)


def _from_container(stack: contextlib.ExitStack) -> str | None:
    """None without a container engine, or where it cannot get the image."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what these two deprecate of each other
        try:
            import docker
            from testcontainers.community.kafka import KafkaContainer

            # The client program may be there without an engine, so the engine itself is asked.
            with contextlib.closing(docker.from_env(timeout=3)) as engine:
                engine.ping()
            container = stack.enter_context(KafkaContainer(IMAGE).with_kraft())
        except Exception:
            return None
        return str(container.get_bootstrap_server())
