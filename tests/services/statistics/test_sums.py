"""Sums over tables are those over games and those of the floor; shifts add up to days."""

import itertools
from collections.abc import Iterable
from datetime import date, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from services.settings import Settings
from services.statistics.flows import Flow, PartFlow, Played
from services.statistics.lines import Levels, lines_of
from services.statistics.model import Line, Period
from services.statistics.notes import notes_of
from services.statistics.shifts import shift_plan
from services.statistics.tallies import entries_of
from services.statistics.trays import CLOSED, CLOSING, OPENED, OPENING, Mark, openings_of

PLAN = shift_plan(Settings())
FIRST = date(2026, 3, 30)
LAST = FIRST + timedelta(days=2)
GAMES = ("RUN_EM_TWICE", "TEXAS_SHOOTOUT")
HOUR = 3_600_000_000

ADDED = (
    "openings",
    "openings_counted",
    "rounds",
    "rounds_not_judged",
    "fills_cents",
    "credits_cents",
    "drop_cents",
    "win_by_rounds_cents",
    "too_much_cents",
    "too_little_cents",
    "counted_drop_cents",
    "counted_win_by_count_cents",
    "counted_win_by_rounds_cents",
    "counted_explained_cents",
)
FLOWED = [name for name in ADDED if not name.startswith(("openings", "counted"))]
KNOWN = ("win_by_count_cents", "difference_cents", "explained_cents", "opening_tray_cents")

cents = st.integers(-(2**64), 2**64)
flows = st.builds(
    Flow,
    rounds=st.integers(0, 2),
    held=st.integers(0, 1),
    net_cents=cents,
    too_much_cents=st.integers(0, 1_000),
    too_little_cents=st.integers(0, 1_000),
    drop_cents=st.integers(0, 2**70),
    fills_cents=cents,
    credits_cents=cents,
)
streams = st.lists(
    st.tuples(st.sampled_from([CLOSED, OPENING, OPENING, CLOSING, CLOSING]), cents), max_size=6
)


@st.composite
def played(draw: st.DrawFn) -> Played:
    day = FIRST + timedelta(days=draw(st.integers(0, 2)))
    begins = PLAN.begins(day)
    first = Mark(
        kind=OPENED,
        seq=1,
        at_micros=begins[0],
        game=draw(st.sampled_from(GAMES)),
        gaming_day=day,
        currency=draw(st.sampled_from(["USD", "USD", "CAD"])),
    )
    marks = [first]
    for seq, (kind, amount) in enumerate(draw(streams), 2):
        at = marks[-1].at_micros + draw(st.integers(0, 8)) * HOUR
        marks.append(Mark(kind=kind, seq=seq, at_micros=at, amount_cents=amount))
    [opening] = openings_of(draw(st.sampled_from(["A-1", "B-2", "C-3"])), marks)
    parts = []
    for part in opening.parts:
        shift = None
        if part.span is not None and part.span.closing is not None:
            at_both = (part.span.opening.at_micros, part.span.closing.at_micros)
            shift = PLAN.counted(day, *at_both)
        numbers = [0, 1, 2] if shift is None else [shift]
        chosen = draw(st.dictionaries(st.sampled_from(numbers), flows, max_size=3))
        flowed = PartFlow(part, shift)
        flowed.by_shift.update(chosen)
        parts.append(flowed)
    return Played(opening, parts)


def lines(openings: Iterable[Played]) -> list[Line]:
    entries = [
        entry for one in openings for entry in entries_of(one, [n.code for n in notes_of(one)])
    ]
    return lines_of(entries, (FIRST, LAST), [shift.name for shift in PLAN.shifts], Levels())


def total(lines: Iterable[Line], names: Iterable[str]) -> list[int]:
    listed = list(lines)
    return [sum(getattr(line, name) for line in listed) for name in names]


def stretch(line: Line) -> tuple[object, ...]:
    return line.currency, line.period, line.first_day, line.last_day, line.shift


@settings(max_examples=30, deadline=None)
@given(st.lists(played(), max_size=6))
def test_tables_games_and_floor(openings: list[Played]) -> None:
    found = sorted(lines(openings), key=lambda line: tuple(map(str, stretch(line))))
    for _, each in itertools.groupby(found, key=stretch):
        same = list(each)
        tables = [line for line in same if line.table_id is not None]
        games = [line for line in same if line.table_id is None and line.game is not None]
        [floor] = [line for line in same if line.game is None]
        assert total(tables, ADDED) == total(games, ADDED) == total([floor], ADDED)
        for game in games:
            mine = [line for line in tables if line.game == game.game]
            assert total(mine, ADDED) == total([game], ADDED)
        for name in KNOWN:
            parts = [getattr(line, name) for line in tables]
            assert getattr(floor, name) == (None if None in parts else sum(parts))


@settings(max_examples=30, deadline=None)
@given(st.lists(played(), max_size=6))
def test_shifts_days_and_all_of_them(openings: list[Played]) -> None:
    floor = [line for line in lines(openings) if line.game is None]
    by_period = {
        period: [line for line in floor if line.period is period and line.currency == "USD"]
        for period in Period
    }
    days, shifts = by_period[Period.DAY], by_period[Period.SHIFT]
    for day in days:
        mine = [line for line in shifts if line.first_day == day.first_day]
        assert total(mine, FLOWED) == total([day], FLOWED)
    assert total(days, ADDED) == total(by_period[Period.PERIOD], ADDED)
    month = [line for line in days if line.first_day.month == LAST.month]
    assert total(month, ADDED) == total(by_period[Period.MONTH_TO_DATE], ADDED)
    assert total(days, ADDED) == total(by_period[Period.YEAR_TO_DATE], ADDED)
