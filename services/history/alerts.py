"""Reading alerts: those that are open or ended, and those that a person cleared."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from replay.findings import FindingCode
from replay.vocabulary import Wager
from services.alerts.alert import Alert, Status
from services.alerts.causes import DUTY_CODES, Direction, Kind
from services.history.alert_groups import ALERT_CLEARED, regroup_findings
from services.history.pay_rows import paid_from
from services.history.records import enter
from services.history.store import History


@dataclass(frozen=True, slots=True, kw_only=True)
class Clearing:
    """An alert that a named person cleared."""

    alert_id: str
    table_id: str
    by: str
    why: str
    at: datetime
    alert: Mapping[str, Any]
    """The alert as it then was, as it is told."""


def alerts_of(
    history: History,
    *,
    table_id: str | None = None,
    alert_ids: Sequence[str] | None = None,
    open_only: bool = False,
) -> list[Alert]:
    """Alerts that nobody cleared, by table and place."""
    wanted = None if alert_ids is None else list(alert_ids)
    rows = history.rows(_ALERTS, [table_id, table_id, wanted, wanted, open_only])
    alerts = [_alert(row) for row in rows]
    tables = [alert.table_id for alert in alerts if alert.code == FindingCode.PAYTABLE_MISMATCH]
    if not tables:
        return alerts
    paid = paid_from(history, tables)
    return [_with_paytables(alert, paid) for alert in alerts]


def clearings_of(
    history: History, *, table_id: str | None = None, alert_ids: Sequence[str] | None = None
) -> list[Clearing]:
    """What was cleared, in order."""
    wanted = None if alert_ids is None else list(alert_ids)
    rows = history.rows(_CLEARINGS, [table_id, table_id, wanted, wanted])
    return [
        Clearing(alert_id=alert_id, table_id=table, by=by, why=why, at=at, alert=json.loads(told))
        for alert_id, table, by, why, at, told in rows
    ]


def is_critical_sql(critical_cents: int) -> str:
    """SQL over a row of `alerts`: what `Alert.severity` comes to."""
    duties = ", ".join(f"'{code}'" for code in DUTY_CODES)
    amount = f"{critical_cents} > 0 AND over_cents + under_cents >= {critical_cents}"
    return f"(kind = '{Kind.PAYTABLE}' OR code IN ({duties}) OR is_grave OR ({amount}))"


def enter_clearing(
    history: History, alert: Alert, told: Mapping[str, Any], *, by: str, why: str
) -> None:
    """Within a transaction: an open alert is cleared, with all findings that it has now."""
    rows = history.rows(_FINDINGS, [alert.alert_id])
    ((cause,),) = history.rows(_CAUSE, [alert.alert_id])
    finding_ids = [finding_id for (finding_id,) in rows]
    fields = {
        "alert_id": alert.alert_id,
        "cause": cause,
        "finding_ids": finding_ids,
        "why": why,
        "alert": told,
    }
    enter(history, ALERT_CLEARED, by=by, table_id=alert.table_id, fields=fields)
    history.run("DELETE FROM alerts WHERE alert_id = ?", [alert.alert_id])
    regroup_findings(history, finding_ids)


def _alert(row: tuple[Any, ...]) -> Alert:
    values = dict(zip(_NAMES, row, strict=True))
    return Alert(
        **values
        | {
            "kind": Kind(values["kind"]),
            "code": FindingCode(values["code"]),
            "direction": Direction(values["direction"]),
            "status": Status(values["status"]),
        }
    )


def _with_paytables(alert: Alert, paid: Mapping[Any, tuple[str, tuple[str, ...]]]) -> Alert:
    if alert.code != FindingCode.PAYTABLE_MISMATCH or alert.wager is None:
        return alert
    key = (alert.table_id, int(Wager[alert.wager]), f"{alert.gaming_day}")
    posted, others = paid.get(key, (None, ()))
    return replace(alert, posted=posted, paid_from=others)


_PLAIN: Final = (
    *("alert_id", "follows", "kind", "code", "table_id", "game", "wager", "direction"),
    *("dealer_id", "findings", "rounds", "over_cents", "under_cents", "is_grave", "first_seq"),
    *("first_round", "first_at", "last_seq", "last_round", "last_at", "gaming_day", "status"),
    "joined",
)
_NAMES: Final = (*_PLAIN, "first_missing_seq", "last_missing_seq")
_COLUMNS: Final = ", ".join(
    "alerts.code::VARCHAR" if n == "code" else f"alerts.{n}" for n in _PLAIN
)

_ALERTS: Final = f"""
SELECT {_COLUMNS}, findings.first_missing_seq, findings.last_missing_seq
FROM alerts
LEFT JOIN findings ON alerts.kind = '{Kind.GAP}' AND findings.finding_id = first_finding
WHERE (?::VARCHAR IS NULL OR alerts.table_id = ?)
    AND (?::VARCHAR[] IS NULL OR alert_id IN (SELECT unnest(?::VARCHAR[])))
    AND (NOT ?::BOOLEAN OR status = '{Status.OPEN}')
ORDER BY alerts.table_id, first_seq, alert_id
"""  # noqa: S608 (constants only)

_CLEARINGS: Final = """
SELECT alert_id, table_id, cleared_by, why, cleared_at, alert
FROM clearings
WHERE (?::VARCHAR IS NULL OR table_id = ?)
    AND (?::VARCHAR[] IS NULL OR alert_id IN (SELECT unnest(?::VARCHAR[])))
ORDER BY record_no
"""

_CAUSE: Final = "SELECT cause FROM alerts WHERE alert_id = ?"

_FINDINGS: Final = """
SELECT replace(finding_id::VARCHAR, '-', '')
FROM alert_findings
WHERE NOT is_over AND cause = (SELECT cause FROM alerts WHERE alert_id = ?)
ORDER BY finding_id
"""
