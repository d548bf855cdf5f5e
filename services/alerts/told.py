"""An alert as JSON: the object that the command prints, a webhook gets and a clearing keeps."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final
from zoneinfo import ZoneInfo

from services.alerts.alert import Alert, Status
from services.alerts.causes import DUTY_WORDS
from services.alerts.wording import headline
from services.times import utc_text

if TYPE_CHECKING:
    from services.history.alerts import Clearing
    from services.settings import Settings

Told = dict[str, Any]

FIELDS: Final = (
    *("id", "status", "severity", "message", "duty", "cause", "code", "table_id", "game", "wager"),
    *("direction", "dealer_id", "count", "rounds", "over_cents", "under_cents", "first_round"),
    *("first_at", "last_round", "last_at", "gaming_day", "posted_paytable", "paid_from"),
    *("first_missing_seq", "last_missing_seq", "follows", "joined", "cleared"),
)
"""Of every alert, in this order."""

NOTES: Final = {
    Status.WITHDRAWN: "ended: late events took back the last of its findings",
    Status.JOINED: "ended: its rounds are those of alert {joined}",
    Status.RELEASED: "ended: its gap was released",
}
"""What is added to the words of an alert that ended by itself."""


class Teller:
    """Tells alerts by the settings: whose clock, and from what amount on it is critical."""

    def __init__(self, settings: Settings) -> None:
        self._zone: ZoneInfo = settings.zone()
        self.critical_cents = settings.alert_critical_cents

    def told(self, alert: Alert) -> Told:
        """An alert as it is now; `count` is how many findings are open in it."""
        words = headline(alert, self._zone)
        if alert.status in NOTES:
            words += f"; {NOTES[alert.status].format(joined=alert.joined)}"
        return {
            "id": alert.alert_id,
            "status": alert.status.value,
            "severity": alert.severity(self.critical_cents).value,
            "message": words,
            "duty": DUTY_WORDS if alert.has_duty else None,
            "cause": alert.kind.value,
            "code": alert.code.value,
            "table_id": alert.table_id,
            "game": alert.game,
            "wager": alert.wager,
            "direction": alert.direction.value,
            "dealer_id": alert.dealer_id,
            "count": alert.findings,
            "rounds": alert.rounds,
            "over_cents": alert.over_cents,
            "under_cents": alert.under_cents,
            "first_round": alert.first_round,
            "first_at": utc(alert.first_at),
            "last_round": alert.last_round,
            "last_at": utc(alert.last_at),
            "gaming_day": None if alert.gaming_day is None else alert.gaming_day.isoformat(),
            "posted_paytable": alert.posted,
            "paid_from": list(alert.paid_from),
            "first_missing_seq": alert.first_missing_seq,
            "last_missing_seq": alert.last_missing_seq,
            "follows": alert.follows,
            "joined": alert.joined,
            "cleared": None,
        }

    def told_cleared(self, clearing: Clearing) -> Told:
        """A cleared alert: as it was then, and who cleared it and why; nothing of it is open."""
        was: Mapping[str, Any] = clearing.alert
        return {
            **was,
            "status": Status.CLEARED.value,
            "count": 0,
            "message": f"{was['message']}; cleared by {clearing.by}: {clearing.why}",
            "cleared": {
                "by": clearing.by,
                "why": clearing.why,
                "at": utc(clearing.at),
                "count": was["count"],
            },
        }


def test_told(now: datetime) -> Told:
    """What a receiver gets that is tested: an alert's fields, and nothing in them."""
    said = {
        "id": f"test-{int(now.timestamp())}",
        "status": "test",
        "severity": "warning",
        "message": "a test of the way from pitproof: nothing is wrong",
        "first_at": utc(now),
        "last_at": utc(now),
        "count": 0,
        "rounds": 0,
        "over_cents": 0,
        "under_cents": 0,
        "paid_from": [],
    }
    return {name: said.get(name) for name in FIELDS}


def utc(moment: datetime) -> str:
    """`2026-04-18T21:14:00.000000Z`, as times stand in events."""
    return utc_text(moment)
