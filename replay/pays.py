"""Paytables by their pays: whether a table pays a wager from another paytable of the rule.

Source: findings contract, `PAYTABLE_MISMATCH`: at least two settled nets of that wager on a gaming
day, due exactly known, fit another paytable and not the posted one, and none fits the posted one
and not that other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from replay.amounts import statable
from replay.arrays import equal_to, first_of_run
from replay.docket import finding_id_of
from replay.events import Bools, Int64s, Uint8s
from replay.findings import Finding, FindingCode
from replay.games.play import Play
from replay.openings import Opening
from replay.payouts import Payouts
from replay.rulebook.loader import Rulebook
from replay.rulebook.model import Paytable
from replay.state import PayFit
from replay.verdict import PayRow, RoundStatus
from replay.vocabulary import Game, Wager
from replay.wagers import wager_clause
from replay.words import bet_words

FITS_MIN: Final = 2

FIRST_LOOK: Final = 64
"""Settled nets of an opening that are weighed before the rest: most paytables are out by then."""

PayBook = dict[tuple[str, int], tuple[Opening, dict[tuple[int, str], PayFit]]]
"""(table, seq of its opening) -> the opening, and (wager, other paytable) -> fit."""

TableDay = tuple[str, int, str]
"""Table, wager, gaming day."""


@dataclass(frozen=True, slots=True)
class Posted:
    """What tables of one game post, and by what else they may pay."""

    game: Game
    rulebook: Rulebook
    places: list[tuple[str, int]]
    """(table, `seq`) of each of the fold's openings."""
    book: PayBook


def weigh_pays(play: Play, payouts: Payouts, status: Uint8s, posted: Posted) -> None:
    """Add the settled nets of a stretch to each opening's weighing of its paytables.

    A paytable that a single net speaks against is out, and is not looked at again: nearly always
    that is every other one after the first few rounds of an opening.
    """
    weighing = _Weighing(play, payouts, posted)
    settled = equal_to(status, RoundStatus.SETTLED)[play.folded.seat_round]
    for slot, (_, wager, _) in enumerate(play.folded.slots[: play.folded.own_slots]):
        if any(wager in opening.paytables for opening in play.folded.openings):
            weighing.weigh(slot, settled)
    weighing.note()


@dataclass(slots=True)
class _Weighing:
    """The weighings of one game's rounds."""

    play: Play
    payouts: Payouts
    posted: Posted
    met: list[tuple[int, PayFit]] = field(default_factory=list)
    """Rows of settled nets that fit another paytable only, each with its weighing."""

    def weigh(self, slot: int, settled: Bools) -> None:
        """Weigh the nets of one slot; `settled` (P,) seats of settled rounds."""
        play, payouts = self.play, self.payouts
        counts = settled & payouts.settled[:, slot] & play.dues.known[:, slot]
        counts &= (play.chips.stands[:, slot] > 0) | play.stakeless[slot]
        counts &= ~play.dues.unjudged[:, slot]
        seats = np.flatnonzero(counts)
        opening_of = play.folded.opening_of[play.folded.seat_round[seats]]
        begins = np.flatnonzero(first_of_run(opening_of))  # rounds of an opening lie together
        lengths = np.diff(np.append(begins, len(seats)))
        early = np.arange(len(seats)) - np.repeat(begins, lengths) < FIRST_LOOK
        for part in (early, ~early):
            self._weigh_part(slot, seats[part], opening_of[part])

    def note(self) -> None:
        """Enter the rows that were met, in the order of the stream: a wager has several slots."""
        events = self.play.folded.events
        for row, fit in sorted(self.met, key=lambda each: each[0]):
            if not fit.posted_only:
                fit.other_only += 1
                fit.rounds.append(events.round_ids[events.round[row]])
                fit.event_nos.append(int(events.event_no[row]))
                fit.first_seq = fit.first_seq or int(events.seq[row])

    def _weigh_part(self, slot: int, seats: Int64s, opening_of: Int64s) -> None:
        play, openings = self.play, self.play.folded.openings
        count = len(openings)
        others = self._others(slot, _those_in(opening_of, count))
        wanted = {name: table for tables in others.values() for name, table in tables.items()}
        if not wanted:
            return
        looked_at = np.array([bool(others.get(number)) for number in range(count)])
        if not looked_at.all():
            kept = np.flatnonzero(looked_at[opening_of])
            seats, opening_of = seats[kept], opening_of[kept]
        net, due = self.payouts.net[seats, slot], play.dues.cents[seats, slot]
        fits_own = net == due
        wager = int(play.folded.slots[slot][1])
        for other, other_due in play.other_dues(slot, seats, list(wanted.values())).items():
            fits_other = net == other_due
            tells = np.flatnonzero(statable(other_due) & (fits_other != fits_own))
            of_opening, fits_here = opening_of[tells], fits_other[tells]
            against = set(_those_in(of_opening[~fits_here], count))
            for number in _those_in(of_opening, count):
                if other not in others[number]:
                    continue
                fits = self._fits(number)
                if number in against:
                    fits[wager, other] = PayFit(posted_only=1)
                    continue
                fit = fits.setdefault((wager, other), PayFit())
                mine = seats[tells[of_opening == number]]
                self.met += [(int(row), fit) for row in self.payouts.first_row[mine, slot]]

    def _others(self, slot: int, numbers: list[int]) -> dict[int, dict[str, Paytable]]:
        """By opening, other paytables that may pay it, for all that was seen so far, by id."""
        wager = self.play.folded.slots[slot][1]
        tables = self.posted.rulebook.paytables(self.posted.game, wager)
        pays = {table.id: _pays(table) for table in tables}
        others = {}
        for number in numbers:
            own = self.play.folded.openings[number].paytables.get(wager)
            fits = self._fits(number)
            out = {
                other for (code, other) in fits if code == wager and fits[code, other].posted_only
            }
            others[number] = {
                table.id: table
                for table in tables
                if own is not None and pays[table.id] != pays[own.id] and table.id not in out
            }
        return others

    def _fits(self, number: int) -> dict[tuple[int, str], PayFit]:
        """The weighings of an opening."""
        return self.posted.book[self.posted.places[number]][1]


