"""`pitproof alerts`: what is open, clearing one by name, and trying the ways to receivers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

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
)

if TYPE_CHECKING:
    import msgspec

    from services.queries.query import Query

INDENT: Final = "  "

app = typer.Typer(name="alerts", rich_markup_mode=None, add_completion=False, no_args_is_help=False)

OwnFormatFlag = Annotated[
    str | None, typer.Option("--format", metavar="table|json|csv", help="How it is told.")
]


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    db: DbFlag = None,
    table: Annotated[
        str | None, typer.Option("--table", metavar="T", help="One table only, as DD-07.")
    ] = None,
    all: Annotated[
        bool, typer.Option("--all", help="Those that were cleared or ended, too.")
    ] = False,
    format: FormatFlag = DEFAULT_FORMAT,
    output: OutputFlag = None,
    config: ConfigFlag = None,
) -> int:
    """Show the open alerts: one for each cause, until a named person clears it.

    Exit status: 0 none, 1 there are, 2 could not read the history.
    """
    above = context.obj if isinstance(context.obj, dict) else {}
    context.obj = {**above, "db": db, "format": format, "output": output}
    if config:
        context.obj["config"] = config
    if context.invoked_subcommand is not None:
        return 0
    from services.command_line.people import width_for
    from services.queries.alerts import ALERTS, AlertsAsked

    path, result = _asked(context, None, None, None, ALERTS, AlertsAsked(table=table, all=all))
    alerts = result["alerts"]
    width = width_for(output)
    _write(context, None, ALERTS, result, lambda: _csv(alerts), lambda: _lines(alerts, path, width))
    raise typer.Exit(1 if any(one["status"] == "open" for one in alerts) else 0)


@app.command("clear", short_help="Clear an alert that is dealt with.")
def clear(
    context: typer.Context,
    alert_id: Annotated[str, typer.Argument(metavar="ID", help="The alert, or how its id begins.")],
    by: Annotated[str, typer.Option("--by", metavar="NAME", help="Who dealt with it.")] = "",
    why: Annotated[str, typer.Option("--why", metavar="TEXT", help="And how.")] = "",
    db: DbFlag = None,
    format: OwnFormatFlag = None,
    output: OutputFlag = None,
    config: ConfigFlag = None,
) -> int:
    """Clear an alert. A record of it stays; a new round of its cause opens a new alert.

    Exit status: 0 cleared, 2 could not.
    """
    from services.queries.alerts import CLEAR, ClearAsked

    _aim(context, output)
    asked = ClearAsked(id=alert_id, by=by, why=why)
    _, result = _asked(context, db, config, format, CLEAR, asked)
    told = result["cleared"]
    _write(context, format, CLEAR, result, lambda: _csv([told]), lambda: _cleared(told))
    return 0


@app.command("test", short_help="Send one to every receiver.")
def try_receivers(
    context: typer.Context,
    db: DbFlag = None,
    format: OwnFormatFlag = None,
    output: OutputFlag = None,
    config: ConfigFlag = None,
) -> int:
    """Send every receiver something that is no alert, and show what each answered.

    Exit status: 0 all took it, 1 some did not, 2 could not.
    """
    from services.queries.alerts import TEST, TestAsked

    _aim(context, output)
    _, result = _asked(context, db, config, format, TEST, TestAsked())
    receivers = result["receivers"]
    _write(context, format, TEST, result, lambda: _csv(receivers), lambda: _answers(receivers))
    raise typer.Exit(0 if all(one["ok"] for one in receivers) else 1)


def _aim(context: typer.Context, output: str | None) -> None:
    """Have the result written to a file that is named behind the subcommand."""
    if output is not None:
        context.obj = {**context.obj, "output": output}


def _asked(
    context: typer.Context,
    db: str | None,
    config: str | None,
    format: str | None,
    query: Query[Any, dict[str, Any]],
    asked: msgspec.Struct,
) -> tuple[str, dict[str, Any]]:
    """The history, and what it answers; flags behind the subcommand count more."""
    above = context.obj
    format_of(format or above["format"])
    check_writable(above["output"])
    from services.command_line.asking import ask
    from services.settings import load_settings

    settings = load_settings(config or above.get("config"))
    path = history_of(db or above["db"], settings)
    return path, ask(query, path, asked, settings)


def _write(
    context: typer.Context,
    format: str | None,
    query: Query[Any, dict[str, Any]],
    result: dict[str, Any],
    csv_of: Callable[[], bytes],
    lines_of: Callable[[], Iterable[str]],
) -> None:
    chosen, output = format_of(format or context.obj["format"]), context.obj["output"]
    if chosen is Format.JSON:
        write_result(query.told(result), output)
    elif chosen is Format.CSV:
        write_result([csv_of()], output)
    else:
        from services.command_line.people import write_text

        write_text("".join(f"{line}\n" for line in lines_of()), output)


def _csv(rows: Sequence[Mapping[str, Any]]) -> bytes:
    from services.alerts.told import FIELDS
    from services.csv_rows import csv_rows

    names = list(rows[0]) if rows else list(FIELDS)
    return csv_rows([names, *([_cell(row[name]) for name in names] for row in rows)])


def _cell(value: Any) -> Any:
    if isinstance(value, list):
        return " ".join(map(str, value))
    if isinstance(value, dict):
        return f"{value['by']}: {value['why']}"
    return "" if value is None else value


def _lines(alerts: Sequence[Mapping[str, Any]], path: str, width: int) -> list[str]:
    from services.report.words import count

    open_alerts = [one for one in alerts if one["status"] == "open"]
    critical = sum(one["severity"] == "critical" for one in open_alerts)
    if not open_alerts:
        lines = ["no alert is open"]
    else:
        lines = [
            count(len(open_alerts), "open alert") + (f", {critical} critical" * (critical > 0))
        ]
    for one in alerts:
        lines += ["", *_paragraph(one, path, width)]
    return lines


def _paragraph(alert: Mapping[str, Any], path: str, width: int) -> list[str]:
    import shlex
    import textwrap

    from services.report.words import shown

    is_open = alert["status"] == "open"
    head = f"{alert['severity'] if is_open else alert['status']}  "
    deep = INDENT + " " * len(head)
    lines = textwrap.wrap(
        shown(alert["message"]), width, initial_indent=INDENT + head, subsequent_indent=deep
    )
    places = []
    if alert["rounds"]:
        first, last = shown(alert["first_round"]), shown(alert["last_round"])
        places.append(f"round {first}" + (f" to {last}" if last != first else ""))
    if alert["gaming_day"]:
        places.append(f"gaming day {alert['gaming_day']}")
    if alert["posted_paytable"]:
        places.append(f"posted is paytable {shown(alert['posted_paytable'])}")
    if places:
        lines.append(deep + ", ".join(places))
    if alert["follows"]:
        lines.append(f"{deep}again: alert {alert['follows']} of the same cause was cleared")
    if is_open:
        lines.append(
            f"{deep}pitproof alerts --db {shown(shlex.quote(path))} clear {alert['id']} "
            "--by NAME --why TEXT"
        )
    return lines


def _cleared(told: Mapping[str, Any]) -> list[str]:
    from services.report.words import shown

    return [
        f"{told['id']}  cleared by {shown(told['cleared']['by'])}",
        f"{INDENT}{shown(told['message'])}",
    ]


def _answers(receivers: Sequence[Mapping[str, Any]]) -> list[str]:
    from services.report.words import shown

    return [
        f"{one['name']}  {one['kind']}  {'took it' if one['ok'] else 'did not take it'}: "
        f"{shown(one['answer'])} ({one['seconds']:.2f} s)  {shown(one['url'])}"
        for one in receivers
    ]
