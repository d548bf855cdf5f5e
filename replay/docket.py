"""The docket: findings as they are drawn up, before they are numbered and put in order.

Judging works on columns; only what is wrong becomes an object here, so that the cost of a finding
is paid by findings alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from replay.events import NO_INDEX, EventColumns
from replay.findings import Finding, FindingCode
from replay.vocabulary import Bettor, Wager

CONTRACT: Final = "event contract 1"
"""What a finding about the stream itself rests on."""


@dataclass(slots=True, kw_only=True)
class Draft:
    """A finding by index numbers; see `Finding` for the meaning of its fields.

    `own` tells apart findings of one code at one place: the `seq` of the event or gap concerned, 0
    where the place itself is unique.
    """

    code: FindingCode
    table: int
    seq: int
    round: int = NO_INDEX
    spot: int = 0
    hand: int = 0
    wager: int = 0
    bettor: int = 0
    expected: int | None = None
    actual: int | None = None
    low: int | None = None
    high: int | None = None
    first_missing: int | None = None
    last_missing: int | None = None
    clause: str
    readings: tuple[str, ...] = ()
    event_nos: tuple[int, ...] = ()
    message: str
    own: int | str = 0


@dataclass(slots=True)
class Docket:
    """Drafts of one stretch."""

    events: EventColumns
    drafts: list[Draft] = field(default_factory=list)

    def add(self, draft: Draft) -> None:
        """Enter one draft."""
        self.drafts.append(draft)

    def add_event(
        self,
        code: FindingCode,
        events: EventColumns,
        row: int,
        *,
        message: str,
        clause: str = CONTRACT,
        readings: tuple[str, ...] = (),
        more_rows: Iterable[int] = (),
    ) -> None:
        """Enter a finding about one event, at that event's place."""
        nos = (int(events.event_no[row]), *(int(events.event_no[other]) for other in more_rows))
        self.add(
            Draft(
                code=code,
                table=int(events.table[row]),
                seq=int(events.seq[row]),
                round=int(events.round[row]),
                spot=int(events.spot[row]),
                hand=int(events.hand[row]),
                wager=int(events.wager[row]),
                bettor=int(events.bettor[row]),
                clause=clause,
                readings=readings,
                event_nos=nos,
                message=message,
                own=int(events.seq[row]),
            )
        )

    def findings(self) -> list[Finding]:
        """The findings, in the contract's order within each table."""
        found = [self._finding(draft) for draft in self.drafts]
        found.sort(key=order_key)
        return found

    def _finding(self, draft: Draft) -> Finding:
        events = self.events
        table_id = events.table_ids[draft.table]
        round_id = events.round_ids[draft.round] if draft.round != NO_INDEX else None
        wager = Wager(draft.wager).name if draft.wager else None
        bettor = Bettor(draft.bettor).name if draft.bettor else None
        place = (draft.code, table_id, round_id, draft.spot, draft.hand, wager, bettor, draft.own)
        return Finding(
            code=draft.code,
            finding_id=finding_id_of(place),
            table_id=table_id,
            seq=draft.seq,
            round_id=round_id,
            spot=draft.spot or None,
            hand=draft.hand or None,
            wager=wager,
            bettor=bettor,
            expected_cents=draft.expected,
            actual_cents=draft.actual,
            expected_low_cents=draft.low,
            expected_high_cents=draft.high,
            first_missing_seq=draft.first_missing,
            last_missing_seq=draft.last_missing,
            clause=draft.clause,
            readings=draft.readings,
            event_nos=draft.event_nos,
            message=draft.message,
        )


def finding_id_of(place: tuple[object, ...]) -> str:
    """32 hexadecimal digits over code, place and `own`: the same events give the same id."""
    text = "\x1f".join("" if part is None else str(part) for part in place)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def order_key(finding: Finding) -> tuple[object, ...]:
    """Order of findings: table, first event concerned, code, spot, hand, wager."""
    return (
        finding.table_id,
        finding.seq,
        finding.code.value,
        finding.spot or 0,
        finding.hand or 0,
        finding.wager or "",
        finding.bettor or "",
        finding.finding_id,
    )
