"""An evening worked out by hand: what each table's tray won, and what its rounds say.

RT-1, 18 April: opening tray 10,000, buy-in 500, fill 1,000, credit 300, closing tray 10,240.
    By the count: 10,240 - 10,000 + 300 - 1,000 + 500 = 40.
    Rounds: 20; 20 less a bonus of 20 that was told as 15; an ante paid 10 that had lost, the other
    one taken; 20. By the rounds: 20 + 5 + 0 + 20 = 45. The bonus told wrong explains the 5 between.
RT-2, 18 April: its tray counted at the change of shifts.
    Swing: 4,820 - 5,000 + 200 = 20, and a round of 20. Graveyard: 4,917 - 5,000 + 100 = 17, and a
    round of 20: 3 are gone, and nothing explains it. The fill of 180 between the counts is in no
    win.
RT-3, 18 April: still open.
TS-1, 18 April: opening tray 100, buy-in 40, closing tray 60: nothing won, nothing played.
RT-1, 2 April: 1,020 - 1,000 = 20, and a round of 20. 10 February: 15, and a round of 20.
"""

import json
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest

from services.history.store import History
from services.queries.query import About
from services.queries.report import ReportAsked, report_of
from services.settings import Settings
from services.statistics.model import Statistics
from tests.services.statistics.evening import Table, kept

SATURDAY = date(2026, 4, 18)


def short_day(table: Table, at: str, closing_cents: int) -> None:
    table.wait(at)
    table.open()
    table.count("OPENING", 1_000_00)
    table.fold()
    table.count("CLOSING", closing_cents)
    table.close()


def rt_1() -> Table:
    table = Table("RT-1", "2026-02-10", "18:00")
    short_day(table, "2026-02-10T18:00", 1_015_00)
    short_day(table, "2026-04-02T18:00", 1_020_00)
    table.wait("2026-04-18T18:00")
    table.open()
    table.count("OPENING", 10_000_00)
    table.move("BUY_IN", 500_00)
    table.fold()
    table.wait("19:00")
    table.move("FILL", 1_000_00)
    table.wait("21:00")
    table.fold(bonus_cents=5_00, bonus_paid_cents=15_00)
    table.wait("22:30")
    table.move("CREDIT", 300_00)
    table.fold(ante_paid_cents=10_00)
    table.wait("2026-04-19T00:30")
    table.fold()
    table.wait("01:00")
    table.count("CLOSING", 10_240_00)
    table.close()
    return table


def rt_2() -> Table:
    table = Table("RT-2", "2026-04-18", "14:00")
    table.open()
    table.count("OPENING", 5_000_00)
    table.move("BUY_IN", 200_00)
    table.fold()
    table.wait("22:05")
    table.count("CLOSING", 4_820_00)
    table.move("FILL", 180_00)
    table.count("OPENING", 5_000_00)
    table.wait("22:10")
    table.fold()
    table.move("BUY_IN", 100_00)
    table.wait("23:50")
    table.count("CLOSING", 4_917_00)
    table.close()
    return table


def rt_3() -> Table:
    table = Table("RT-3", "2026-04-18", "18:00")
    table.open()
    table.count("OPENING", 3_000_00)
    table.move("BUY_IN", 50_00)
    table.fold()
    return table


def ts_1() -> Table:
    table = Table("TS-1", "2026-04-18", "18:00")
    table.open(game="TEXAS_SHOOTOUT", paytables={}, house_way="published-2011")
    table.count("OPENING", 100_00)
    table.move("BUY_IN", 40_00)
    table.count("CLOSING", 60_00)
    table.close()
    return table


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("worked")
    return kept(folder / "evening.db", rt_1(), rt_2(), rt_3(), ts_1())


def report(db: Path, **asked: Any) -> Statistics:
    with History.open(db, create=False) as history:
        return report_of(history, ReportAsked(**asked), About(Settings(casino="Nugget")))


def of(statistics: Statistics, *place: str | None) -> dict[str, Any]:
    """The line of a period, shift, game and table, in dollars."""
    [line] = [
        each
        for each in statistics.lines
        if (each.period.value, each.shift, each.game, each.table_id) == place
    ]
    told: dict[str, Any] = json.loads(msgspec.json.encode(line))
    return {
        name.removesuffix("_cents"): value / 100
        if name.endswith("_cents") and value is not None
        else value
        for name, value in told.items()
    }


def some(line: dict[str, Any], *names: str) -> list[Any]:
    return [line[name] for name in names]


WINS = ("win_by_count", "win_by_rounds", "difference", "explained")


def test_the_findings_are_the_two_mispays(evening: Path) -> None:
    with History.open(evening, create=False) as history:
        sql = "SELECT code::VARCHAR, actual_cents - expected_cents FROM findings ORDER BY ALL"
        assert history.rows(sql) == [("OVERPAID", 20_00), ("UNDERPAID", -5_00)]


def test_a_table_with_everything(evening: Path) -> None:
    line = of(report(evening), "DAY", None, "RUN_EM_TWICE", "RT-1")
    assert some(line, *WINS) == [40, 45, -5, -5]
    assert some(line, "opening_tray", "closing_tray", "fills", "credits", "drop") == [
        10_000,
        10_240,
        1_000,
        300,
        500,
    ]
    assert some(line, "too_much", "too_little") == [20, 5]
    ratios = some(line, "win_by_count_over_drop_bp", "win_by_rounds_over_drop_bp")
    assert ratios == [800, 900]
    assert some(line, "openings", "openings_counted", "rounds", "notes") == [1, 1, 4, []]


