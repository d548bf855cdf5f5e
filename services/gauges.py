"""What the history holds, kept as gauges by looking at what is new only.

The first look reads the history once, by columns. Later ones read the events that came since (their
numbers ascend) and take again the gaming days of tables that these change: sums are kept by table
and day, a day's old ones are taken off and its new ones added. Findings are few beside events, and
are taken again for tables of which the journal of verdicts has a change.

Looked at when somebody asks for the metrics, through a reader: the thread that writes does nothing.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any, Final

from services.history.alerts import is_critical_sql
from services.history.store import History
from services.metrics import Metrics, replace
from services.settings import CRITICAL_CENTS

Day = date | None
Sums = Counter[tuple[str, ...]]
"""What a gauge adds up, by kind and labels."""

OPENINGS_BACK: Final = 2
"""A day is changed from the opening in force on, or, within a round, from the one before it."""

DELAYS_MAX: Final = 10_000
"""Of one look: a history that is read for the first time has millions of old ones."""


class HistoryGauges:
    """Follows one history. One thread at a time may look."""

    def __init__(self, metrics: Metrics, critical_cents: int = CRITICAL_CENTS) -> None:
        self._metrics = metrics
        self._alerts = _ALERTS.format(critical=is_critical_sql(critical_cents))
        self._forget()

    def _forget(self) -> None:
        """Begin anew with the next look."""
        self._event_no = self._change_no = self._transaction_no = -1
        self._events = 0
        self._days: dict[str, dict[Day, Sums]] = {}
        self._openings: dict[str, list[tuple[int, date]]] = defaultdict(list)
        self._opened_at: Counter[str] = Counter()  # seq of a table's last opening or closing
        self._open: dict[str, tuple[str, int]] = {}  # label -> game, and 1 while it is open
        self._findings: dict[str, Sums] = {}

    def look(self, history: History) -> None:
        """Bring the gauges up to what the history holds.

        Raises:
            PitproofError: the history does not answer; the next look takes all of it again.
        """
        try:
            self._look(history)
        except BaseException:  # what was counted half way must not be counted twice
            self._forget()
            raise

    def _look(self, history: History) -> None:
        [(last_no, last_at, events)] = history.rows(_TRANSACTIONS, [self._transaction_no])
        if last_no is None or last_no == self._transaction_no:
            self._show_size(history.path)
            return
        first = self._transaction_no < 0
        tables = self._new_events(history)
        if first:
            self._take_rounds(history, None, None)
            self._take_findings(history, None)
        else:
            for table_id, seq in history.rows(_RELEASED, [self._transaction_no]):
                tables[table_id] = min(seq, tables.get(table_id, seq))
            if tables:
                self._take_changed(history, tables)
            changed = history.rows(_CHANGED, [self._change_no, self._transaction_no])
            if changed:
                self._take_findings(history, [table_id for (table_id,) in changed])
            self._delays(history)
        self._show_alerts(history)
        self._events += events
        self._metrics.history_events.set(self._events)
        self._metrics.history_dead_letters.set(history.count(_DEAD_LETTERS))
        self._metrics.history_transaction.set(last_no)
        self._metrics.last_commit.set(last_at)
        [(self._event_no, self._change_no)] = history.rows(_LAST)
        self._transaction_no = last_no
        self._show_sums()
        self._show_size(history.path)

    def _new_events(self, history: History) -> dict[str, int]:
        """Tables with new events, and the lowest `seq` among them; says when each last spoke."""
        lowest = {}
        rows = history.rows(_NEW_EVENTS, [self._event_no])
        for table_id, seq, occurred, arrived in rows:
            lowest[table_id] = seq
            label = self._metrics.table(table_id)
            last = self._metrics.last_event.labels(label)
            last.set(max(occurred, last._value.get()))
            self._metrics.last_arrival.labels(label).set(arrived)
        for table_id, seq, day in history.rows(_OPENINGS, [self._event_no]):
            insort(self._openings[table_id], (seq, day))
        self._open_or_close(history)
        return lowest

    def _open_or_close(self, history: History) -> None:
        changed = history.rows(_OPEN, [self._event_no])
        for table_id, seq, is_open, game in changed:
            label = self._metrics.table(table_id)
            if seq < self._opened_at[table_id]:  # an earlier one, come late, leaves it as it is
                _, is_open = self._open[label]
            self._opened_at[table_id] = max(seq, self._opened_at[table_id])
            self._open[label] = (game, is_open)
        if changed:
            replace(
                self._metrics.table_open,
                {(table, game): is_open for table, (game, is_open) in self._open.items()},
            )

    def _take_changed(self, history: History, tables: Mapping[str, int]) -> None:
        """Take again the days that the new events of these tables may change."""
        days = [day for (day,) in history.rows(_CORRECTED_DAYS, [self._event_no])]
        for table_id, seq in tables.items():
            openings = self._openings[table_id]
            at = bisect_right(openings, (seq, date.max))
            days += [day for _, day in openings[max(0, at - OPENINGS_BACK) :]]
        self._take_rounds(history, list(tables), min(days, default=date.max))

    def _take_rounds(self, history: History, tables: list[str] | None, since: Day) -> None:
        """Sums by table and day, from a day on; of all days without one."""
        for table_id in self._days if tables is None else tables:
            held = self._days.get(table_id, {})
            for day in [d for d in held if since is None or d is None or d >= since]:
                del held[day]
        where: list[str] = []
        values: list[object] = []
        if tables is not None:
            where.append("table_id IN (SELECT unnest(?::VARCHAR[]))")
            values.append(tables)
        if since is not None:
            where.append("(gaming_day >= ? OR gaming_day IS NULL)")
            values.append(since)
        sql = _ROUNDS.format(where=f"WHERE {' AND '.join(where)}" if where else "")
        for table_id, day, game, status, rounds, wagers, staked in history.rows(sql, values):
            sums = self._days.setdefault(table_id, {}).setdefault(day, Counter())
            sums["rounds", status.lower(), game] += rounds
            sums["wagers", game] += wagers
            sums["staked", game] += staked
            label = self._metrics.table(table_id)
            if status in ("OPEN", "HELD"):
                sums[status.lower(), label] += rounds

    def _take_findings(self, history: History, tables: list[str] | None) -> None:
        where, values = ("", []) if tables is None else (_OF_TABLES, [tables])
        for table_id in list(self._findings) if tables is None else tables:
            self._findings.pop(table_id, None)
        for table_id, code, severity, game, number, over, under, gaps in history.rows(
            _FINDINGS.format(where=where), values
        ):
            sums = self._findings.setdefault(table_id, Counter())
            label = self._metrics.table(table_id)
            sums["finding", code, severity, game, label] += number
            if over:
                sums["over", game, label] += over
            if under:
                sums["under", game, label] += under
            if gaps:
                sums["gap", label] += gaps

    def _delays(self, history: History) -> None:
        for (seconds,) in history.rows(_DELAYS, [self._event_no, DELAYS_MAX]):
            self._metrics.occurred_delay.observe(max(0.0, seconds))

    def _show_alerts(self, history: History) -> None:
        alerts: dict[tuple[str, ...], float] = defaultdict(float)
        for cause, severity, game, table_id, number in history.rows(self._alerts):
            alerts[cause, severity, game, self._metrics.table(table_id)] += number
        replace(self._metrics.alerts, alerts)

    def _show_sums(self) -> None:
        metrics = self._metrics
        by_kind: dict[str, dict[tuple[str, ...], float]] = defaultdict(dict)
        for (kind, *labels), value in _total(
            [
                *(one for days in self._days.values() for one in days.values()),
                *self._findings.values(),
            ]
        ).items():
            by_kind[kind][tuple(labels)] = value
        for kind, gauge in (
            ("rounds", metrics.rounds),
            ("open", metrics.open_rounds),
            ("held", metrics.held_rounds),
            ("wagers", metrics.wagers),
            ("staked", metrics.staked),
            ("finding", metrics.findings),
            ("over", metrics.overpaid),
            ("under", metrics.underpaid),
            ("gap", metrics.gaps),
        ):
            replace(gauge, by_kind[kind])

    def _show_size(self, path: Path) -> None:
        size = 0
        for one in (path, path.with_name(path.name + ".wal")):
            with suppress(OSError):
                size += one.stat().st_size
        self._metrics.history_bytes.set(size)


def _total(parts: Iterable[Sums]) -> dict[tuple[Any, ...], int]:
    total: dict[tuple[Any, ...], int] = defaultdict(int)
    for part in parts:
        for key, value in part.items():
            total[key] += value
    return total


_LAST: Final = """
SELECT (SELECT coalesce(max(event_no), 0) FROM events),
       (SELECT coalesce(max(change_no), 0) FROM finding_changes)
