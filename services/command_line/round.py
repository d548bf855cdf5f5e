"""`pitproof round ID`: one round, with every wager argued."""

from __future__ import annotations

from typing import Annotated

import typer

from services.command_line.output import check_writable
from services.command_line.parameters import (
    DEFAULT_FORMAT,
    ConfigFlag,
    DbFlag,
    FormatFlag,
    OutputFlag,
    format_of,
    history_of,
)
from services.errors import BadArgumentError


def command(
    context: typer.Context,
    round_id: Annotated[str, typer.Argument(metavar="ID", help="The round's id, as RT-12-000012.")],
    db: DbFlag = None,
    file: Annotated[
        str | None,
        typer.Option("--file", metavar="FILE", help="An event file instead of a history."),
    ] = None,
    table: Annotated[
        str | None,
        typer.Option("--table", metavar="T", help="Its table, where two have a round of that id."),
    ] = None,
    timeline: Annotated[
        bool, typer.Option("--timeline", help="Show every event of the round, for people.")
    ] = False,
    format: FormatFlag = DEFAULT_FORMAT,
    output: OutputFlag = None,
    config: ConfigFlag = None,
) -> int:
    """Explain one round: the cards, what was due on every wager and by which line, what was paid.

    Exit status: 0 nothing wrong with it, 1 it has findings, 2 there is no such round.
    """
    chosen = format_of(format)
    check_writable(output)
    if db and file:
        raise BadArgumentError(
            f"--db {db} --file {file}: the round is in one of them", next_step="name only one"
        )
    from services.settings import load_settings

    settings = load_settings(config or context.obj["config"])
    zone = settings.zone()
    path = None if file else history_of(db, settings)
    from services.command_line.people import origin_of, write_round
    from services.command_line.progress import Progress

    if path is not None:
        from services.command_line.asking import ask
        from services.queries.round import ROUND, RoundAsked

        report = ask(ROUND, path, RoundAsked(id=round_id, table=table), settings)
    else:
        from services.rounds import round_of_file

        assert file is not None
        with Progress("reading") as progress:
            report = round_of_file(
                file,
                round_id,
                table,
                readings=settings.readings,
                house_ways=settings.house_ways,
                watcher=progress,
            )
    origin = origin_of([file] if file else [], path)
    write_round(report, chosen, output, zone=zone, origin=origin, whole_timeline=timeline)
    return report.exit_status
