"""`pitproof audit FILE…`: settle every round of event files again."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Annotated

import typer

from services.command_line.output import check_writable
from services.command_line.parameters import (
    DEFAULT_FORMAT,
    ConfigFlag,
    Format,
    FormatFlag,
    OutputFlag,
    format_of,
    pairs_of,
)


def command(
    context: typer.Context,
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE", help="Events: .jsonl, .jsonl.gz or .avro files."),
    ],
    db: Annotated[
        str | None,
        typer.Option("--db", metavar="PATH", help="Keep the events in the history at PATH."),
    ] = None,
    format: FormatFlag = DEFAULT_FORMAT,
    output: OutputFlag = None,
    reading: Annotated[
        list[str] | None,
        typer.Option(
            "--reading", metavar="ID=VALUE", help="Settle by another reading of a rule. Repeatable."
        ),
    ] = None,
    config: ConfigFlag = None,
) -> int:
    """Settle every round of event files again and report what differs.

    Exit status: 0 nothing found, 1 findings or dead letters, 2 could not audit.
    """
    chosen = format_of(format)
    readings = pairs_of("--reading", reading)
    check_writable(output)
    from services.opening import temporary_ahead
    from services.settings import load_settings

    settings = load_settings(config or context.obj["config"])
    zone = settings.zone() if chosen is Format.TABLE else None
    with ExitStack() as stack:
        temporary = stack.enter_context(temporary_ahead(files)) if db is None else None
        from services.audit import audit
        from services.command_line.people import origin_of, write_report
        from services.command_line.progress import Progress

        report = audit(
            files,
            db=db,
            readings={**settings.readings, **readings},
            house_ways=settings.house_ways,
            watcher=stack.enter_context(Progress("reading")),
            with_scenes=chosen is Format.TABLE,
            temporary=temporary,
        )
    write_report(report, chosen, output, zone=zone, origin=origin_of(files, db))
    return report.exit_status