def test_its_shifts_were_not_counted(evening: Path) -> None:
    swing = of(report(evening), "SHIFT", "swing", "RUN_EM_TWICE", "RT-1")
    night = of(report(evening), "SHIFT", "graveyard", "RUN_EM_TWICE", "RT-1")
    assert some(swing, *WINS) == [None, 25, None, None]
    assert some(night, *WINS) == [None, 20, None, None]
    assert some(swing, "drop", "fills", "credits", "too_much", "too_little") == [
        500,
        1_000,
        0,
        0,
        5,
    ]
    assert some(night, "drop", "fills", "credits", "too_much", "too_little") == [0, 0, 300, 20, 0]
    assert swing["notes"] == night["notes"] == ["NOT_COUNTED_BY_SHIFT"]
    assert some(night, "win_by_rounds_over_drop_bp", "opening_tray") == [None, None]


def test_a_tray_counted_at_the_change_of_shifts(evening: Path) -> None:
    told = report(evening)
    assert some(of(told, "SHIFT", "swing", "RUN_EM_TWICE", "RT-2"), *WINS) == [20, 20, 0, 0]
    night = of(told, "SHIFT", "graveyard", "RUN_EM_TWICE", "RT-2")
    assert some(night, *WINS) == [17, 20, -3, 0]
    assert some(night, "fills", "drop", "opening_tray", "closing_tray") == [180, 100, 5_000, 4_917]
    day = of(told, "DAY", None, "RUN_EM_TWICE", "RT-2")
    assert some(day, *WINS, "drop", "notes") == [37, 40, -3, 0, 300, ["MOVED_UNCOUNTED"]]
    [note] = [each for each in told.notes if each.table_id == "RT-2"]
    assert note.message.endswith("not in the win by the count: fills $180.00")


def test_a_table_still_open(evening: Path) -> None:
    told = report(evening)
    line = of(told, "DAY", None, "RUN_EM_TWICE", "RT-3")
    assert some(line, *WINS, "drop") == [None, 20, None, None, 50]
    assert line["notes"] == ["STILL_OPEN"]
    [note] = [each for each in told.notes if each.table_id == "RT-3"]
    assert (note.code.value, note.gaming_day) == ("STILL_OPEN", SATURDAY)


def test_a_game_of_which_one_table_is_open(evening: Path) -> None:
    line = of(report(evening), "DAY", None, "RUN_EM_TWICE", None)
    assert some(line, *WINS, "drop") == [None, 105, None, None, 850]
    assert some(line, "openings", "openings_counted") == [3, 2]
    counted = ("counted_win_by_count", "counted_win_by_rounds", "counted_explained")
    assert some(line, *counted, "counted_drop") == [77, 85, -5, 800]


def test_the_floor(evening: Path) -> None:
    told = report(evening)
    assert some(of(told, "DAY", None, "TEXAS_SHOOTOUT", "TS-1"), *WINS, "drop") == [0, 0, 0, 0, 40]
    line = of(told, "DAY", None, None, None)
    assert some(line, "win_by_count", "win_by_rounds", "drop", "openings") == [None, 105, 890, 4]


def test_month_and_year_to_date(evening: Path) -> None:
    told = report(evening, day=SATURDAY)
    month = of(told, "MONTH_TO_DATE", None, "RUN_EM_TWICE", "RT-1")
    assert some(month, *WINS, "drop", "rounds") == [60, 65, -5, -5, 500, 5]
    year = of(told, "YEAR_TO_DATE", None, "RUN_EM_TWICE", "RT-1")
    assert some(year, *WINS, "drop", "rounds") == [75, 85, -10, -5, 500, 6]
    assert some(year, "first_day", "last_day") == ["2026-01-01", "2026-04-18"]
    before = report(evening, day=date(2026, 4, 2))
    assert some(of(before, "YEAR_TO_DATE", None, None, None), *WINS) == [35, 40, -5, 0]
    assert some(of(before, "MONTH_TO_DATE", None, None, None), *WINS) == [20, 20, 0, 0]


def test_several_days(evening: Path) -> None:
    told = report(evening, first_day=date(2026, 2, 1), last_day=date(2026, 4, 2))
    assert some(of(told, "PERIOD", None, "RUN_EM_TWICE", "RT-1"), *WINS) == [35, 40, -5, 0]
    days = [each.first_day for each in told.lines if each.period.value == "DAY" and each.table_id]
    assert days == [date(2026, 2, 10), date(2026, 4, 2)]


def test_one_table_or_game_alone_has_no_sums_above_it(evening: Path) -> None:
    one = report(evening, table="RT-1")
    assert {each.table_id for each in one.lines} == {"RT-1"}
    game = report(evening, game="RUN_EM_TWICE")
    assert {each.game for each in game.lines} == {"RUN_EM_TWICE"}
    whole = [each for each in report(evening).lines if each.game == "RUN_EM_TWICE"]
    assert list(game.lines) == whole
    assert list(one.lines) == [each for each in whole if each.table_id == "RT-1"]
