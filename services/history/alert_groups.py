"""Findings put under their causes, and causes summed up to alerts, as findings come and go.

What a history's alerts are follows from its findings, the gaps that were released and the alerts
that were cleared, and from nothing else: in what portions the events came makes no difference.
`regroup` works it out for the whole history, `regroup_changed` for what a transaction changed.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

import pyarrow as pa

from replay.findings import FindingCode
from services.alerts.alert import Status
from services.alerts.causes import EXPLAINED_BY_PAYTABLE, Kind
from services.alerts.grouping import Cause, Found, alert_id_of, cause_of, may_be_explained
from services.history.records import GAP_RELEASED
from services.history.store import History

FINDINGS_AT_ONCE: Final = 20_000
"""In memory: some 10 MB."""

ALERT_CLEARED: Final = "alert_cleared"
"""Kind of a record: an alert was cleared; fields as the view `clearings` has them."""

MISMATCH: Final = FindingCode.PAYTABLE_MISMATCH.value
WITHDRAWN: Final = "WITHDRAWN"
RAISED: Final = "RAISED"
INFO: Final = "info"


def regroup(history: History) -> None:
    """Within a transaction: work out all alerts anew."""
    assert history.transaction_no is not None, "alerts are kept within a transaction"
    history.run("DELETE FROM alert_findings")
    history.run("DELETE FROM alerts")
    for rows in _portions(history, "findings"):
        _regroup(history, [Found._make(row) for _, *row in rows], gone=[])


def regroup_changed(history: History) -> None:
    """Within a transaction: after findings changed as the temporary table `changes` says."""
    assert history.transaction_no is not None, "alerts are kept within a transaction"
    seen: set[str] = set()  # of an earlier portion's wagers: they are where they belong
    for rows in _portions(history, "changes"):
        changes = [(change, Found._make(row)) for change, *row in rows]
        found_in = [(change, found) for change, found in changes if found.finding_id not in seen]
        fresh = {found.finding_id: found for change, found in found_in if change != WITHDRAWN}
        gone = {found.finding_id for change, found in found_in if change != RAISED}
        mismatched = [found for _, found in found_in if found.code == MISMATCH]
        if mismatched:  # all wrong pays of that wager may be its rounds now, or no more
            tables = sorted({row.table_id for row in mismatched})
            for found in map(Found._make, history.rows(_PAYS, [tables])):
                fresh[found.finding_id] = found
                gone.add(found.finding_id)
            seen |= gone
        _regroup(history, list(fresh.values()), gone=sorted(gone))


def regroup_findings(history: History, finding_ids: Iterable[str]) -> None:
    """Within a transaction: after some of these were cleared, or their gaps released."""
    assert history.transaction_no is not None, "alerts are kept within a transaction"
    listed = list(finding_ids)
    for at in range(0, len(listed), FINDINGS_AT_ONCE):
        ids = listed[at : at + FINDINGS_AT_ONCE]
        _regroup(history, list(map(Found._make, history.rows(_BY_ID, [ids]))), gone=ids)


def regroup_gaps(history: History, table_id: str) -> None:
    """Within a transaction: after a gap of a table was released."""
    rows = history.rows(_GAPS, [table_id])
    regroup_findings(history, [finding_id for (finding_id,) in rows])


@dataclass(frozen=True, slots=True)
class _Dealt:
    """What people did about the alerts and gaps of some tables."""

    cleared: frozenset[str] = frozenset()
    """Findings."""
    last: dict[str, str] = field(default_factory=dict)
    """By cause, the alert that was cleared last."""
    released: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    """By table, first and last number."""

    def is_over(self, found: Found) -> bool:
        """Whether somebody has dealt with a finding."""
        first, last = found.first_missing_seq, found.last_missing_seq
        if found.code == FindingCode.SEQUENCE_GAP and first is not None and last is not None:
            spans = self.released.get(found.table_id, ())
            if any(start <= first and last <= end for start, end in spans):
                return True
        return found.finding_id in self.cleared


def _regroup(history: History, fresh: Sequence[Found], gone: Sequence[str]) -> None:
    """Put findings under their causes, forget where others stood, sum up all causes touched."""
    before = history.rows(_FORGET, [list(gone)]) if gone else []
    fresh = [found for found in fresh if found.severity != INFO]
    explained = _explained(history, fresh)
    causes = {
        found.finding_id: cause_of(found, is_explained=found.finding_id in explained).key
        for found in fresh
    }
    touched = sorted({cause for _, cause in before} | set(causes.values()))
    if not touched:
        return
    dealt = _dealt_with(history, {Cause.of_key(cause).table_id for cause in touched})
    if fresh:
        rows = [(causes[one.finding_id], dealt.is_over(one), *_placed(one)) for one in fresh]
        kept = history.put(_KEEP, _arrow(_PLACED, rows))
        assert kept == len(rows), "every finding is shown by an event"
    _end(history, before, causes, _sum_up(history, touched, dealt))


def _placed(found: Found) -> tuple[Any, ...]:
    return (
        found.finding_id,
        found.seq,
        found.round_id,
        found.gaming_day,
        found.delta_cents,
        found.severity == "critical",
        found.event_nos[-1],
    )


def _explained(history: History, fresh: Sequence[Found]) -> set[str]:
    """Which of the findings a mismatch of their paytable names."""
    tables = sorted({found.table_id for found in fresh if may_be_explained(found.code)})
    if not tables:
        return set()
    named: dict[tuple[Any, ...], set[int]] = defaultdict(set)
    for *day, event_nos in history.rows(_MISMATCHES, [tables]):
        named[tuple(day)].update(event_nos)
    return {
        found.finding_id
        for found in fresh
        if may_be_explained(found.code)
        and not named[found.table_id, found.wager, found.gaming_day].isdisjoint(found.event_nos)
    }


def _dealt_with(history: History, tables: set[str]) -> _Dealt:
    """A record that somebody tampered with counts for nothing: `verify` names it."""
    cleared: list[str] = []
    dealt = _Dealt()
    for kind, table_id, fields in history.rows(_RECORDS, [sorted(tables)]):
        with suppress(ValueError, KeyError, TypeError):
            if kind == ALERT_CLEARED:
                alert_id, cause, finding_ids = _clearing(fields)
                dealt.last[cause] = alert_id
                cleared += finding_ids
            else:
                said = json.loads(fields)
                span = (int(said["first_missing_seq"]), int(said["last_missing_seq"]))
                dealt.released.setdefault(table_id, []).append(span)
    return _Dealt(frozenset(cleared), dealt.last, dealt.released)


@lru_cache(maxsize=4_096)
def _clearing(fields: str) -> tuple[str, str, tuple[str, ...]]:
    """Alert, cause and findings of a record; the same are asked for again and again."""
    said = json.loads(fields)
    return said["alert_id"], said["cause"], tuple(said["finding_ids"])


def _sum_up(history: History, touched: Sequence[str], dealt: _Dealt) -> set[str]:
    """Have the alerts of these causes say what their findings come to; those that have any."""
    sums = history.rows(_SUMS, [touched])
    if not sums:
        return set()
    rows = []
    for cause, *counted, first, last in sums:
        follows = dealt.last.get(cause)
        named = (alert_id_of(cause, follows), follows, cause, *Cause.of_key(cause))
        ends = (f"{first['finding_id']}", *_end_of(first), *_end_of(last), last["gaming_day"])
        rows.append((*named, *counted, *ends))
    open_causes = [cause for cause, *_ in sums]
    history.run("DELETE FROM alerts WHERE cause IN (SELECT unnest(?::VARCHAR[]))", [open_causes])
    history.put(_KEEP_ALERTS, _arrow(_ALERT, rows))
    return set(open_causes)


def _end_of(place: dict[str, Any]) -> tuple[Any, ...]:
    return place["seq"], place["round_id"], place["shown_at"]


def _end(
    history: History,
    before: Sequence[tuple[str, str]],
    causes: dict[str, str],
    open_causes: set[str],
) -> None:
    """End the alerts of causes that have no finding any more, saying why."""
    over = {cause for _, cause in before} - open_causes
    if not over:
        return
    joined: dict[str, str] = {}
    held = set()
    for finding_id, cause in before:
        now = causes.get(finding_id)
        if now == cause:
            held.add(cause)
        elif now is not None and now in open_causes:
            joined[cause] = min(now, joined.get(cause, now))
    for cause in sorted(over):
        status = Status.JOINED if cause in joined else Status.WITHDRAWN
        if cause in held and Cause.of_key(cause).kind == Kind.GAP:
            status = Status.RELEASED
        history.run(_END, [status.value, joined.get(cause), cause])


def _portions(history: History, table: str) -> Iterator[list[tuple[Any, ...]]]:
    """Rows of `findings` or `changes`, some at a time: what became of it, then the finding."""
    change = "change::VARCHAR" if table == "changes" else f"'{RAISED}'"
    after = -1
    while True:
        rows = history.rows(
            f"SELECT rowid, {change}, {_FOUND} FROM {table} "  # noqa: S608 (our own words)
            f"WHERE rowid > {after} ORDER BY rowid LIMIT {FINDINGS_AT_ONCE}"
        )
        if not rows:
            return
        after = rows[-1][0]
        yield [row[1:] for row in rows]
        if len(rows) < FINDINGS_AT_ONCE:
            return


def _arrow(columns: Mapping[str, pa.DataType], rows: Sequence[tuple[Any, ...]]) -> pa.Table:
    values = zip(*rows, strict=True)
    return pa.table(
        {
            name: pa.array(column, type_)
            for (name, type_), column in zip(columns.items(), values, strict=True)
        }
    )


_FOUND: Final = """
replace(finding_id::VARCHAR, '-', ''), code::VARCHAR, severity::VARCHAR, table_id, seq, round_id,
wager, coalesce(game::VARCHAR, 'UNKNOWN'), dealer_id, gaming_day, expected_cents, actual_cents,
first_missing_seq, last_missing_seq, event_nos
"""

_BY_ID: Final = f"""
SELECT {_FOUND} FROM findings WHERE finding_id IN (SELECT unnest(?::UUID[]))
"""  # noqa: S608 (constants only)

_GAPS: Final = f"""
SELECT finding_id::VARCHAR FROM findings WHERE table_id = ? AND code = '{FindingCode.SEQUENCE_GAP}'
"""  # noqa: S608 (constants only)

_PAYS: Final = f"""
SELECT {_FOUND}
FROM findings
WHERE table_id IN (SELECT unnest(?::VARCHAR[]))
    AND code IN ({", ".join(f"'{code}'" for code in EXPLAINED_BY_PAYTABLE)})
