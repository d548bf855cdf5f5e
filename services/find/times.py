"""A time as people say it, and the moments that it may mean.

`21:40`, `9:40pm`, `7pm`, `2026-04-18 9:40pm`, `2026-04-18T21:40:05-06:00`, `2026-04-18`. Without an
offset it is the casino's clock, where the hour that comes twice in autumn means both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from services.errors import BadArgumentError
from services.times import micros_since_1970

_CLOCK: Final = re.compile(
    r"(\d{1,2})(?::(\d{2})(?::(\d{2})(?:\.\d{1,6})?)?|(?=\s*[ap]m))\s*([ap]m)?", re.IGNORECASE
)
_DAY_AND_CLOCK: Final = re.compile(
    rf"(\d{{4}}-\d{{2}}-\d{{2}})\s+({_CLOCK.pattern})", re.IGNORECASE
)
_LOOKS_LIKE: Final = re.compile(r"\d{1,2}(:\d|\s*[ap]m$)|\d{4}-\d{2}", re.IGNORECASE)
_TO_THE_SECOND: Final = re.compile(r"\d:\d{2}:\d{2}")
_NOON: Final = 12
MICROSECOND: Final = timedelta(microseconds=1)
_NO_END: Final = micros_since_1970(datetime.max.replace(tzinfo=UTC)) + 1


@dataclass(frozen=True, slots=True)
class Span:
    """From one moment to before another, in microseconds UTC."""

    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class TimeAsked:
    """A time of day, of some day or of one, or a whole day."""

    day: date | None = None
    clock: time | None = None
    moment: datetime | None = None
    """Said with an offset: it means one moment, whatever the zone."""
    width: timedelta = timedelta(minutes=1)
    """How exactly it was said."""

    def joined(self, other: TimeAsked) -> TimeAsked | None:
        """A day and a time of day, in either order, as one; None where they are not that."""
        for day, clock in ((self, other), (other, self)):
            if day.day and not day.clock and clock.clock and not clock.day:
                return replace(clock, day=day.day)
        return None

    def spans(self, zone: ZoneInfo, day: date | None = None) -> list[Span]:
        """What it means, on its own day or on one that is given."""
        if self.moment is not None:
            return [self._from(micros_since_1970(self.moment))]
        on = self.day or day
        assert on is not None, "a time without a day needs one"
        if self.clock is None:
            start = micros_since_1970(datetime.combine(on, time(), zone))
            if on == date.max:
                return [Span(start, _NO_END)]
            next_day = datetime.combine(on + timedelta(days=1), time(), zone)
            return [Span(start, micros_since_1970(next_day))]
        local = datetime.combine(on, self.clock, zone)
        starts = {micros_since_1970(local.replace(fold=fold)) for fold in (0, 1)}
        return [self._from(start) for start in sorted(starts)]

    def _from(self, start: int) -> Span:
        return Span(start, start + self.width // MICROSECOND)


def looks_like_a_time(word: str) -> bool:
    """Whether someone who writes this means a time."""
    return _LOOKS_LIKE.match(word) is not None


def time_of(flag: str, text: str) -> TimeAsked:
    """A time in one of the ways people write it.

    Raises:
        BadArgumentError: it is none.
    """
    width = timedelta(seconds=1) if _TO_THE_SECOND.search(text) else timedelta(minutes=1)
    try:
        said = _CLOCK.fullmatch(text.strip())
        if said:
            return TimeAsked(clock=_clock(said), width=width)
        both = _DAY_AND_CLOCK.fullmatch(text.strip())
        if both:
            return replace(time_of(flag, both[2]), day=date.fromisoformat(both[1]))
        if len(text.strip()) == len("2026-04-18"):
            return TimeAsked(day=date.fromisoformat(text.strip()))
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise BadArgumentError(
            f"{flag} {text}: is not a time",
            next_step="write it as 21:40, 2026-04-18T21:40 or 2026-04-18T21:40:05-06:00",
        ) from None
    if moment.tzinfo is not None:
        return TimeAsked(moment=moment, width=width)
    return TimeAsked(day=moment.date(), clock=moment.time(), width=width)


def _clock(said: re.Match[str]) -> time:
    hour, minute, second = int(said[1]), int(said[2] or 0), int(said[3] or 0)
    if said[4]:
        if not 1 <= hour <= _NOON:
            raise ValueError(said[0])
        hour = hour % _NOON + (_NOON if said[4].lower() == "pm" else 0)
    return time(hour, minute, second)
