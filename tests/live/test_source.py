"""A member of the group, read and fenced here, where the client leaves it in the lurch."""

import contextlib
from unittest.mock import Mock

import pytest
from kafka.coordinator.base import MemberState
from kafka.errors import KafkaTimeoutError

from services.live.cluster import connected
from services.live.errors import FencedError
from services.live.following import Following
from services.live.kafka_settings import KafkaSettings
from services.live.source import Source
from services.live.state import ServiceState
from tests.live.conftest import Topic
from tests.live.serving import evening, send, wait_until

pytestmark = pytest.mark.real_kafka

ALL = {0, 1, 2}


def take(source: Source, taken: set[int]) -> bool:
    """Read and prove once, as the service does, but keep nothing; whether it was proved."""
    cuts = source.poll(100)
    try:
        source.fence(cuts)
    except FencedError:
        source.refused(cuts)
        return False
    taken.update(cut.partition for cut in cuts)
    return bool(cuts)


def reads_to_end(source: Source) -> bool:
    take(source, set())
    return all(source.is_caught_up(partition) for partition in ALL)


def test_a_rebalance_that_the_client_forgot_is_ended(kafka: str, topic: Topic) -> None:
    name = topic(3)
    settings = KafkaSettings(tuple(kafka.split(",")))
    with contextlib.closing(connected(settings)) as admin:
        source = Source(settings, Following(name, name, "here"), {}, admin, ServiceState())
        try:
            send(kafka, name, evening()[::8])
            taken: set[int] = set()
            wait_until(lambda: take(source, taken) and taken == ALL, "records of each partition")
            # What kafka-python 3.0.12 leaves behind when the partitions of a topic are told
            # otherwise, and then as before, while it waits to join again.
            client = source._consumer._coordinator
            client.state, client.rejoining = MemberState.REBALANCING, True
            source._gave([2])
            assert not source.is_caught_up(2)
            source.rewind(ALL)
            taken.clear()
            wait_until(
                lambda: take(source, taken) and taken == ALL, "they are proved to be ours", 30
            )
            wait_until(lambda: reads_to_end(source), "all is read", 30)
        finally:
            source.close(5)


def test_a_broker_that_does_not_answer_is_said(
    kafka: str, topic: Topic, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client itself waits for ever, and says no word of it."""
    name, state = topic(3), ServiceState()
    settings = KafkaSettings(tuple(kafka.split(",")))

    def is_said(source: Source) -> bool:
        source._topic_looked_at = 0.0
        take(source, set())
        return any(one.code == "silent" for one in state.snapshot().problems)

    with contextlib.closing(connected(settings)) as admin:
        source = Source(settings, Following(name, name, "here"), {}, admin, state)
        try:
            wait_until(lambda: reads_to_end(source), "it is there", 30)
            assert not is_said(source)
            with monkeypatch.context() as away:
                away.setattr(
                    "services.live.assignment.topic_id", Mock(side_effect=KafkaTimeoutError)
                )
                assert is_said(source)
                assert not state.snapshot().is_ready
            take(source, set())  # what proves that it is ours shows it, too
            assert state.snapshot().problems == ()
        finally:
            source.close(5)
