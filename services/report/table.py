"""The report for people: summary first, a line a table, then every finding as an argument.

Dollars and the casino's time; the number that matters first; a clause on every finding; red only
for money that is wrong. At most 100 columns, the same order everywhere. What came from outside is
shown with its control characters spelled out, and never read as markup.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final
from zoneinfo import ZoneInfo

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from replay.findings import Finding, FindingCode, Severity
from replay.words import money, off_words
from services.report.model import MONEY_CODES, Report, ReportedDeadLetter, Scene, Summary
from services.report.words import (
    GAMES,
    SIGNS,
    WAGERS,
    cards,
    clock,
    count,
    day_of,
    days,
    kinds,
    long_day,
    named,
    shown,
)

WIDTH: Final = 100
INDENT: Final = 2
GAP: Final = 4  # between what stands on one line
SHOWN_MAX: Final = 1_000
"""Findings written out for people: more are read by nobody, and JSON and CSV have them all."""

TABLES_MAX: Final = 200  # the same for tables

WRONG: Final = "red"  # money that is wrong, and nothing else
FAINT: Final = "dim"
STRONG: Final = "bold"


@dataclass(frozen=True, slots=True)
class View:
    """How a report is shown: where the casino lies, and which command explains a finding."""

    zone: ZoneInfo
    explain: Callable[[Finding], str | None] = lambda finding: None
    more: str = "--format json has all fields"


def report_table(report: Report, view: View) -> Iterator[RenderableType]:
    """Everything to print, in order."""
    yield from _head(report)
    if report.findings:
        yield Text()
        grouped = _by_table(report)
        yield Padding(_tables(report, grouped), (0, 0, 0, INDENT))
        if len(grouped) > TABLES_MAX:
            yield Text(f"  and {len(grouped) - TABLES_MAX:,} more tables with findings")
        yield Text()
        for finding, times in _told_once(row.finding for row in report.findings[:SHOWN_MAX]):
            yield Padding(_argument(finding, times, report, view), (0, 0, 0, INDENT))
    if report.dead_letters:
        if not report.findings:
            yield Text()
        yield from _dead_letters(report)
    yield from _foot(report, view)


def off_by_cents(finding: Finding) -> int | None:
    """What players got too much (above zero) or too little, an unsettled wager counting 0."""
    if finding.code not in MONEY_CODES or finding.expected_cents is None:
        return None
    return (finding.actual_cents or 0) - finding.expected_cents


def off_text(finding: Finding) -> str:
    """The same in words: how much too much or too little was paid or taken; empty where nothing."""
    if not off_by_cents(finding):
        return ""
    return off_words(finding.expected_cents or 0, finding.actual_cents or 0)


def _told_once(findings: Iterable[Finding]) -> Iterator[tuple[Finding, int]]:
    """Findings of one kind that follow each other and say the same, told once: how many there are.

    The place that is told is what all of them have in common.
    """
    for _, alike in groupby(findings, key=_what_is_said):
        first, *others = alike
        for other in others:
            if (first.spot, first.hand, first.wager, first.bettor) != (
                *(other.spot, other.hand, other.wager, other.bettor),
            ):
                first = replace(first, spot=None, hand=None, wager=None, bettor=None)
        yield first, 1 + len(others)


def _what_is_said(finding: Finding) -> tuple[object, ...]:
    if finding.code in MONEY_CODES or finding.code is FindingCode.WRONGLY_VOIDED:
        return (finding.finding_id,)
    return finding.code, finding.table_id, finding.round_id, finding.clause, finding.message


def _head(report: Report) -> Iterator[RenderableType]:
    summary = report.summary
    fates = (days(report.days), count(summary.tables, "table"), _rounds(summary))
    yield _Row(tuple(Text(part, style=STRONG) for part in fates))
    bets = f"{count(summary.wagers, 'wager')}, {money(summary.staked_cents)} staked"
    due, paid = summary.player_net_expected_cents, summary.player_net_actual_cents
    off = f"{off_words(due, paid, 'players')} in all" if due != paid else ""
    difference = Text(off, style=WRONG) if off else Text("no difference")
    voided = _void_words([row.finding for row in report.findings])
    by_voids = (Text(f"by wrong voids {voided}", style=WRONG),) if voided else ()
    yield _Row((Text(bets), *map(Text, _nets(summary)), difference, *by_voids))


def _rounds(summary: Summary) -> str:
    fates = (
        (summary.settled, "settled"),
        (summary.voided, "voided"),
        (summary.held, "held for a gap"),
        (summary.not_settled, "not settled"),
    )
    still_open = summary.rounds - sum(number for number, _ in fates)
    told = [f"{number:,} {fate}" for number, fate in (*fates, (still_open, "still open")) if number]
    rounds = count(summary.rounds, "round")
    return f"{rounds}: {', '.join(told)}" if told else rounds


def _nets(summary: Summary) -> tuple[str, str]:
    due, paid = summary.player_net_expected_cents, summary.player_net_actual_cents
    if due >= 0 and paid >= 0:
        return f"due to players {money(due)}", f"paid {money(paid)}"
    if due <= 0 and paid <= 0:
        return f"due from players {money(-due)}", f"taken {money(-paid)}"
    return f"players' net due {money(due)}", f"settled {money(paid)}"


def _by_table(report: Report) -> dict[str, list[Finding]]:
    grouped: dict[str, list[Finding]] = defaultdict(list)
    for row in report.findings:
        grouped[row.finding.table_id].append(row.finding)
    return grouped


def _tables(report: Report, grouped: dict[str, list[Finding]]) -> Table:
    grid = Table(box=None, padding=(0, 2, 0, 0), header_style=FAINT, pad_edge=False)
    for heading, justify in (
        ("table", "left"),
        ("game", "left"),
        ("findings", "right"),
        ("overpaid", "right"),
        ("underpaid", "right"),
    ):
        grid.add_column(heading, justify=justify, no_wrap=True)  # type: ignore[arg-type]
    grid.add_column("also")
    for table_id in sorted(grouped)[:TABLES_MAX]:
        findings = grouped[table_id]
        offs = [off for finding in findings if (off := off_by_cents(finding))]
        much, little = sum(o for o in offs if o > 0), -sum(o for o in offs if o < 0)
        grid.add_row(
            Text(named(table_id), style=STRONG),
            GAMES.get(report.games.get(table_id, 0), ""),
            f"{len(findings):,}",
            Text(money(much) if much else "", style=WRONG),
            Text(money(little) if little else "", style=WRONG),
            _also(findings),
        )
    return grid


def _also(findings: list[Finding]) -> str:
    """What else there was, most of it without an amount; a voided round moves money both ways."""
    codes = [finding.code for finding in findings if not off_by_cents(finding)]
    return kinds(codes, {FindingCode.WRONGLY_VOIDED: _void_words(findings)})


def _void_words(findings: list[Finding]) -> str:
    """What wrong voids kept from changing hands, each way by itself; empty where nothing."""
    voided = [f.expected_cents or 0 for f in findings if f.code is FindingCode.WRONGLY_VOIDED]
    won, lost = sum(due for due in voided if due > 0), sum(-due for due in voided if due < 0)
    return ", ".join(voided_words(due) for due in (-lost, won) if due)


def voided_words(due_cents: int) -> str:
    """Where the money stayed that a void kept from changing hands."""
    if due_cents > 0:
        return f"{money(due_cents)} withheld"
    return f"{money(-due_cents)} kept by players"


def _argument(finding: Finding, times: int, report: Report, view: View) -> RenderableType:
    """Where and when and what; the cards; why; the clause, and the command that shows more."""
    scene = report.scenes.get(finding.finding_id, Scene())
    verdict = _verdict(finding, times)
    lines: list[RenderableType] = [_Spread(_place(finding, scene, report, view), verdict)]
    inner: list[RenderableType] = []
    has_cards = set(SIGNS) & set(finding.message) and finding.code is not FindingCode.DUPLICATE_CARD
    if scene.cards and not has_cards:
        inner.append(Text("  ".join(f"{where} {cards(names)}" for where, names in scene.cards)))
    if finding.message:
        inner.append(Text(shown(finding.message)))
    grounds = Text(shown(finding.clause), style=FAINT)
    if finding.readings:
        grounds.append(f"  reading {', '.join(finding.readings)}")
    command = view.explain(finding)
    inner.append(_Spread(grounds, Text(shown(command or ""), style=FAINT)))
    lines.extend(Padding(line, (0, 0, 0, 7)) for line in inner)
    lines.append(Text())
    return Group(*lines)


def _place(finding: Finding, scene: Scene, report: Report, view: View) -> Text:
    parts = []
    if scene.at_micros is not None:
        at = clock(scene.at_micros, view.zone)
        # One evening needs no date; several do.
        one_day = len(report.days) <= 1
        parts.append(at if one_day else f"{long_day(day_of(scene.at_micros, view.zone))} {at}")
    if finding.round_id is not None:
        parts.append(f"round {named(finding.round_id)}")
    if finding.first_missing_seq is not None:
        first, last = finding.first_missing_seq, finding.last_missing_seq
        parts.append(f"event {first}" if first == last else f"events {first} to {last}")
    if finding.spot is not None:
        parts.append(f"seat {finding.spot}")
    if finding.wager is not None:
        hand = "hand 2 " if finding.hand == 2 and finding.wager != "HAND_2_ANTE" else ""
        tip = " tip" if finding.bettor == "DEALER" else ""
        stake = f" {money(scene.stake_cents)}" if scene.stake_cents else ""
        parts.append(f"{hand}{WAGERS.get(finding.wager, finding.wager)}{tip}{stake}")
    place = Text(named(finding.table_id), style=STRONG)
    place.append("  " + "  ".join(parts), style="not bold")
    return place


def _verdict(finding: Finding, times: int) -> Text:
    verdict = Text(finding.code.value, style="" if finding.severity is Severity.INFO else STRONG)
    off = off_text(finding)
    if times > 1:
        verdict.append(f"  {times:,}x", style="not bold")
    if off:
        verdict.append(f"  {off}", style=f"not bold {WRONG}")
    elif finding.code is FindingCode.WRONGLY_VOIDED and finding.expected_cents:
        verdict.append(f"  {voided_words(finding.expected_cents)}", style=f"not bold {WRONG}")
    elif finding.expected_low_cents is not None and finding.expected_high_cents is not None:
        low, high = money(finding.expected_low_cents), money(finding.expected_high_cents)
        verdict.append(f"  due {low} to {high}", style="not bold")
    return verdict


@dataclass(frozen=True, slots=True)
class _Spread:
    """Left and right on one line where both fit, else the right one below, at the right."""

    left: Text
    right: Text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Lines of the width there is."""
        room = options.max_width - self.left.cell_len - self.right.cell_len
        if not self.right.cell_len or not self.left.cell_len:
            yield Text.assemble(self.left, self.right)
        elif room >= GAP:
            yield Text.assemble(self.left, " " * room, self.right)
        else:
            yield self.left
            yield Text(" " * max(0, options.max_width - self.right.cell_len)).append(self.right)


