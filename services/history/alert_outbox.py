"""What a receiver has not been told yet, and what it has: kept in the history, a row an alert.

Nothing is queued: what waits is the difference between what the alerts are and what was told. So a
receiver that was away for an hour is told of each alert once, as it is by then, and a restart loses
nothing. Written through a connection of its own, so that nobody waits for the thread that writes
events; that thread never writes these rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from services.alerts.alert import Alert
from services.history.alerts import Clearing, alerts_of, clearings_of, is_critical_sql
from services.history.reader import HistoryReader, ReadingStoppedError
from services.history.store import History

WAITING_MAX: Final = 200
"""Of one look, the oldest first; the others are found by the next."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """An alert that a receiver must be told of."""

    alert_id: str
    told_severity: str | None
    """What it was told before; None: nothing."""
    alert: Alert | None = None
    """As it is: new, grown, or ended by itself."""
    clearing: Clearing | None = None
    """Or the one who cleared it."""


class AlertOutbox:
    """That of one receiver. To be made by the thread that writes, and used by one other."""

    def __init__(self, history: History, receiver: str, critical_cents: int) -> None:
        self._history = HistoryReader.on(history, history._cursor())
        self._receiver = receiver
        self._waiting = _WAITING.format(critical=is_critical_sql(critical_cents))

    def waiting(self, put_off: Sequence[str] = ()) -> list[Waiting]:
        """What to tell now, but for those put off."""
        history = self._history
        rows = dict(history.rows(self._waiting + _FIRST, [self._receiver, list(put_off)]))
        alerts = alerts_of(history, alert_ids=list(rows)) if rows else []
        found = [Waiting(one.alert_id, rows[one.alert_id], alert=one) for one in alerts]
        gone = dict(history.rows(_GONE, [self._receiver, list(put_off)]))
        if gone:
            cleared = clearings_of(history, alert_ids=list(gone))
            found += [Waiting(one.alert_id, gone[one.alert_id], clearing=one) for one in cleared]
        return found

    def count(self) -> int:
        """How many wait."""
        counted = f"SELECT count(*) FROM ({self._waiting})"  # noqa: S608 (our own words)
        return self._history.count(counted, [self._receiver, []])

    def still_open(self) -> list[Alert]:
        """All that is open and was told."""
        rows = self._history.rows(_TOLD, [self._receiver])
        return alerts_of(self._history, alert_ids=[one for (one,) in rows], open_only=True)

    def note(self, alert_id: str, findings: int, severity: str, *, is_open: bool) -> None:
        """The receiver has taken it."""
        self._history.run(_NOTE, [self._receiver, alert_id, findings, severity, is_open])

    def stop(self) -> None:
        """From another thread: break off what is asked, and let all that is still asked fail."""
        self._history.stop(ReadingStoppedError("the service is stopping"))

    def close(self) -> None:
        """Let go of the connection."""
        self._history.close()


# New or grown; become critical; ended after it was told.
_WAITING: Final = """
SELECT alerts.alert_id, told.severity
FROM alerts
LEFT JOIN (FROM alert_deliveries WHERE receiver = ?) AS told USING (alert_id)
WHERE if(status = 'open',
         told.alert_id IS NULL OR NOT told.is_open OR alerts.findings > told.findings
             OR (told.severity <> 'critical' AND {critical}),
         told.is_open IS TRUE)
    AND NOT list_contains(?::VARCHAR[], alert_id)
"""
_FIRST: Final = f" ORDER BY last_at, alert_id LIMIT {WAITING_MAX}"

# An alert that is no more was cleared.
_GONE: Final = """
SELECT alert_id, severity
FROM alert_deliveries ANTI JOIN alerts USING (alert_id)
WHERE receiver = ? AND is_open AND NOT list_contains(?::VARCHAR[], alert_id)
"""

_TOLD: Final = "SELECT alert_id FROM alert_deliveries WHERE receiver = ? AND is_open"

_NOTE: Final = """
MERGE INTO alert_deliveries AS held
USING (SELECT ?::VARCHAR AS receiver, ?::VARCHAR AS alert_id, ?::BIGINT AS findings,
              ?::VARCHAR AS severity, ?::BOOLEAN AS is_open, now() AS told_at) AS fresh
ON held.receiver = fresh.receiver AND held.alert_id = fresh.alert_id
WHEN MATCHED THEN UPDATE SET
    findings = if(fresh.is_open AND held.is_open, greatest(held.findings, fresh.findings),
                  fresh.findings),
    severity = fresh.severity, is_open = fresh.is_open, told_at = fresh.told_at
WHEN NOT MATCHED THEN INSERT VALUES
    (fresh.receiver, fresh.alert_id, fresh.findings, fresh.severity, fresh.is_open, fresh.told_at)
"""
