"""The command `pitproof`: where everything is put together.

Nothing heavy is imported here: `--version` and `--help` answer at once, each command imports what
it needs when it runs.
"""

from __future__ import annotations

from typing import Annotated

import typer

from services.command_line import (
    alerts,
    ask,
    audit,
    find,
    findings,
    gaps,
    kafka,
    rebuild,
    redrive,
    replay,
    report,
    round,
    rulebook,
    seal,
    serve,
    settle,
    simulate,
    sql,
    verify,
)
from services.command_line.parameters import ConfigFlag

app = typer.Typer(
    name="pitproof",
    add_completion=False,
    rich_markup_mode=None,  # with rich, help takes three times as long to appear
    pretty_exceptions_enable=False,
    no_args_is_help=False,
    context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
)
app.command("audit", short_help="Settle every round of event files again.")(audit.command)
app.command("findings", short_help="Show the findings of a history.")(findings.command)
app.command("verify", short_help="Check that a history is whole.")(verify.command)
app.command("seal", short_help="Write gaming days that are over as files for good.")(seal.command)
app.command("serve", short_help="Follow a Kafka topic and publish what is found.")(serve.command)
app.command(
    "ask",
    cls=ask.AskCommand,
    context_settings={"ignore_unknown_options": True},
    short_help="Ask one of the questions that come up again and again.",
)(ask.command)
app.command("find", short_help="Find a round by what is remembered of it.")(find.command)
app.command("sql", cls=sql.SqlCommand, short_help="Put one SELECT to a history.")(sql.command)
app.command("rebuild", short_help="Make a history again: of sealed days, files, the topic.")(
    rebuild.command
)
app.command("redrive", short_help="Put dead letters through decoding again.")(redrive.command)
app.command("replay", short_help="Settle a history again: the same, or what if.")(replay.command)
app.command("round", short_help="Explain one round: cards, wagers, lines, timeline.")(round.command)
app.command(
    "settle", cls=settle.SettleCommand, short_help="Say what is due on a round that you type."
)(settle.command)
app.command(
    "simulate", cls=simulate.SimulateCommand, short_help="Simulate tables, clean or with mistakes."
)(simulate.command)
app.add_typer(
    alerts.app, name="alerts", short_help="Show open alerts, clear one, or try the receivers."
)
app.add_typer(gaps.app, name="gaps", short_help="Show gaps that hold rounds, or release one.")
app.add_typer(
    report.app, name="report", short_help="Report drop and win of the tables, or index the records."
)
app.add_typer(rulebook.app, name="rulebook", short_help="Show the rules, and what bets return.")
app.add_typer(kafka.app, name="kafka", short_help="Run an Apache Kafka for development.")


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and end.")] = False,
    config: ConfigFlag = None,
) -> None:
    """Settles every round of casino table games a second time, and argues each discrepancy.

    Exit status: 0 nothing to report, 1 something was found, 2 could not.
    """
    context.obj = {"config": config}
    if version:
        from importlib.metadata import version as version_of

        typer.echo(f"pitproof {version_of('pitproof')}")
        raise typer.Exit(0)
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(0)
