"""The statistical report for people: by game and table, at most 100 columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.padding import Padding
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

GAP: Final = 2  # between two figures


@dataclass(frozen=True, slots=True)
class _Row:
    """What a line of the report is about, and its figures under the headings; a title has none."""

    words: Text
    figures: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class _Figures:
    """Rows under their headings; where the width is too small, figures go below their words."""

    rows: tuple[_Row, ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Lines of the width there is: no figure and no word is cut or broken."""
        filled = [row for row in self.rows if row.figures]
        head = tuple(Text(heading, style=FAINT) for heading in _HEADINGS)
        columns = zip(head, *(row.figures for row in filled), strict=True)
        widths = [max(cell.cell_len for cell in column) for column in columns]
        beside = max((row.words.cell_len for row in filled), default=0)
        if beside + sum(widths) + GAP * len(widths) > options.max_width:
            beside = 0
        yield _line(Text(" " * beside), head, widths)
        for row in self.rows:
            words = row.words.copy()
            if row.figures and beside:
                words.pad_right(beside - words.cell_len)
                yield _line(words, row.figures, widths)
            else:
                yield words
                if row.figures:
                    yield _line(Text(), row.figures, widths)


def _line(words: Text, figures: tuple[Text, ...], widths: list[int]) -> Text:
    line = words.copy()
    for figure, width in zip(figures, widths, strict=True):
        line.append(" " * (GAP + width - figure.cell_len)).append(figure)
    return line


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


def _lines(report: Statistics) -> _Figures:
    rows: list[_Row] = []
    for words, groups in sections(report):
        rows.append(_Row(Text(words, style=STRONG)))
        for first, lines in groups:
            rows.append(_Row(Text(f"  {shown(group_words(first))}")))
            for line in lines:
                rows += _rows(line)
    return _Figures(tuple(rows))


def _rows(line: Line) -> Iterator[_Row]:
    style = STRONG if line.period is Period.DAY else ""
    yield _Row(
        Text(f"    {shown(line_words(line))}", style=style),
        (
            Text(money(line.drop_cents)),
            Text(money_or_unknown(line.win_by_count_cents)),
            Text(money(line.win_by_rounds_cents)),
            _difference(line.difference_cents, line.explained_cents),
            Text(money_or_unknown(line.explained_cents)),
            Text(win_over_drop(line)),
        ),
    )
    told = counted_words(line)
    if told is not None:
        difference = line.counted_win_by_count_cents - line.counted_win_by_rounds_cents
        yield _Row(
            Text(f"      {told}", style=FAINT),
            (
                Text(money(line.counted_drop_cents)),
                Text(money(line.counted_win_by_count_cents)),
                Text(money(line.counted_win_by_rounds_cents)),
                _difference(difference, line.counted_explained_cents),
                Text(money(line.counted_explained_cents)),
                Text(""),
            ),
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
