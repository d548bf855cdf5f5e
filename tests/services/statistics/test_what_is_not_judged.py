"""What the table recorded counts though it cannot be judged, and every doubt is noted."""

from datetime import date
from pathlib import Path

from services.statistics.model import Line, NoteCode, Statistics
from tests.services.statistics.evening import Table, kept
from tests.services.statistics.test_worked_evening import report

DAY = date(2026, 4, 18)


def evening() -> Table:
    table = Table("RT-1", "2026-04-18", "18:00")
    table.open()
    table.count("OPENING", 1_000_00)
    return table


def day_of(told: Statistics) -> Line:
    [line] = [one for one in told.lines if one.period.value == "DAY" and one.table_id == "RT-1"]
    return line


def noted(told: Statistics) -> list[NoteCode]:
    return [note.code for note in told.notes]


def test_a_wager_that_an_unread_card_decides(tmp_path: Path) -> None:
    table = evening()
    table.fold(bonus_cents=5_00, bonus_paid_cents=15_00, unread=True)
    table.count("CLOSING", 1_005_00)
    told = report(kept(tmp_path / "unread.db", table))
    line = day_of(told)
    assert (line.win_by_rounds_cents, line.difference_cents) == (5_00, 0)
    assert (line.rounds_not_judged, noted(told)) == (0, [])


def test_a_round_held_for_a_gap(tmp_path: Path) -> None:
    table = evening()
    table.fold()
    last = table.events[-1]["seq"]
    table.count("CLOSING", 1_020_00)
    told = report(kept(tmp_path / "held.db", table, but=[("RT-1", last - 4)]))
    line = day_of(told)
    assert (line.win_by_rounds_cents, line.difference_cents) == (20_00, 0)
    assert line.rounds_not_judged == 1
    assert noted(told) == [NoteCode.EVENTS_MISSING, NoteCode.ROUNDS_NOT_JUDGED]
    assert told.notes[0].message.startswith(f"event {last - 4} missing")


def test_a_round_still_open(tmp_path: Path) -> None:
    table = evening()
    table.fold()
    settled = table.events[-2]["seq"]
    told = report(kept(tmp_path / "open.db", table, but=[("RT-1", settled), ("RT-1", settled + 1)]))
    assert day_of(told).win_by_rounds_cents == 10_00  # one ante taken so far
    assert noted(told) == [NoteCode.STILL_OPEN, NoteCode.ROUNDS_NOT_JUDGED]


def test_rounds_outside_of_the_hours_of_their_day(tmp_path: Path) -> None:
    table = evening()
    table.wait("2026-04-19T05:59")
    table.fold()
    table.wait("2026-04-19T06:01")
    table.fold()
    table.count("CLOSING", 1_040_00)
    told = report(kept(tmp_path / "late.db", table))
    assert noted(told) == [NoteCode.OUTSIDE_DAY]
    shifts = [one for one in told.lines if one.shift and one.table_id]
    assert [(one.shift, one.rounds) for one in shifts] == [("graveyard", 2)]


def test_days_of_23_and_25_hours(tmp_path: Path) -> None:
    tables = []
    for table_id, day, next_day in (
        ("RT-1", "2026-03-07", "2026-03-08"),
        ("RT-2", "2026-10-31", "2026-11-01"),
    ):
        table = Table(table_id, day, "22:00")
        table.open()
        table.count("OPENING", 1_000_00)
        table.wait(f"{next_day}T05:58")
        table.fold()
        table.count("CLOSING", 1_020_00)
        tables.append(table)
    path = kept(tmp_path / "clocks.db", *tables)
    for gaming_day in (date(2026, 3, 7), date(2026, 10, 31)):
        told = report(path, day=gaming_day)
        [line] = [one for one in told.lines if one.shift and one.table_id]
        assert (line.shift, line.win_by_count_cents, told.notes) == ("graveyard", 20_00, ())


def test_several_openings_a_day_and_two_currencies(tmp_path: Path) -> None:
    table = evening()
    table.fold()
    table.count("CLOSING", 1_020_00)
    table.close()
    table.open(currency="CAD")
    table.count("OPENING", 500_00)
    table.fold()
    table.count("CLOSING", 515_00)
    table.close()
    table.open()
    table.count("OPENING", 1_000_00)
    table.count("CLOSING", 1_000_00)
    told = report(kept(tmp_path / "thrice.db", table))
    days = [one for one in told.lines if one.period.value == "DAY" and one.table_id]
    found = [(one.currency, one.openings, one.win_by_count_cents, one.rounds) for one in days]
    assert found == [("CAD", 1, 15_00, 1), ("USD", 2, 20_00, 1)]


def test_amounts_beyond_64_bits_are_added_up(tmp_path: Path) -> None:
    table, most = evening(), 2**63 - 1
    table.move("BUY_IN", most)
    table.move("BUY_IN", most)
    table.count("CLOSING", most)
    line = day_of(report(kept(tmp_path / "huge.db", table)))
    assert line.drop_cents == 2 * most
    assert line.win_by_count_cents == 3 * most - 1_000_00
    assert line.win_by_count_over_drop_bp == 15_000


def test_a_history_without_any_table(tmp_path: Path) -> None:
    stray = Table("RT-9", "2026-04-18", "18:00")
    stray.close()
    told = report(kept(tmp_path / "none.db", stray))
    assert (told.first, told.last, told.lines, told.notes) == (None, None, (), ())