def _those_in(numbers: Int64s, count: int) -> list[int]:
    """The numbers that are there, ascending: (N,), below `count`."""
    there: list[int] = np.flatnonzero(np.bincount(numbers, minlength=count)).tolist()
    return there


def _pays(table: Paytable) -> list[tuple[str, str, int | None, int | None]]:
    """What a paytable pays for what: two of a rule may be the same but for their ids."""
    return [(line.words, line.result, line.to_one, line.cents) for line in table.lines]


def pay_rows(book: PayBook) -> list[PayRow]:
    """The weighings as rows, in order of table, opening, wager and other paytable."""
    rows = []
    for (table_id, opening_seq), (opening, fits) in sorted(book.items(), key=lambda item: item[0]):
        game, gaming_day = int(opening.game), opening.said.gaming_day.isoformat()
        posted_of = {int(wager): table for wager, table in opening.paytables.items()}
        for (wager, other), fit in sorted(fits.items()):
            posted = posted_of[wager]
            assert posted is not None, "only a posted paytable of the rule is weighed"
            rows.append(
                PayRow(
                    table_id=table_id,
                    opening_seq=opening_seq,
                    game=game,
                    gaming_day=gaming_day,
                    wager=wager,
                    posted=posted.id,
                    other=other,
                    fit=fit,
                )
            )
    return rows


def mismatches(rows: Iterable[PayRow], rulebook: Rulebook) -> list[Finding]:
    """One finding for each table, wager and gaming day that pays from another paytable.

    `rows` must be all that there are of each (table, wager, gaming day) among them.
    """
    return [_mismatch(fits, rulebook) for fits in fits_elsewhere(rows).values()]


def fits_elsewhere(rows: Iterable[PayRow]) -> dict[TableDay, dict[str, list[PayRow]]]:
    """Days on which pays fit another paytable: day -> other paytable -> its rows, in order.

    `rows` must be all that there are of each (table, wager, gaming day) among them.
    """
    days: dict[TableDay, dict[str, list[PayRow]]] = {}
    for row in sorted(rows, key=lambda each: (each.table_id, each.opening_seq)):
        day = days.setdefault((row.table_id, row.wager, row.gaming_day), {})
        day.setdefault(row.other, []).append(row)
    found = {}
    for day_of, others in sorted(days.items()):
        fits = {
            other: parts
            for other, parts in sorted(others.items())
            if sum(part.fit.other_only for part in parts) >= FITS_MIN
            and not any(part.fit.posted_only for part in parts)
        }
        if fits:
            found[day_of] = fits
    return found


def _mismatch(fits: dict[str, list[PayRow]], rulebook: Rulebook) -> Finding:
    first = next(iter(fits.values()))[0]
    wager = Wager(first.wager)
    parts = []
    for other, rows in fits.items():
        rounds = sorted({each for row in rows for each in row.fit.rounds})
        shown = ", ".join(rounds[:20]) + (" and more" if len(rounds) > 20 else "")
        parts.append(f"paytable {other} ({len(rounds)} rounds: {shown})")
    whole = [row.fit for rows in fits.values() for row in rows]
    place = (FindingCode.PAYTABLE_MISMATCH, first.table_id, wager.name, first.gaming_day)
    return Finding(
        code=FindingCode.PAYTABLE_MISMATCH,
        finding_id=finding_id_of(place),
        table_id=first.table_id,
        seq=min(fit.first_seq for fit in whole if fit.first_seq),
        wager=wager.name,
        clause=wager_clause(rulebook, Game(first.game), wager),
        # In the order of the stream: numbers of arrival would tell who came late.
        event_nos=tuple(dict.fromkeys(no for fit in whole for no in fit.event_nos)),
        message=f"{bet_words(wager)} was paid on {first.gaming_day} as by {' or '.join(parts)}, "
        f"while paytable {first.posted} is posted",
    )
