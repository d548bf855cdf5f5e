"""Which cause a finding has: what findings must have in common to be one alert.

Pure: a cause follows from the finding and from whether a wrong paytable explains it. In what
portions and in what order findings come to be known makes no difference.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date
from hashlib import sha256
from typing import Final, NamedTuple

from replay.findings import FindingCode
from services.alerts.causes import EXPLAINED_BY_PAYTABLE, Direction, Kind, kind_of

ALERT_ID_DIGITS: Final = 12
"""Hexadecimal ones: few enough to be typed, and a million alerts share none."""


class Found(NamedTuple):
    """What of a finding decides about its cause and its alert. Money in cents."""

    finding_id: str
    code: str
    severity: str
    table_id: str
    seq: int
    round_id: str | None
    wager: str | None
    game: str
    dealer_id: str | None
    gaming_day: date | None
    expected_cents: int | None
    actual_cents: int | None
    first_missing_seq: int | None
    last_missing_seq: int | None
    event_nos: Sequence[int]

    @property
    def delta_cents(self) -> int | None:
        """Paid above (below: less than 0) what was due; None: it has no amount.

        A wager that was never settled got nothing.
        """
        if self.expected_cents is None:
            return None
        if self.actual_cents is None:
            unsettled = self.code == FindingCode.WAGER_UNSETTLED
            return -self.expected_cents if unsettled else None
        return self.actual_cents - self.expected_cents


class Cause(NamedTuple):
    """What all findings of an alert have in common."""

    kind: str
    code: str
    table_id: str
    game: str
    wager: str | None = None
    direction: str = Direction.NONE.value
    dealer_id: str | None = None
    gap_seq: int | None = None
    """The first number that is missing."""

    @property
    def key(self) -> str:
        """As text: the same for the same cause, always."""
        return json.dumps(self, ensure_ascii=False)

    @classmethod
    def of_key(cls, key: str) -> Cause:
        """The cause of a text."""
        return cls(*json.loads(key))


def cause_of(found: Found, *, is_explained: bool) -> Cause:
    """The cause of a finding; `is_explained`: a mismatch of the wager's paytable names its pay."""
    kind, place = kind_of(FindingCode(found.code)), (found.table_id, found.game)
    if is_explained:
        return Cause(Kind.PAYTABLE, FindingCode.PAYTABLE_MISMATCH, *place, found.wager)
    if kind is Kind.PAYTABLE:
        return Cause(kind, found.code, *place, found.wager)
    if kind is Kind.DECK:
        return Cause(kind, found.code, *place)
    if kind is Kind.GAP:
        return Cause(kind, found.code, *place, gap_seq=found.first_missing_seq)
    direction = Direction.NONE
    if kind is Kind.PAYOUT and (delta := found.delta_cents):
        direction = Direction.OVER if delta > 0 else Direction.UNDER
    return Cause(kind, found.code, *place, found.wager, direction, found.dealer_id)


def may_be_explained(code: str) -> bool:
    """Whether a mismatch of a paytable can be why there is a finding of this code."""
    return code in EXPLAINED_BY_PAYTABLE


def alert_id_of(cause_key: str, follows: str | None) -> str:
    """The id of the alert of a cause since another was cleared, or since ever.

    Not of its first round: a round that comes to be known late may be an earlier one, and an
    alert that people already speak of keeps its id.
    """
    text = f"{cause_key}\n{follows or ''}"
    return sha256(text.encode()).hexdigest()[:ALERT_ID_DIGITS]
