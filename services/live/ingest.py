"""One poll into the history: events, positions and findings in one transaction, or none of it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from services.history.archive import keep_registry_schema, keep_writer_schema
from services.history.changes import changes_within
from services.history.errors import PositionMovedError
from services.history.journal import Appended, Journal
from services.history.positions import begin_at, move_on
from services.history.store import History
from services.judging import judge
from services.live.errors import FencedError
from services.live.following import Cut
from services.live.phases import Phase, reach
from services.live.places import source_of
from services.live.registry import RegistryUnreachableError
from services.live.source import Source
from services.live.state import DELAYS_KEPT_MAX, Problem, ServiceState, TransactionFacts
from services.live.wire import Decoded, Opened, Wire

if TYPE_CHECKING:
    from replay.rulebook.loader import Rulebook

WAIT_SECONDS_MIN, WAIT_SECONDS_MAX = 0.5, 30.0
"""For a registry that does not answer: at once it would be asked without end."""


class Ingest:
    """Takes what the source gives. Runs in the loop's thread."""

    def __init__(
        self, history: History, rulebook: Rulebook, source: Source, wire: Wire, state: ServiceState
    ) -> None:
        self._history, self._rulebook = history, rulebook
        self._source, self._wire, self._state = source, wire, state
        self._topic = source.following.topic
        self._waits: dict[int, float] = {}
        self.tables_seen: dict[str, tuple[int, float]] = {}
        """Table -> partition that it comes in, and when it was heard of (monotonic)."""

    def take(self, cuts: Sequence[Cut]) -> bool:
        """Whether anything was committed; if not, it is read again."""
        started = time.monotonic()
        ready: list[Cut] = []
        opened: list[Opened] = []
        for cut in cuts:
            try:
                opened.append(self._wire.opened(cut.partition, cut.records))
                ready.append(cut)
            except RegistryUnreachableError as error:
                self._wait_for_registry(cut.partition, str(error))
        if not ready:
            return False
        parts = self._wire.decode_all(self._topic, opened)
        decoded = {cut.partition: part for cut, part in zip(ready, parts, strict=True)}
        try:
            facts = self._commit(ready, decoded, started)
        except (FencedError, PositionMovedError) as error:
            self._refused(ready, error)
            return False
        self._source.committed(ready)
        self._wire.to_archive.clear()
        self._wire.to_register.clear()
        self._hear(decoded)
        for cut in ready:
            if self._waits.pop(cut.partition, None) is not None:
                self._state.solved("registry", source_of(self._topic, cut.partition))
        self._state.solved("fenced", self._topic)
        self._state.committed(facts)
        return True

    def _commit(
        self, cuts: Sequence[Cut], decoded: Mapping[int, Decoded], started: float
    ) -> TransactionFacts:
        history = self._history
        with history.transaction(before_commit=lambda: self._fence(cuts)) as number:
            journal = Journal(history)
            for cut in cuts:
                part = decoded[cut.partition]
                source = source_of(self._topic, cut.partition)
                journal.append(source, part.table, part.letters)
            added = journal.decide()
            settling = time.monotonic()
            changed = judge(history, self._rulebook, journal.changed())
            settling = time.monotonic() - settling
            changes = changes_within(history) if changed else {}
            self._move(cuts)
            for mark, schema in self._wire.to_archive.items():
                keep_writer_schema(history, mark, schema)
            for registered, schema in self._wire.to_register.items():
                keep_registry_schema(history, registered, schema)
        return _facts(number, added, changes, decoded.values(), started, settling)

    def _move(self, cuts: Sequence[Cut]) -> None:
        moves: dict[int, tuple[int, int]] = {}
        for cut in cuts:
            if cut.expected is None:
                begin_at(self._history, self._source.position_after(cut))
            else:
                moves[cut.partition] = (cut.expected, cut.next_offset)
        move_on(self._history, self._topic, moves)

    def _fence(self, cuts: Sequence[Cut]) -> None:
        """Between everything written and the commit: are we still who may write it?"""
        reach(Phase.BEFORE_KAFKA_COMMIT)
        self._source.fence(cuts)
        reach(Phase.BETWEEN_COMMITS)

    def _refused(self, cuts: Sequence[Cut], error: Exception) -> None:
        self._state.count("rolled_back")
        self._state.trouble(
            Problem(
                "fenced",
                self._topic,
                f"a transaction was rolled back: {error}",
                "nothing is lost: it is read again, here or by another member",
                is_stopping=False,
            )
        )
        self._source.refused(cuts)

    def _wait_for_registry(self, partition: int, cause: str) -> None:
        wait = self._waits.get(partition, WAIT_SECONDS_MIN)
        self._waits[partition] = min(2 * wait, WAIT_SECONDS_MAX)
        self._source.hold(partition, wait)
        self._state.trouble(
            Problem(
                "registry",
                source_of(self._topic, partition),
                f"{source_of(self._topic, partition)} waits for the schema registry: {cause}",
                "see that it runs; the partition goes on by itself",
            )
        )

    def _hear(self, decoded: Mapping[int, Decoded]) -> None:
        now = time.monotonic()
        for partition, part in decoded.items():
            for table_id in part.table.column("table_id").unique().to_pylist():
                self.tables_seen[table_id] = (partition, now)


def _facts(
    number: int,
    added: Appended,
    changes: dict[str, int],
    decoded: Any,
    started: float,
    settle_seconds: float,
) -> TransactionFacts:
    now_ms = time.time() * 1_000
    stamps = [stamp for part in decoded for stamp in part.timestamps_ms][-DELAYS_KEPT_MAX:]
    return TransactionFacts(
        number,
        added.events,
        added.redelivered,
        added.conflicts,
        added.dead_letters,
        changes,
        time.monotonic() - started,
        tuple(max(0.0, (now_ms - stamp) / 1_000) for stamp in stamps if stamp >= 0),
        settle_seconds,
    )
