"""`pitproof kafka`: an Apache Kafka of one's own, for development and tests."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Final

import typer

from services.command_line.output import remark, write_result
from services.command_line.parameters import no_such, whole_number

PORT_MAX: Final = 65_000  # a few follow it for the other nodes and for the controllers
NODES: Final = ("1", "3")

app = typer.Typer(name="kafka", rich_markup_mode=None, add_completion=False, no_args_is_help=False)

DirFlag = Annotated[
    str | None,
    typer.Option("--dir", metavar="DIR", help="Where its data and logs are; else a cache folder."),
]


@app.callback(invoke_without_command=True)
def root(context: typer.Context) -> None:
    """Run an Apache Kafka on this machine, for development and tests.

    Needs a Java runtime, 17 or newer, and Maven, which fetches Kafka the first time.

    Exit status: 0 done, 2 could not.
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(0)


@app.command("up", short_help="Start it, and leave it running.")
def up(
    nodes: Annotated[str, typer.Option("--nodes", metavar="1|3", help="How many nodes.")] = "1",
    port: Annotated[
        str, typer.Option("--port", metavar="N", help="The first node's; the others follow.")
    ] = "9092",
    dir: DirFlag = None,
) -> int:
    """Start Apache Kafka, wait until it answers, print its bootstrap servers, leave it running.

    What it holds stays over `down` and `up`. It can be reached from this machine only.

    Exit status: 0 it runs, 2 could not start it.
    """
    if nodes not in NODES:
        no_such("--nodes", nodes, NODES, what="number of nodes")
    first = whole_number("--port", port, at_least=1, at_most=PORT_MAX)
    from services.broker import development

    standing = development.up(int(nodes), first, Path(dir) if dir else None, remark)
    write_result([f"{standing.bootstrap_servers}\n".encode()], None)
    if standing.was_running:
        remark("it was running already")
    else:
        one = f" --dir {shlex.quote(dir)}" if dir else ""
        remark(f"logs and data are in {standing.directory}; stop it with: pitproof kafka down{one}")
    return 0


@app.command("down", short_help="Stop it.")
def down(
    dir: DirFlag = None,
    delete: Annotated[
        bool, typer.Option("--delete", help="Delete its topics and logs as well.")
    ] = False,
) -> int:
    """Stop what `up` left running; of one folder with --dir, else all of them.

    Exit status: 0 nothing runs any more, 2 could not stop it.
    """
    from services.broker import development

    found = development.down(Path(dir) if dir else None, delete=delete)
    for one in found:
        if one.was_running:
            remark(f"stopped {one.bootstrap_servers}")
        elif delete:
            remark(f"deleted what was in {one.directory}")
    if not any(one.was_running for one in found):
        remark("no broker was running")
    return 0
