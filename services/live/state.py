"""What the service is doing, for whoever asks: the one object that other threads may touch.

The loop writes it, HTTP handlers and metrics read it: `snapshot` for readings, `subscribe` to be
told of each transaction. What must write to the history is handed in with `ask` and is done by the
loop between two transactions, since one thread writes.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from queue import Empty, SimpleQueue
from typing import Any, Final, TypeVar

T = TypeVar("T")

DELAYS_KEPT_MAX: Final = 10_000
"""Of one transaction: delays from production to finding, one a record."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that a person must look at."""

    code: str
    where: str
    message: str
    next_step: str = ""
    is_stopping: bool = True
    """Whether the service is not ready as long as it lasts; else it is only said."""


@dataclass(frozen=True, slots=True)
class PartitionState:
    """A partition that this member owns."""

    partition: int
    position: int | None = None
    """Next offset to be committed with its events; None: nothing is known yet."""
    end: int | None = None
    """Last stable offset when it was last asked for."""
    goal: int | None = None
    """The end seen at its assignment: ready once it is read up to there."""
    problem: str | None = None

    @property
    def lag(self) -> int | None:
        """Records not read yet, markers of transactions among them."""
        if self.end is None or self.position is None:
            return None
        return max(0, self.end - self.position)

    @property
    def is_caught_up(self) -> bool:
        """Read to the end seen at its assignment."""
        return (
            self.goal is not None
            and self.position is not None
            and self.position >= self.goal
            and self.problem is None
        )


@dataclass(frozen=True, slots=True)
class TransactionFacts:
    """One transaction as it was committed."""

    number: int
    events: int
    redelivered: int
    conflicts: int
    dead_letters: int
    changes: dict[str, int]
    """Findings raised, changed and withdrawn, by code and change: `UNDERPAID RAISED`."""
    seconds: float
    """From the poll to the commit."""
    delays_seconds: tuple[float, ...] = ()
    """From a record's timestamp to the commit of what it led to."""
    settle_seconds: float = 0.0
    """Settling and judging, of all that."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state at one moment."""

    is_ready: bool
    partitions: dict[int, PartitionState]
    problems: tuple[Problem, ...]
    counts: dict[str, int]
    """`events`, `redelivered`, `conflicts`, `dead_letters`, `transactions`, `rolled_back`,
    `published`, `unpublished` since the start."""
    changes: dict[str, int]
    started_at: float
    last_commit_at: float | None
    last_transaction_seconds: float | None
    has_settled: bool
    """Whether the group has given out its partitions."""


@dataclass(slots=True)
class _Held:
    partitions: dict[int, PartitionState] = field(default_factory=dict)
    problems: dict[tuple[str, str], Problem] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    changes: Counter[str] = field(default_factory=Counter)
    has_settled: bool = False
    last_commit_at: float | None = None
    last_seconds: float | None = None


class ServiceState:
    """Thread-safe. Nothing in it is the truth: that is the history."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held = _Held()
        self._started_at = time.time()
        self._listeners: list[Callable[[TransactionFacts], None]] = []
        self._seal_listeners: list[Callable[[float], None]] = []
        self._asked: SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = SimpleQueue()
        self._is_closed = False

    # --- for readers ---

    def snapshot(self) -> Snapshot:
        """Everything, as of now."""
        with self._lock:
            held = self._held
            ready = held.has_settled and all(one.is_caught_up for one in held.partitions.values())
            ready = ready and not any(one.is_stopping for one in held.problems.values())
            return Snapshot(
                ready,
                dict(held.partitions),
                tuple(held.problems.values()),
                dict(held.counts),
                dict(held.changes),
                self._started_at,
                held.last_commit_at,
                held.last_seconds,
                held.has_settled,
            )

    def subscribe(self, listener: Callable[[TransactionFacts], None]) -> None:
        """Be told of each transaction, in the loop's thread: be quick, and raise nothing."""
        with self._lock:
            self._listeners.append(listener)

    def subscribe_sealed(self, listener: Callable[[float], None]) -> None:
        """Be told of each gaming day that was sealed, and in how many seconds."""
        with self._lock:
            self._seal_listeners.append(listener)

    def ask(self, work: Callable[[], T]) -> Future[T]:
        """Let the loop do something between two transactions; its result or failure comes back.

        The work opens its own transaction. Once the service stops, nothing is done any more.
        """
        answer: Future[T] = Future()
        with self._lock:
            if not self._is_closed:
                self._asked.put((work, answer))
                return answer
        answer.set_exception(RuntimeError("the service is stopping"))
        return answer

    # --- for the loop ---

    def do_asked(self) -> int:
        """Do what was asked for; how many pieces of work that was."""
        done = 0
        while True:
            try:
                work, answer = self._asked.get_nowait()
            except Empty:
                return done
            done += 1
            if not answer.set_running_or_notify_cancel():
                continue
            try:
                answer.set_result(work())
            except BaseException as error:
                answer.set_exception(error)
                if not isinstance(error, Exception):
                    raise

    def close(self) -> None:
        """Take no more work; refuse what was not done."""
        with self._lock:
            self._is_closed = True
        while True:
            try:
                _, answer = self._asked.get_nowait()
            except Empty:
                return
            answer.set_exception(RuntimeError("the service is stopping"))

    def owns(self, partitions: dict[int, PartitionState]) -> None:
        """The partitions as they are now."""
        with self._lock:
            self._held.partitions = dict(partitions)

    def settled(self, is_settled: bool) -> None:
        """Whether the group has given out its partitions."""
        with self._lock:
            self._held.has_settled = is_settled

    def moved(self, partition: int, *, position: int | None, end: int | None = None) -> None:
        """How far a partition is read."""
        with self._lock:
            one = self._held.partitions.get(partition)
            if one is not None:
                self._held.partitions[partition] = replace(
                    one, position=position, end=one.end if end is None else end
                )

    def trouble(self, problem: Problem) -> bool:
        """Say a problem; whether it is new."""
        with self._lock:
            key = (problem.code, problem.where)
            is_new = key not in self._held.problems
            self._held.problems[key] = problem
            return is_new

    def solved(self, code: str, where: str) -> bool:
        """A problem is over; whether there was one."""
        with self._lock:
            return self._held.problems.pop((code, where), None) is not None

    def count(self, name: str, number: int = 1) -> None:
        """Add to a count."""
        with self._lock:
            self._held.counts[name] += number

    def gauge(self, name: str, number: int) -> None:
        """Say how many there are now."""
        with self._lock:
            self._held.counts[name] = number

    def sealed(self, seconds: float) -> None:
        """A gaming day was sealed, in so long. Said by the thread that does it."""
        with self._lock:
            listeners = list(self._seal_listeners)
        for listener in listeners:
            listener(seconds)

    def committed(self, facts: TransactionFacts) -> None:
        """A transaction is in the history."""
        with self._lock:
            held = self._held
            held.counts["transactions"] += 1
            for name in ("events", "redelivered", "conflicts", "dead_letters"):
                held.counts[name] += getattr(facts, name)
            held.changes.update(facts.changes)
            held.last_commit_at = time.time()
            held.last_seconds = facts.seconds
            listeners = list(self._listeners)
        for listener in listeners:
            listener(facts)
