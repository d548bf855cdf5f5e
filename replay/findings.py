"""Findings: what judging a round yields, as rows with stable codes.

Money in integer cents, the player's net; `delta_cents = actual - expected`. A field is None where
the row is about more than one of its kind or where it does not apply.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final


class Severity(StrEnum):
    """How bad."""

    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"


class FindingCode(StrEnum):
    """Stable names, in the order of the contract; a code is never renamed, only added."""

    # money
    UNDERPAID = "UNDERPAID"
    OVERPAID = "OVERPAID"
    WAGER_UNSETTLED = "WAGER_UNSETTLED"
    SETTLED_WITHOUT_WAGER = "SETTLED_WITHOUT_WAGER"
    MISPAY_CORRECTED = "MISPAY_CORRECTED"
    PAYTABLE_MISMATCH = "PAYTABLE_MISMATCH"
    MISDEAL_NOT_CALLED = "MISDEAL_NOT_CALLED"
    WRONGLY_VOIDED = "WRONGLY_VOIDED"
    UNDETERMINED = "UNDETERMINED"
    # wagers
    WAGER_MISSING = "WAGER_MISSING"
    WAGERS_UNEQUAL = "WAGERS_UNEQUAL"
    WAGER_OUT_OF_RANGE = "WAGER_OUT_OF_RANGE"
    WAGER_OVER_LIMIT = "WAGER_OVER_LIMIT"
    WAGER_UNDER_MINIMUM = "WAGER_UNDER_MINIMUM"
    WAGER_LATE = "WAGER_LATE"
    WAGER_CHANGED = "WAGER_CHANGED"
    WAGER_NOT_OFFERED = "WAGER_NOT_OFFERED"
    TIP_WITHOUT_WAGER = "TIP_WITHOUT_WAGER"
    INVALID_AMOUNT = "INVALID_AMOUNT"
    # decisions
    DECISION_MISSING = "DECISION_MISSING"
    DECISION_OUT_OF_TURN = "DECISION_OUT_OF_TURN"
    ACTION_AFTER_FOLD = "ACTION_AFTER_FOLD"
    ILLEGAL_SPLIT = "ILLEGAL_SPLIT"
    KEPT_CARD_NOT_DEALT = "KEPT_CARD_NOT_DEALT"
    HOUSE_WAY_MISSET = "HOUSE_WAY_MISSET"
    HOUSE_WAY_UNVERIFIABLE = "HOUSE_WAY_UNVERIFIABLE"
    # cards and procedure
    DUPLICATE_CARD = "DUPLICATE_CARD"
    BAD_CARD = "BAD_CARD"
    DEAL_ORDER = "DEAL_ORDER"
    SETTLEMENT_ORDER = "SETTLEMENT_ORDER"
    DECK_ORDER_REPEATED = "DECK_ORDER_REPEATED"
    DECKS_WRONG = "DECKS_WRONG"
    SHOE_PAST_CUT = "SHOE_PAST_CUT"
    # rules in force
    NO_EDITION_IN_FORCE = "NO_EDITION_IN_FORCE"
    EDITION_NOT_HELD = "EDITION_NOT_HELD"
    PAYTABLE_UNKNOWN = "PAYTABLE_UNKNOWN"
    # stream
    SEQUENCE_GAP = "SEQUENCE_GAP"
    EVENT_CONFLICT = "EVENT_CONFLICT"
    SUSPECTED_DUPLICATE = "SUSPECTED_DUPLICATE"
    EVENT_OUT_OF_PLACE = "EVENT_OUT_OF_PLACE"
    ROUND_NOT_CLOSED = "ROUND_NOT_CLOSED"
    ORPHAN_CORRECTION = "ORPHAN_CORRECTION"
    CLOCK_SKEW = "CLOCK_SKEW"


_INFO: Final = {FindingCode.MISPAY_CORRECTED, FindingCode.HOUSE_WAY_UNVERIFIABLE}
_WARNING: Final = {
    FindingCode.UNDETERMINED,
    FindingCode.WAGER_MISSING,
    FindingCode.WAGERS_UNEQUAL,
    FindingCode.WAGER_OUT_OF_RANGE,
    FindingCode.WAGER_OVER_LIMIT,
    FindingCode.WAGER_UNDER_MINIMUM,
    FindingCode.WAGER_NOT_OFFERED,
    FindingCode.TIP_WITHOUT_WAGER,
    FindingCode.DECISION_MISSING,
    FindingCode.DECISION_OUT_OF_TURN,
    FindingCode.ACTION_AFTER_FOLD,
    FindingCode.DEAL_ORDER,
    FindingCode.SETTLEMENT_ORDER,
    FindingCode.SHOE_PAST_CUT,
    FindingCode.SUSPECTED_DUPLICATE,
    FindingCode.EVENT_OUT_OF_PLACE,
    FindingCode.ROUND_NOT_CLOSED,
    FindingCode.ORPHAN_CORRECTION,
    FindingCode.CLOCK_SKEW,
}


def severity_of(code: FindingCode) -> Severity:
    """The severity that the contract gives to a code."""
    if code in _INFO:
        return Severity.INFO
    return Severity.WARNING if code in _WARNING else Severity.CRITICAL


CENTS_MAX: Final = 2**63 - 1
CENTS_MIN: Final = -(2**63)
"""Largest and least integer of the event contract."""


def stated(cents: int | None) -> int | None:
    """An amount as a finding states it; None where no integer of the contract is that large.

    >>> stated(-500), stated(2**63)
    (-500, None)
    """
    return cents if cents is not None and CENTS_MIN <= cents <= CENTS_MAX else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One finding. `table`, names and ids are text; events are named by `event_nos`.

    `seq` is the number of the first event concerned and orders findings of a table.
    `finding_id` is 32 hexadecimal digits that the same events always give.
    """

    code: FindingCode
    finding_id: str
    table_id: str
    seq: int
    round_id: str | None = None
    spot: int | None = None
    hand: int | None = None
    wager: str | None = None
    bettor: str | None = None
    expected_cents: int | None = None
    actual_cents: int | None = None
    expected_low_cents: int | None = None
    expected_high_cents: int | None = None
    first_missing_seq: int | None = None
    last_missing_seq: int | None = None
    clause: str
    readings: tuple[str, ...] = ()
    event_nos: tuple[int, ...] = field(default=())
    message: str = ""

    @property
    def severity(self) -> Severity:
        """By the code alone."""
        return severity_of(self.code)

    @property
    def delta_cents(self) -> int | None:
        """Actual less expected: below zero the player got too little. None: cannot be stated."""
        if self.expected_cents is None or self.actual_cents is None:
            return None
        return stated(self.actual_cents - self.expected_cents)
