"""`pitproof gaps`: gaps that hold rounds, and their release by a named person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
    format_of,
    history_of,
    whole_number,
)

SEQ_MAX: Final = 2**63 - 1
COLUMNS: Final = ("table_id", "first_missing_seq", "last_missing_seq", "rounds")

app = typer.Typer(name="gaps", rich_markup_mode=None, add_completion=False, no_args_is_help=False)


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    db: DbFlag = None,
    table: Annotated[
        str | None, typer.Option("--table", metavar="T", help="One table only, as DD-07.")
    ] = None,
    format: FormatFlag = DEFAULT_FORMAT,
    output: OutputFlag = None,
    config: ConfigFlag = None,
) -> int:
    """Show the gaps that hold rounds: events that are missing, and the rounds that wait for them.

    Exit status: 0 none, 1 there are, 2 could not read the history.
    """
    above = context.obj if isinstance(context.obj, dict) else {}
    context.obj = {**above, "db": db, "format": format, "output": output}
    if config:
        context.obj["config"] = config
    if context.invoked_subcommand is not None:
        return 0
    chosen = format_of(format)
    check_writable(output)
    from services.command_line.asking import ask
    from services.queries.gaps import GAPS, GapsAsked
    from services.settings import load_settings

    settings = load_settings(context.obj.get("config"))
    path = history_of(db, settings)
    result = ask(GAPS, path, GapsAsked(table=table), settings)
    if chosen is Format.JSON:
        write_result(GAPS.told(result), output)
    elif chosen is Format.CSV:
        write_result([_csv(result["gaps"])], output)
    else:
        _write_lines(_table(result["gaps"], path), output)
    raise typer.Exit(1 if result["gaps"] else 0)


@app.command("release", short_help="Let go of the rounds that a gap holds.")
def release(
    context: typer.Context,
    table: Annotated[str, typer.Argument(metavar="TABLE", help="The table, as DD-07.")],
    seq: Annotated[str, typer.Argument(metavar="SEQ", help="A number that is missing there.")],
    by: Annotated[str, typer.Option("--by", metavar="NAME", help="Who decided it.")] = "",
    why: Annotated[str, typer.Option("--why", metavar="TEXT", help="And why.")] = "",
    db: DbFlag = None,
    format: Annotated[
        str | None, typer.Option("--format", metavar="table|json|csv", help="How it is told.")
    ] = None,
    output: OutputFlag = None,
    config: ConfigFlag = None,
) -> int:
    """Release a gap: its rounds are judged by what there is. A record of it stays in the history.

    Exit status: 0 released, 2 could not.
    """
    above = context.obj
    chosen = format_of(format or above["format"])
    output = output or above["output"]
    number = whole_number("SEQ", seq, at_least=1, at_most=SEQ_MAX)
    check_writable(output)
    from services.command_line.asking import ask
    from services.queries.gaps import RELEASE, ReleaseAsked
    from services.settings import load_settings

    settings = load_settings(config or above.get("config"))
    path = history_of(db or above["db"], settings)
    asked = ReleaseAsked(table=table, seq=number, by=by, why=why)
    result = ask(RELEASE, path, asked, settings)
    if chosen is Format.JSON:
        write_result(RELEASE.told(result), output)
    elif chosen is Format.CSV:
        write_result([_csv([result["released"]])], output)
    else:
        _write_lines(_told(result), output)
    return 0


def _csv(gaps: Iterable[Mapping[str, Any]]) -> bytes:
    from services.csv_rows import csv_rows

    rows = ([*(gap[name] for name in COLUMNS[:-1]), " ".join(gap["rounds"])] for gap in gaps)
    return csv_rows([COLUMNS, *rows])


def _write_lines(lines: Iterable[str], output: str | None) -> None:
    from services.command_line.people import write_text

    write_text("".join(f"{line}\n" for line in lines), output)


def _table(gaps: list[Mapping[str, Any]], path: str) -> list[str]:
    import shlex

    from services.report.words import count, shown

    if not gaps:
        return ["no gap holds a round"]
    lines = []
    for gap in gaps:
        rounds = ", ".join(shown(one) for one in gap["rounds"])
        lines.append(f"{shown(gap['table_id'])}  {_missing(gap)}")
        lines.append(f"  holds {count(len(gap['rounds']), 'round')}: {rounds}")
        command = (
            f"pitproof gaps --db {shlex.quote(path)} release {shlex.quote(gap['table_id'])} "
            f"{gap['first_missing_seq']} --by NAME --why TEXT"
        )
        lines.append(f"  {shown(command)}")
    return lines


def _told(result: Mapping[str, Any]) -> list[str]:
    from services.report.words import count, shown

    gap = result["released"]
    return [
        f"{shown(gap['table_id'])}  {_missing(gap)}: released by {shown(gap['by'])}",
        f"  {count(len(gap['rounds']), 'round')} judged by what there is",
    ]


def _missing(gap: Mapping[str, Any]) -> str:
    first, last = gap["first_missing_seq"], gap["last_missing_seq"]
    return f"event {first} is missing" if first == last else f"events {first} to {last} are missing"
