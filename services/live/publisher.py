"""What was committed goes out: changes of findings, and dead letters, from the history's outbox.

Sending does not hold up reading: records are handed to the client, and what it has delivered is
noted in the history a little later. What was not noted is sent again after a restart, under the
same `change_id`. Only tables of partitions that are ours, and whose findings stand in the topic as
we have them (`Reconciler`), are published one by one.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import asdict
from hashlib import sha256
from typing import Any, Final, Protocol

from kafka import KafkaProducer
from kafka.errors import KafkaError

from services.history.changes import (
    FindingChange,
    changes_after,
    last_change_no,
    published_up_to,
)
from services.history.dead_letters import KeptLetter, letters_of
from services.history.store import History
from services.live.finding_records import encoded
from services.live.kafka_settings import KafkaSettings
from services.live.places import place_of
from services.live.state import Problem, ServiceState

READ_MAX: Final = 1_000
IN_FLIGHT_MAX: Final = 5_000
"""Memory: a finding is some 700 bytes, a dead letter up to a megabyte."""
LETTERS_IN_FLIGHT_MAX: Final = 32

DELIVERY_MS_MAX: Final = 20_000
"""A broker that is replaced is back by then; after it we say that nothing goes out."""

BLOCK_MS_MAX: Final = 5_000
"""Without it a client without a broker holds the loop for a minute at the first record."""

NOTE_SECONDS: Final = 1.0
"""How long what was delivered may stay unnoted: so much is sent twice after a crash."""

RECORD_OVERHEAD_BYTES: Final = 1_024
"""Of a record beside its value: headers, key, the batch around it."""

_RETRY_SECONDS: Final = 2.0  # a client that failed is made anew, but not in a tight loop


class Gate(Protocol):
    """Who knows which findings may go out one by one."""

    def is_open(self) -> bool:
        """Whether it is known by now which partitions are ours."""

    def may_publish(self, table_id: str) -> bool:
        """Whether the topic has the findings of a table as we have them, but for what comes now."""

    def partition_of(self, table_id: str) -> int | None:
        """Where a table's events come in; None: nowhere, they are of files."""


def behind_mark(topic: str, partition: int) -> str:
    """Under which the last change is noted that was held back for a partition."""
    return f"{topic} behind [{partition}]"


def folded_mark(topic: str, partition: int) -> str:
    """Under which the change is noted up to which a partition was compared and made good."""
    return f"{topic} folded [{partition}]"


class Publisher:
    """Sends in order, and knows how far everything has arrived. Runs in the loop's thread."""

    def __init__(
        self,
        settings: KafkaSettings,
        history: History,
        state: ServiceState,
        findings_topic: str,
        dead_topic: str,
        dead_bytes_max: int,
    ) -> None:
        self._settings, self._history, self._state = settings, history, state
        self.findings_topic, self.dead_topic = findings_topic, dead_topic
        self._dead_bytes_max = dead_bytes_max
        self._producer: Any = None
        self._retry_at = 0.0
        self._lines = {
            findings_topic: _Line(published_up_to(history, findings_topic)),
            dead_topic: _Line(published_up_to(history, dead_topic)),
        }
        self._noted = {topic: line.arrived for topic, line in self._lines.items()}
        self._noted_at = 0.0
        self._held_back: dict[str, int] = {}
        self.notice()

    def notice(self) -> None:
        """Something was committed: see how far it goes. Else nothing is asked of the history."""
        self._lines[self.findings_topic].last = last_change_no(self._history)
        self._lines[self.dead_topic].last = self._history.count(_LAST_LETTER)

    def pump(self, gate: Gate) -> None:
        """Hand over what is new, and see what has arrived; never waits long."""
        if time.monotonic() < self._retry_at:
            return
        try:
            self._settle()
            if gate.is_open():
                self._send_changes(gate)
            self._send_letters()
        except (KafkaError, OSError) as error:
            self._failed(error)
            return
        self._note()
        line = self._lines[self.findings_topic]
        self._state.gauge("unpublished", line.last - line.arrived)

    def send_change(self, values: dict[str, Any]) -> Any:
        """Send one record of the findings topic; the client's promise of it."""
        return self._client().send(
            self.findings_topic, key=values["table_id"].encode(), value=encoded(values)
        )

    @property
    def is_done(self) -> bool:
        """Whether everything that was committed has arrived."""
        return all(not line.waiting and line.sent >= line.last for line in self._lines.values())

    def close(self, seconds_max: float) -> None:
        """Let what was handed over arrive, as far as the time goes, and note it."""
        if self._producer is None:
            return
        try:
            self._producer.flush(timeout=seconds_max)
            self._settle()
        except (KafkaError, OSError):
            pass  # it stays unnoted, and is sent again at the next start
        self._note(at_once=True)
        self._producer.close(timeout=0.5)
        self._producer = None

    # --- sending ---

    def _send_changes(self, gate: Gate) -> None:
        line = self._lines[self.findings_topic]
        while line.sent < line.last and len(line.waiting) < IN_FLIGHT_MAX:
            changes = changes_after(self._history, line.sent, limit=READ_MAX)
            for change in changes:
                table_id = change.finding.table_id
                promise = None
                if gate.may_publish(table_id):
                    promise = self.send_change(values_of(change))
                    self._state.count("published")
                elif (partition := gate.partition_of(table_id)) is not None:
                    mark = behind_mark(self.findings_topic, partition)
                    self._held_back[mark] = change.change_no
                line.add(change.change_no, promise)

    def _send_letters(self) -> None:
        line = self._lines[self.dead_topic]
        while line.sent < line.last and len(line.waiting) < LETTERS_IN_FLIGHT_MAX:
            letters = letters_of(
                self._history, after_no=line.sent, limit=LETTERS_IN_FLIGHT_MAX - len(line.waiting)
            )
            for letter in letters:
                line.add(letter.letter_no, self._send_letter(letter))

    def _send_letter(self, letter: KeptLetter) -> Any:
        place = place_of(letter.source)
        if place is None:
            return None  # of a file: nobody waits for it in a topic
        key, value, headers = record_of(letter, *place, self._dead_bytes_max)
        self._state.count("dead_published")
        return self._client().send(self.dead_topic, key=key, value=value, headers=headers)

    def _client(self) -> Any:
        if self._producer is None:
            self._producer = KafkaProducer(
                **self._settings.client(),
                enable_idempotence=True,
                acks="all",
                linger_ms=10,
                batch_size=64 << 10,
                delivery_timeout_ms=DELIVERY_MS_MAX,
                request_timeout_ms=DELIVERY_MS_MAX // 2,
                max_block_ms=BLOCK_MS_MAX,
                max_request_size=max(self._dead_bytes_max, 1 << 20) + RECORD_OVERHEAD_BYTES,
                allow_auto_create_topics=False,
                metrics_enabled=False,
            )
        return self._producer

    # --- what has arrived ---

    def _settle(self) -> None:
        """Raises what went wrong with the first that did not arrive."""
        arrived = sum(line.settle() for line in self._lines.values())
        if arrived:
            self._state.solved("publishing", self.findings_topic)

    def _failed(self, error: Exception) -> None:
        """Start again behind what is known to have arrived, in order, with another client."""
        self._retry_at = time.monotonic() + _RETRY_SECONDS
        for line in self._lines.values():
            line.restart()
        if self._producer is not None:
            producer, self._producer = self._producer, None
            producer.close(timeout=0)
        self._state.trouble(
            Problem(
                "publishing",
                self.findings_topic,
                f"findings are committed and do not go out: {type(error).__name__}: {error}",
                "they wait in the history and go out when Kafka takes them",
            )
        )

    def _note(self, *, at_once: bool = False) -> None:
        now = time.monotonic()
        fresh = {
            topic: line.arrived
            for topic, line in self._lines.items()
            if line.arrived > self._noted[topic]
        }
        if not fresh or not (at_once or now - self._noted_at >= NOTE_SECONDS):
            return
        # What was held back is noted together with its being passed over: else it would be lost.
        note_published(self._history, fresh | self._held_back)
        self._held_back.clear()
        self._noted |= fresh
        self._noted_at = now


