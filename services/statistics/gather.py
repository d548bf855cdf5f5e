"""The statistical report out of a history: one snapshot of it, read and added up."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from services.errors import BadArgumentError
from services.statistics.flows import Wanted, played
from services.statistics.lines import Levels, lines_of
from services.statistics.model import NamedShift, Note, Statistics
from services.statistics.notes import notes_of
from services.statistics.shifts import shift_plan
from services.statistics.tallies import entries_of

if TYPE_CHECKING:
    from services.history.store import History
    from services.settings import Settings


def statistics(
    history: History,
    settings: Settings,
    days: tuple[date | None, date | None],
    *,
    table_id: str | None = None,
    game: str | None = None,
) -> Statistics:
    """The report for gaming days from one to another, both included.

    Without any, it is for the last one that a table was opened for. With the one or the other
    alone, it is up to that one, or from the first of its month.

    Raises:
        BadArgumentError: nothing is held of any of the days.
        BadSettingError: the shifts do not do.
    """
    plan = shift_plan(settings)
    held = _days_held(history)
    first, last = _asked(days, held)
    notes: list[Note] = []
    entries = []
    if first is not None and last is not None:
        from_day = min(first, last.replace(month=1, day=1))
        wanted = Wanted(from_day, last, table_id=table_id, game=game)
        for one in played(history, wanted, plan):
            said = notes_of(one)
            notes += said
            entries += entries_of(one, (note.code for note in said))
    names = [shift.name for shift in plan.shifts]
    levels = Levels(games=table_id is None, floor=table_id is None and game is None)
    transaction, committed_at = as_of(history)
    return Statistics(
        casino=settings.casino,
        timezone=settings.timezone,
        shifts=tuple(NamedShift(s.name, f"{s.starts:%H:%M}") for s in plan.shifts),
        first=first,
        last=last,
        table=table_id,
        game=game,
        transaction=transaction,
        committed_at=committed_at,
        lines=()
        if first is None or last is None
        else tuple(lines_of(entries, (first, last), names, levels)),
        notes=tuple(sorted(notes, key=lambda n: (n.gaming_day, n.table_id, n.opened_seq))),
    )


def _days_held(history: History) -> tuple[date, date] | None:
    sql = "SELECT min(gaming_day), max(gaming_day) FROM table_openings WHERE standing"
    [(first, last)] = history.rows(sql)
    return None if first is None else (first, last)


def _asked(
    days: tuple[date | None, date | None], held: tuple[date, date] | None
) -> tuple[date | None, date | None]:
    """The days that the report is for."""
    first, last = days
    if held is None:
        return None, None
    if last is None:
        last = held[1]
        first = first or last
    first = first or last.replace(day=1)
    if last < held[0] or first > held[1]:
        told = f"{first}" if first == last else f"{first} to {last}"
        raise BadArgumentError(
            f"{told}: the history has no gaming day of these",
            next_step=f"it has {held[0]} to {held[1]}",
        )
    return first, last


def as_of(history: History) -> tuple[int, datetime | None]:
    """The last transaction of the history, and when it was committed."""
    sql = (
        "SELECT transaction_no, committed_at FROM transactions ORDER BY transaction_no DESC LIMIT 1"
    )
    for number, at in history.rows(sql):
        return number, at.astimezone(UTC)
    return 0, None