"""

_DEAD_LETTERS: Final = "SELECT count(*) FROM dead_letters WHERE redriven_in IS NULL"

_ALERTS: Final = """
SELECT kind, if({critical}, 'critical', 'warning'), game, table_id, count(*)
FROM alerts
WHERE status = 'open'
GROUP BY ALL
"""

_TRANSACTIONS: Final = """
SELECT max(transaction_no), epoch(max(committed_at))::DOUBLE, coalesce(sum(events), 0)::BIGINT
FROM transactions
WHERE transaction_no > ?
"""

_RELEASED: Final = """
SELECT table_id, min(first_missing_seq) FROM releases WHERE transaction_no > ? GROUP BY table_id
"""

_CHANGED: Final = """
SELECT table_id FROM finding_changes WHERE change_no > ?
UNION
SELECT table_id FROM releases WHERE transaction_no > ?
"""

_NEW_EVENTS: Final = """
SELECT table_id, min(seq), epoch(max(occurred_at))::DOUBLE, epoch(max(committed_at))::DOUBLE
FROM events
JOIN transactions USING (transaction_no)
WHERE event_no > ?
GROUP BY table_id
"""

_OPENINGS: Final = """
SELECT table_id, seq, gaming_day FROM table_openings WHERE event_no > ? AND standing
"""

# Of what came now: a table that neither opened nor closed is as it was.
_OPEN: Final = """
SELECT table_id, max(seq), (arg_max(kind, seq) = 'TableOpened')::INTEGER, coalesce((
    SELECT arg_max(game, seq)::VARCHAR FROM table_openings
    WHERE table_openings.table_id = spoken.table_id AND standing
), 'UNKNOWN')
FROM events AS spoken
WHERE event_no > ? AND standing AND kind IN ('TableOpened', 'TableClosed')
GROUP BY table_id
"""

_CORRECTED_DAYS: Final = """
SELECT DISTINCT gaming_day
FROM rounds
SEMI JOIN (
    SELECT table_id, round_id FROM corrections WHERE event_no > ?
) AS named ON rounds.table_id = named.table_id AND rounds.round_id = named.round_id
WHERE gaming_day IS NOT NULL
"""

_ROUNDS: Final = """
SELECT table_id, gaming_day, game::VARCHAR, status::VARCHAR, count(*), sum(wagers)::BIGINT,
       sum(staked_cents)
FROM rounds
{where}
GROUP BY ALL
"""

_OF_TABLES: Final = "WHERE table_id IN (SELECT unnest(?::VARCHAR[]))"

_FINDINGS: Final = """
SELECT table_id, code::VARCHAR, severity::VARCHAR, coalesce(game::VARCHAR, 'UNKNOWN'), count(*),
       coalesce(sum(actual_cents::HUGEINT - expected_cents) FILTER (code = 'OVERPAID'), 0),
       coalesce(sum(expected_cents::HUGEINT - actual_cents) FILTER (code = 'UNDERPAID'), 0),
       count(*) FILTER (code = 'SEQUENCE_GAP' AND NOT EXISTS (
           FROM releases
           WHERE releases.table_id = findings.table_id
               AND releases.first_missing_seq <= findings.first_missing_seq
               AND releases.last_missing_seq >= findings.last_missing_seq
       ))
FROM findings
{where}
GROUP BY ALL
"""

_DELAYS: Final = """
SELECT (epoch_us(committed_at) - epoch_us(occurred_at)) / 1e6
FROM events
JOIN transactions USING (transaction_no)
WHERE event_no > ? AND kind IN ('RoundClosed', 'RoundVoided')
ORDER BY event_no DESC
LIMIT ?
"""
