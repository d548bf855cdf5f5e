"""Paytables by their pays: whether a table pays a wager from another paytable of the rule.

Source: findings contract, `PAYTABLE_MISMATCH`: at least two settled nets of that wager on a gaming
day, due exactly known, fit another paytable and not the posted one, and none fits the posted one
and not that other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from replay.amounts import statable
from replay.arrays import first_by_group
from replay.docket import finding_id_of
from replay.events import Bools, Int64s, Uint8s
from replay.findings import Finding, FindingCode
from replay.games.play import Play
from replay.openings import Opening
from replay.payouts import Payouts
from replay.rulebook.loader import Rulebook
from replay.state import PayFit
from replay.verdict import PayRow, RoundStatus
from replay.vocabulary import Game, Wager
from replay.wagers import wager_clause
from replay.words import bet_words

FITS_MIN: Final = 2

PayBook = dict[tuple[str, int], tuple[Opening, dict[tuple[int, str], PayFit]]]
"""(table, seq of its opening) -> the opening, and (wager, other paytable) -> fit."""

TableDay = tuple[str, int, str]
"""Table, wager, gaming day."""


def weigh_pays(
    play: Play, payouts: Payouts, status: Uint8s, opening_seqs: list[int], book: PayBook
) -> None:
    """Add the settled nets of a stretch to each opening's weighing of its paytables.

    `opening_seqs` gives the `seq` of each of the fold's openings.
    """
    folded, events = play.folded, play.folded.events
    met: list[tuple[int, PayFit]] = []
    settled = (status == RoundStatus.SETTLED)[folded.seat_round]
    for slot, (_, wager, _) in enumerate(folded.slots[: folded.own_slots]):
        if not any(wager in opening.paytables for opening in folded.openings):
            continue
        counts = settled & payouts.settled[:, slot] & play.dues.known[:, slot]
        counts &= (play.chips.stands[:, slot] > 0) | play.stakeless[slot]
        counts &= ~play.dues.unjudged[:, slot]
        net, due = payouts.net[:, slot], play.dues.cents[:, slot]
        fits_posted = net == due
        for other, other_due in play.other_dues(slot).items():
            fits_other = net == other_due
            tells = statable(other_due) & (fits_other != fits_posted)
            differs = np.flatnonzero(counts & tells)
            met += _weigh(play, payouts, (slot, other), differs, fits_other, opening_seqs, book)
    for row, fit in sorted(met, key=lambda each: each[0]):  # a wager has a slot for each bettor
        fit.other_only += 1
        fit.rounds.append(events.round_ids[events.round[row]])
        fit.event_nos.append(int(events.event_no[row]))
        fit.first_seq = fit.first_seq or int(events.seq[row])


def _weigh(
    play: Play,
    payouts: Payouts,
    slot_and_other: tuple[int, str],
    seats: Int64s,
    fits_other: Bools,
    opening_seqs: list[int],
    book: PayBook,
) -> Iterator[tuple[int, PayFit]]:
    """The rows of settled nets that fit the other paytable only, each with its weighing."""
    folded, events = play.folded, play.folded.events
    slot, other = slot_and_other
    wager = folded.slots[slot][1]
    opening_of = folded.opening_of[folded.seat_round[seats]]
    fits_here = fits_other[seats]
    first = first_by_group(opening_of, len(folded.openings))
    posted_only = np.bincount(opening_of[~fits_here], minlength=len(first))
    fits: dict[int, PayFit] = {}
    for number in np.flatnonzero(first >= 0).tolist():
        posted = folded.openings[number].paytables.get(wager)
        if posted is None or posted.id == other:
            continue
        table = int(events.table[folded.starts[folded.seat_round[seats[first[number]]]]])
        key = (events.table_ids[table], opening_seqs[number])
        fit = fits[number] = book[key][1].setdefault((int(wager), other), PayFit())
        fit.posted_only |= int(posted_only[number] > 0)
    for at in np.flatnonzero(fits_here).tolist():
        named = fits.get(int(opening_of[at]))
        if named is not None:
            yield int(payouts.first_row[seats[at], slot]), named


def pay_rows(book: PayBook) -> list[PayRow]:
    """The weighings as rows, in order of table, opening, wager and other paytable."""
    rows = []
    for (table_id, opening_seq), (opening, fits) in sorted(book.items(), key=lambda item: item[0]):
        for (wager_code, other), fit in sorted(fits.items()):
            posted = opening.paytables[Wager(wager_code)]
            assert posted is not None, "only a posted paytable of the rule is weighed"
            rows.append(
                PayRow(
                    table_id=table_id,
                    opening_seq=opening_seq,
                    game=int(opening.game),
                    gaming_day=opening.said.gaming_day.isoformat(),
                    wager=wager_code,
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
