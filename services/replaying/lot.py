"""A lot of tables, settled again from their first event on: what one process does.

It reads, judges, and tells as it goes; nothing is kept of what was told, so that memory does not
grow with the history.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa

from replay.events import Bools, EventColumns, Stretch, TableOpening
from replay.games.texas_shootout_dues import excludes_partners
from replay.resettle import Resettler
from replay.rulebook.loader import Rulebook
from replay.verdict import RoundColumns, RoundStatus
from replay.vocabulary import EventKind, Game
from replay.whole import WholeStream
from services.audit import rulebook_for
from services.history.arrival import Arrival
from services.history.in_order import stretches_in_order
from services.history.looked_up import LookUps
from services.history.reading import STRETCH_ROWS
from services.history.store import History
from services.history.verdicts import finding_rows
from services.replaying.asked import OtherRules
from services.replaying.dues import DuesSeen, compared
from services.replaying.money import Money, Priced
from services.report.gather import Scope


class Lot(msgspec.Struct, frozen=True):
    """What is to be settled again, and by what."""

    arrival: Arrival
    """Of the tables of this lot."""
    taken: Scope
    """Which of their rounds are told of."""
    readings: dict[str, str]
    """Those that the history was made with."""
    house_ways: str | None
    other: OtherRules | None = None
    """None: the history is checked."""
    rows: int = STRETCH_ROWS
    """About so many events are judged at a time."""

    def rulebook(self) -> Rulebook:
        """The rules that the history was made by."""
        return rulebook_for(self.readings, Path(self.house_ways) if self.house_ways else None)


class Told(msgspec.Struct, frozen=True):
    """What came of a part of a lot."""

    events: int = 0
    """So many more were judged."""
    rounds: int = 0
    findings: bytes = b""
    """When a history is checked: findings computed, as `finding_rows` gives them."""
    changed: bytes = b""
    """In a what-if: the wagers of which another amount is due."""
    money: bytes = b""
    """With the last part of a what-if: the sums of all wagers, as `Money.packed` gives them."""


def settled_again(history: History, lot: Lot) -> Iterator[Told]:
    """Settle the tables of a lot again, part by part."""
    rulebook = lot.rulebook()
    look_ups = LookUps(history, sorted(lot.arrival.counts()))
    stretches = stretches_in_order(
        history,
        lot.arrival,
        look_ups,
        rows=lot.rows,
        with_people=lot.other is not None or excludes_partners(rulebook),
    )
    if lot.other is not None:
        return _priced(stretches, look_ups, _Twice.of(rulebook, lot.other), lot.taken)
    return _checked(stretches, look_ups, Resettler(rulebook), lot.taken)


def _checked(
    stretches: Iterable[Stretch], look_ups: LookUps, resettler: Resettler, taken: Scope
) -> Iterator[Told]:
    """All findings, and how many rounds are taken."""
    whole = WholeStream()

    def told_of(stretch: Stretch) -> Told:
        verdict = resettler.judge(stretch)
        look_ups.judged(stretch.events, verdict)
        whole.add(stretch.events, verdict)
        _forget_ended(resettler, stretch)
        return Told(
            events=len(stretch.events),
            rounds=int(np.count_nonzero(_taken(stretch.events, verdict.rounds, taken))),
            findings=packed(finding_rows(verdict.findings)) if verdict.findings else b"",
        )

    yield from map(told_of, stretches)  # nothing is held of one while the next is read
    found = whole.findings(resettler.rulebook)
    if found:
        yield Told(findings=packed(finding_rows(found)))


def _forget_ended(resettler: Resettler, stretch: Stretch) -> None:
    """Let go of the states of tables whose streams end with the stretch."""
    for table_id, next_seq in zip(stretch.events.table_ids, stretch.next_seq, strict=True):
        if not next_seq:
            del resettler.states[table_id]


def _priced(
    stretches: Iterable[Stretch], look_ups: LookUps, twice: _Twice, taken: Scope
) -> Iterator[Told]:
    """The wagers of which another amount is due, and the money of all."""
    money = Money()
    for stretch in stretches:
        events, priced = stretch.events, twice.judge(stretch, look_ups, taken)
        money.add(priced.money())
        changed = priced.changed_rows()
        yield Told(
            events=len(events),
            rounds=int(np.count_nonzero(_taken(events, priced.rounds, taken))),
            changed=packed(changed) if changed.num_rows else b"",
        )
    yield Told(money=money.packed())


@dataclass(frozen=True, slots=True)
class _Twice:
    """Judges every stretch by the rules as they were, and by others."""

    other: OtherRules
    as_made: Resettler
    what_if: Resettler
    seen: tuple[DuesSeen, DuesSeen]

    @staticmethod
    def of(rulebook: Rulebook, other: OtherRules) -> _Twice:
        """Both from the beginning."""
        seen = DuesSeen(), DuesSeen()
        return _Twice(
            other,
            Resettler(rulebook, look_on=seen[0]),
            Resettler(other.rulebook(rulebook), look_on=seen[1]),
            seen,
        )

    def judge(self, stretch: Stretch, look_ups: LookUps, taken: Scope) -> Priced:
        """What is due under both on the wagers of the rounds that are taken."""
        events = stretch.events
        verdict = self.as_made.judge(stretch)
        posted = events.having(openings=self._openings(events))
        other = self.what_if.judge(replace(stretch, events=posted))
        look_ups.judged(events, verdict)
        settled = _settled(events, verdict.rounds), _settled(events, other.rounds)
        expected, what_if = (seen.taken() for seen in self.seen)
        wagers = compared(expected, what_if, settled)
        return Priced.of(events, verdict.rounds, wagers, _taken(events, verdict.rounds, taken))

    def _openings(self, events: EventColumns) -> dict[int, TableOpening]:
        rows = np.flatnonzero(events.kind == EventKind.TABLE_OPENED)
        tables = {
            int(events.event_no[row]): events.table_ids[events.table[row]] for row in rows.tolist()
        }
        return {
            number: self.other.opening(table_id, events.openings[number], self.what_if.rulebook)
            for number, table_id in tables.items()
        }


def _settled(events: EventColumns, rounds: RoundColumns) -> Bools:
    """Which rounds of the stretch are settled: by their number in it."""
    settled = np.zeros(len(events.round_ids), np.bool_)
    settled[rounds.round[rounds.status == RoundStatus.SETTLED]] = True
    return settled


def _taken(events: EventColumns, rounds: RoundColumns, scope: Scope) -> Bools:
    """Which rounds are told of: (R,)."""
    taken = np.ones(len(rounds.round), np.bool_)
    if scope.table_id is not None:
        own = np.array([table_id == scope.table_id for table_id in events.table_ids], np.bool_)
        taken &= own[rounds.table]
    if scope.game is not None:
        taken &= rounds.game == Game[scope.game]
    days = rounds.gaming_day.astype("datetime64[D]")  # one that is not known is taken by neither
    if scope.first_day is not None:
        taken &= days >= np.datetime64(scope.first_day)
    if scope.last_day is not None:
        taken &= days <= np.datetime64(scope.last_day)
    return taken


def packed(rows: pa.Table) -> bytes:
    """Rows as bytes that another process can take in."""
    written = pa.BufferOutputStream()
    with pa.ipc.new_stream(written, rows.schema) as stream:
        stream.write_table(rows)
    return bytes(written.getvalue())


def unpacked(content: bytes) -> pa.Table:
    """What `packed` made."""
    return pa.ipc.open_stream(content).read_all()
