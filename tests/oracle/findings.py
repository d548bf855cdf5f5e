"""Findings: one row each, their severity and their order."""

import hashlib
from dataclasses import dataclass, field
from typing import Any, Final

Event = dict[str, Any]

CRITICAL: Final = "critical"
WARNING: Final = "warning"
INFO: Final = "info"

SEVERITY: Final = {
    "UNDERPAID": CRITICAL,
    "OVERPAID": CRITICAL,
    "WAGER_UNSETTLED": CRITICAL,
    "SETTLED_WITHOUT_WAGER": CRITICAL,
    "MISPAY_CORRECTED": INFO,
    "PAYTABLE_MISMATCH": CRITICAL,
    "MISDEAL_NOT_CALLED": CRITICAL,
    "WRONGLY_VOIDED": CRITICAL,
    "UNDETERMINED": WARNING,
    "WAGER_MISSING": WARNING,
    "WAGERS_UNEQUAL": WARNING,
    "WAGER_OUT_OF_RANGE": WARNING,
    "WAGER_OVER_LIMIT": WARNING,
    "WAGER_UNDER_MINIMUM": WARNING,
    "WAGER_LATE": CRITICAL,
    "WAGER_CHANGED": CRITICAL,
    "WAGER_NOT_OFFERED": WARNING,
    "TIP_WITHOUT_WAGER": WARNING,
    "INVALID_AMOUNT": CRITICAL,
    "DECISION_MISSING": WARNING,
    "DECISION_OUT_OF_TURN": WARNING,
    "ACTION_AFTER_FOLD": WARNING,
    "ILLEGAL_SPLIT": CRITICAL,
    "KEPT_CARD_NOT_DEALT": CRITICAL,
    "HOUSE_WAY_MISSET": CRITICAL,
    "HOUSE_WAY_UNVERIFIABLE": INFO,
    "DUPLICATE_CARD": CRITICAL,
    "BAD_CARD": CRITICAL,
    "DEAL_ORDER": WARNING,
    "SETTLEMENT_ORDER": WARNING,
    "DECK_ORDER_REPEATED": CRITICAL,
    "DECKS_WRONG": CRITICAL,
    "SHOE_PAST_CUT": WARNING,
    "NO_EDITION_IN_FORCE": CRITICAL,
    "EDITION_NOT_HELD": CRITICAL,
    "PAYTABLE_UNKNOWN": CRITICAL,
    "SEQUENCE_GAP": CRITICAL,
    "EVENT_CONFLICT": CRITICAL,
    "SUSPECTED_DUPLICATE": WARNING,
    "EVENT_OUT_OF_PLACE": WARNING,
    "ROUND_NOT_CLOSED": WARNING,
    "ORPHAN_CORRECTION": WARNING,
    "CLOCK_SKEW": WARNING,
}

BetKey = tuple[int, int, str, str]  # spot, hand, wager, bettor


def stated(cents: int | None) -> int | None:
    """Give an amount if it is an integer of the contract, which has 64 bits."""
    return cents if cents is not None and -(2**63) <= cents < 2**63 else None


@dataclass
class Finding:
    """One result; `seq` is that of the first event concerned and gives the order only."""

    code: str
    table_id: str
    seq: int
    round_id: str | None = None
    spot: int | None = None
    hand: int | None = None
    wager: str | None = None
    bettor: str | None = None
    expected: int | None = None
    actual: int | None = None
    low: int | None = None
    high: int | None = None
    first_missing: int | None = None
    last_missing: int | None = None
    clause: str | None = None
    readings: tuple[str, ...] = ()
    event_ids: tuple[str, ...] = field(default=())
    message: str = ""

    def sort_key(self) -> tuple[Any, ...]:
        """Order by table, first event, code, spot, hand, wager; null before any value."""
        return (
            self.table_id,
            self.seq,
            self.code,
            self.spot or 0,
            self.hand or 0,
            self.wager or "",
            self.bettor or "",
            self.message,
            self.event_ids,
        )

    def row(self) -> dict[str, Any]:
        """Give the finding with all its keys."""
        known = self.expected is not None and self.actual is not None
        delta = (self.actual or 0) - (self.expected or 0) if known else None
        return {
            "finding_id": self._identity(),
            "code": self.code,
            "severity": SEVERITY[self.code],
            "table_id": self.table_id,
            "round_id": self.round_id,
            "spot": self.spot,
            "hand": self.hand,
            "wager": self.wager,
            "bettor": self.bettor,
            "expected_cents": self.expected,
            "actual_cents": self.actual,
            "delta_cents": stated(delta),
            "expected_low_cents": self.low,
            "expected_high_cents": self.high,
            "first_missing_seq": self.first_missing,
            "last_missing_seq": self.last_missing,
            "clause": self.clause,
            "readings": list(self.readings),
            "event_ids": list(self.event_ids),
            "message": self.message or self.code.replace("_", " ").lower(),
        }

    def _identity(self) -> str:
        """Derive an id from what the finding is about."""
        about = repr((self.sort_key(), self.round_id, self.first_missing, self.last_missing))
        return hashlib.sha256(about.encode()).hexdigest()[:32]


def about_event(code: str, event: Event, clause: str | None = None, message: str = "") -> Finding:
    """Make a finding about one event, which carries that event's place."""
    return Finding(
        code,
        event["table_id"],
        event["seq"],
        round_id=event.get("round_id"),
        spot=event.get("spot"),
        hand=event.get("hand"),
        wager=event.get("wager"),
        bettor=event.get("bettor"),
        clause=clause,
        event_ids=(event["event_id"],),
        message=message,
    )
