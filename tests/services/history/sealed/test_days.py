"""A gaming day begins and ends by the clock on the wall, whatever that clock does."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from services.history.sealed.days import GamingDays

DENVER = GamingDays(ZoneInfo("America/Denver"), time(6))
DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("day", "hours"),
    [(date(2026, 3, 6), 24), (date(2026, 3, 7), 23), (date(2026, 10, 31), 25)],
)
def test_a_day_with_a_change_of_clocks_in_it_has_23_or_25_hours(day: date, hours: int) -> None:
    begins, ends = DENVER.begins(day), DENVER.begins(day + DAY)
    assert ends - begins == timedelta(hours=hours)
    assert DENVER.of(begins) == DENVER.of(ends - timedelta(microseconds=1)) == day
    assert DENVER.of(ends) == day + DAY


@pytest.mark.parametrize(
    ("now", "over"),
    [
        (datetime(2026, 3, 8, 11, 59, tzinfo=UTC), date(2026, 3, 6)),  # 05:59 in summer time
        (datetime(2026, 3, 8, 12, 0, tzinfo=UTC), date(2026, 3, 7)),
        (datetime(2026, 11, 1, 12, 59, tzinfo=UTC), date(2026, 10, 30)),  # 05:59 in winter time
        (datetime(2026, 11, 1, 13, 0, tzinfo=UTC), date(2026, 10, 31)),
    ],
)
def test_a_day_is_over_at_six_of_the_next_morning(now: datetime, over: date) -> None:
    assert DENVER.last_over(now) == over


@pytest.mark.parametrize("starts", [time(2, 30), time(1, 30)])
def test_an_hour_that_is_left_out_or_comes_twice_begins_one_day(starts: time) -> None:
    days = GamingDays(ZoneInfo("America/Denver"), starts)
    for first in (date(2026, 3, 6), date(2026, 10, 30)):
        for number in range(4):
            begins = days.begins(first + number * DAY)
            assert days.of(begins) == first + number * DAY
            assert days.of(begins - timedelta(microseconds=1)) == first + (number - 1) * DAY


def test_other_hours_and_zones() -> None:
    sydney = GamingDays(ZoneInfo("Australia/Sydney"), time(0))
    assert sydney.of(datetime(2026, 3, 1, 12, 59, tzinfo=UTC)) == date(2026, 3, 1)
    assert sydney.of(datetime(2026, 3, 1, 13, 0, tzinfo=UTC)) == date(2026, 3, 2)