"""  # noqa: S608 (constants only)

_MISMATCHES: Final = f"""
SELECT table_id, wager, gaming_day, event_nos
FROM findings
WHERE code = '{MISMATCH}' AND table_id IN (SELECT unnest(?::VARCHAR[]))
"""  # noqa: S608 (constants only)

_FORGET: Final = """
DELETE FROM alert_findings WHERE finding_id IN (SELECT unnest(?::UUID[]))
RETURNING replace(finding_id::VARCHAR, '-', ''), cause
"""

_RECORDS: Final = f"""
SELECT kind, table_id, fields
FROM records
WHERE kind IN ('{ALERT_CLEARED}', '{GAP_RELEASED}') AND table_id IN (SELECT unnest(?::VARCHAR[]))
ORDER BY record_no
"""  # noqa: S608 (constants only)

_HUGE: Final = pa.decimal128(38, 0)
"""Sums and differences of amounts of 64 bits."""

_PLACED: Final = {
    "cause": pa.string(),
    "is_over": pa.bool_(),
    "finding_id": pa.string(),
    "seq": pa.int64(),
    "round_id": pa.string(),
    "gaming_day": pa.date32(),
    "delta_cents": _HUGE,
    "is_critical": pa.bool_(),
    "event_no": pa.int64(),
}

_KEEP: Final = """
INSERT INTO alert_findings BY NAME
SELECT arriving.* EXCLUDE (event_no) REPLACE (finding_id::UUID AS finding_id),
       occurred_at AS shown_at
