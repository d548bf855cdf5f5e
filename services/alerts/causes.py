"""What an alert is about: the cause that findings have in common, and what kinds there are.

A cause is a table, game, wager, code, direction and dealer; or a wrong paytable (whoever deals), a
deck, a gap. The names are those that `deploy/prometheus/rules/` and the runbook use.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from replay.findings import FindingCode


class Kind(StrEnum):
    """Kinds of causes; the label `cause` of metrics and alerts."""

    PAYOUT = "payout"
    PAYTABLE = "paytable"
    DECK = "deck"
    GAP = "gap"
    PROCEDURE = "procedure"


class Direction(StrEnum):
    """Which way the money went wrong."""

    OVER = "over"
    UNDER = "under"
    NONE = "none"


CODES: Final[dict[Kind, tuple[FindingCode, ...]]] = {
    Kind.PAYOUT: (
        FindingCode.UNDERPAID,
        FindingCode.OVERPAID,
        FindingCode.WAGER_UNSETTLED,
        FindingCode.SETTLED_WITHOUT_WAGER,
        FindingCode.MISDEAL_NOT_CALLED,
        FindingCode.WRONGLY_VOIDED,
    ),
    Kind.PAYTABLE: (FindingCode.PAYTABLE_MISMATCH, FindingCode.PAYTABLE_UNKNOWN),
    Kind.DECK: (
        FindingCode.DUPLICATE_CARD,
        FindingCode.DECK_ORDER_REPEATED,
        FindingCode.DECKS_WRONG,
    ),
    Kind.GAP: (FindingCode.SEQUENCE_GAP,),
}
"""Codes of each kind; all others are of `PROCEDURE`."""

EXPLAINED_BY_PAYTABLE: Final = (FindingCode.OVERPAID, FindingCode.UNDERPAID)
"""Wrong pays that a `PAYTABLE_MISMATCH` names are rounds of its alert, not causes of their own."""

DUTY_CODES: Final = (FindingCode.DUPLICATE_CARD, FindingCode.DECK_ORDER_REPEATED)
DUTY: Final = "executive-secretary"
DUTY_WORDS: Final = "contact the executive secretary of the commission at once: this is a duty"

ALERT_NAMES: Final = {
    Kind.PAYOUT: "PitproofPayoutMismatch",
    Kind.PAYTABLE: "PitproofWrongPaytable",
    Kind.DECK: "PitproofDeck",
    Kind.GAP: "PitproofSequenceGap",
    Kind.PROCEDURE: "PitproofProcedure",
}
"""`alertname`, as in the rules; where both arrive, Alertmanager keeps back that of the rules."""

RUNBOOK: Final = {
    Kind.PAYOUT: "payout-mismatch",
    Kind.PAYTABLE: "wrong-paytable",
    Kind.DECK: "duplicate-card-or-repeated-deck-order",
    Kind.GAP: "sequence-gap",
    Kind.PROCEDURE: "procedure",
}
"""Sections of `deploy/runbook.md`."""


def kind_of(code: FindingCode) -> Kind:
    """The kind of cause that a finding of this code has by itself."""
    return next((kind for kind, codes in CODES.items() if code in codes), Kind.PROCEDURE)
