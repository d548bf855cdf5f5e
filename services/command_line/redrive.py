"""`pitproof redrive`: dead letters put through decoding again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from services.command_line.output import check_writable, remark, write_result
from services.command_line.parameters import (
    DEFAULT_FORMAT,
    ConfigFlag,
    DbFlag,
    Format,
    FormatFlag,
    OutputFlag,
    format_of,
    history_of,
)


def command(
    context: typer.Context,
    db: DbFlag = None,
    error: Annotated[
        str | None, typer.Option("--error", metavar="TEXT", help="Whose error holds this text.")
    ] = None,
    source: Annotated[
        str | None, typer.Option("--source", metavar="S", help="Of this source, as events[3].")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count what would come in; change nothing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before it is done.")] = False,
    registry: Annotated[
        str | None,
        typer.Option("--schema-registry", metavar="URL", help="For Confluent's framing."),
    ] = None,
    format: FormatFlag = DEFAULT_FORMAT,
    output: OutputFlag = None,
    config: ConfigFlag = None,
) -> int:
    """Put dead letters of topics through decoding again; what decodes now comes in, the rest stays.

    Exit status: 0 done, 2 could not.
    """
    chosen = format_of(format)
    check_writable(output)
    from services.command_line.asking import ask
    from services.queries.redrive import REDRIVE, RedriveAsked
    from services.settings import load_settings

    settings = load_settings(config or context.obj["config"])
    path = history_of(db, settings)

    def asked(*, only_count: bool) -> dict[str, Any]:
        question = RedriveAsked(
            error=error, source=source, dry_run=only_count, schema_registry=registry
        )
        return ask(REDRIVE, path, question, settings)

    if dry_run or not yes:
        result = asked(only_count=True)
        if not dry_run and result["came_in"]:
            _confirm(result)
            result = asked(only_count=False)
    else:
        result = asked(only_count=False)
    if chosen is Format.JSON:
        write_result(REDRIVE.told(result), output)
    elif chosen is Format.CSV:
        write_result([_csv(result)], output)
    else:
        from services.command_line.people import write_text

        write_text(_table(result), output)
    return 0


def _confirm(counted: Mapping[str, Any]) -> None:
    """Have a person agree.

    Raises:
        BadArgumentError: nobody is there to ask, or they do not.
    """
    import sys

    from services.errors import BadArgumentError

    remark(_table(counted))
    if not sys.stdin.isatty():
        raise BadArgumentError("nothing was done", next_step="say --yes to have it done")
    sys.stderr.write("Take them in? [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        raise BadArgumentError("nothing was done")


def _csv(result: Mapping[str, Any]) -> bytes:
    """The numbers in one row; letters that stay by their error, as JSON."""
    from services.csv_rows import csv_rows

    row = {name: value for name, value in result.items() if name != "version"}
    row["stay"] = json.dumps(row["stay"], ensure_ascii=False)
    return csv_rows([row, row.values()])


def _table(result: Mapping[str, Any]) -> str:
    from services.report.words import count, shown

    verb = "would come in" if result["dry_run"] else "came in"
    lines = [
        f"{count(result['letters'], 'dead letter')}, of which {result['came_in']:,} {verb}: "
        f"{count(result['events'], 'event')}"
    ]
    lines += [f"  {number:,} stay: {shown(why)}" for why, number in result["stay"].items()]
    if result["of_files"]:
        lines.append(f"  {result['of_files']:,} are of files: give those to pitproof audit again")
    return "\n".join(lines) + "\n"
