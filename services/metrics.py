"""Every metric of the service, declared here and nowhere else; `dashboards/README.md` lists them.

Names end in their unit; money is in cents, since it is exact. Labels are bounded: codes, games,
severities, statuses and questions are ours, partitions are Kafka's, and of tables at most
`TABLES_MAX` are told apart. No label names a player, a dealer or a round. Counters begin at 0 with
the service; gauges say what the history holds, whoever wrote it.
"""

from __future__ import annotations

import math
import platform
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Info,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)

from replay.findings import FindingCode

if TYPE_CHECKING:
    from services.live.state import Snapshot, TransactionFacts

TABLES_MAX: Final = 1_000
"""Ten times the largest floor: a stream that makes up tables must not fill Prometheus."""

OTHER_TABLES: Final = "other"

DELAY_BUCKETS: Final = (0.05, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2.5, 5, 10, 30, 60, 300, 1800, 7200)
"""Seconds. Fine around one, which is the aim; up to two hours, while a topic is caught up."""

WORK_BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60)
"""Seconds. A transaction of a handful takes milliseconds, one of 5,000 records half a second."""

CHANGES: Final = ("RAISED", "CHANGED", "WITHDRAWN")


class Metrics:
    """The metrics of one service, in a registry of their own."""

    def __init__(self) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call] # a second series a counter
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._tables: set[str] = set()
        self._declare_stream()
        self._declare_history()
        self._declare_work()
        self.build.info({"version": version("pitproof"), "python": platform.python_version()})

    def _counter(self, name: str, help: str, *labels: str) -> Counter:
        return Counter(f"pitproof_{name}", help, labels, registry=self.registry)

    def _gauge(self, name: str, help: str, *labels: str) -> Gauge:
        return Gauge(f"pitproof_{name}", help, labels, registry=self.registry)

    def _histogram(self, name: str, help: str, buckets: tuple[float, ...]) -> Histogram:
        return Histogram(f"pitproof_{name}", help, buckets=buckets, registry=self.registry)

    def _declare_stream(self) -> None:
        """What came in and what went out since the service began."""
        counter, gauge = self._counter, self._gauge
        self.build = Info("pitproof_build", "Version that runs.", registry=self.registry)
        self.ready = gauge("ready", "1 when every partition was read to the end seen at first.")
        self.problems = gauge("problems", "Problems that a person must look at.", "code")
        self.events = counter("events", "Events kept.")
        self.redelivered = counter("redelivered_events", "Events dropped: they were held already.")
        self.conflicts = counter("conflicting_events", "Events kept without standing.")
        self.dead_letters = counter("dead_letters", "Records that could not be read.")
        self.transactions = counter(
            "transactions", "Transactions, by what became of them.", "outcome"
        )
        for outcome in ("committed", "rolled_back"):
            self.transactions.labels(outcome)
        self.changes = counter(
            "finding_changes", "Findings that came, changed or went.", "code", "change"
        )
        for code in FindingCode:  # from 0 on: of a series that begins at 30 no increase is seen
            for change in CHANGES:
                self.changes.labels(code, change.lower())
        self.published = counter("published_records", "Records published to topics.")
        self.outbox = gauge("outbox_records", "Records that wait to be published.")
        self.alert_deliveries = counter(
            "alert_deliveries", "Alerts sent, by what became of them.", "receiver", "outcome"
        )
        self.alerts_waiting = gauge(
            "alerts_waiting", "Alerts that a receiver has not taken yet.", "receiver"
        )
        self.lag = gauge(
            "partition_lag_records", "Records of a partition not read yet.", "partition"
        )
        self.position = gauge("partition_position", "Next offset of a partition.", "partition")
        self.caught_up = gauge(
            "partition_caught_up", "1 when read to the end seen at its assignment.", "partition"
        )

    def _declare_history(self) -> None:
        """What the history holds now."""
        gauge = self._gauge
        self.history_events = gauge("history_events", "Events held.")
        self.history_transaction = gauge("history_transaction", "Number of the last transaction.")
        self.last_commit = gauge("last_commit_timestamp_seconds", "When it was committed.")
        self.history_bytes = gauge("history_size_bytes", "Size of the file and its log.")
        self.history_dead_letters = gauge("history_dead_letters", "Dead letters held.")
        self.rounds = gauge("rounds", "Rounds held.", "status", "game")
        self.open_rounds = gauge("open_rounds", "Rounds without an end yet.", "table")
        self.held_rounds = gauge("held_rounds", "Rounds kept back for a sequence gap.", "table")
        self.gaps = gauge("gaps", "Sequence gaps that are neither filled nor released.", "table")
        self.wagers = gauge("wagers", "Standing wagers of settled rounds.", "game")
        self.staked = gauge("staked_cents", "What stood on them.", "game")
        self.findings = gauge(
            "findings", "Findings that hold now.", "code", "severity", "game", "table"
        )
        self.overpaid = gauge("overpaid_cents", "Paid above what was due.", "game", "table")
        self.underpaid = gauge("underpaid_cents", "Left below what was due.", "game", "table")
        self.table_open = gauge("table_open", "1 while a table is open.", "table", "game")
        self.last_event = gauge(
            "table_last_event_timestamp_seconds", "The last event's, by its table.", "table"
        )
        self.last_arrival = gauge(
            "table_last_arrival_timestamp_seconds", "When a table's last event was kept.", "table"
        )
        self.alerts = gauge(
            "alerts_open", "Alerts that nobody has cleared.", "cause", "severity", "game", "table"
        )
        self.seal_overdue = gauge("seal_overdue", "Gaming days that are over and not sealed.")
        self.verify_ok = gauge("verify_ok", "1 when the last verification found no problem.")
        self.verify_ok.set(math.nan)  # neither: there was none yet
        self.verify_problems = gauge("verify_problems", "Problems that it found.")
        self.verified_at = gauge("verify_timestamp_seconds", "When it was; 0: not since the start.")

    def _declare_work(self) -> None:
        """How long things take."""
        histogram = self._histogram
        self.occurred_delay = histogram(
            "occurred_to_finding_seconds",
            "From a round's end at its table to its findings in the history.",
            DELAY_BUCKETS,
        )
        self.produced_delay = histogram(
            "produced_to_finding_seconds",
            "From a record's timestamp to what it led to in the history.",
            DELAY_BUCKETS,
        )
        self.alert_delay = histogram(
            "alert_delivery_seconds",
            "From the commit of what an alert is about to a receiver's having it.",
            DELAY_BUCKETS,
        )
        self.transaction_seconds = histogram(
            "transaction_duration_seconds", "From a poll to its commit.", WORK_BUCKETS
        )
        self.settle_seconds = histogram(
            "settle_duration_seconds", "Settling and judging, of a transaction.", WORK_BUCKETS
        )
        self.seal_seconds = histogram(
            "seal_duration_seconds", "Sealing of a gaming day.", (0.1, 0.5, 1, 5, 10, 30, 60, 300)
        )
        self.requests = self._counter(
            "api_requests", "Questions, by what became of them.", "question", "outcome"
        )
        self.request_seconds = Histogram(
            "pitproof_api_request_duration_seconds",
            "How long a question took.",
            ("question",),
            buckets=WORK_BUCKETS,
            registry=self.registry,
        )

    # --- told by others ---

    def committed(self, facts: TransactionFacts) -> None:
        """A transaction was committed; cheap, since it is told to the thread that writes."""
        self.events.inc(facts.events)
        self.redelivered.inc(facts.redelivered)
        self.conflicts.inc(facts.conflicts)
        self.dead_letters.inc(facts.dead_letters)
        self.transactions.labels("committed").inc()
        self.transaction_seconds.observe(facts.seconds)
        self.settle_seconds.observe(facts.settle_seconds)
        for what, number in facts.changes.items():
            code, _, change = what.partition(" ")
            self.changes.labels(code, change.lower()).inc(number)
        for seconds in facts.delays_seconds:
            self.produced_delay.observe(seconds)

    def sealed(self, seconds: float) -> None:
        """A gaming day was sealed."""
        self.seal_seconds.observe(seconds)

    def answered(self, question: str, outcome: str, seconds: float) -> None:
        """A question had its answer, or none."""
        self.requests.labels(question, outcome).inc()
        self.request_seconds.labels(question).observe(seconds)

    def verified(self, result: Mapping[str, Any], at: float) -> None:
        """The history was verified."""
        self.verify_ok.set(1 if result["ok"] else 0)
        self.verify_problems.set(len(result["problems"]))
        self.verified_at.set(at)

    def show(self, snapshot: Snapshot) -> None:
        """What the service is doing at this moment."""
        self.ready.set(1 if snapshot.is_ready else 0)
        codes = [problem.code for problem in snapshot.problems]
        replace(self.problems, {(code,): codes.count(code) for code in set(codes)})
        partitions = snapshot.partitions.values()
        replace(self.lag, {(str(p.partition),): p.lag for p in partitions if p.lag is not None})
        replace(
            self.position,
            {(str(p.partition),): p.position for p in partitions if p.position is not None},
        )
        replace(self.caught_up, {(str(p.partition),): int(p.is_caught_up) for p in partitions})
        counts = snapshot.counts
        self.outbox.set(counts.get("unpublished", 0))
        self.seal_overdue.set(counts.get("seal_overdue", 0))
        raise_to(self.published, counts.get("published", 0))
        raise_to(self.transactions.labels("rolled_back"), counts.get("rolled_back", 0))

    def table(self, table_id: str) -> str:
        """The label of a table: its name, or that of all beyond the bound."""
        if table_id not in self._tables:
            if len(self._tables) >= TABLES_MAX:
                return OTHER_TABLES
            self._tables.add(table_id)
        return table_id

    def exposition(self) -> bytes:
        """All of it, in the text format of Prometheus."""
        return generate_latest(self.registry)


def replace(gauge: Gauge, values: Mapping[tuple[str, ...], float]) -> None:
    """Let a gauge have these series and no others, without a moment that has none."""
    for labels, value in values.items():
        gauge.labels(*labels).set(value)
    for labels in _series(gauge) - set(values):
        gauge.remove(*labels)


def raise_to(counter: Counter, value: float) -> None:
    """Bring a counter up to what was counted elsewhere."""
    held = next(sample.value for sample in _samples(counter) if sample.name.endswith("_total"))
    if value > held:
        counter.inc(value - held)


def _series(gauge: Gauge) -> set[tuple[str, ...]]:
    names: tuple[str, ...] = gauge._labelnames
    return {tuple(sample.labels[name] for name in names) for sample in _samples(gauge)}


def _samples(metric: Gauge | Counter) -> Iterable[Any]:
    return [sample for family in metric.collect() for sample in family.samples]
