"""Records of a topic, as a member of a group, from the positions that the history holds.

kafka-python runs its callbacks on a thread of its own while the loop waits in `poll`: they look up
positions in memory and seek, nothing else. Whatever asks Kafka is done by the loop afterwards, and
nothing of a partition is handed out before that. Kafka's own positions are written for lag tools
and as a fence, and never resumed from.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any, Final

from kafka import KafkaAdminClient, TopicPartition
from kafka.errors import (
    AuthorizationError,
    CorruptRecordError,
    KafkaError,
    LogTruncationError,
    OffsetOutOfRangeError,
    TopicAuthorizationFailedError,
)
from kafka.structs import OffsetAndMetadata

from services.history.positions import Position
from services.live import losses
from services.live.cluster import ANSWER_MS_MAX, topic_id
from services.live.errors import FencedError, KafkaRefusedError, TopicsMissingError
from services.live.following import FENCE_MS_MAX, Cut, Following, Listener, consumer_of
from services.live.kafka_settings import KafkaSettings
from services.live.places import source_of
from services.live.state import PartitionState, Problem, ServiceState

_TOPIC_LOOK_SECONDS: Final = 10.0  # idle: a topic made anew would show at the next record only
_ENDS_LOOK_SECONDS: Final = 2.0  # a lag that is older tells nothing
_DAMAGED_TRIES: Final = 3  # a network may damage a batch once; a disk does it every time


class Source:
    """A member of the group. Everything but the callbacks runs in the loop's thread."""

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
        self._fresh: set[int] = set()
        self._goals: dict[int, int] = {}
        self._ends: dict[int, int] = {}
        self._stopped: dict[int, Problem] = {}
        self._damaged: dict[int, int] = {}
        self._held_until: dict[int, float] = {}
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

    # --- reading ---

    def poll(self, timeout_ms: int) -> list[Cut]:
        """What came next, partition by partition; waits at most that long.

        Raises:
            KafkaRefusedError: we may not read the topic or be of the group.
        """
        self._let_go()
        polled = self._polled(timeout_ms)
        if self._fresh and not self._settle():
            self.rewind(self._fresh)
            polled = {tp: part for tp, part in polled.items() if tp.partition not in self._fresh}
        self._look()
        cuts = []
        for tp, records in polled.items():
            up_to = self.read_up_to(tp.partition)
            if tp.partition not in self._stopped and up_to is not None:
                cuts.append(Cut(tp.partition, self._expected(tp.partition), records, up_to))
        return cuts

    def _polled(self, timeout_ms: int) -> dict[TopicPartition, list[Any]]:
        """What the client has; nothing of a partition that something is wrong with."""
        try:
            polled: dict[TopicPartition, list[Any]] = self._consumer.poll(timeout_ms=timeout_ms)
            return polled
        except OffsetOutOfRangeError as error:
            for tp in error.args[0]:
                self._out_of_range(tp.partition)
        except LogTruncationError as error:
            for tp in error.divergent_offsets:
                if (position := self._positions.get(tp.partition)) is not None:
                    self._stop(tp.partition, losses.truncated(self._where(tp.partition), position))
        except CorruptRecordError as error:
            self._damage(str(error))
        except (AuthorizationError, TopicAuthorizationFailedError) as error:
            raise KafkaRefusedError(
                f"Kafka does not let us follow {self.following.topic}: {type(error).__name__}",
                next_step=f"allow reading it, as group {self.following.group}",
            ) from error
        return {}

    def fence(self, cuts: Iterable[Cut]) -> None:
        """Prove that these partitions are still ours, and that the topic is still the same.

        Raises:
            FencedError: they are not, or it cannot be proved now: nothing of them may be kept.
        """
        self._check_topic()
        offsets = {
            self._tp(one.partition): OffsetAndMetadata(
                one.next_offset, self._metadata(one.partition in self.folded)
            )
            for one in cuts
        }
        if any(cut.partition in self._stopped for cut in cuts):
            raise FencedError("the partition was stopped")
        try:
            self._consumer.commit(offsets, timeout_ms=FENCE_MS_MAX)
        except KafkaError as error:
            raise FencedError(f"{type(error).__name__}: {error}") from error

    def prove(self, partitions: Iterable[int]) -> None:
        """A fence without a transaction; writes beside our positions whose findings are out.

        Raises:
            FencedError: it cannot be proved that these partitions are ours.
        """
        cuts = [
            Cut(partition, None, (), self._positions[partition].next_offset)
            for partition in partitions
            if partition in self._positions
        ]
        if cuts:
            self.fence(cuts)

    def committed(self, cuts: Iterable[Cut]) -> None:
        """The history holds these now."""
        for cut in cuts:
            self._positions[cut.partition] = self.position_after(cut)
            self._damaged.pop(cut.partition, None)
            self._state.moved(cut.partition, position=cut.next_offset)

    def position_after(self, cut: Cut) -> Position:
        """What the history is to hold with the events of a cut."""
        topic = self.following.topic
        return Position(topic, self.topic_id, cut.partition, cut.next_offset)

    def rewind(self, partitions: Iterable[int]) -> None:
        """Read these again from where the history is, as far as they are still ours."""
        assigned = self._consumer.assignment()
        for partition in partitions:
            if self._tp(partition) in assigned:
                self._seek(partition)

    def hold(self, partition: int, seconds: float) -> None:
        """Read nothing of a partition for a while, and then from where the history is."""
        if self._tp(partition) in self._consumer.assignment():
            self._seek(partition)
            self._consumer.pause(self._tp(partition))
            self._held_until[partition] = time.monotonic() + seconds

    # --- what is owned ---

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

    def ends_now(self) -> dict[int, int]:
        """The last stable offsets of what is owned, as of now."""
        tps = [self._tp(partition) for partition in self.owned]
        return {tp.partition: end for tp, end in self._consumer.end_offsets(tps).items()}

    def read_up_to(self, partition: int) -> int | None:
        """The next offset that will be read: an own look, since the client would ask Kafka."""
        held = self._consumer._subscription.assignment.get(self._tp(partition))
        return held.position.offset if held is not None and held.position is not None else None

    def advanced(self) -> list[Cut]:
        """Partitions read past markers alone, whose positions the history does not know yet."""
        cuts = []
        for partition in self.owned:
            known = self._positions.get(partition)
            at = self.read_up_to(partition)
            if at is not None and (known is None or at > known.next_offset):
                cuts.append(Cut(partition, self._expected(partition), (), at))
        return cuts

    def close(self, seconds_max: float) -> None:
        """Leave the group."""
        self._consumer.close(autocommit=False, timeout_ms=int(seconds_max * 1_000))

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
            self._held_until.pop(partition, None)
            self._goals.pop(partition, None)
            self.newly_owned.pop(partition, None)
            self.folded.discard(partition)
            if (problem := self._stopped.pop(partition, None)) is not None:
                self._state.solved(problem.code, problem.where)
        self._assigned_at = time.monotonic()

    def _seek(self, partition: int) -> None:
        if (position := self._positions.get(partition)) is None:
            self._consumer.seek_to_beginning(self._tp(partition))
        else:
            self._consumer.seek(self._tp(partition), position.next_offset)

    # --- looking after an assignment ---

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
            self.newly_owned[partition] = (
                last is not None
                and position is not None
                and (last.metadata, last.offset) == (self._metadata(True), position.next_offset)
            )
            self._hold_against(partition, position, begins[tp])
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

    # --- looking now and then ---

    def _let_go(self) -> None:
        """Read on where the wait is over."""
        now = time.monotonic()
        for partition in [number for number, until in self._held_until.items() if now >= until]:
            del self._held_until[partition]
            if self._tp(partition) in self._consumer.assignment():
                self._consumer.resume(self._tp(partition))

    def _look(self) -> None:
        now = time.monotonic()
        if now - self._ends_looked_at >= _ENDS_LOOK_SECONDS:
            self._ends_looked_at = now
            for tp in self._consumer.assignment():
                if (high := self._consumer.highwater(tp)) is not None:
                    self._ends[tp.partition] = high
            self._publish_state()
        if now - self._topic_looked_at >= _TOPIC_LOOK_SECONDS:
            try:
                self._check_topic()
            except FencedError:
                return  # said by what it found

    def _check_topic(self) -> None:
        """Records come from the topic that we know, if it still is that one afterwards."""
        self._topic_looked_at = time.monotonic()
        try:
            found = topic_id(self._admin, self.following.topic)
        except KafkaError as error:
            raise FencedError(f"{type(error).__name__}: {error}") from error
        except TopicsMissingError:
            found = ""
        if not self._know(found):
            raise FencedError("the topic is another one now")

    def _know(self, found: str) -> bool:
        """Whether the topic is the one it was; if not, what was read of that one ends here."""
        if found == self.topic_id:
            return True
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
            at = self.read_up_to(number) if problem is None else None
            if position is not None and (at is None or problem is not None):
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
