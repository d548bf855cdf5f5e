"""The partitions that are ours: taken up where the history is, and held against the topic.

The client's callbacks run on a thread of its own while the loop waits in `poll`: they look up
positions in memory and seek, nothing else. Whatever asks Kafka is done by the loop afterwards, and
nothing of a partition is handed out before that. What does not fit stops its partition, with a
word about what is lost and how to go on; the others go on.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Mapping
from typing import Any, Final

from kafka import KafkaAdminClient, TopicPartition
from kafka.errors import KafkaError

from services.history.positions import Position
from services.live import losses
from services.live.cluster import ANSWER_MS_MAX, topic_id
from services.live.errors import FencedError, TopicsMissingError
from services.live.following import Following, Listener, consumer_of
from services.live.kafka_settings import KafkaSettings
from services.live.pace import Pace
from services.live.places import source_of
from services.live.state import PartitionState, Problem, ServiceState

_DAMAGED_TRIES: Final = 3  # a network may damage a batch once; a disk does it every time


class Assignment:
    """What of the topic is ours. Everything but the callbacks runs in the loop's thread."""

    def __init__(
        self,
        settings: KafkaSettings,
        following: Following,
        positions: Mapping[int, Position],
        admin: KafkaAdminClient,
        state: ServiceState,
    ) -> None:
        self.following = following
        self._admin, self._state = admin, state
        self._positions = dict(positions)
        self._pace = Pace()
        self._fresh: set[int] = set()
        self._goals: dict[int, int] = {}
        self._begins: dict[int, int] = {}
        self._ends: dict[int, int] = {}
        self._stopped: dict[int, Problem] = {}
        self._damaged: dict[int, int] = {}
        self._put_back: dict[int, int] = {}
        self._held_until: dict[int, float] = {}
        self._in_hand: set[int] = set()
        """Partitions with records that were read and are not in the history yet."""
        self._assigned_at: float | None = None
        self._topic_looked_at = self._ends_looked_at = 0.0
        self.newly_owned: dict[int, bool] = {}
        """Partitions settled since it was last emptied -> all that we found there was published,
        and nobody else has committed since."""
        self.folded: set[int] = set()
        """Partitions whose findings stand in the topic as the history has them."""
        self.topic_id = topic_id(admin, following.topic)
        self._consumer = consumer_of(settings, following)
        self._consumer.subscribe([following.topic], listener=Listener(self._took, self._gave))

    def rewind(self, partitions: Iterable[int]) -> None:
        """Read these again from where the history is, as far as they are still ours."""
        assigned = self._consumer.assignment()
        for partition in partitions:
            if self._tp(partition) in assigned:
                self._seek(partition)

    @property
    def owned(self) -> list[int]:
        """Partitions that are ours and are not stopped."""
        return [
            tp.partition
            for tp in self._consumer.assignment()
            if tp.partition not in self._stopped and tp.partition not in self._fresh
        ]

    def is_settled(self, seconds: float) -> bool:
        """Whether the partitions were given out, and stayed as they are for so long."""
        return (
            self._assigned_at is not None
            and not self._fresh
            and time.monotonic() - self._assigned_at >= seconds
        )

    def is_caught_up(self, partition: int) -> bool:
        """Whether a partition was read to the end seen at its assignment."""
        goal, position = self._goals.get(partition), self.read_up_to(partition)
        return goal is not None and position is not None and position >= goal

    def read_up_to(self, partition: int) -> int | None:
        """The next offset that will be read: an own look, since the client would ask Kafka."""
        held = self._consumer._subscription.assignment.get(self._tp(partition))
        return held.position.offset if held is not None and held.position is not None else None

    # --- callbacks, on the client's thread ---

    def _took(self, partitions: Iterable[int]) -> None:
        for partition in partitions:
            self._fresh.add(partition)
            self._stopped.pop(partition, None)
            self._held_until.pop(partition, None)
            self._seek(partition)
        self._assigned_at = time.monotonic()

    def _gave(self, partitions: Iterable[int]) -> None:
        for partition in partitions:
            self._fresh.discard(partition)
            self._in_hand.discard(partition)
            self._held_until.pop(partition, None)
            self._goals.pop(partition, None)
            self._begins.pop(partition, None)
            self.newly_owned.pop(partition, None)
            self.folded.discard(partition)
            if (problem := self._stopped.pop(partition, None)) is not None:
                self._state.solved(problem.code, problem.where)
        self._assigned_at = time.monotonic()

    def _seek(self, partition: int) -> None:
        self._in_hand.discard(partition)
        position = self._positions.get(partition)
        begin = self._begins.get(partition) if position is None else position.next_offset
        if begin is not None:
            self._consumer.seek(self._tp(partition), begin)
        else:
            self._consumer.seek_to_beginning(self._tp(partition))

    # --- looking after what was given to us ---

    def _unsettled(self) -> set[int]:
        """What is ours without a word of it: the client may tell that it is gone, and keep it."""
        return {
            tp.partition
            for tp in self._consumer.assignment()
            if tp.partition not in self._goals and tp.partition not in self._stopped
        }

    def _settle(self) -> bool:
        """Hold what was assigned against the topic; False: Kafka does not answer now."""
        fresh = sorted(self._fresh)
        tps = [self._tp(partition) for partition in fresh]
        try:
            self._know(topic_id(self._admin, self.following.topic))
            begins = self._consumer.beginning_offsets(tps)
            ends = self._consumer.end_offsets(tps)
            others = {tp: self._consumer.committed(tp, True, ANSWER_MS_MAX) for tp in tps}
        except (KafkaError, TopicsMissingError) as error:
            self._state.trouble(losses.unanswered(self.following.topic, error))
            return False
        self._state.solved("unanswered", self.following.topic)
        for partition, tp in zip(fresh, tps, strict=True):
            self._fresh.discard(partition)
            self._goals[partition], self._ends[partition] = ends[tp], ends[tp]
            position, last = self._positions.get(partition), others[tp]
            self._begins[partition] = begins[tp]
            if position is None and self.read_up_to(partition) is None:
                # The client's own way to the beginning may never arrive when the group changes
                # meanwhile: seen with kafka-python 3.0.12.
                self._seek(partition)
            self.newly_owned[partition] = (
                last is not None
                and position is not None
                and (last.metadata, last.offset) == (self._metadata(True), position.next_offset)
            )
            self._hold_against(partition, position, begins[tp])
            if position is not None and last is not None:
                self._hold_against_group(partition, position, last)
        self._publish_state()
        return True

    def _hold_against(self, partition: int, position: Position | None, begin: int) -> None:
        where = self._where(partition)
        if position is None:
            if begin > 0:
                self._state.trouble(losses.expired_start(where, begin))
        elif position.topic_id and position.topic_id != self.topic_id:
            self._stop(partition, losses.made_anew(where, position))
        elif position.next_offset < begin:
            self._stop(partition, losses.expired(where, position, begin))

    def _hold_against_group(self, partition: int, position: Position, last: Any) -> None:
        """Whether this history was further once than it is now."""
        is_ours = last.metadata.partition(" ")[0] == self.following.history_id
        if is_ours and last.offset > position.next_offset and partition not in self._stopped:
            where = self._where(partition)
            self._put_back[partition] = last.offset
            self._state.trouble(losses.put_back(where, position, last.offset))

    def _out_of_range(self, partition: int) -> None:
        """The broker has no such offset: say whether it has expired or never was."""
        tp, position = self._tp(partition), self._positions.get(partition)
        try:
            begin = self._consumer.beginning_offsets([tp])[tp]
            end = self._consumer.end_offsets([tp])[tp]
            self._know(topic_id(self._admin, self.following.topic))
        except (KafkaError, TopicsMissingError):
            return  # it is said again at the next poll
        if position is None:
            self._seek(partition)  # expired while it was looked at: the beginning is later now
            return
        self._hold_against(partition, position, begin)
        if partition not in self._stopped:
            self._stop(partition, losses.beyond_end(self._where(partition), position, end))

    def _truncated(self, partitions: Iterable[int]) -> None:
        """Other records stand where ours did: those of another topic, or of this one cut off."""
        with contextlib.suppress(KafkaError, TopicsMissingError):
            self._know(topic_id(self._admin, self.following.topic))
        for partition in partitions:
            position = self._positions.get(partition)
            if position is not None and partition not in self._stopped:
                self._stop(partition, losses.truncated(self._where(partition), position))

    def _damage(self, said: str) -> None:
        """A batch whose checksum is wrong: again, and if it stays so, no further."""
        for tp in self._consumer.assignment():
            if f"partition={tp.partition})" not in said:
                continue
            self._damaged[tp.partition] = self._damaged.get(tp.partition, 0) + 1
            self.rewind([tp.partition])
            if self._damaged[tp.partition] >= _DAMAGED_TRIES:
                self._stop(tp.partition, losses.damaged(self._where(tp.partition), said))

    def _stop(self, partition: int, problem: Problem) -> None:
        self._stopped[partition] = problem
        self._state.trouble(problem)
        self._consumer.pause(self._tp(partition))
        self._publish_state()

    def _check_topic(self) -> None:
        """Records come from the topic that we know, if it still is that one afterwards."""
        self._topic_looked_at = time.monotonic()
        try:
            found = topic_id(self._admin, self.following.topic)
        except KafkaError as error:
            raise FencedError(f"{type(error).__name__}: {error}") from error
        except TopicsMissingError:
            found = ""
        self._state.solved("silent", self.following.topic)
        if not self._know(found):
            raise FencedError("the topic is another one now")

    def _know(self, found: str) -> bool:
        """Whether the topic is the one it was; if not, what was read of that one ends here."""
        if found:
            self._state.solved("deleted", self.following.topic)
        else:
            self._state.trouble(losses.deleted(self.following.topic))
        if found == self.topic_id:
            return bool(found)
        self.topic_id = found
        for partition in self.owned:
            where, position = self._where(partition), self._positions.get(partition)
            if position is None:
                self._seek(partition)
            else:
                lost = losses.made_anew(where, position) if found else losses.deleted(where)
                self._stop(partition, lost)
        return False

    def _publish_state(self) -> None:
        states = {}
        for tp in self._consumer.assignment():
            number = tp.partition
            problem = self._stopped.get(number)
            position = self._positions.get(number)
            is_known = problem is None and number not in self._in_hand
            at = self.read_up_to(number) if is_known else None
            if position is not None and at is None:
                at = position.next_offset
            states[number] = PartitionState(
                number,
                at,
                self._ends.get(number),
                self._goals.get(number),
                problem.message if problem else None,
            )
        self._state.owns(states)
        self._state.settled(self._assigned_at is not None and not self._fresh)

    def _metadata(self, is_folded: bool) -> str:
        """Kept by Kafka beside the position: whose it is, and whether its findings are out."""
        return f"{self.following.history_id} {'folded' if is_folded else 'behind'}"

    def _expected(self, partition: int) -> int | None:
        position = self._positions.get(partition)
        return None if position is None else position.next_offset

    def _where(self, partition: int) -> str:
        return source_of(self.following.topic, partition)

    def _tp(self, partition: int) -> TopicPartition:
        return TopicPartition(self.following.topic, partition)
