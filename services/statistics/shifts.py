"""The shifts of a gaming day, by the clock on the casino's wall.

A gaming day with a change of clocks in it has 23 or 25 hours; the shift in which the change falls
is as much shorter or longer.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from services.errors import BadSettingError
from services.history.sealed.days import GamingDays

if TYPE_CHECKING:
    from services.settings import Settings

NAMES: Final = ("day", "swing", "graveyard")
"""Of shifts that no setting names: of eight hours each, the first with the gaming day."""

COUNT_SLACK_MICROS: Final = 30 * 60 * 1_000_000
"""A tray is counted around a change of shifts, hardly ever on the minute: so far off it may be."""

EARLIEST: Final = -(2**63)
LATEST: Final = 2**63 - 1

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Shift:
    """A part of the gaming day."""

    name: str
    starts: time
    """By the clock on the wall."""


@dataclass(frozen=True, slots=True)
class ShiftPlan:
    """The shifts of every gaming day, in order; the first begins with the day."""

    days: GamingDays
    shifts: tuple[Shift, ...]

    def begins(self, day: date) -> tuple[int, ...]:
        """When each shift of a gaming day begins, and last when the day ends.

        Shapes:  one more than there are shifts, ascending.
        Units:   microseconds since 1970, UTC.
        """
        first = self.days.starts
        moments = []
        for shift in self.shifts:
            moments.append(_moment(self.days, day, shift.starts, later=shift.starts < first))
        moments.append(_moment(self.days, day, first, later=True))
        # A shift that the clocks' change swallows begins and ends at once.
        return tuple(accumulate(moments, max))

    def counted(self, day: date, from_micros: int, to_micros: int) -> int | None:
        """The shift for which a tray was counted at these two moments, by its place in `shifts`.

        None: it was counted over several shifts, so that nothing is known of each of them.
        """
        begins = self.begins(day)
        middle = (from_micros + to_micros) // 2
        for number in range(len(self.shifts)):
            begin, end = begins[number], begins[number + 1]
            within = from_micros >= begin - COUNT_SLACK_MICROS
            if begin <= middle < end and within and to_micros <= end + COUNT_SLACK_MICROS:
                return number
        return None


def shift_plan(settings: Settings) -> ShiftPlan:
    """The shifts that the settings name, else three of eight hours.

    Raises:
        BadSettingError: two begin together, or none does with the gaming day.
    """
    days = GamingDays(settings.zone(), settings.gaming_day_starts)
    first = days.starts
    if not settings.shifts:
        return ShiftPlan(days, _three(first))
    shifts = [Shift(name, starts) for name, starts in settings.shifts.items()]
    shifts.sort(key=lambda shift: _after(first, shift.starts))
    starts = [shift.starts for shift in shifts]
    if len(set(starts)) < len(starts):
        raise BadSettingError("shifts: two of them begin together", next_step="leave one out")
    if starts[0] != first:
        raise BadSettingError(
            f"shifts: none begins at {first:%H:%M}, when the gaming day does",
            next_step="let the first shift begin then, or set gaming_day_starts",
        )
    return ShiftPlan(days, tuple(shifts))


def _three(first: time) -> tuple[Shift, ...]:
    begins = datetime.combine(date(2000, 1, 1), first)
    return tuple(
        Shift(name, (begins + timedelta(hours=8 * number)).time())
        for number, name in enumerate(NAMES)
    )


def _after(first: time, starts: time) -> timedelta:
    """How far into the gaming day, on a day of 24 hours."""
    day = date(2000, 1, 1)
    return (datetime.combine(day, starts) - datetime.combine(day, first)) % timedelta(days=1)


def _moment(days: GamingDays, day: date, starts: time, *, later: bool) -> int:
    """When the clock shows that time on a gaming day's first calendar day, or on the next one."""
    try:
        shown = GamingDays(days.zone, starts).begins(day + timedelta(days=int(later)))
        return (shown - _EPOCH) // _MICROSECOND
    except OverflowError:  # an event may name any day
        return EARLIEST if day.year < _EPOCH.year else LATEST
