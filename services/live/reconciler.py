"""The findings of a partition that came to us, held against what the topic says of its tables.

Another member may have published about them: from a history that had more, or less, or had been
put back. So once such a partition is caught up, `audit-findings` is read as a whole, folded to the
last record of each finding, and the difference to our own findings goes out. Until then nothing
about its tables does.
"""

from __future__ import annotations

import contextlib
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from kafka import KafkaConsumer, TopicPartition
from kafka.errors import KafkaError

from services.history.changes import last_change_no, latest_changes, published_up_to
from services.history.store import History
from services.live.errors import FencedError
from services.live.finding_records import CONTENT, Change, NoFindingError, decoded
from services.live.kafka_settings import KafkaSettings
from services.live.places import source_of
from services.live.publisher import (
    Publisher,
    behind_mark,
    folded_mark,
    note_published,
    values_of,
)
from services.live.source import Source
from services.live.state import Problem, ServiceState

READ_MS: Final = 200
"""How long a stop may go unnoticed by the thread that reads."""

SILENT_SECONDS_MAX: Final = 30.0
"""A topic that gives nothing for so long before its end: say so, and begin again."""

Published = dict[str, dict[str, Any]]
"""The last record of each finding, by its id."""


@dataclass(slots=True)
class _Reading:
    """A fold under way, on a thread of its own: the loop goes on meanwhile."""

    partitions: frozenset[int]
    thread: threading.Thread
    stop: threading.Event
    found: Published | None = None
    failure: str = ""


class Reconciler:
    """Runs in the loop's thread, but for the reading."""

    def __init__(
        self,
        settings: KafkaSettings,
        history: History,
        source: Source,
        publisher: Publisher,
        state: ServiceState,
    ) -> None:
        self._settings, self._history = settings, history
        self._source, self._publisher, self._state = source, publisher, state
        self._waiting: set[int] = set()
        self._reading: _Reading | None = None
        self._sent: list[Any] = []
        self._sent_for: frozenset[int] = frozenset()
        self._open: set[int] = set()
        self._compared_at = 0
        self._tables: dict[str, int] = {}

    def heard_of(self, tables: Mapping[str, int]) -> None:
        """Which partitions tables come in."""
        self._tables.update(tables)

    def is_open(self) -> bool:
        """Whether it is known by now which partitions are ours."""
        return self._source.is_settled(0) and not self._source.newly_owned

    def partition_of(self, table_id: str) -> int | None:
        """Where a table's events come in; None: nowhere, they are of files."""
        return self._tables.get(table_id)

    def may_publish(self, table_id: str) -> bool:
        """Whether changes of a table's findings go out one by one."""
        return self._tables.get(table_id) in self._open

    @property
    def is_done(self) -> bool:
        """Whether every partition of ours stands in the topic as we have it."""
        return (
            not self._waiting
            and self._reading is None
            and not self._sent
            and not self._source.newly_owned
        )

    def step(self) -> None:
        """Go on as far as it goes without waiting."""
        for partition, is_known in list(self._source.newly_owned.items()):
            del self._source.newly_owned[partition]
            self._learn_tables(partition)
            if is_known and not self._was_held_back(partition):
                self._source.folded.add(partition)
                self._open.add(partition)
            else:
                self._waiting.add(partition)
        owned = set(self._source.owned)
        self._waiting &= owned
        self._open &= owned
        if self._sent:
            self._see_sent(owned)
        elif self._reading is not None:
            self._see_read(owned)
        elif ready := {one for one in self._waiting if self._source.is_caught_up(one)}:
            self._read(ready)

    def close(self) -> None:
        """Stop reading."""
        if self._reading is not None:
            self._reading.stop.set()
            self._reading.thread.join(READ_MS / 1_000 + 1)

    def _learn_tables(self, partition: int) -> None:
        source = source_of(self._source.following.topic, partition)
        rows = self._history.rows(
            "SELECT DISTINCT table_id FROM events "
            "WHERE source_no = (SELECT source_no FROM sources WHERE name = ?)",
            [source],
        )
        self._tables.update((table_id, partition) for (table_id,) in rows)

    def _was_held_back(self, partition: int) -> bool:
        """Whether changes were passed over that no comparison has made good since."""
        topic = self._publisher.findings_topic
        behind = published_up_to(self._history, behind_mark(topic, partition))
        return behind > published_up_to(self._history, folded_mark(topic, partition))

    def _read(self, partitions: Iterable[int]) -> None:
        stop = threading.Event()
        reading = _Reading(frozenset(partitions), threading.Thread(), stop)

        def run() -> None:
            try:
                reading.found = folded(self._settings, self._publisher.findings_topic, stop.is_set)
            except Exception as error:
                reading.failure = f"{type(error).__name__}: {error}"

        reading.thread = threading.Thread(target=run, name="fold-findings", daemon=True)
        self._reading = reading
        reading.thread.start()

    def _see_read(self, owned: set[int]) -> None:
        reading = self._reading
        if reading is None or reading.thread.is_alive():
            return
        self._reading = None
        if reading.found is None:
            self._state.trouble(
                Problem(
                    "fold",
                    self._publisher.findings_topic,
                    f"what was published cannot be read: {reading.failure}",
                    "findings of partitions that came to us wait until it can",
                )
            )
            return
        self._state.solved("fold", self._publisher.findings_topic)
        partitions = frozenset(reading.partitions & owned)
        tables = [name for name, one in self._tables.items() if one in partitions]
        self._compared_at = last_change_no(self._history)
        try:
            for values in self._difference(tables, reading.found):
                self._sent.append(self._publisher.send_change(values))
                self._state.count("published")
        except (KafkaError, OSError):
            self._sent.clear()
            return  # read again at the next step
        self._sent_for = partitions
        self._open |= partitions  # what is committed from here on comes behind the difference
        if not self._sent:
            self._take(partitions)

    def _difference(self, tables: list[str], published: Published) -> list[dict[str, Any]]:
        """Records that make the topic say what the history says of these tables."""
        ours: Published = {}
        for finding_id, change in latest_changes(self._history, tables).items():
            if change.change != Change.WITHDRAWN:
                ours[finding_id] = values_of(change)
        wanted = set(tables)
        theirs = {
            finding_id: values
            for finding_id, values in published.items()
            if values["table_id"] in wanted and values["change"] != Change.WITHDRAWN
        }
        return difference(ours, theirs)

    def _see_sent(self, owned: set[int]) -> None:
        if any(not promise.is_done for promise in self._sent):
            return
        failed = any(promise.failed() for promise in self._sent)
        self._sent.clear()
        if failed:
            self._open -= self._sent_for  # read and compared once more
        else:
            self._take(self._sent_for & owned)

    def _take(self, partitions: Iterable[int]) -> None:
        self._waiting -= set(partitions)
        self._source.folded |= set(partitions)
        topic = self._publisher.findings_topic
        marks = {folded_mark(topic, one): self._compared_at for one in partitions}
        if marks:
            note_published(self._history, marks)
        with contextlib.suppress(FencedError):  # then whoever has them next folds them once more
            self._source.prove(partitions)


