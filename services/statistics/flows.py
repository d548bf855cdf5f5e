"""What flowed at the tables: read from a history by part of a table's stream and by shift.

Rounds and chips of a tray that was counted for one shift go with that shift, as the tray does; of
any other tray each goes with the shift of its own time. A gaming day is that of the opening, so
what is played before its first shift or after its last goes with that one, and is noted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from datetime import date
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from services.report.model import MONEY_CODES
from services.statistics.shifts import EARLIEST, ShiftPlan
from services.statistics.trays import Mark, Opening, Part, openings_of

if TYPE_CHECKING:
    from services.history.store import History


@dataclass(slots=True)
class Flow:
    """Rounds and money; cents, of any size."""

    rounds: int = 0
    held: int = 0
    not_settled: int = 0
    still_open: int = 0
    outside_day: int = 0
    """Rounds that began outside of the hours of their gaming day."""
    net_cents: int = 0
    """What the players won, as it was settled."""
    too_much_cents: int = 0
    """What findings say that players got too much; below, too little."""
    too_little_cents: int = 0
    drop_cents: int = 0
    fills_cents: int = 0
    credits_cents: int = 0

    def add(self, other: Flow) -> None:
        """Add another's figures to these."""
        for name in _FIGURES:
            setattr(self, name, getattr(self, name) + getattr(other, name))


_FIGURES: Final = tuple(each.name for each in fields(Flow))


@dataclass(slots=True)
class PartFlow:
    """A part of a table's stream with what flowed in it."""

    part: Part
    shift: int | None
    """For which its tray was counted; None: for several, or outside of all counts."""
    by_shift: dict[int, Flow] = field(default_factory=lambda: defaultdict(Flow))
    gaps: list[tuple[int, int]] = field(default_factory=list)
    """First and last number of events that are missing."""

    @property
    def is_counted(self) -> bool:
        """Whether it lies between two counts of the tray."""
        return self.part.is_counted

    def flow(self) -> Flow:
        """All of it."""
        whole = Flow()
        for flow in self.by_shift.values():
            whole.add(flow)
        return whole


