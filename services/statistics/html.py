"""The statistical report as an HTML file to be printed: a section a game, the floor last."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from replay.words import money
from services.report.page import Body, Cell, Head, definitions, made_words, page_chunks, table
from services.statistics.model import RULE, Line, Period, Statistics
from services.statistics.words import (
    MEANINGS,
    UNKNOWN,
    Group,
    counted_words,
    group_words,
    line_words,
    money_or_unknown,
    note_lines,
    percent,
    period_words,
    sections,
    shift_words,
)

_HEADINGS: Final = (
    "rounds",
    "opening tray",
    "fills",
    "credits",
    "closing tray",
    "drop",
    "win by the count",
    "win/drop",
    "win by the rounds",
    "win/drop",
    "difference",
    "explained",
)


def html_chunks(report: Statistics, made_at: datetime) -> Iterator[bytes]:
    """The file; `made_at` is any moment with an offset, shown by the casino's clock."""
    return page_chunks(_head(report, made_at), _sections(report))


def _head(report: Statistics, made_at: datetime) -> Head:
    about = [
        f"{period_words(report)}; {made_words(made_at, report.timezone)}",
        f"ARSD {RULE}; times of {report.timezone}; shifts: {shift_words(report)}",
    ]
    if report.committed_at is not None:
        local = report.committed_at.astimezone(ZoneInfo(report.timezone))
        about.append(
            f"of the history as of its transaction {report.transaction:,}, "
            f"{local:%Y-%m-%d %H:%M:%S %Z}"
        )
    return Head("Statistical report of table games", report.casino, about, is_wide=True)


def _sections(report: Statistics) -> Iterator[tuple[str, Iterator[str]]]:
    for words, groups in sections(report):
        yield words, _lines(groups)
    yield "Notes and meanings" if report.lines else "No table was opened", _foot(report)


def _lines(groups: list[Group]) -> Iterator[str]:
    headings = [Cell(""), *(Cell(heading, "number") for heading in _HEADINGS)]
    return table(headings, (Body(_rows(first, lines)) for first, lines in groups))


def _rows(first: Line, lines: list[Line]) -> list[list[Cell]]:
    rows = [[Cell(group_words(first), "text strong")]]
    for line in lines:
        rows.append(_row(line))
        told = counted_words(line)
        if told is not None:
            rows.append(_counted_row(told, line))
    return rows


def _row(line: Line) -> list[Cell]:
    strong = " strong" if line.period is Period.DAY else ""
    amounts = (
        f"{line.rounds:,}",
        money_or_unknown(line.opening_tray_cents),
        money(line.fills_cents),
        money(line.credits_cents),
        money_or_unknown(line.closing_tray_cents),
        money(line.drop_cents),
        money_or_unknown(line.win_by_count_cents),
        percent(line.win_by_count_over_drop_bp),
        money(line.win_by_rounds_cents),
        percent(line.win_by_rounds_over_drop_bp),
    )
    return [
        Cell(line_words(line), f"text{strong}"),
        *(Cell(amount, f"number{strong}") for amount in amounts),
        _difference(line.difference_cents, line.explained_cents, strong),
        Cell(money_or_unknown(line.explained_cents), f"number{strong}"),
    ]


def _counted_row(told: str, line: Line) -> list[Cell]:
    difference = line.counted_win_by_count_cents - line.counted_win_by_rounds_cents
    amounts = (
        *[""] * 5,
        money(line.counted_drop_cents),
        money(line.counted_win_by_count_cents),
        "",
        money(line.counted_win_by_rounds_cents),
        "",
    )
    return [
        Cell(told, "text faint"),
        *(Cell(amount, "number faint") for amount in amounts),
        _difference(difference, line.counted_explained_cents, " faint"),
        Cell(money(line.counted_explained_cents), "number faint"),
    ]


def _difference(cents: int | None, explained: int | None, style: str) -> Cell:
    wrong = "" if cents == explained else " wrong"
    return Cell(money_or_unknown(cents), f"number{style}{wrong}")


def _foot(report: Statistics) -> Iterator[str]:
    said = note_lines(report)
    if said:
        yield from definitions(said)
    ratio = "win/drop", f"the win before it, over the drop; {UNKNOWN} where there is no drop"
    yield from definitions((*(pair for pair in MEANINGS if pair[0] != ratio[0]), ratio))
