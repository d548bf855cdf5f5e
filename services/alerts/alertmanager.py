"""Alerts as Alertmanager takes them (API v2): labels that its routes and inhibitions go by.

Alertmanager forgets what is not sent again: what is open is sent anew every minute, and holds for
four hours, so that an outage of this service ends no alert. One is ended by saying when it did.
An alert that became critical is another to it, since severity is a label: the old one is ended.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from services.alerts.alert import Status
from services.alerts.causes import ALERT_NAMES, DUTY, RUNBOOK, Kind
from services.alerts.told import utc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from services.alerts.told import Told

PATH: Final = "/api/v2/alerts"
REFRESH_SECONDS: Final = 60.0
HOLDS: Final = timedelta(hours=4)
TEST_HOLDS: Final = timedelta(minutes=1)


Posted = dict[str, Any]
"""As the interface has it: labels, annotations, times."""


def message_of(
    posted: Sequence[Posted], token: str, runbook_url: str
) -> tuple[bytes, dict[str, str]]:
    """Body and headers for alerts that `posted_of` made; `runbook_url`: where its sections are."""
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    for one in posted:
        kind = one["labels"].get("cause")
        if runbook_url and kind:
            one["annotations"]["runbook_url"] = f"{runbook_url}#{RUNBOOK[Kind(kind)]}"
    return json.dumps(list(posted), ensure_ascii=False).encode(), headers


def posted_of(told: Told, told_severity: str | None, now: datetime) -> list[Posted]:
    """An alert, ended where it is no more open; `told_severity` is what it was sent with before."""
    is_open = told["status"] == Status.OPEN
    posted = []
    if told_severity is not None and told_severity != told["severity"]:
        posted.append(_posted({**told, "severity": told_severity}, now, ends=now))
        if not is_open:
            return posted
    posted.append(_posted(told, now, ends=now + HOLDS if is_open else now))
    return posted


def test_posted(now: datetime) -> Posted:
    """Something that can be told from an alert, and ends by itself."""
    return {
        "labels": {
            "alertname": "PitproofTest",
            "severity": "warning",
            "team": "compliance",
            "path": "direct",
        },
        "annotations": {"summary": "a test of the way from pitproof: nothing is wrong"},
        "startsAt": utc(now),
        "endsAt": utc(now + TEST_HOLDS),
    }


def _posted(told: Told, now: datetime, *, ends: datetime) -> Posted:
    labels = {
        "alertname": ALERT_NAMES[Kind(told["cause"])],
        "alert_id": told["id"],
        "cause": told["cause"],
        "code": told["code"],
        "table": told["table_id"],
        "game": told["game"],
        "wager": told["wager"],
        "severity": told["severity"],
        "duty": DUTY if told["duty"] else None,
        "team": "compliance",
        "path": "direct",
    }
    return {
        "labels": {name: value for name, value in labels.items() if value},
        "annotations": {"summary": told["message"], "description": _description(told)},
        "startsAt": min(told["first_at"], utc(now)),
        "endsAt": utc(ends),
    }


def _description(told: Told) -> str:
    parts = [f"From round {told['first_round']} to {told['last_round']}."] if told["rounds"] else []
    parts.append(
        f"`pitproof alerts clear {told['id']} --by NAME --why TEXT` once it is dealt with."
    )
    if told["follows"]:
        parts.append(f"The same cause was alert {told['follows']}, which was cleared.")
    return " ".join(parts)
