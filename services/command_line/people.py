"""A report written for people: to the terminal in colour, to a pipe or a file without."""

from __future__ import annotations

import io
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from services.command_line.output import STANDARD, colours, remark, write_result
from services.command_line.parameters import Format

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from rich.console import RenderableType

    from replay.findings import Finding
    from services.report.model import Report
    from services.rounds import RoundReport

NAMED_MAX: Final = 10  # tables
WIDTH_MIN: Final = 60
WIDTH_MAX: Final = 100

_SUITS_AS_LETTERS: Final = str.maketrans("♣♦♥♠", "cdhs")


def write_report(
    report: Report, chosen: Format, output: str | None, *, zone: ZoneInfo | None, origin: str
) -> None:
    """Write a report in the chosen form; hints go to standard error.

    `zone` is that of the times which people read: the other forms need none.
    `origin` is the part of a command that names where the report came from: `--db PATH`.
    """
    if chosen is Format.JSON:
        from services.report.model import json_chunks

        write_result(json_chunks(report), output)
    elif chosen is Format.CSV:
        from services.report.csv import csv_chunks

        write_result(csv_chunks(report), output)
        if report.dead_letters:
            remark(f"not in the CSV, but in the JSON: {_letters(report)}")
    else:
        assert zone is not None, "people read the casino's time"
        write_result([_table(report, output, zone, origin)], output, coloured=True)
    if report.open_tables:
        remark(f"not closed when the events ended: {_names(report.open_tables)}")
    if report.unfinished_at:
        at = _names(report.unfinished_at)
        remark(f"a round was still open when the events ended, and is not judged: at {at}")


def _names(table_ids: Sequence[str]) -> str:
    from services.report.words import named

    more = " …" if len(table_ids) > NAMED_MAX else ""
    return ", ".join(map(named, table_ids[:NAMED_MAX])) + more


def write_round(
    report: RoundReport,
    chosen: Format,
    output: str | None,
    *,
    zone: ZoneInfo,
    origin: str = "",
    whole_timeline: bool = False,
    typed: bool = False,
) -> None:
    """Write one round in the chosen form."""
    if chosen is Format.JSON:
        from services.report.one_round import round_json

        write_result([round_json(report)], output)
    elif chosen is Format.CSV:
        from services.report.one_round import round_csv

        write_result(round_csv(report), output)
    else:
        from services.report.round_table import RoundView, round_table

        width = width_for(output)
        view = RoundView(zone=zone, whole_timeline=whole_timeline, typed=typed, width=width)
        write_result([_rendered(round_table(report, view), output)], output, coloured=True)


def shown_round(report: RoundReport, *, zone: ZoneInfo) -> str:
    """A typed round as people read it, for standard error."""
    from services.report.round_table import RoundView, round_table

    view = RoundView(zone=zone, typed=True, width=WIDTH_MAX)
    return _rendered(round_table(report, view), "").decode()


def write_parts(parts: Iterable[RenderableType], output: str | None) -> None:
    """Write what rich renders, one after the other."""
    write_result([_rendered(parts, output)], output, coloured=True)


def write_text(text: str, output: str | None) -> None:
    """Write lines for people as the terminal can show them."""
    write_result([_encoded(text, output)], output)


def width_for(output: str | None) -> int:
    """Columns that lines may have: those of the terminal up to 100, and 100 anywhere else."""
    columns = shutil.get_terminal_size().columns if _to_terminal(output) else WIDTH_MAX
    return max(WIDTH_MIN, min(WIDTH_MAX, columns))


def origin_of(files: list[str], db: str | None) -> str:
    """The part of a command that names the files or the history, ready for a shell."""
    if db is not None:
        return f"--db {shlex.quote(db)}"
    return f"--file {shlex.quote(files[0])}" if len(files) == 1 else ""


def _letters(report: Report) -> str:
    from services.report.words import count

    return count(len(report.dead_letters), "dead letter")


def _table(report: Report, output: str | None, zone: ZoneInfo, origin: str) -> bytes:
    from services.report.table import View, report_table

    return _rendered(report_table(report, View(zone=zone, explain=_explainer(origin))), output)


def _to_terminal(output: str | None) -> bool:
    return output in (None, STANDARD) and sys.stdout.isatty()


def _rendered(parts: Iterable[RenderableType], output: str | None) -> bytes:
    """What people get: in colour on a terminal that wants it, never wider than it."""
    from rich.console import Console

    colour = _to_terminal(output) and colours(sys.stdout)
    text = io.StringIO()
    console = Console(
        file=text,
        width=width_for(output),
        force_terminal=colour,
        color_system="standard" if colour else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    for part in parts:
        console.print(part)
    lines = (line.rstrip() for line in text.getvalue().split("\n"))
    return _encoded("\n".join(lines), output)


def _explainer(origin: str) -> Callable[[Finding], str | None]:
    """The command that shows the round of a finding, where it is known out of what."""

    def explain(finding: Finding) -> str | None:
        if not origin or finding.round_id is None:
            return None
        return f"pitproof round {shlex.quote(finding.round_id)} {origin}"

    return explain


def _encoded(text: str, output: str | None) -> bytes:
    """UTF-8 in files; on standard output what the locale can show, suits as letters if need be."""
    encoding = (sys.stdout.encoding if output in (None, STANDARD) else None) or "utf-8"
    try:
        return text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_SUITS_AS_LETTERS).encode(encoding, "replace")
