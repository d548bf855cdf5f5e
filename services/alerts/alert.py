"""One alert: a cause, and all findings it has that nobody has dealt with."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from replay.findings import FindingCode, Severity
from services.alerts.causes import DUTY_CODES, Direction, Kind


class Status(StrEnum):
    """Whether an alert is open, and if not, what ended it."""

    OPEN = "open"
    CLEARED = "cleared"
    """By a named person, with a reason."""
    WITHDRAWN = "withdrawn"
    """Late events took back the last of its findings."""
    JOINED = "joined"
    """Its rounds turned out to be those of another alert."""
    RELEASED = "released"
    """Its gap was released by a named person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """As the history holds it. Money in cents; times are the table's."""

    alert_id: str
    """12 hexadecimal digits of the cause and of `follows`: the same in every history of the same
    events and clearings, however these arrived."""
    follows: str | None
    """The alert of the same cause that was cleared before."""
    kind: Kind
    code: FindingCode
    table_id: str
    game: str
    """As in the events; `UNKNOWN` where the table was never opened."""
    wager: str | None
    direction: Direction
    dealer_id: str | None
    findings: int
    rounds: int
    over_cents: int
    """Paid above what was due, over all findings."""
    under_cents: int
    is_grave: bool
    """One of the findings is critical and has no amount."""
    first_seq: int
    first_round: str | None
    first_at: datetime
    last_seq: int
    last_round: str | None
    last_at: datetime
    status: Status = Status.OPEN
    joined: str | None = None
    """The alert that has its rounds now."""
    paid_from: tuple[str, ...] = ()
    """Of a wrong paytable: those whose pays fit."""
    posted: str | None = None
    """And the one that was posted."""
    gaming_day: date | None = None
    """Of the last round."""
    first_missing_seq: int | None = None
    last_missing_seq: int | None = None

    @property
    def has_duty(self) -> bool:
        """Whether the executive secretary must be told."""
        return self.code in DUTY_CODES

    def severity(self, critical_cents: int) -> Severity:
        """Critical from an amount on; a wrong paytable or a duty always is.

        Where no amount tells, it is what its findings are.
        """
        amount = self.over_cents + self.under_cents
        is_critical = (
            self.kind is Kind.PAYTABLE
            or self.has_duty
            or self.is_grave
            or amount >= critical_cents > 0
        )
        return Severity.CRITICAL if is_critical else Severity.WARNING