class _Line:
    """What was sent to a topic, in order, and how far all of it has arrived."""

    def __init__(self, arrived: int) -> None:
        self.sent = self.arrived = self.last = arrived
        self.waiting: deque[tuple[int, Any]] = deque()

    def add(self, number: int, promise: Any) -> None:
        self.sent = number
        self.waiting.append((number, promise))

    def settle(self) -> int:
        """Take off what has arrived; how many. Raises what the first other one failed with."""
        count = 0
        while self.waiting:
            number, promise = self.waiting[0]
            if promise is not None and not promise.is_done:
                break
            if promise is not None and promise.failed():
                raise promise.exception
            self.waiting.popleft()
            self.arrived = number
            count += 1
        return count

    def restart(self) -> None:
        self.waiting.clear()
        self.sent = self.arrived


_LAST_LETTER: Final = "SELECT coalesce(max(letter_no), 0) FROM dead_letters"


def note_published(history: History, up_to: dict[str, int]) -> None:
    """Note how far topics are known to hold what was committed.

    One statement, and no transaction of the history: nothing is said about tables in it.
    """
    assert history.transaction_no is None, "between two transactions"
    history.run(_NOTE, [list(up_to), list(up_to.values())])


_NOTE: Final = """
MERGE INTO published
USING (SELECT unnest(?::VARCHAR[]) AS topic, unnest(?::BIGINT[]) AS up_to) AS fresh
ON published.topic = fresh.topic
WHEN MATCHED THEN UPDATE SET up_to = greatest(published.up_to, fresh.up_to)
WHEN NOT MATCHED THEN INSERT VALUES (fresh.topic, fresh.up_to)
"""


def values_of(change: FindingChange) -> dict[str, Any]:
    """A change as the record has it."""
    finding = change.finding
    kept = asdict(finding)
    for name in ("seq", "event_nos"):
        del kept[name]
    return {
        **kept,
        "code": finding.code.value,
        "severity": finding.severity.value,
        "delta_cents": finding.delta_cents,
        "readings": list(finding.readings),
        "event_ids": list(change.event_ids),
        "change": change.change,
        "change_id": change.change_id,
    }


def record_of(
    letter: KeptLetter, topic: str, partition: int, bytes_max: int
) -> tuple[bytes, bytes | None, list[tuple[str, bytes]]]:
    """Key, value and headers of a dead letter in its topic."""
    offset = letter.position
    headers = [
        ("topic", topic.encode()),
        ("partition", str(partition).encode()),
        ("offset", str(offset).encode()),
        ("error", letter.error[:4_000].encode("utf-8", "replace")),
    ]
    if letter.last_position is not None:
        headers.append(("last_offset", str(letter.last_position).encode()))
    key = letter.key if letter.key is not None else f"{letter.source}@{offset}".encode()
    value: bytes | None = None if letter.tombstone else letter.raw
    if value is not None and len(value) + len(key) > bytes_max - 2 * RECORD_OVERHEAD_BYTES:
        digest = sha256(value).hexdigest()
        headers.append(("digest", f"sha256:{digest}".encode()))
        headers.append(("bytes", str(len(value)).encode()))
        value = digest.encode()
    return key, value, headers
