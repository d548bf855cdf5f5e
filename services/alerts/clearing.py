"""Clearing an alert: a named person has dealt with it. No timer ever does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from services.alerts.told import Told
from services.errors import BadArgumentError, PitproofError
from services.history.alerts import alerts_of, clearings_of, enter_clearing

if TYPE_CHECKING:
    from services.alerts.alert import Alert
    from services.alerts.told import Teller
    from services.history.store import History

PREFIX_MIN: Final = 4
"""Of an id: so many digits are enough where no other open alert begins with them."""

NAMED_MAX: Final = 10


class NoSuchAlertError(PitproofError):
    """No alert of that id is open."""

    code = "no_such_alert"


def clear_alert(history: History, teller: Teller, alert_id: str, *, by: str, why: str) -> Told:
    """Clear an open alert: a transaction of its own; the alert as it then is told.

    What comes of the same cause later is a new alert, which names this one.

    Raises:
        BadArgumentError: nobody is named, or no reason.
        NoSuchAlertError: no alert of that id is open, or several begin so.
    """
    for flag, text in (("--by", by), ("--why", why)):
        if not text.strip():
            raise BadArgumentError(
                f"{flag}: says nothing", next_step="a clearing names who and why"
            )
    with history.transaction():
        alert = _open_alert(history, alert_id)
        enter_clearing(history, alert, teller.told(alert), by=by.strip(), why=why.strip())
        [cleared] = [
            one
            for one in clearings_of(history, table_id=alert.table_id)
            if one.alert_id == alert.alert_id
        ]
    return teller.told_cleared(cleared)


def _open_alert(history: History, alert_id: str) -> Alert:
    open_alerts = alerts_of(history, open_only=True)
    found = [alert for alert in open_alerts if alert.alert_id == alert_id]
    if not found and len(alert_id) >= PREFIX_MIN:
        found = [alert for alert in open_alerts if alert.alert_id.startswith(alert_id)]
    if len(found) == 1:
        return found[0]
    if found:
        raise NoSuchAlertError(
            f"{alert_id}: several open alerts begin so",
            next_step=f"they are {_named(found)}",
        )
    for one in clearings_of(history):
        if one.alert_id == alert_id or (
            len(alert_id) >= PREFIX_MIN and one.alert_id.startswith(alert_id)
        ):
            raise NoSuchAlertError(
                f"{one.alert_id}: {one.by} cleared it at {one.at:%Y-%m-%d %H:%M} UTC: {one.why}",
                next_step="see what is open with `pitproof alerts`",
            )
    if alert_id and any(one.alert_id.startswith(alert_id) for one in open_alerts):
        raise NoSuchAlertError(
            f"{alert_id}: is too little of an alert's id",
            next_step=f"give {PREFIX_MIN} digits or more; open are {_named(open_alerts)}",
        )
    raise NoSuchAlertError(
        f"{alert_id}: no such alert is open",
        next_step=f"open are {_named(open_alerts)}" if open_alerts else "none is open",
    )


def _named(alerts: list[Alert]) -> str:
    more = ", …" if len(alerts) > NAMED_MAX else ""
    return ", ".join(alert.alert_id for alert in alerts[:NAMED_MAX]) + more
