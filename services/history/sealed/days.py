"""When a gaming day is over, by the casino's zone and the hour at which its days begin."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo


@dataclass(frozen=True, slots=True)
class GamingDays:
    """The days of a casino. One with a change of clocks in it has 23 or 25 hours."""

    zone: ZoneInfo
    starts: time
    """By the clock on the wall. Where that shows it twice the first counts, where it leaves it out
    what it would have been."""

    def begins(self, day: date) -> datetime:
        """The moment at which a gaming day begins.

        Raises:
            OverflowError: so near the end of all days that it has no moment.
        """
        return datetime.combine(day, self.starts, self.zone).astimezone(UTC)

    def of(self, moment: datetime) -> date:
        """The gaming day that a moment is in."""
        day = moment.astimezone(self.zone).date()
        return day if moment >= self.begins(day) else day - timedelta(days=1)

    def last_over(self, now: datetime) -> date:
        """The latest gaming day that is over."""
        return self.of(now) - timedelta(days=1)