@dataclass(frozen=True, slots=True)
class _Row:
    """Parts side by side; one that does not fit begins the next line, and is not cut in two."""

    parts: tuple[Text, ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Lines of the width there is."""
        line = Text()
        for part in self.parts:
            if line.cell_len and line.cell_len + GAP + part.cell_len > options.max_width:
                yield line
                line = Text(" " * INDENT)
            elif line.cell_len:
                line.append(" " * GAP)
            line.append(part)
        yield line


def _dead_letters(report: Report) -> Iterator[RenderableType]:
    letters = report.dead_letters
    yield Text(f"{count(len(letters), 'dead letter')}: what could not be read is not judged")
    for letter in letters[:SHOWN_MAX]:
        line = Text(f"{shown(letter.source)} {_position(letter)}", style=STRONG)
        line.append(f"  {shown(letter.error)}", style="not bold")
        yield Padding(line, (0, 0, 0, INDENT))
    if len(letters) > SHOWN_MAX:
        yield Text(f"  and {len(letters) - SHOWN_MAX:,} more")
    yield Text()


def _position(letter: ReportedDeadLetter) -> str:
    if letter.source.endswith("]"):  # topic[partition]
        return f"offset {letter.position}"
    return f"{'record' if letter.source.endswith('.avro') else 'line'} {letter.position}"


def _foot(report: Report, view: View) -> Iterator[Text]:
    number = len(report.findings)
    if not number:
        yield Text()
        yield Text("Nothing to report." if not report.dead_letters else "No finding besides.")
        return
    hidden = f", {number - SHOWN_MAX:,} of them not shown" if number > SHOWN_MAX else ""
    yield Text(f"{count(number, 'finding')}{hidden}. {view.more}.")
