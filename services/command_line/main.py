"""The command `pitproof`: where everything is put together, and where every failure ends.

Nothing heavy is imported here: `--version` and `--help` answer at once, each command imports what
it needs when it runs. Exit statuses: 0 done, 1 something was found, 2 could not, 130 after Ctrl-C.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from typing import Annotated, Any, Final

import typer
import typer.main

from services.command_line import (
    ask,
    audit,
    find,
    findings,
    gaps,
    kafka,
    redrive,
    round,
    rulebook,
    serve,
    settle,
    simulate,
    sql,
    verify,
)
from services.command_line.output import remark, silence_standard_output
from services.command_line.parameters import ConfigFlag
from services.command_line.plain_parameters import take_as_given
from services.errors import PitproofError

COULD_NOT: Final = 2
INTERRUPTED: Final = 130
QUERY_INTERRUPTED: Final = "Query interrupted"  # what DuckDB makes of Ctrl-C, as a RuntimeError

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
app.command("serve", short_help="Follow a Kafka topic and publish what is found.")(serve.command)
app.command(
    "ask",
    cls=ask.AskCommand,
    context_settings={"ignore_unknown_options": True},
    short_help="Ask one of the questions that come up again and again.",
)(ask.command)
app.command("find", short_help="Find a round by what is remembered of it.")(find.command)
app.command("sql", cls=sql.SqlCommand, short_help="Put one SELECT to a history.")(sql.command)
app.command("redrive", short_help="Put dead letters through decoding again.")(redrive.command)
app.command("round", short_help="Explain one round: cards, wagers, lines, timeline.")(round.command)
app.command(
    "settle", cls=settle.SettleCommand, short_help="Say what is due on a round that you type."
)(settle.command)
app.command(
    "simulate", cls=simulate.SimulateCommand, short_help="Simulate tables, clean or with mistakes."
)(simulate.command)
app.add_typer(gaps.app, name="gaps", short_help="Show gaps that hold rounds, or release one.")
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


def run() -> None:
    """Entry point of the command."""
    status = main(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        silence_standard_output()
    sys.exit(status)


def main(arguments: Sequence[str]) -> int:
    """Run one command; returns its exit status, and raises nothing."""
    try:
        take_as_given()
        command = typer.main.get_command(app)
        with command.make_context("pitproof", list(arguments)) as context:
            status = command.invoke(context)
        return status if isinstance(status, int) else 0
    except typer.Exit as ended:
        return ended.exit_code
    except PitproofError as error:
        remark(_worded(error.message, error.next_step))
        return COULD_NOT
    except typer.TyperException as error:
        remark(_worded(error.format_message(), _usage_hint(error)))
        return COULD_NOT
    except KeyboardInterrupt:
        return _interrupted()
    except BrokenPipeError:
        silence_standard_output()
        return 0
    except MemoryError:
        remark(_worded("not enough memory", "close other programs, or audit fewer files at a time"))
        return COULD_NOT
    except Exception as error:
        if isinstance(error, RuntimeError) and str(error) == QUERY_INTERRUPTED:
            return _interrupted()
        # A fault of the program's own. The interpreter would end with 1, which says "findings".
        import traceback

        with contextlib.suppress(OSError, ValueError):
            traceback.print_exc()
        remark(_worded("a fault of pitproof itself, shown above", "please report it with the call"))
        return COULD_NOT


def _interrupted() -> int:
    remark("pitproof: interrupted; nothing is half done, the same call does it again")
    return INTERRUPTED


def _worded(message: str, next_step: str) -> str:
    lines = [f"pitproof: {message}", *([next_step] if next_step else [])]
    return "\n  ".join(lines)


def _usage_hint(error: Any) -> str:
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "pitproof"
    return f"see {path} --help"
