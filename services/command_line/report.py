"""`pitproof report`: the statistics that a casino keeps of its tables, and the index of records."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Final, TypeVar

import typer

from services.command_line.output import check_writable, remark, write_result
from services.command_line.parameters import (
    DEFAULT_FORMAT,
    ConfigFlag,
    DbFlag,
    OutputFlag,
    day_of,
    history_of,
    no_such,
)
from services.errors import BadArgumentError

if TYPE_CHECKING:
    import msgspec

    from services.queries.query import Query
    from services.queries.report import ReportAsked

A = TypeVar("A", bound="msgspec.Struct")
R = TypeVar("R")

FORMS: Final = ("table", "json", "csv", "html")

FormFlag = Annotated[
    str, typer.Option("--format", metavar="table|json|csv|html", help="How the result is written.")
]

app = typer.Typer(name="report", rich_markup_mode=None, add_completion=False, no_args_is_help=False)


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    db: DbFlag = None,
    day: Annotated[
        str | None,
        typer.Option("--day", metavar="DAY", help="One gaming day; else the last one held."),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="DAY", help="First gaming day; else the 1st of --to's month."
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option("--to", metavar="DAY", help="Last gaming day, included; else the last held."),
    ] = None,
    table: Annotated[
        str | None, typer.Option("--table", metavar="T", help="One table only, as DD-07.")
    ] = None,
    game: Annotated[
        str | None, typer.Option("--game", metavar="G", help="One game only, as RUN_EM_TWICE.")
    ] = None,
    format: FormFlag = DEFAULT_FORMAT,
    output: OutputFlag = None,
    config: ConfigFlag = None,
) -> int:
    """Report drop, win and win over drop (ARSD 20:18:16:48), by table and game.

    Each by shift, by day, and month and year to date; the win by the count of trays and by the
    rounds, with the difference. Shifts and the casino's name are settings. What is not known is
    left out and noted.

    Exit status: 0 reported, 2 could not.
    """
    above = context.obj if isinstance(context.obj, dict) else {}
    context.obj = {**above, "db": db, "format": format, "output": output}
    if config:
        context.obj["config"] = config
    if context.invoked_subcommand is not None:
        _refuse({"--day": day, "--from": since, "--to": until, "--table": table, "--game": game})
        return 0
    _check_form(format)
    from services.queries.report import ReportAsked

    asked = ReportAsked(
        day=day_of("--day", day),
        first_day=day_of("--from", since),
        last_day=day_of("--to", until),
        table=table,
        game=game,
    )
    asked.check()
    _report(context, asked, format, output)
    raise typer.Exit(0)


def _refuse(flags: Mapping[str, str | None]) -> None:
    for flag, value in flags.items():
        if value is not None:
            raise BadArgumentError(
                f"{flag} {value}: is for the statistics, and the index is of all records",
                next_step=f"leave {flag} out",
            )


def _report(context: typer.Context, asked: ReportAsked, form: str, output: str | None) -> None:
    from services.queries.report import REPORT

    report = _ask(context, REPORT, asked, output)
    if form == "csv":
        from services.statistics.csv import csv_chunks

        write_result(csv_chunks(report), output)
        if report.notes:
            remark(f"not in the CSV, but in the JSON: {len(report.notes):,} notes on openings")
    elif form == "html":
        from services.statistics.html import html_chunks

        write_result(html_chunks(report, datetime.now(UTC)), output)
    elif form == "json":
        write_result(REPORT.told(report), output)
    else:
        from services.command_line.people import write_parts
        from services.statistics.table import statistics_table

        write_parts(statistics_table(report), output)


@app.command("index", short_help="Index the computer records of a history.")
def index(
    context: typer.Context,
    db: DbFlag = None,
    format: Annotated[
        str | None,
        typer.Option("--format", metavar="table|json|csv|html", help="How the result is written."),
    ] = None,
    output: OutputFlag = None,
    config: ConfigFlag = None,
) -> int:
    """Index the computer records (ARSD 20:18:22:04): what there is, of which days, and its digest.

    Every view of the history with its columns and what they mean, and every stored table of the
    sealed days with its files. It reads all there is: some seconds for a million events.

    Exit status: 0 indexed, 2 could not.
    """
    above = context.obj
    context.obj = {**above, "db": db or above["db"]}
    if config:
        context.obj["config"] = config
    chosen, output = format or above["format"], output or above["output"]
    _check_form(chosen)
    from services.queries.report import INDEX, IndexAsked

    found = _ask(context, INDEX, IndexAsked(), output)
    if chosen == "csv":
        from services.records_index.csv import csv_chunks

        write_result(csv_chunks(found), output)
    elif chosen == "html":
        from services.records_index.html import html_chunks

        write_result(html_chunks(found, datetime.now(UTC)), output)
    elif chosen == "json":
        write_result(INDEX.told(found), output)
    else:
        from services.command_line.people import write_parts
        from services.records_index.table import index_table

        write_parts(index_table(found), output)
    return 0


def _check_form(form: str) -> None:
    if form not in FORMS:
        no_such("--format", form, FORMS, what="format")


def _ask(context: typer.Context, query: Query[A, R], asked: A, output: str | None) -> R:
    """The answer of the history that flags, environment or settings name."""
    check_writable(output)
    from services.command_line.asking import ask
    from services.settings import load_settings

    settings = load_settings(context.obj.get("config"))
    return ask(query, history_of(context.obj["db"], settings), asked, settings)
