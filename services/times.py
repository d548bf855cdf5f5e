"""Moments as text in UTC and at the casino, in every year that an event may name: 1 to 9999."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_TO_MICROSECONDS: Final = len("2026-04-18T21:14:00.000000")


def moment_of(micros: int) -> datetime:
    """Microseconds since 1970 UTC as a moment."""
    return _EPOCH + timedelta(microseconds=micros)


def micros_since_1970(moment: datetime) -> int:
    """A moment of any zone in microseconds since 1970 UTC; where UTC has no such year either.

    >>> from datetime import timezone
    >>> micros_since_1970(datetime.max.replace(tzinfo=timezone(-timedelta(hours=7)))) > 0
    True
    """
    offset = moment.utcoffset()
    assert offset is not None, "a time without a zone is no moment"
    return (moment.replace(tzinfo=UTC) - _EPOCH - offset) // _MICROSECOND


def utc_text(moment: datetime) -> str:
    """As times stand in events; the year always has four digits, which `strftime` does not see to.

    >>> utc_text(datetime(999, 4, 18, 21, 14, tzinfo=UTC))
    '0999-04-18T21:14:00.000000Z'
    """
    text = moment.astimezone(UTC).isoformat(timespec="microseconds")
    return f"{text[:_TO_MICROSECONDS]}Z"


def at_casino(moment: datetime, zone: ZoneInfo) -> datetime:
    """A moment on the casino's clock; in UTC in the hours before or after which no year is left."""
    try:
        return moment.astimezone(zone)
    except OverflowError:
        return moment.astimezone(UTC)
