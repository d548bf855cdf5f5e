"""Moments at the ends of what an event may name, and in years of less than four digits."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from services.find.times import TimeAsked, time_of
from services.times import at_casino, micros_since_1970, moment_of, utc_text

DENVER, MACAU = ZoneInfo("America/Denver"), ZoneInfo("Asia/Macau")
FIRST, LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (FIRST, "0001-01-01T00:00:00.000000Z"),
        (datetime(999, 4, 18, 21, 14, tzinfo=UTC), "0999-04-18T21:14:00.000000Z"),
        (datetime(2026, 4, 18, 15, 14, tzinfo=DENVER), "2026-04-18T21:14:00.000000Z"),
        (LAST, "9999-12-31T23:59:59.999999Z"),
    ],
)
def test_the_text_of_an_event_has_four_digits_for_its_year(moment: datetime, text: str) -> None:
    assert utc_text(moment) == text
    assert moment_of(micros_since_1970(moment)) == moment


def test_hours_that_no_year_is_left_for_are_told_in_utc() -> None:
    assert at_casino(FIRST, DENVER) == FIRST
    assert at_casino(LAST, MACAU) == LAST
    assert at_casino(LAST, DENVER).hour == 16


@pytest.mark.parametrize(
    "text", ["0001-01-01", "9999-12-31", "9999-12-31T23:59", "0001-01-01T00:00"]
)
@pytest.mark.parametrize("zone", [DENVER, MACAU])
def test_a_day_at_either_end_can_be_asked_for(text: str, zone: ZoneInfo) -> None:
    (span,) = time_of("--about", text).spans(zone)
    assert span.start < span.stop


def test_a_day_ends_where_the_next_begins() -> None:
    days = [TimeAsked(day=date(2026, 3, day)).spans(DENVER)[0] for day in (7, 8, 9)]
    assert [day.stop for day in days[:2]] == [day.start for day in days[1:]]
    assert [(day.stop - day.start) // 3_600_000_000 for day in days] == [24, 23, 24]
