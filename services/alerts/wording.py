"""An alert in words of the card room: one line for what is wrong, where, since when, how much."""

from __future__ import annotations

from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from replay.findings import FindingCode
from replay.words import money
from services.alerts.alert import Alert
from services.alerts.causes import DUTY_WORDS, Kind
from services.report.words import CODES, WAGERS, count, long_day, shown

_PAYS: Final = {
    FindingCode.OVERPAID: "pays {wager} too much",
    FindingCode.UNDERPAID: "pays {wager} too little",
    FindingCode.WAGER_UNSETTLED: "leaves {wager} unsettled",
    FindingCode.SETTLED_WITHOUT_WAGER: "settles {wager} without a wager",
    FindingCode.MISDEAL_NOT_CALLED: "settles rounds with a wrong number of cards",
    FindingCode.WRONGLY_VOIDED: "voids seats wrongly",
    FindingCode.PAYTABLE_MISMATCH: "pays {wager} from another paytable",
    FindingCode.PAYTABLE_UNKNOWN: "posts a paytable for {wager} that the rule does not have",
}
"""What a table does; of other codes it has so many findings."""


def headline(alert: Alert, zone: ZoneInfo) -> str:
    """`table DD-04 pays big 8 from paytable 3 since 21:14, 37 rounds, $1,240.00 too much`."""
    parts = [f"{_subject(alert)} since {_since(alert, zone)}"]
    if alert.dealer_id:
        parts.append(f"dealer {shown(alert.dealer_id)}")
    if alert.rounds:
        parts.append(count(alert.rounds, "round"))
    parts += amounts(alert)
    said = ", ".join(parts)
    return f"{said}: {DUTY_WORDS}" if alert.has_duty else said


def amounts(alert: Alert) -> list[str]:
    """How much, and which way."""
    return [
        f"{money(cents)} {way}"
        for cents, way in ((alert.over_cents, "too much"), (alert.under_cents, "too little"))
        if cents
    ]


def missing(first: int | None, last: int | None) -> str:
    """Which events are: `event 7 is missing`, `events 7 to 9 are missing`."""
    if first is None or last is None:
        return "events are missing"
    if first == last:
        return f"event {first} is missing"
    return f"events {first} {'and' if last == first + 1 else 'to'} {last} are missing"


def _subject(alert: Alert) -> str:
    table = f"table {shown(alert.table_id)}"
    if alert.kind is Kind.GAP:
        return f"{table}: {missing(alert.first_missing_seq, alert.last_missing_seq)}"
    wager = WAGERS.get(alert.wager or "", alert.wager or "a wager")
    if alert.paid_from:
        named = " or ".join(shown(one) for one in alert.paid_from)
        return f"{table} pays {wager} from paytable {named}"
    if words := _PAYS.get(alert.code):
        return f"{table} {words.format(wager=wager)}"
    one, several = CODES[alert.code]
    found = one if alert.findings <= 1 or one == several else f"{alert.findings:,} {several}"
    return f"{table}: {found}" + (f" on {wager}" if alert.wager else "")


def _since(alert: Alert, zone: ZoneInfo) -> str:
    """The time of day; with the day where the last round was on another."""
    first, last = (moment.astimezone(zone) for moment in (alert.first_at, alert.last_at))
    return f"{first:%H:%M}" if first.date() == last.date() else _moment(first)


def _moment(at: datetime) -> str:
    return f"{at:%H:%M} on {long_day(at.date())}"
