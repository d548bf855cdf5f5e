"""The service: follow the topic, judge what comes, publish what came of it, until told to stop.

One thread does all that touches the history. Each turn: what others asked for, one poll, one
transaction, what is to go out. A stop is looked at between turns, so that nothing is half done.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from kafka import KafkaAdminClient

from services.history.archive import registry_schemas, writer_schemas
from services.history.changes import changes_after, last_change_no
from services.history.head import head_path
from services.history.idle import give_back, let_go, stay_small
from services.history.positions import positions_of
from services.history.store import History
from services.live.cluster import connected, dead_bytes_max, ensure_topics
from services.live.errors import FencedError, KafkaUnreachableError
from services.live.following import Following
from services.live.ingest import Ingest
from services.live.joining import Joining
from services.live.kafka_settings import KafkaSettings
from services.live.phases import Phase, reach
from services.live.places import Say
from services.live.publisher import Publisher
from services.live.quiet import QUIET_SECONDS, QuietTables
from services.live.reconciler import Reconciler
from services.live.registry import LOOP_SECONDS, Registry
from services.live.source import Source
from services.live.state import Problem, ServiceState
from services.live.taking_up import lost_for_good
from services.live.unpacking import BATCH_BYTES_MAX
from services.live.wire import Wire

if TYPE_CHECKING:
    from replay.rulebook.loader import Rulebook
    from services.settings import Settings

POLL_MS: Final = 200
"""How long a stop may go unnoticed."""

SETTLE_SECONDS: Final = 2.0
"""Other members show within a heartbeat; before that, what is assigned may be taken away again."""

STALE_SECONDS: Final = 3.0
"""So long after a poll the group may have given our partitions away: prove that they are ours."""

FLUSH_SECONDS_MAX: Final = 1.5
LEAVE_SECONDS_MAX: Final = 1.5
"""Of the five seconds that a stop may take; the rest is for the transaction under way."""

_HEAD: Final = "head_unwritten"
_WAITING_SECONDS: Final = 10.0  # how often it is said what the end still waits for
_ADVANCE_SECONDS: Final = 10.0  # positions behind markers alone: expiry would make them a loss


@dataclass(frozen=True, slots=True)
class Plan:
    """What `serve` was told."""

    kafka: KafkaSettings
    topic: str = "table-events"
    group: str = "pitproof"
    findings_topic: str = "audit-findings"
    dead_topic: str = "table-events.dead"
    create_topics: bool = False
    until_end: bool = False
    session_timeout_ms: int = 45_000
    max_poll_interval_ms: int = 300_000
    batch_bytes_max: int = BATCH_BYTES_MAX
    record_bytes_max: int = 1 << 20
    quiet_seconds: float = QUIET_SECONDS
    registry_url: str = ""
    registry_secret: str = field(default="", repr=False)
    skip_lost: tuple[int, ...] = ()
    show_findings: bool = False

    def bounded(self, settings: Settings) -> Plan:
        """The same, with the bounds that the settings give."""
        return replace(
            self,
            batch_bytes_max=settings.batch_bytes_max,
            record_bytes_max=settings.record_bytes_max,
            quiet_seconds=settings.quiet_table_seconds,
        )


class Service:
    """Open it with a history that this process owns; `run` returns when it is stopped."""

    def __init__(
        self,
        history: History,
        rulebook: Rulebook,
        plan: Plan,
        state: ServiceState,
        say: Say,
        *,
        had_events: int = 0,
    ) -> None:
        self._had_events = had_events
        self._history, self._plan, self._state, self._say = history, plan, state, say
        self._is_stopping = False
        self._said: set[tuple[str, str, str]] = set()
        self._shown = last_change_no(history)
        self._owned: tuple[int, ...] | None = None
        self._waited_at = time.monotonic()
        self._joining = Joining(plan.group, plan.session_timeout_ms, say, self._waited_at)
        stay_small(history)
        with contextlib.ExitStack() as stack:
            admin = stack.enter_context(contextlib.closing(connected(plan.kafka)))
            self._ensure(admin)
            self._source = Source(
                plan.kafka, self._following(), self._positions(admin), admin, state
            )
            stack.callback(self._source.close, LEAVE_SECONDS_MAX)
            wire = Wire(
                writer_schemas(history),
                registry_schemas(history),
                _registry(plan),
                plan.record_bytes_max,
            )
            self._ingest = Ingest(history, rulebook, self._source, wire, state)
            self._publisher = Publisher(
                plan.kafka,
                history,
                state,
                plan.findings_topic,
                plan.dead_topic,
                dead_bytes_max(admin, plan.dead_topic),
            )
            stack.callback(self._publisher.close, FLUSH_SECONDS_MAX)
            self._reconciler = Reconciler(plan.kafka, history, self._source, self._publisher, state)
            stack.callback(self._reconciler.close)
            self._quiet = QuietTables(history, state, plan.quiet_seconds)
            self._closing = stack.pop_all()

    def stop(self) -> None:
        """Stop after the turn under way. May be called from a signal handler or another thread."""
        self._is_stopping = True

    def run(self) -> None:
        """Follow the topic.

        Raises:
            PitproofError: Kafka refuses us, or the history cannot be written.
        """
        goals: dict[int, int] | None = None
        advanced_at = time.monotonic()
        try:
            while not self._is_stopping:
                self._turn()
                if self._plan.until_end:
                    goals = self._goals(goals)
                    if goals is not None and self._is_at(goals):
                        self._advance()
                        return
                if time.monotonic() - advanced_at >= _ADVANCE_SECONDS:
                    advanced_at = time.monotonic()
                    self._advance()
                    let_go(self._history)
                    give_back()
        finally:
            self._state.close()
            self._closing.close()
            self._tell()

    # --- a turn ---

    def _turn(self) -> None:
        has_news = self._state.do_asked() > 0
        reach(Phase.IDLE if self._source.is_settled(0) else Phase.REBALANCING)
        cuts = self._source.poll(POLL_MS)
        polled_at = time.monotonic()
        self._tell_owned()
        self._tell()  # what is found at an assignment may be over after the first transaction
        if cuts and self._ingest.take(cuts):
            self._reconciler.heard_of(
                {table_id: place for table_id, (place, _) in self._ingest.tables_seen.items()}
            )
            has_news = True
            reach(Phase.BEFORE_PUBLISHING)
        if has_news:
            self._publisher.notice()
            self._tell_head()
        if self._is_ours_since(polled_at):
            self._reconciler.step()
            self._publisher.pump(self._reconciler)
        if self._plan.show_findings:
            self._show()
        is_ready = self._state.snapshot().is_ready
        if is_ready and self._had_events:
            had, self._had_events = self._had_events, 0
            if (problem := lost_for_good(self._history, self._plan.topic, had)) is not None:
                self._state.trouble(problem)
        self._quiet.look(self._ingest.tables_seen, is_caught_up=is_ready)
        self._tell()

    def _is_ours_since(self, polled_at: float) -> bool:
        """Whether what we own is still ours: after a stall the group may have decided otherwise."""
        if time.monotonic() - polled_at < STALE_SECONDS:
            return True
        try:
            self._source.prove(self._source.owned)
        except FencedError:
            return False
        return True

    def _advance(self) -> None:
        """Take positions past markers into the history: what they name may expire."""
        cuts = self._source.advanced()
        if cuts:
            self._ingest.take(cuts)

    def _tell_head(self) -> None:
        """That the head of the history could not be written, until it can."""
        where = head_path(self._history.path).name
        if not self._history.head_unwritten:
            self._state.solved(_HEAD, where)
            return
        next_step = "make room, or give this user the folder; the history itself is whole"
        problem = Problem(_HEAD, where, self._history.head_unwritten, next_step, is_stopping=False)
        self._state.trouble(problem)

    def _tell_owned(self) -> None:
        """Which partitions are ours, whenever that changes."""
        owned = tuple(sorted(self._source.owned))
        is_settled = self._source.is_settled(0)
        self._joining.look(time.monotonic(), is_settled=is_settled)
        if owned != self._owned and is_settled:
            self._owned = owned
            self._say("partitions", {"owned": list(owned)})

    def _show(self) -> None:
        """Each finding as it comes."""
        for change in changes_after(self._history, self._shown):
            self._shown = change.change_no
            self._say("finding", {"message": change.words})

    def _tell(self) -> None:
        """Say each problem once, and once more when it reads otherwise."""
        current = set()
        for problem in self._state.snapshot().problems:
            key = (problem.code, problem.where, problem.message)
            current.add(key)
            if key not in self._said:
                self._say(
                    "problem",
                    {
                        "code": problem.code,
                        "where": problem.where,
                        "message": problem.message,
                        "next_step": problem.next_step,
                    },
                )
        for code, where, _ in self._said - current:
            if not any((code, where) == (one[0], one[1]) for one in current):
                self._say("solved", {"code": code, "where": where})
        self._said = current

    # --- until the end ---

    def _goals(self, goals: dict[int, int] | None) -> dict[int, int] | None:
        """Where to stop, once the group has settled; what came to us later goes to its own end."""
        if not self._source.is_settled(SETTLE_SECONDS):
            return None
        owned = set(self._source.owned)
        if goals is None or owned - set(goals):
            return {**(goals or {}), **self._source.ends_now()}
        return goals

    def _is_at(self, goals: Mapping[int, int]) -> bool:
        behind = []
        for partition in self._source.owned:
            at = self._source.read_up_to(partition)
            if at is None or at < goals.get(partition, 0):
                behind.append(partition)
        is_done = not behind and self._reconciler.is_done and self._publisher.is_done
        now = time.monotonic()
        if not is_done and now - self._waited_at >= _WAITING_SECONDS:
            self._waited_at = now
            self._say(
                "waiting",
                {
                    "partitions_behind": behind,
                    "findings_compared": self._reconciler.is_done,
                    "all_published": self._publisher.is_done,
                },
            )
        return is_done

    # --- at start ---

    def _ensure(self, admin: KafkaAdminClient) -> None:
        plan = self._plan
        ensure_topics(
            admin,
            [plan.topic, plan.findings_topic, plan.dead_topic],
            create=plan.create_topics,
            kept=[plan.findings_topic, plan.dead_topic],
        )

    def _following(self) -> Following:
        plan = self._plan
        ((history_id,),) = self._history.rows(
            "SELECT value FROM settings WHERE name = 'history_id'"
        )
        return Following(
            plan.topic,
            plan.group,
            str(history_id),
            plan.session_timeout_ms,
            plan.max_poll_interval_ms,
            plan.batch_bytes_max,
        )

    def _positions(self, admin: KafkaAdminClient) -> dict[int, Any]:
        """As the history has them; those that someone gave up begin again at the topic's start."""
        topic = self._plan.topic
        held = positions_of(self._history, topic)
        for partition in self._plan.skip_lost:
            if partition not in held:
                raise KafkaUnreachableError(
                    f"--skip-lost {partition}: the history has no position in {topic}[{partition}]"
                )
        if self._plan.skip_lost:
            with self._history.transaction():
                self._history.run(
                    "DELETE FROM positions WHERE topic = ? "
                    "AND partition_no IN (SELECT unnest(?::INTEGER[]))",
                    [topic, list(self._plan.skip_lost)],
                )
            for partition in self._plan.skip_lost:
                self._say(
                    "lost",
                    {"where": f"{topic}[{partition}]", "at": held.pop(partition).next_offset},
                )
        return held


def _registry(plan: Plan) -> Registry | None:
    if not plan.registry_url:
        return None
    return Registry(plan.registry_url, plan.registry_secret, patience_seconds=LOOP_SECONDS)
