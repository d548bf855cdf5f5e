"""`pitproof rulebook`: what the rules say, how they are read, and what bets return."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from services.command_line.output import check_writable, write_result
from services.command_line.parameters import (
    DEFAULT_FORMAT,
    ConfigFlag,
    Format,
    FormatFlag,
    OutputFlag,
    format_of,
    no_such,
)

if TYPE_CHECKING:
    from replay.rulebook.loader import Rulebook
    from replay.rulebook.model import Edition
    from replay.vocabulary import Game

app = typer.Typer(
    name="rulebook", rich_markup_mode=None, add_completion=False, no_args_is_help=False
)

GameArgument = Annotated[str, typer.Argument(metavar="GAME", help="As DAKOTA_DUEL_DRAW.")]


@app.callback(invoke_without_command=True)
def root(context: typer.Context) -> None:
    """Show the rules: editions, paytables as printed, readings, and what bets return.

    Exit status: 0 done, 2 could not.
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(0)


@app.command("list", short_help="Games and their editions.")
def list_games(
    context: typer.Context,
    format: FormatFlag = DEFAULT_FORMAT,
    output: OutputFlag = None,
    config: ConfigFlag = None,
) -> int:
    """List games and editions, and whether the text of each is held.

    Exit status: 0 done, 2 could not.
    """
    chosen = _format(format, output)
    rulebook = _rulebook(context, config)
    from services.report.rulebook import list_object
    from services.report.rulebook_table import list_lines

    if chosen is Format.TABLE:
        return _write_lines(list_lines(rulebook), output)
    found = list_object(rulebook)
    rows = [
        {"game": game["game"], **edition} for game in found["games"] for edition in game["editions"]
    ]
    return _write(found, rows, chosen, output)


@app.command("show", short_help="Paytables, limits, readings, clauses.")
def show(
    context: typer.Context,
    game: GameArgument,
    edition: Annotated[
        str | None, typer.Option("--edition", metavar="E", help="By its first day, 2022-08-09.")
    ] = None,
    format: FormatFlag = DEFAULT_FORMAT,
    output: OutputFlag = None,
    config: ConfigFlag = None,
) -> int:
    """Show one game: paytables as printed, limits, readings, clauses in our words, sources.

    Exit status: 0 done, 2 could not.
    """
    chosen = _format(format, output)
    rulebook = _rulebook(context, config)
    which = _game(game)
    text = _edition(rulebook, which, edition)
    from services.command_line.people import width_for
    from services.report.rulebook import show_object
    from services.report.rulebook_table import show_lines

    if chosen is Format.TABLE:
        return _write_lines(show_lines(rulebook, which, text, width_for(output)), output)
    found = show_object(rulebook, which, text)
    rows = [
        {"wager": table["wager"], "paytable": table["paytable"], **line}
        for table in found.get("paytables", ())
        for line in table["lines"]
    ]
    return _write(found, rows, chosen, output)


@app.command("returns", short_help="What bets return, counted over every deal.")
def returns(
    context: typer.Context,
    game: GameArgument,
    format: FormatFlag = DEFAULT_FORMAT,
    output: OutputFlag = None,
    config: ConfigFlag = None,
) -> int:
    """Count over every deal what each bet that needs no decision returns, and how often it wins.

    Of Dakota Duel Draw the whole game too, played by its best strategy. Takes some seconds.

    Exit status: 0 done, 2 could not.
    """
    chosen = _format(format, output)
    rulebook = _rulebook(context, config)
    which = _game(game)
    from replay.returns import returns_of, whole_dakota
    from replay.vocabulary import Game
    from services.command_line.people import width_for
    from services.command_line.progress import Progress
    from services.report.rulebook import returns_object
    from services.report.rulebook_table import returns_lines, ways_lines

    with Progress("counting hands") as progress:
        found = returns_of(which, rulebook, progress.counting)
        progress.working("playing the whole game")
        whole = whole_dakota(rulebook) if which is Game.DAKOTA_DUEL_DRAW else []
    if chosen is Format.TABLE:
        lines = returns_lines(which, found, whole, width_for(output))
        return _write_lines([*lines, *ways_lines(found)], output)
    told = returns_object(rulebook, which, found, whole)
    rows = [
        {key: value for key, value in wager.items() if key != "lines"} for wager in told["wagers"]
    ]
    return _write(told, rows, chosen, output)


def _format(format: str, output: str | None) -> Format:
    chosen = format_of(format)
    check_writable(output)
    return chosen


def _rulebook(context: typer.Context, config: str | None) -> Rulebook:
    """The rules with the readings and house ways in force here."""
    from services.audit import rulebook_for
    from services.settings import load_settings

    settings = load_settings(config or context.obj["config"])
    return rulebook_for(settings.readings, settings.house_ways)


def _game(name: str) -> Game:
    from replay.vocabulary import Game

    games = {one.name: one for one in Game if one is not Game.UNKNOWN}
    wanted = name.upper().replace("-", "_")
    if wanted not in games:
        no_such("GAME", name, games, what="game")
    return games[wanted]


def _edition(rulebook: Rulebook, game: Game, name: str | None) -> Edition:
    editions = {each.in_force_from.isoformat(): each for each in rulebook.editions(game)}
    if name is None:
        return editions[max(editions)]
    if name not in editions:
        no_such("--edition", name, editions, what="edition")
    return editions[name]


def _write_lines(lines: Iterable[str], output: str | None) -> int:
    from services.command_line.people import write_text

    write_text("".join(f"{line}\n" for line in lines), output)
    return 0


def _write(
    found: dict[str, Any], rows: Sequence[dict[str, Any]], chosen: Format, output: str | None
) -> int:
    """The object as JSON, or the rows as CSV."""
    if chosen is Format.JSON:
        write_result([json.dumps(found, ensure_ascii=False).encode() + b"\n"], output)
        return 0
    import csv
    import io

    text = io.StringIO()
    keys = list(dict.fromkeys(key for row in rows for key in row))
    writer = csv.DictWriter(text, keys, lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        {
            key: json.dumps(value) if isinstance(value, list | dict) else value
            for key, value in row.items()
        }
        for row in rows
    )
    write_result([text.getvalue().encode()], output)
    return 0
