"""The lines of the report: shifts, days, the period, month and year to date; by table and game."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from replay.vocabulary import Game
from services.statistics.model import Line, NoteCode, Period
from services.statistics.tallies import Entry, Tally, over_drop

Key = tuple[str, str | None, str | None]
"""Currency, game and table; without a table all of the game, without a game all of them."""

_GAMES: Final = {game.name: number for number, game in enumerate(Game)}


@dataclass(frozen=True, slots=True)
class Stretch:
    """What stretch of time lines are about."""

    period: Period
    first_day: date
    last_day: date
    shift: int | None = None


@dataclass(frozen=True, slots=True)
class Levels:
    """Which sums are shown: of one table alone those of its game would say nothing of the game."""

    games: bool = True
    floor: bool = True


def lines_of(
    entries: Iterable[Entry],
    days: tuple[date, date],
    shift_names: Sequence[str],
    levels: Levels,
) -> list[Line]:
    """All lines: by currency and game, its tables first, then the floor; each in order of time."""
    first, last = days
    by_day: dict[date, list[Entry]] = defaultdict(list)
    for entry in entries:
        by_day[entry.gaming_day].append(entry)
    found: dict[Key, list[Line]] = defaultdict(list)
    for stretch in _stretches(by_day, first, last):
        for key, tally in _sums(by_day, stretch, levels).items():
            found[key].append(_line(stretch, key, tally, shift_names))
    return [line for key in sorted(found, key=_order) for line in found[key]]


def _stretches(
    by_day: Mapping[date, Sequence[Entry]], first: date, last: date
) -> Iterator[Stretch]:
    for day in sorted(day for day in by_day if first <= day <= last):
        shifts = {entry.shift for entry in by_day[day] if entry.shift is not None}
        yield from (Stretch(Period.SHIFT, day, day, shift) for shift in sorted(shifts))
        yield Stretch(Period.DAY, day, day)
    if first < last:
        yield Stretch(Period.PERIOD, first, last)
    yield Stretch(Period.MONTH_TO_DATE, last.replace(day=1), last)
    yield Stretch(Period.YEAR_TO_DATE, last.replace(month=1, day=1), last)


def _sums(
    by_day: Mapping[date, Sequence[Entry]], stretch: Stretch, levels: Levels
) -> dict[Key, Tally]:
    sums: dict[Key, Tally] = defaultdict(Tally)
    for day, entries in by_day.items():
        if stretch.first_day <= day <= stretch.last_day:
            for entry in entries:
                if entry.shift == stretch.shift:
                    for key in _keys(entry, levels):
                        sums[key].add(entry.tally)
    return sums


def _keys(entry: Entry, levels: Levels) -> Iterator[Key]:
    yield entry.currency, entry.game, entry.table_id
    if levels.games:
        yield entry.currency, entry.game, None
    if levels.floor:
        yield entry.currency, None, None


def _order(key: Key) -> tuple[str, int, bool, str]:
    currency, game, table_id = key
    of_game = len(_GAMES) if game is None else _GAMES.get(game, 0)
    return currency, of_game, table_id is None, table_id or ""


def _line(stretch: Stretch, key: Key, tally: Tally, shift_names: Sequence[str]) -> Line:
    currency, game, table_id = key
    all_counted = tally.counted == tally.openings
    win = tally.counted_win if all_counted else None
    return Line(
        period=stretch.period,
        first_day=stretch.first_day,
        last_day=stretch.last_day,
        shift=None if stretch.shift is None else shift_names[stretch.shift],
        game=game,
        table_id=table_id,
        currency=currency,
        openings=tally.openings,
        openings_counted=tally.counted,
        rounds=tally.rounds,
        rounds_not_judged=tally.not_judged,
        opening_tray_cents=tally.opening_tray if all_counted else None,
        closing_tray_cents=tally.closing_tray if all_counted else None,
        fills_cents=tally.fills,
        credits_cents=tally.credits,
        drop_cents=tally.drop,
        win_by_count_cents=win,
        win_by_rounds_cents=tally.win_by_rounds,
        difference_cents=None if win is None else win - tally.win_by_rounds,
        explained_cents=tally.counted_explained if all_counted else None,
        too_much_cents=tally.too_much,
        too_little_cents=tally.too_little,
        win_by_count_over_drop_bp=over_drop(win, tally.drop),
        win_by_rounds_over_drop_bp=over_drop(tally.win_by_rounds, tally.drop),
        counted_drop_cents=tally.counted_drop,
        counted_win_by_count_cents=tally.counted_win,
        counted_win_by_rounds_cents=tally.counted_win_by_rounds,
        counted_explained_cents=tally.counted_explained,
        notes=tuple(code for code in NoteCode if code in tally.notes),
    )