FROM arriving JOIN events USING (event_no)
"""

# Of findings with the same number the order is that of their ids: no two arrivals differ in it.
_SUMS: Final = """
SELECT cause, count(*), count(DISTINCT round_id),
       coalesce(sum(greatest(delta_cents, 0)), 0),
       coalesce(sum(greatest(-delta_cents, 0)), 0),
       bool_or(is_critical AND delta_cents IS NULL), min(place), max(place)
FROM (
    SELECT *, {'seq': seq, 'finding_id': finding_id, 'round_id': round_id, 'shown_at': shown_at,
               'gaming_day': gaming_day} AS place
    FROM alert_findings
)
WHERE NOT is_over AND cause IN (SELECT unnest(?::VARCHAR[]))
GROUP BY cause
"""

_ALERT: Final = {
    "alert_id": pa.string(),
    "follows": pa.string(),
    "cause": pa.string(),
    "kind": pa.string(),
    "code": pa.string(),
    "table_id": pa.string(),
    "game": pa.string(),
    "wager": pa.string(),
    "direction": pa.string(),
    "dealer_id": pa.string(),
    "gap_seq": pa.int64(),
    "findings": pa.int64(),
    "rounds": pa.int64(),
    "over_cents": _HUGE,
    "under_cents": _HUGE,
    "is_grave": pa.bool_(),
    "first_finding": pa.string(),
    "first_seq": pa.int64(),
    "first_round": pa.string(),
    "first_at": pa.timestamp("us", "UTC"),
    "last_seq": pa.int64(),
    "last_round": pa.string(),
    "last_at": pa.timestamp("us", "UTC"),
    "gaming_day": pa.date32(),
}

_KEEP_ALERTS: Final = f"""
INSERT INTO alerts BY NAME
SELECT * REPLACE (first_finding::UUID AS first_finding), '{Status.OPEN}' AS status, NULL AS joined
FROM arriving
"""  # noqa: S608 (constants only)

_END: Final = f"""
UPDATE alerts
SET findings = 0, rounds = 0, over_cents = 0, under_cents = 0, status = ended.status,
    joined = (SELECT alert_id FROM alerts AS other WHERE other.cause = ended.joined)
FROM (SELECT ?::VARCHAR AS status, ?::VARCHAR AS joined, ?::VARCHAR AS cause) AS ended
WHERE alerts.cause = ended.cause AND alerts.status = '{Status.OPEN}'
"""  # noqa: S608 (constants only)
