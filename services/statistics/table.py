"""The statistical report for people: by game and table, at most 100 columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from replay.words import money
from services.report.table import FAINT, INDENT, STRONG, WRONG
from services.report.words import count, shown
from services.statistics.model import RULE, Line, Period, Statistics
from services.statistics.words import (
    MEANINGS,
    counted_words,
    group_words,
    line_words,
    money_or_unknown,
    note_lines,
    period_words,
    sections,
    shift_words,
    win_over_drop,
)

NOTES_MAX: Final = 200
"""Shown to people: JSON has them all."""

_HEADINGS: Final = (
    "drop",
    "win by count",
    "win by rounds",
    "difference",
    "explained",
    "win/drop",
)


def statistics_table(report: Statistics) -> Iterator[RenderableType]:
    """Everything to print, in order."""
    head = Text("Statistical report", style=STRONG)
    for part in (period_words(report), shown(report.casino)):
        if part:
            head.append(f"    {part}")
    yield head
    yield Text(f"ARSD {RULE}    shifts: {shown(shift_words(report))}", style=FAINT)
    yield Text()
    if report.lines:
        yield Padding(_lines(report), (0, 0, 0, INDENT))
    else:
        yield Text("No table was opened.")
    yield from _foot(report)


def _lines(report: Statistics) -> Table:
    grid = Table(box=None, padding=(0, 2, 0, 0), header_style=FAINT, pad_edge=False)
    grid.add_column("", overflow="fold")
    for heading in _HEADINGS:
        grid.add_column(heading, justify="right", no_wrap=True, min_width=len(heading))
    for words, groups in sections(report):
        grid.add_row(Text(words, style=STRONG))
        for first, lines in groups:
            grid.add_row(Text(f"  {shown(group_words(first))}"))
            for line in lines:
                _add(grid, line)
    return grid


def _add(grid: Table, line: Line) -> None:
    style = STRONG if line.period is Period.DAY else ""
    grid.add_row(
        Text(f"    {shown(line_words(line))}", style=style),
        money(line.drop_cents),
        money_or_unknown(line.win_by_count_cents),
        money(line.win_by_rounds_cents),
        _difference(line.difference_cents, line.explained_cents),
        money_or_unknown(line.explained_cents),
        win_over_drop(line),
    )
    told = counted_words(line)
    if told is not None:
        difference = line.counted_win_by_count_cents - line.counted_win_by_rounds_cents
        grid.add_row(
            Text(f"      {told}", style=FAINT),
            money(line.counted_drop_cents),
            money(line.counted_win_by_count_cents),
            money(line.counted_win_by_rounds_cents),
            _difference(difference, line.counted_explained_cents),
            money(line.counted_explained_cents),
        )


def _difference(cents: int | None, explained: int | None) -> Text:
    return Text(money_or_unknown(cents), style="" if cents == explained else WRONG)


def _foot(report: Statistics) -> Iterator[RenderableType]:
    said = note_lines(report)
    if said:
        yield Text()
        yield Text(count(len(said), "note"), style=STRONG)
        for place, message in said[:NOTES_MAX]:
            yield Padding(Text(f"{shown(place)}: {shown(message)}"), (0, 0, 0, INDENT))
        if len(said) > NOTES_MAX:
            yield Text(f"  and {len(said) - NOTES_MAX:,} more: --format json has them all")
    yield Text()
    for name, meaning in MEANINGS:
        yield Text(f"{name}: {meaning}", style=FAINT)
