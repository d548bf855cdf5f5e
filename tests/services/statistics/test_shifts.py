"""Shifts by the clock on the wall, and for which of them a tray was counted."""

import itertools
from datetime import UTC, date, datetime, time

import pytest

from services.errors import BadSettingError
from services.settings import Settings, load_settings
from services.statistics.shifts import ShiftPlan, shift_plan

HOUR = 3_600_000_000
SATURDAY = date(2026, 4, 18)


def lengths(plan: ShiftPlan, day: date) -> list[float]:
    begins = plan.begins(day)
    return [(end - begin) / HOUR for begin, end in itertools.pairwise(begins)]


def micros(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp()) * 1_000_000


def test_three_of_eight_hours_unless_told() -> None:
    plan = shift_plan(Settings())
    named = [(shift.name, shift.starts.hour) for shift in plan.shifts]
    assert named == [("day", 6), ("swing", 14), ("graveyard", 22)]
    first = datetime.fromtimestamp(plan.begins(SATURDAY)[0] / 1_000_000, UTC)
    assert first == datetime(2026, 4, 18, 12, tzinfo=UTC)
    assert lengths(plan, SATURDAY) == [8, 8, 8]


@pytest.mark.parametrize(
    ("day", "hours"),
    [(date(2026, 3, 7), [8, 8, 7]), (date(2026, 10, 31), [8, 8, 9])],
    ids=["23 hours", "25 hours"],
)
def test_the_change_of_clocks_falls_into_a_shift(day: date, hours: list[float]) -> None:
    plan = shift_plan(Settings())
    assert lengths(plan, day) == hours
    assert plan.begins(day)[-1] == plan.begins(date.fromordinal(day.toordinal() + 1))[0]


def test_a_shift_that_the_clocks_leave_out_is_empty() -> None:
    hours = {"long": time(1), "short": time(2, 15), "other": time(3)}
    plan = shift_plan(Settings(gaming_day_starts=time(1), shifts=hours))
    assert lengths(plan, date(2026, 3, 8)) == [1.25, 0, 21.75]


def test_shifts_are_a_setting(tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("set") / "pitproof.toml"
    file.write_text('casino = "Nugget"\n[shifts]\nlate = "18:00"\nearly = 06:00:00\n', "utf-8")
    settings = load_settings(str(file), {})
    assert settings.casino == "Nugget"
    plan = shift_plan(settings)
    assert [shift.name for shift in plan.shifts] == ["early", "late"]
    assert lengths(plan, SATURDAY) == [12, 12]
    named = load_settings(str(file), {"PITPROOF_SHIFTS": "a=06:00, b=14:30"})
    assert lengths(shift_plan(named), SATURDAY) == [8.5, 15.5]


@pytest.mark.parametrize(
    ("shifts", "said"),
    [
        ({"a": time(7), "b": time(19)}, "none begins at 06:00"),
        ({"a": time(6), "b": time(6)}, "two of them begin together"),
    ],
)
def test_shifts_that_do_not_do(shifts: dict[str, time], said: str) -> None:
    with pytest.raises(BadSettingError, match=said):
        shift_plan(Settings(shifts=shifts))


@pytest.mark.parametrize("shifts", ["day", "day=six", "day="])
def test_hours_that_are_none(shifts: str) -> None:
    with pytest.raises(BadSettingError, match="PITPROOF_SHIFTS"):
        load_settings(None, {"PITPROOF_SHIFTS": shifts})


@pytest.mark.parametrize(
    ("opening", "closing", "shift"),
    [
        ("14:00", "22:00", 1),
        ("13:31", "22:29", 1),  # counted around the changes of shifts
        ("13:29", "22:00", None),
        ("14:00", "22:31", None),
        ("15:00", "16:00", 1),
        ("13:50", "14:20", 1),  # the middle decides
        ("13:40", "14:10", 0),
        ("06:00", "14:30", 0),
        ("10:00", "20:00", None),
    ],
)
def test_for_which_shift_a_tray_counts(opening: str, closing: str, shift: int | None) -> None:
    at = [micros(f"2026-04-18T{text}-06:00") for text in (opening, closing)]
    assert shift_plan(Settings()).counted(SATURDAY, *at) == shift


@pytest.mark.parametrize("day", [date.min, date.max])
def test_any_day_has_its_shifts(day: date) -> None:
    begins = shift_plan(Settings()).begins(day)
    assert list(begins) == sorted(begins)
