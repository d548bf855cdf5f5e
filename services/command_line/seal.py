"""`pitproof seal`: write gaming days that are over as Parquet files that never change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

import typer

from services.command_line.output import check_writable, write_result
from services.command_line.parameters import (
    DEFAULT_FORMAT,
    ConfigFlag,
    DbFlag,
    Format,
    FormatFlag,
    OutputFlag,
    day_of,
    format_of,
    history_of,
)

COLUMNS: Final = "manifest gaming_day amends tables events finding_changes digest".split()
"""Fields of the JSON."""


def command(
    context: typer.Context,
    db: DbFlag = None,
    until: Annotated[
        str | None,
        typer.Option(
            "--until", metavar="DAY", help="Up to this gaming day; else all that is over."
        ),
    ] = None,
    format: FormatFlag = DEFAULT_FORMAT,
    output: OutputFlag = None,
    config: ConfigFlag = None,
) -> int:
    """Seal gaming days that are over: as Parquet files under a chain of manifests.

    A service does this by itself. What comes for a day after it was sealed is sealed as an
    amendment. Exit status: 0 sealed, or nothing to seal; 2 could not.
    """
    chosen = format_of(format)
    day = day_of("--until", until)
    check_writable(output)
    from services.command_line.asking import ask
    from services.queries.seal import SEAL, SealAsked
    from services.settings import load_settings

    settings = load_settings(config or context.obj["config"])
    result = ask(SEAL, history_of(db, settings), SealAsked(until=day), settings)
    if chosen is Format.JSON:
        write_result(SEAL.told(result), output)
    elif chosen is Format.CSV:
        write_result([_csv(result)], output)
    else:
        from services.command_line.people import write_text

        write_text(_table(result), output)
    return 0


def _csv(result: Mapping[str, Any]) -> bytes:
    from services.csv_rows import csv_rows

    return csv_rows([COLUMNS, *([each[name] for name in COLUMNS] for each in result["sealed"])])


def _table(result: Mapping[str, Any]) -> str:
    from services.report.words import count
    from services.shown import shown

    if not result["sealed"]:
        return f"nothing to seal in {shown(result['folder'])}\n"
    lines = [f"sealed in {shown(result['folder'])}"]
    for each in result["sealed"]:
        what = "sealed " if each["amends"] is None else "amended"
        events = f"{count(each['events'], 'event')} of {count(each['tables'], 'table')}"
        changed = f"{count(each['finding_changes'], 'time')} a finding came, changed or went"
        lines.append(f"  {each['gaming_day']}  {what}  {events}, {changed}")
    return "\n".join(lines) + "\n"
