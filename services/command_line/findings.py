"""`pitproof findings`: what a history holds against its tables."""

from __future__ import annotations

from typing import Annotated

import typer

from services.command_line.output import check_writable
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


def command(
    context: typer.Context,
    db: DbFlag = None,
    since: Annotated[
        str | None, typer.Option("--from", metavar="DAY", help="First gaming day, 2026-04-18.")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--to", metavar="DAY", help="Last gaming day, included.")
    ] = None,
    table: Annotated[
        str | None, typer.Option("--table", metavar="T", help="One table only, as DD-07.")
    ] = None,
    game: Annotated[
        str | None, typer.Option("--game", metavar="G", help="One game only, as RUN_EM_TWICE.")
    ] = None,
    code: Annotated[
        str | None, typer.Option("--code", metavar="C", help="One code only, as UNDERPAID.")
    ] = None,
    as_known_at: Annotated[
        str | None,
        typer.Option(
            "--as-known-at", metavar="TIME", help="As it was known then, 2026-04-18T21:40."
        ),
    ] = None,
    format: FormatFlag = DEFAULT_FORMAT,
    output: OutputFlag = None,
    config: ConfigFlag = None,
) -> int:
    """Show the findings of a history, all of them or some.

    Exit status: 0 none but info ones, 1 findings or dead letters, 2 could not read the history.
    """
    chosen = format_of(format)
    first, last = day_of("--from", since), day_of("--to", until)
    from msgspec.structs import replace

    from services.queries.findings import FINDINGS, FindingsAsked
    from services.settings import load_settings

    asked = FindingsAsked(
        first_day=first,
        last_day=last,
        table=table,
        game=game,
        code=code,
        as_known_at=as_known_at,
        scenes=chosen is Format.TABLE,
    )
    asked.check()
    check_writable(output)
    settings = load_settings(config or context.obj["config"])
    path, zone = history_of(db, settings), settings.zone()
    if as_known_at is not None:
        asked = replace(asked, zone=settings.timezone)
    from services.command_line.asking import ask
    from services.command_line.people import origin_of, write_report

    report = ask(FINDINGS, path, asked, settings)
    write_report(report, chosen, output, zone=zone, origin=origin_of([], path))
    return report.exit_status
