"""A simulated floor into a topic, at a chosen pace: keyed by table, each event once."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

from kafka import KafkaProducer
from kafka.errors import KafkaError

from services.encode import single_object
from services.live.cluster import connected, ensure_topics
from services.live.errors import PublishingError
from services.live.kafka_settings import KafkaSettings
from services.simulate.faults.fault import FindingRow
from services.simulate.service import FloorPlan, Tell, simulate_floor
from services.simulate.writing import expected_rows

DELIVERY_MS_MAX: Final = 30_000
"""A broker that is replaced is back by then; without it two minutes pass before it is said."""

_IN_FLIGHT_MAX: Final = 20_000  # promises kept in memory
_FLUSH_SECONDS: Final = 60.0


def play_floor(
    plan: FloorPlan,
    settings: KafkaSettings,
    topic: str,
    *,
    speed: float | None = None,
    create_topic: bool = False,
    sleep: Callable[[float], None] = time.sleep,
    tell: Tell | None = None,
) -> tuple[int, list[FindingRow]]:
    """Send every event of a floor; how many, and what must be found in them.

    `speed` 1 is the floor's own time, 60 an hour in a minute, None as fast as it goes. `tell` hears
    how far it has come.

    Raises:
        PitproofError: Kafka cannot be reached, has no such topic, or does not take the events.
        BadArgumentError: a game or fault that there is not.
    """
    floor = simulate_floor(plan)
    with contextlib.closing(connected(settings)) as admin:
        ensure_topics(admin, [topic], create=create_topic)
    producer = KafkaProducer(
        **settings.client(),
        enable_idempotence=True,
        acks="all",
        linger_ms=20,
        batch_size=128 << 10,
        delivery_timeout_ms=DELIVERY_MS_MAX,
        request_timeout_ms=DELIVERY_MS_MAX // 2,
        allow_auto_create_topics=False,
        metrics_enabled=False,
    )
    try:
        with contextlib.closing(producer):
            count = _send_all(producer, topic, floor.events(tell), _Pace(speed, sleep))
    except KafkaError as error:
        raise PublishingError(
            f"Kafka does not take the events: {type(error).__name__}: {error}",
            next_step="events that were sent before stay in the topic",
        ) from error
    return count, expected_rows(floor)


def _send_all(producer: Any, topic: str, events: Any, pace: _Pace) -> int:
    promises: list[Any] = []
    count = 0
    for event in events:
        pace.wait(event["occurred_at"])
        promises.append(
            producer.send(topic, key=event["table_id"].encode(), value=single_object(event))
        )
        count += 1
        if len(promises) >= _IN_FLIGHT_MAX:
            _settle(producer, promises)
    _settle(producer, promises)
    return count


def _settle(producer: Any, promises: list[Any]) -> None:
    producer.flush(timeout=_FLUSH_SECONDS)
    for promise in promises:
        promise.get(timeout=0)
    promises.clear()


class _Pace:
    """Holds events back until their time has come."""

    def __init__(self, speed: float | None, sleep: Callable[[float], None]) -> None:
        self._speed, self._sleep = speed, sleep
        self._first: datetime | None = None
        self._started = 0.0

    def wait(self, occurred_at: datetime | str) -> None:
        if self._speed is None:
            return
        at = occurred_at
        if isinstance(at, str):
            at = datetime.fromisoformat(at)
        if self._first is None:
            self._first, self._started = at, time.monotonic()
        due = self._started + (at - self._first).total_seconds() / self._speed
        if (rest := due - time.monotonic()) > 0:
            self._sleep(rest)
