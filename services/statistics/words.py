"""The statistical report in words: what its lines are called, and what its columns mean."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import groupby
from typing import Final

from replay.vocabulary import Game
from replay.words import money
from services.report.words import GAMES, long_day
from services.statistics.model import Line, NoteCode, Period, Statistics

UNKNOWN: Final = "-"

MEANINGS: Final = (
    ("drop", "what players bought in for at the tables"),
    (
        "win by the count",
        "closing tray - opening tray + credits - fills + drop, of each tray counted twice",
    ),
    ("win by the rounds", "what the players lost, as their wagers were settled"),
    ("difference", "by the count, less by the rounds"),
    (
        "explained",
        "what of the difference findings can account for: had the chips gone as the rule has it, "
        "and only the record been wrong",
    ),
    ("win/drop", "of the win by the count; in brackets, where that is not known, by the rounds"),
    (UNKNOWN, "not known: a count is missing, or the tray was not counted for that shift alone"),
)
"""What a column of the report is."""


def money_or_unknown(cents: int | None) -> str:
    """`$1,240.00`, or that it is not known."""
    return UNKNOWN if cents is None else money(cents)


def percent(basis_points: int | None) -> str:
    """`23.45%`, or that it is not known.

    >>> percent(2345), percent(-5), percent(None)
    ('23.45%', '-0.05%', '-')
    """
    if basis_points is None:
        return UNKNOWN
    whole, rest = divmod(abs(basis_points), 100)
    return f"{'-' if basis_points < 0 else ''}{whole:,}.{rest:02d}%"


def win_over_drop(line: Line) -> str:
    """By the count, else in brackets by the rounds."""
    if line.win_by_count_over_drop_bp is not None:
        return percent(line.win_by_count_over_drop_bp)
    by_rounds = line.win_by_rounds_over_drop_bp
    return UNKNOWN if by_rounds is None else f"({percent(by_rounds)})"


def game_words(game: str | None, currency: str = "USD") -> str:
    """`Texas Shootout`, `all games`; with the currency where it is not the dollar."""
    words = "all games" if game is None else GAMES[Game[game]] or "no game"
    return words if currency == "USD" else f"{words}, in {currency}"


def group_words(line: Line) -> str:
    """Whose lines follow: a table's, or a sum's."""
    if line.table_id is not None:
        return line.table_id
    return "all tables"


def line_words(line: Line) -> str:
    """What stretch of time a line is about."""
    if line.period is Period.SHIFT:
        return f"{short_day(line.first_day)} {line.shift}"
    if line.period is Period.DAY:
        return short_day(line.first_day)
    if line.period is Period.PERIOD:
        return "all these days"
    if line.period is Period.MONTH_TO_DATE:
        return f"{_month(line.last_day)} to date"
    return f"{line.last_day.year} to date"


def short_day(day: date) -> str:
    """`18 Apr`."""
    return f"{day.day} {_month(day)[:3]}"


def _month(day: date) -> str:
    return long_day(day).split()[1]


def period_words(report: Statistics) -> str:
    """`18 April 2026`, or from one to another."""
    if report.first is None or report.last is None:
        return "no table was ever opened"
    if report.first == report.last:
        return long_day(report.first)
    return f"{long_day(report.first)} to {long_day(report.last)}"


def shift_words(report: Statistics) -> str:
    """`day from 06:00, swing from 14:00`."""
    return ", ".join(f"{shift.name} from {shift.starts}" for shift in report.shifts)


Group = tuple[Line, list[Line]]
"""The lines of a table, or of a sum, with the first of them."""


def sections(report: Statistics) -> Iterator[tuple[str, list[Group]]]:
    """The report by game, the floor as a whole last: its words, and its groups of lines.

    The sums of a game with one table are that table's, and are left out.
    """
    for (currency, game), lines in groupby(report.lines, key=lambda one: (one.currency, one.game)):
        found = [list(each) for _, each in groupby(lines, key=lambda one: one.table_id)]
        if game is not None and len(found) == 2 and found[1][0].table_id is None:
            del found[1]
        yield game_words(game, currency), [(each[0], each) for each in found]


def note_lines(report: Statistics) -> list[tuple[str, str]]:
    """Each note with its place, and what is to be said of the whole."""
    said = [
        (f"{long_day(note.gaming_day)}, {note.table_id}", note.message) for note in report.notes
    ]
    if any(NoteCode.NOT_COUNTED_BY_SHIFT in line.notes for line in report.lines):
        said.append(
            (
                "by shift",
                "where a tray was not counted at the change of shifts, a shift has no win by the "
                "count",
            )
        )
    return said


def counted_words(line: Line) -> str | None:
    """What is to be said where some trays of a line were counted and others were not."""
    if not 0 < line.openings_counted < line.openings:
        return None
    return f"{line.openings_counted:,} of {line.openings:,} counted"