@dataclass(slots=True)
class Played:
    """An opening of a table, with what flowed in each part of its stream."""

    opening: Opening
    parts: list[PartFlow]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which openings: of gaming days from one to another, of one table or game or of all."""

    first_day: date
    last_day: date
    table_id: str | None = None
    game: str | None = None

    def takes(self, opening: Opening) -> bool:
        """Whether an opening is asked for."""
        mark = opening.mark
        in_time = self.first_day <= mark.gaming_day <= self.last_day
        return in_time and self.game in (None, mark.game)


def played(history: History, wanted: Wanted, plan: ShiftPlan) -> list[Played]:
    """Every opening that is asked for, by table and `seq`."""
    openings = _openings(history, wanted)
    asked = [_placed(one, plan) for one in openings if wanted.takes(one)]
    parts = [part for one in asked for part in one.parts]
    _put_parts(history, openings, asked, plan)
    _put_shifts(history, {one.opening.mark.gaming_day for one in asked}, plan)
    days: list[object] = [wanted.first_day, wanted.last_day]
    codes = sorted(str(code) for code in MONEY_CODES)
    _read(history, parts, "moved", [])
    _read(history, parts, "played", days)
    _read(history, parts, "found", [*days, codes])
    _read(history, parts, "recorded", days)
    for part_no, first, last in history.rows(_sql("missing")):
        parts[part_no].gaps.append((first, last))
    return asked


def _openings(history: History, wanted: Wanted) -> list[Opening]:
    values = [wanted.first_day, wanted.last_day, wanted.table_id]
    by_table: dict[str, list[Mark]] = defaultdict(list)
    for table_id, seq, kind, at_micros, amount, game, day, currency in history.rows(
        _sql("marks"), values
    ):
        by_table[table_id].append(
            Mark(
                kind=kind,
                seq=seq,
                at_micros=at_micros,
                amount_cents=amount or 0,
                game=game or "",
                gaming_day=day or date.min,
                currency=currency or "",
            )
        )
    return [one for table_id, marks in by_table.items() for one in openings_of(table_id, marks)]


def _placed(opening: Opening, plan: ShiftPlan) -> Played:
    parts = []
    for part in opening.parts:
        shift = None
        if part.span is not None and part.span.closing is not None:
            at = (part.span.opening.at_micros, part.span.closing.at_micros)
            shift = plan.counted(opening.mark.gaming_day, *at)
        parts.append(PartFlow(part, shift))
    return Played(opening, parts)


def _put_parts(
    history: History, openings: Sequence[Opening], asked: Sequence[Played], plan: ShiftPlan
) -> None:
    """Make the temporary table of parts; those not asked for are there to end the ones before."""
    flows = {id(flow.part): (no, flow) for no, flow in enumerate(f for p in asked for f in p.parts)}
    rows = []
    for opening in openings:
        begins = plan.begins(opening.mark.gaming_day)
        for part in opening.parts:
            part_no, flow = flows.get(id(part), (None, None))
            shift = None if flow is None else flow.shift
            place = (opening.table_id, part.from_seq, part_no, opening.mark.seq)
            rows.append((*place, opening.mark.gaming_day, shift, begins[0], begins[-1]))
    _put(history, "statistics_parts", _PARTS, rows)


def _put_shifts(history: History, days: set[date], plan: ShiftPlan) -> None:
    """Make the temporary table of shifts: the first takes whatever is before it."""
    rows = [
        (day, number, begins if number else EARLIEST)
        for day in sorted(days)
        for number, begins in enumerate(plan.begins(day)[:-1])
    ]
    _put(history, "statistics_shifts", _SHIFTS, rows)


def _put(
    history: History, name: str, columns: dict[str, tuple[str, Any]], rows: list[tuple[Any, ...]]
) -> None:
    declared = ", ".join(f"{column} {type_}" for column, (type_, _) in columns.items())
    history.run(f"CREATE OR REPLACE TEMP TABLE {name} ({declared})")
    values = list(zip(*rows, strict=True)) if rows else [()] * len(columns)
    history.insert(
        name,
        pa.table(
            {
                column: pa.array(each, type_)
                for (column, (_, type_)), each in zip(columns.items(), values, strict=True)
            }
        ),
    )


def _read(history: History, parts: Sequence[PartFlow], name: str, values: Sequence[object]) -> None:
    """Add what a query says of each part and shift."""
    for part_no, shift, *figures in history.rows(_sql(name), values):
        flow = Flow(**dict(zip(_SAID[name], figures, strict=True)))
        parts[part_no].by_shift[shift].add(flow)


def _sql(name: str) -> str:
    return (files("services.statistics") / f"{name}.sql").read_text("utf-8")


_SAID: Final = {
    "moved": ("drop_cents", "fills_cents", "credits_cents"),
    "played": ("rounds", "held", "not_settled", "still_open", "outside_day", "net_cents"),
    "found": ("too_much_cents", "too_little_cents", "net_cents"),
    "recorded": ("net_cents",),
}
"""Query -> the figures that it gives, after part and shift."""

_PARTS: Final = {
    "table_id": ("VARCHAR", pa.string()),
    "from_seq": ("BIGINT", pa.int64()),
    "part_no": ("INTEGER", pa.int32()),
    "opening_seq": ("BIGINT", pa.int64()),
    "gaming_day": ("DATE", pa.date32()),
    "part_shift": ("INTEGER", pa.int32()),
    "day_from": ("BIGINT", pa.int64()),
    "day_to": ("BIGINT", pa.int64()),
}
_SHIFTS: Final = {
    "gaming_day": ("DATE", pa.date32()),
    "shift_no": ("INTEGER", pa.int32()),
    "from_micros": ("BIGINT", pa.int64()),
}
