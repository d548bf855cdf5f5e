"""What is followed, and the client that follows it: its bounds, each with what it prevents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from kafka import ConsumerRebalanceListener, KafkaConsumer, TopicPartition
from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor

from services.live.kafka_settings import KafkaSettings
from services.live.pace import POLL_RECORDS_MAX
from services.live.unpacking import BATCH_BYTES_MAX, bound_batches

FETCH_BYTES_MIN, FETCH_WAIT_MS = 65_536, 100
"""Wait a tenth of a second for more rather than commit every handful on its own."""

PARTITION_BYTES_MAX: Final = 4 << 20
FETCH_BYTES_MAX: Final = 16 << 20
"""Memory of one answer; without them a slow reader would hold 50 MB a broker."""

FENCE_MS_MAX: Final = 2_000
"""Without it a broker that went away holds the commit, and the stop, for half a minute."""

METADATA_MS_MAX: Final = 30_000
"""Partitions that are added to the topic are read from then on; unset, after five minutes."""

HEARTBEAT_MS: Final = 1_000
"""A hand-over waits for each member's next heartbeat: at 3 s it takes 4 s, at 1 s about one."""


@dataclass(frozen=True, slots=True)
class Cut:
    """What one poll gave of one partition."""

    partition: int
    expected: int | None
    """The history's position that this was read from; None: it has none yet."""
    records: Sequence[Any]
    next_offset: int
    """Not the last record's and one: markers of transactions take offsets too."""


@dataclass(frozen=True, slots=True)
class Following:
    """What is followed, and how."""

    topic: str
    group: str
    history_id: str
    session_timeout_ms: int = 45_000
    max_poll_interval_ms: int = 300_000
    batch_bytes_max: int = BATCH_BYTES_MAX


class Listener(ConsumerRebalanceListener):  # type: ignore[misc]
    """Told by the client, on its thread, what we are given and what is taken away."""

    def __init__(
        self, took: Callable[[Iterable[int]], None], gave: Callable[[Iterable[int]], None]
    ) -> None:
        self._took, self._gave = took, gave

    def on_partitions_assigned(self, assigned: Iterable[TopicPartition]) -> None:
        """Ours from now on."""
        self._took([tp.partition for tp in assigned])

    def on_partitions_revoked(self, revoked: Iterable[TopicPartition]) -> None:
        """Ours up to now."""
        self._gave([tp.partition for tp in revoked])

    def on_partitions_lost(self, lost: Iterable[TopicPartition]) -> None:
        """Not ours any more, for a while already."""
        self._gave([tp.partition for tp in lost])


_READING: Final[Mapping[str, Any]] = {
    "enable_auto_commit": False,
    "auto_offset_reset": "none",
    "isolation_level": "read_committed",
    "allow_auto_create_topics": False,
    "max_poll_records": POLL_RECORDS_MAX,
    "fetch_min_bytes": FETCH_BYTES_MIN,
    "fetch_max_wait_ms": FETCH_WAIT_MS,
    "fetch_max_bytes": FETCH_BYTES_MAX,
    "max_partition_fetch_bytes": PARTITION_BYTES_MAX,
    "metadata_max_age_ms": METADATA_MS_MAX,
    "metrics_enabled": False,
}


def consumer_of(settings: KafkaSettings, following: Following) -> Any:
    """A client that commits nothing by itself, and begins nowhere by itself."""
    consumer = KafkaConsumer(
        **settings.client(),
        **_READING,
        group_id=following.group,
        partition_assignment_strategy=[CooperativeStickyAssignor],
        session_timeout_ms=following.session_timeout_ms,
        heartbeat_interval_ms=min(HEARTBEAT_MS, following.session_timeout_ms // 3),
        max_poll_interval_ms=following.max_poll_interval_ms,
    )
    bound_batches(consumer, following.batch_bytes_max)
    # A member that leads its group before it has heard of the topic gives out no partition, and
    # may not notice: seen with kafka-python 3.0.12.
    consumer.partitions_for_topic(following.topic)
    return consumer


def reader_of(settings: KafkaSettings, batch_bytes_max: int) -> Any:
    """A client of no group, for whoever says what it reads: nobody notices that it was there."""
    consumer = KafkaConsumer(**settings.client(), **_READING, group_id=None)
    bound_batches(consumer, batch_bytes_max)
    return consumer
