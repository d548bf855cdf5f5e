"""The command `pitproof`: where everything is put together.

Only the command that is called is loaded, and nothing heavy before it runs: `--version` and
`--help` answer at once, and a small audit is not kept waiting by what other commands need.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any, Final

import typer

from services.command_line.parameters import ConfigFlag

COMMANDS: Final = {
    "audit": "Settle every round of event files again.",
    "findings": "Show the findings of a history.",
    "verify": "Check that a history is whole.",
    "seal": "Write gaming days that are over as files for good.",
    "serve": "Follow a Kafka topic and publish what is found.",
    "ask": "Ask one of the questions that come up again and again.",
    "find": "Find a round by what is remembered of it.",
    "sql": "Put one SELECT to a history.",
    "rebuild": "Make a history again: of sealed days, files, the topic.",
    "redrive": "Put dead letters through decoding again.",
    "replay": "Settle a history again: the same, or what if.",
    "round": "Explain one round: cards, wagers, lines, timeline.",
    "settle": "Say what is due on a round that you type.",
    "simulate": "Simulate tables, clean or with mistakes.",
    "alerts": "Show open alerts, clear one, or try the receivers.",
    "gaps": "Show gaps that hold rounds, or release one.",
    "report": "Report drop and win of the tables, or index the records.",
    "rulebook": "Show the rules, and what bets return.",
    "kafka": "Run an Apache Kafka for development.",
}
"""What each does, in the order of the help. Each is a module of this package by its name: with a
function `command`, or with an `app` of commands of its own."""

_SETTINGS: Final[dict[str, dict[str, Any]]] = {"ask": {"ignore_unknown_options": True}}


def app_for(words: Sequence[str]) -> typer.Typer:
    """The command for a call: with the one that it names, else with all of them."""
    app = typer.Typer(
        name="pitproof",
        add_completion=False,
        rich_markup_mode=None,  # with rich, help takes three times as long to appear
        pretty_exceptions_enable=False,
        no_args_is_help=False,
        context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
    )
    app.callback(invoke_without_command=True)(root)
    for name in words[:1] if words and words[0] in COMMANDS else COMMANDS:
        module = import_module(f"services.command_line.{name}")
        if hasattr(module, "app"):
            app.add_typer(module.app, name=name, short_help=COMMANDS[name])
            continue
        app.command(
            name,
            cls=getattr(module, "COMMAND_CLASS", None),
            context_settings=_SETTINGS.get(name),
            short_help=COMMANDS[name],
        )(module.command)
    return app


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
