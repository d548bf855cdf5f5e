"""A whole topic, from its beginning to the end it has now, into a history's open transaction.

Nobody is told: no group is joined, nothing is committed to Kafka and nothing is published.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Final

from kafka import TopicPartition
from kafka.errors import KafkaError

from services.history.archive import keep_registry_schema, keep_writer_schema
from services.history.journal import Journal
from services.history.positions import Position, begin_at
from services.history.store import History
from services.live.cluster import connected, ensure_topics, partitions_of, topic_id
from services.live.errors import KafkaUnreachableError
from services.live.following import reader_of
from services.live.kafka_settings import KafkaSettings
from services.live.places import Say, source_of
from services.live.redrive import RegistryNeededError
from services.live.registry import Registry, RegistryUnreachableError
from services.live.unpacking import BATCH_BYTES_MAX
from services.live.wire import Wire

POLL_MS: Final = 500

SILENT_SECONDS_MAX: Final = 30.0
"""A topic that gives nothing for so long before its end."""

Told = Callable[[int, int], None]
"""Told how many records of about how many are read."""


@dataclass(frozen=True, slots=True)
class TopicAsked:
    """Which topic, and how it is read."""

    kafka: KafkaSettings
    topic: str
    registry_url: str = ""
    registry_secret: str = field(default="", repr=False)
    batch_bytes_max: int = BATCH_BYTES_MAX
    record_bytes_max: int = 1 << 20


def read_topic(history: History, journal: Journal, asked: TopicAsked, told: Told, say: Say) -> None:
    """Append all of the topic, and keep where it is read on from.

    Raises:
        PitproofError: Kafka, the topic or a registry that is needed cannot be read.
    """
    registry = Registry(asked.registry_url, asked.registry_secret) if asked.registry_url else None
    wire = Wire(registry=registry, record_bytes_max=asked.record_bytes_max)
    try:
        with closing(connected(asked.kafka)) as admin:
            ensure_topics(admin, [asked.topic], create=False)
            identity = topic_id(admin, asked.topic)
            tps = [TopicPartition(asked.topic, one) for one in partitions_of(admin, asked.topic)]
        with closing(reader_of(asked.kafka, asked.batch_bytes_max)) as consumer:
            ends = _read(consumer, tps, journal, wire, told, say)
    except KafkaError as error:
        raise _broken_off(asked, f"{type(error).__name__}: {error}") from error
    except RegistryUnreachableError as error:
        raise RegistryNeededError(
            str(error), next_step="start it, or name it with --schema-registry"
        ) from error
    except TimeoutError as error:
        raise _broken_off(asked, str(error)) from error
    for partition, next_offset in sorted(ends.items()):
        begin_at(history, Position(asked.topic, identity, partition, next_offset))
    for mark, schema in wire.to_archive.items():
        keep_writer_schema(history, mark, schema)
    for number, schema in wire.to_register.items():
        keep_registry_schema(history, number, schema)


def _read(
    consumer: Any, tps: list[TopicPartition], journal: Journal, wire: Wire, told: Told, say: Say
) -> dict[int, int]:
    """By partition, the offset after what was read."""
    consumer.assign(tps)
    begins, ends = consumer.beginning_offsets(tps), consumer.end_offsets(tps)
    for tp in tps:
        consumer.seek(tp, begins[tp])
        if begins[tp]:
            say(
                "expired",
                {
                    "message": f"{_named(tp)}: begins at offset {begins[tp]}: what came "
                    "before has expired"
                },
            )
    total = sum(ends[tp] - begins[tp] for tp in tps)
    heard_at = time.monotonic()
    while any(consumer.position(tp) < ends[tp] for tp in tps):
        polled = consumer.poll(timeout_ms=POLL_MS)
        for tp, records in polled.items():
            wanted = [record for record in records if record.offset < ends[tp]]
            decoded = wire.decode(tp.topic, tp.partition, wanted)
            journal.append(_named(tp), decoded.table, decoded.letters)
        told(sum(min(consumer.position(tp), ends[tp]) - begins[tp] for tp in tps), total)
        if polled:
            heard_at = time.monotonic()
        elif time.monotonic() - heard_at > SILENT_SECONDS_MAX:
            raise TimeoutError(f"nothing came within {SILENT_SECONDS_MAX:.0f} s")
    return {tp.partition: ends[tp] for tp in tps}


def _named(tp: TopicPartition) -> str:
    return source_of(tp.topic, tp.partition)


def _broken_off(asked: TopicAsked, why: str) -> KafkaUnreachableError:
    return KafkaUnreachableError(
        f"{asked.topic} at {asked.kafka.named} cannot be read to its end: {why}",
        next_step="see whether its brokers are well, and do it again",
    )
