"""Records of a topic, as a member of a group, from the positions that the history holds.

Kafka's own positions are written for lag tools and as a fence, and never resumed from.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence
from typing import Any, Final

from kafka import TopicPartition
from kafka.errors import (
    AuthorizationError,
    CorruptRecordError,
    KafkaError,
    LogTruncationError,
    OffsetOutOfRangeError,
    RebalanceInProgressError,
    TopicAuthorizationFailedError,
)
from kafka.structs import OffsetAndMetadata

from services.history.positions import Position
from services.live import losses
from services.live.assignment import Assignment
from services.live.errors import FencedError, KafkaRefusedError
from services.live.following import FENCE_MS_MAX, Cut

_TOPIC_LOOK_SECONDS: Final = 10.0  # idle: a topic made anew would show at the next record only
_ENDS_LOOK_SECONDS: Final = 2.0  # a lag that is older tells nothing


class Source(Assignment):
    """A member of the group, read and fenced by the loop."""

    # --- reading ---

    def poll(self, timeout_ms: int) -> list[Cut]:
        """What came next, partition by partition; waits at most that long.

        Raises:
            KafkaRefusedError: we may not read the topic or be of the group.
        """
        self._let_go()
        polled = self._polled(timeout_ms)
        self._in_hand = {tp.partition for tp in polled}
        self._fresh |= self._unsettled()
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
            polled: dict[TopicPartition, list[Any]] = self._consumer.poll(
                timeout_ms=timeout_ms, max_records=self._pace.records_max
            )
            return polled
        except OffsetOutOfRangeError as error:
            for tp in error.args[0]:
                self._out_of_range(tp.partition)
        except LogTruncationError as error:
            self._truncated(tp.partition for tp in error.divergent_offsets)
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
            if isinstance(error, RebalanceInProgressError):
                # kafka-python 3.0.12 forgets that it was about to join when the topic's partitions
                # are told otherwise and then as before: it would never join, and commit no more.
                self._consumer._coordinator.request_rejoin()
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

    def refused(self, cuts: Sequence[Cut]) -> None:
        """Read these again, fewer at a time."""
        self._pace.refused(sum(len(cut.records) for cut in cuts))
        self.rewind(cut.partition for cut in cuts)

    def committed(self, cuts: Iterable[Cut]) -> None:
        """The history holds these now."""
        self._pace.committed()
        for cut in cuts:
            self._positions[cut.partition] = self.position_after(cut)
            self._in_hand.discard(cut.partition)
            self._damaged.pop(cut.partition, None)
            if cut.next_offset >= self._put_back.get(cut.partition, cut.next_offset + 1):
                del self._put_back[cut.partition]
                self._state.solved("put_back", self._where(cut.partition))
            self._state.moved(cut.partition, position=cut.next_offset)

    def position_after(self, cut: Cut) -> Position:
        """What the history is to hold with the events of a cut."""
        topic = self.following.topic
        return Position(topic, self.topic_id, cut.partition, cut.next_offset)

    def hold(self, partition: int, seconds: float) -> None:
        """Read nothing of a partition for a while, and then from where the history is."""
        if self._tp(partition) in self._consumer.assignment():
            self._seek(partition)
            self._consumer.pause(self._tp(partition))
            self._held_until[partition] = time.monotonic() + seconds

    def ends_now(self) -> dict[int, int]:
        """The last stable offsets of what is owned, as of now."""
        tps = [self._tp(partition) for partition in self.owned]
        return {tp.partition: end for tp, end in self._consumer.end_offsets(tps).items()}

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
        """Leave the group; a client that waits for an answer to its joining is left to itself."""
        leaving = threading.Thread(
            target=self._consumer.close,
            kwargs={"autocommit": False, "timeout_ms": int(seconds_max * 1_000)},
            name="leave-group",
            daemon=True,
        )
        leaving.start()
        leaving.join(seconds_max)

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
            except FencedError as error:
                if isinstance(error.__cause__, KafkaError):  # else said by what it found
                    self._state.trouble(losses.silent(self.following.topic))
                return