def difference(ours: Published, theirs: Published) -> list[dict[str, Any]]:
    """Records that turn `theirs` into `ours`; each gets a `change_id` of its own."""
    records = []
    for finding_id, values in ours.items():
        held = theirs.get(finding_id)
        if held is None:
            records.append({**values, "change": Change.RAISED.value})
        elif any(held[name] != values[name] for name in CONTENT):
            records.append({**values, "change": Change.CHANGED.value})
    for finding_id, values in theirs.items():
        if finding_id not in ours:
            records.append({**values, "change": Change.WITHDRAWN.value})
    return [{**record, "change_id": str(uuid.uuid4())} for record in records]


def folded(
    settings: KafkaSettings, topic: str, is_stopped: Callable[[], bool] = lambda: False
) -> Published:
    """The last record of every finding in the topic, up to the end that it has now.

    Raises:
        KafkaError: it cannot be read.
        TimeoutError: it gives nothing any more, before its end.
    """
    last: Published = {}
    consumer = KafkaConsumer(
        **settings.client(),
        enable_auto_commit=False,
        auto_offset_reset="earliest",
        isolation_level="read_committed",
        max_poll_records=10_000,
        metrics_enabled=False,
    )
    try:
        tps = [TopicPartition(topic, one) for one in consumer.partitions_for_topic(topic) or ()]
        if not tps:
            raise TimeoutError(f"Kafka does not say which partitions {topic} has")
        consumer.assign(tps)
        ends = consumer.end_offsets(tps)
        consumer.seek_to_beginning(*tps)
        heard_at = time.monotonic()
        while any(consumer.position(tp) < end for tp, end in ends.items()):
            polled = consumer.poll(timeout_ms=READ_MS)
            if is_stopped():
                raise TimeoutError("stopped")
            if polled:
                heard_at = time.monotonic()
            elif time.monotonic() - heard_at > SILENT_SECONDS_MAX:
                raise TimeoutError(f"{topic} gives nothing any more, before its end")
            for records in polled.values():
                for record in records:
                    fold_in(last, record.value)
    finally:
        consumer.close(timeout_ms=1_000)
    return last


def fold_in(last: Published, value: bytes | None) -> None:
    """Take one record; what is no finding of ours says nothing."""
    try:
        values = decoded(value or b"")
    except NoFindingError:
        return
    last[values["finding_id"]] = values
