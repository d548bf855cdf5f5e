"""Waiting until a broker answers, asked as its clients will ask it."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from services.broker.errors import BrokerFailedError
from services.broker.ports import is_open

_ANSWER_MILLISECONDS_MAX: Final = 2_000
_POLL_SECONDS: Final = 0.1


def wait_until(
    true: Callable[[], bool], what: str, seconds_max: float, check: Callable[[], None]
) -> None:
    """Ask again and again; `check` may raise in between.

    Raises:
        BrokerFailedError: it took too long.
    """
    until = time.monotonic() + seconds_max
    while not true():
        check()
        if time.monotonic() > until:
            raise BrokerFailedError(f"{what}: not within {seconds_max:.0f} s")
        time.sleep(_POLL_SECONDS)


def nodes_known_to(servers: str, ports: list[int]) -> set[int]:
    """The brokers that take part, as the broker says; none while it does not answer."""
    if not all(is_open(port) for port in ports):
        return set()
    answer = _ask(servers, lambda admin: admin.describe_cluster())
    brokers = answer["brokers"] if answer else ()
    return {one["broker_id"] for one in brokers if not one.get("is_fenced")}


def all_in_sync(servers: str) -> bool:
    """Whether every replica of every partition has all that it should have."""
    topics = _ask(servers, lambda admin: admin.describe_topics())
    return topics is not None and all(
        set(partition["isr_nodes"]) == set(partition["replica_nodes"])
        for topic in topics
        for partition in topic["partitions"]
    )


def _ask(servers: str, question: Callable[[Any], Any]) -> Any:
    """The answer; none while the broker cannot give any."""
    from kafka import KafkaAdminClient
    from kafka.errors import KafkaError

    with _quiet():
        try:
            admin = KafkaAdminClient(
                bootstrap_servers=servers,
                bootstrap_timeout_ms=_ANSWER_MILLISECONDS_MAX,
                request_timeout_ms=_ANSWER_MILLISECONDS_MAX,
            )
        except KafkaError:
            return None
        with contextlib.closing(admin):
            try:
                return question(admin)
            except KafkaError:
                return None


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep the client from logging each attempt that comes too early."""
    logger = logging.getLogger("kafka")
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(before)
