"""Sums over openings of tables, whole or by shift, and what is not known of them.

The smallest thing that a difference between count and rounds is known of is one tray between two
counts. All else is a sum over those, so that the sums over tables and over games are the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from datetime import date
from fractions import Fraction
from typing import Final

from services.statistics.flows import Flow, PartFlow, Played
from services.statistics.model import NoteCode
from services.statistics.trays import Span, is_known


@dataclass(slots=True)
class Tally:
    """Figures of some openings, to be added up; cents."""

    openings: int = 0
    counted: int = 0
    rounds: int = 0
    not_judged: int = 0
    fills: int = 0
    credits: int = 0
    drop: int = 0
    win_by_rounds: int = 0
    too_much: int = 0
    too_little: int = 0
    opening_tray: int = 0
    """Of the openings counted alone, as is all that follows."""
    closing_tray: int = 0
    counted_drop: int = 0
    counted_win: int = 0
    counted_win_by_rounds: int = 0
    counted_explained: int = 0
    notes: set[NoteCode] = field(default_factory=set)

    def add(self, other: Tally) -> None:
        """Add another's figures to these."""
        for name in _FIGURES:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.notes |= other.notes


_FIGURES: Final = tuple(each.name for each in fields(Tally) if each.name != "notes")


@dataclass(frozen=True, slots=True)
class Entry:
    """What a tally is of: an opening of a table as a whole, or one shift of it."""

    gaming_day: date
    currency: str
    game: str
    table_id: str
    shift: int | None
    """None: the whole of it."""
    tally: Tally


def entries_of(one: Played, notes: Iterable[NoteCode]) -> list[Entry]:
    """The whole of an opening, and every shift in which something happened there."""
    mark = one.opening.mark
    place = (mark.gaming_day, mark.currency, mark.game, one.opening.table_id)
    whole = Entry(*place, None, _whole(one))
    whole.tally.notes |= set(notes)
    counted = {part.shift for part in one.parts if part.shift is not None}
    shifts = sorted(counted | {number for part in one.parts for number in part.by_shift})
    return [whole, *(Entry(*place, number, _of_shift(one, number)) for number in shifts)]


def _whole(one: Played) -> Tally:
    flows = [part.flow() for part in one.parts]
    tally = _flowed(flows)
    if is_known(one.opening, [flow.rounds for flow in flows]):
        _count(tally, [part for part in one.parts if part.is_counted])
    return tally


def _of_shift(one: Played, number: int) -> Tally:
    """A shift's own figures; its win by the count only if its tray was counted for it alone."""
    parts = [part for part in one.parts if number in part.by_shift or part.shift == number]
    flows = [part.by_shift.get(number, Flow()) for part in parts]
    tally = _flowed(flows)
    mine = [part for part in parts if part.shift == number]
    elsewhere = sum(f.rounds for part, f in zip(parts, flows, strict=True) if part not in mine)
    if mine and not elsewhere:
        _count(tally, mine)
    else:
        tally.notes.add(NoteCode.NOT_COUNTED_BY_SHIFT)
    return tally


def _flowed(flows: list[Flow]) -> Tally:
    flow = Flow()
    for each in flows:
        flow.add(each)
    return Tally(
        openings=1,
        rounds=flow.rounds,
        not_judged=flow.held + flow.not_settled + flow.still_open,
        fills=flow.fills_cents,
        credits=flow.credits_cents,
        drop=flow.drop_cents,
        win_by_rounds=-flow.net_cents,
        too_much=flow.too_much_cents,
        too_little=flow.too_little_cents,
    )


def _count(tally: Tally, parts: list[PartFlow]) -> None:
    """Enter what the trays won that lie in these parts."""
    tally.counted = 1
    tally.counted_drop = tally.drop
    trays: dict[int, tuple[Span, Flow]] = {}
    for part in parts:
        span = part.part.span
        assert span is not None, "a part that was counted"
        trays.setdefault(id(span), (span, Flow()))[1].add(part.flow())
    for span, flow in trays.values():
        assert span.closing is not None, "a tray that was counted twice"
        opening, closing = span.opening.amount_cents, span.closing.amount_cents
        moved = flow.credits_cents - flow.fills_cents + flow.drop_cents
        win, by_rounds = closing - opening + moved, -flow.net_cents
        tally.opening_tray += opening
        tally.closing_tray += closing
        tally.counted_win += win
        tally.counted_win_by_rounds += by_rounds
        # Had chips gone as the rule has it, and the record been wrong, the count would be off by
        # no more than the findings: upwards by what they say was too much, downwards by too little.
        off = win - by_rounds
        tally.counted_explained += max(-flow.too_little_cents, min(off, flow.too_much_cents))


def over_drop(win_cents: int | None, drop_cents: int) -> int | None:
    """Win over drop in basis points, rounded half to even; None where there is no drop, or no win.

    >>> over_drop(12_345, 100_000), over_drop(-1, 40_000), over_drop(5, 0)
    (1234, 0, None)
    """
    if win_cents is None or drop_cents <= 0:
        return None
    return round(Fraction(win_cents * 10_000, drop_cents))
