"""Paytables by their pays: whether a table pays a wager from another paytable of the rule.

Source: findings contract, `PAYTABLE_MISMATCH`: at least two settled nets of that wager on a gaming
day, due exactly known, fit another paytable and not the posted one, and none fits the posted one
and not that other.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from replay.docket import finding_id_of
from replay.events import Int64s, Uint8s
from replay.findings import Finding, FindingCode
from replay.games.play import Play
from replay.payouts import Payouts
from replay.rulebook.loader import Rulebook
from replay.rulebook.model import Paytable
from replay.state import PayFit, TableStates
from replay.verdict import RoundStatus
from replay.vocabulary import Game, Wager
from replay.wagers import wager_clause

FITS_MIN: Final = 2


def weigh_pays(play: Play, payouts: Payouts, status: Uint8s, states: TableStates) -> None:
    """Add the settled nets of a stretch to each table's weighing of its paytables."""
    folded = play.folded
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
            seats = np.flatnonzero(counts & (fits_other != fits_posted))
            _weigh(play, payouts, states, wager, slot, other, seats, fits_other)


def _weigh(
    play: Play,
    payouts: Payouts,
    states: TableStates,
    wager: Wager,
    slot: int,
    other: str,
    seats: Int64s,
    fits_other: np.ndarray,
) -> None:
    folded = play.folded
    events = folded.events
    for seat in seats:
        place = int(folded.seat_round[seat])
        opening = folded.openings[folded.opening_of[place]]
        posted: Paytable | None = opening.paytables.get(wager)
        if posted is None or posted.id == other:
            continue
        first = int(folded.starts[place])
        state = states[events.table_ids[events.table[first]]]
        key = (int(wager), opening.said.gaming_day.isoformat(), other)
        fit = state.pays.setdefault(key, PayFit())
        fit.posted = posted.id
        if not fits_other[seat]:
            fit.posted_only += 1
            continue
        row = int(payouts.first_row[seat, slot])
        fit.other_only += 1
        fit.rounds.append(events.round_ids[events.round[first]])
        fit.event_nos.append(int(events.event_no[row]))
        fit.first_seq = fit.first_seq or int(events.seq[row])


def mismatches(states: TableStates, rulebook: Rulebook) -> list[Finding]:
    """One finding for each table, wager and gaming day that pays from another paytable."""
    found = []
    for table_id in sorted(states):
        groups: dict[tuple[int, str], dict[str, PayFit]] = {}
        for (wager_code, day, other), fit in states[table_id].pays.items():
            if fit.other_only >= FITS_MIN and fit.posted_only == 0:
                groups.setdefault((wager_code, day), {})[other] = fit
        for (wager_code, day), fits in sorted(groups.items()):
            found.append(_mismatch(table_id, Wager(wager_code), day, fits, rulebook))
    return found


def _mismatch(
    table_id: str, wager: Wager, day: str, fits: dict[str, PayFit], rulebook: Rulebook
) -> Finding:
    others = sorted(fits)
    first = fits[others[0]]
    parts = []
    for other in others:
        rounds = sorted(set(fits[other].rounds))
        shown = ", ".join(rounds[:20]) + (" and more" if len(rounds) > 20 else "")
        parts.append(f"paytable {other} ({len(rounds)} rounds: {shown})")
    game = next(game for game in list(Game)[1:] if rulebook.paytables(game, wager))
    return Finding(
        code=FindingCode.PAYTABLE_MISMATCH,
        finding_id=finding_id_of((FindingCode.PAYTABLE_MISMATCH, table_id, wager.name, day)),
        table_id=table_id,
        seq=min(fit.first_seq for fit in fits.values()),
        wager=wager.name,
        clause=wager_clause(rulebook, game, wager),
        event_nos=tuple(sorted({no for fit in fits.values() for no in fit.event_nos})),
        message=f"{wager.name} was paid on {day} as by {' or '.join(parts)}, while paytable "
        f"{first.posted} is posted",
    )
