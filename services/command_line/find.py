"""`pitproof find`: where is that round?"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Final
from zoneinfo import ZoneInfo

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

if TYPE_CHECKING:
    from services.find.found import Found

LIMIT_MAX: Final = 1_000
BELOW: Final = " " * 6


WordsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="WORDS",
        help="What is remembered, in any order: a table, a day, a time, 'seat 3', '$25', 'Ac Ad', "
        "a player, win or lose.",
    ),
]
TableFlag = Annotated[str | None, typer.Option("--table", metavar="T", help="The table.")]
AboutFlag = Annotated[
    str | None, typer.Option("--about", metavar="TIME", help="About when: 21:40, or with its day.")
]
SeatFlag = Annotated[str | None, typer.Option("--seat", metavar="N", help="A seat in play.")]
AmountFlag = Annotated[
    str | None, typer.Option("--amount", metavar="DOLLARS", help="Put down, bet in all, or paid.")
]
PlayerFlag = Annotated[str | None, typer.Option("--player", metavar="ID", help="A player who bet.")]
CardsFlag = Annotated[
    str | None, typer.Option("--cards", metavar='"Ac Ad"', help="Cards that were dealt.")
]
CodeFlag = Annotated[str | None, typer.Option("--code", metavar="C", help="A finding that it has.")]
LimitFlag = Annotated[str, typer.Option("--limit", metavar="N", help="Rounds at most.")]


def command(
    context: typer.Context,
    words: WordsArgument = None,
    db: DbFlag = None,
    table: TableFlag = None,
    about: AboutFlag = None,
    seat: SeatFlag = None,
    amount: AmountFlag = None,
    player: PlayerFlag = None,
    cards: CardsFlag = None,
    code: CodeFlag = None,
    limit: LimitFlag = "10",
    format: FormatFlag = DEFAULT_FORMAT,
    output: OutputFlag = None,
    config: ConfigFlag = None,
) -> int:
    """Find a round by whatever is remembered of it; the likeliest comes first.

    A time may be half an hour off, and without a day means the last day that fits.

    Exit status: 0 found, 1 nothing found, 2 could not search.
    """
    chosen = format_of(format)
    limit_rounds = whole_number("--limit", limit, at_least=1, at_most=LIMIT_MAX)
    check_writable(output)
    from services.settings import load_settings

    settings = load_settings(config or context.obj["config"])
    zone = settings.zone()
    path = history_of(db, settings)
    from services.command_line.asking import ask
    from services.find.asked import FindAsked
    from services.queries.find import FIND

    asked = FindAsked(
        words=tuple(words or ()),
        table=table,
        about=about,
        seat=seat,
        amount=amount,
        player=player,
        cards=cards,
        code=code,
        limit=limit_rounds,
        told=chosen is Format.TABLE,
    )
    found = ask(FIND, path, asked, settings)
    if chosen is Format.JSON:
        write_result(FIND.told(found), output)
    elif chosen is Format.CSV:
        write_result([_csv(found)], output)
    else:
        from services.command_line.people import width_for, write_text

        write_text("".join(_lines(found, zone, path, width_for(output))), output)
    return 0 if found.rounds else 1


def _lines(found: Found, zone: ZoneInfo, db: str, columns: int) -> Iterator[str]:
    """A round after the other, and how to see the first one whole.

    A line each, or more where one is too long for the columns that there are.
    """
    import textwrap

    from services.report.words import clock, count, day_of, long_day, shown

    if not found.rounds:
        yield "no round has all of that; leave something out, or say it less exactly\n"
        return

    width = max(len(shown(row.round_id)) for row in found.rounds)
    days = {day_of(row.opened_micros, zone) for row in found.rounds}
    tables = {row.table_id for row in found.rounds}
    if len(days) == 1:
        yield f"{long_day(days.pop())}\n"
    for row in found.rounds:
        day = f"{day_of(row.opened_micros, zone)} " if days else ""
        seats = f"   {count(row.seats, 'seat'):>7}" if row.seats else " " * 10
        findings = f"   {count(row.findings, 'finding')}" if row.findings else ""
        where = "" if len(tables) == 1 else f"   {shown(row.table_id)}"
        start = f"  {shown(row.round_id):{width}}{where}   {day}{clock(row.opened_micros, zone)}"
        told = f"   {shown(row.told)}" if row.told else ""
        line = f"{start}{seats}{told}{findings}"
        if len(line) <= columns:
            yield f"{line}\n"
            continue
        yield f"{start}{seats}{findings}\n"
        for line in textwrap.wrap(told.strip(), columns - len(BELOW), break_on_hyphens=False):
            yield f"{BELOW}{line}\n"
    first = found.rounds[0]
    twice = sum(row.round_id == first.round_id for row in found.rounds) > 1
    at = f" --table {shlex.quote(first.table_id)}" if twice else ""
    command = f"pitproof round {shlex.quote(first.round_id)} --db {shlex.quote(db)}{at}"
    yield f"{shown(command)}\n"


def _csv(found: Found) -> bytes:
    import csv
    import io

    from services.find.found import round_objects

    text = io.StringIO()
    names = ("table_id", "round_id", "game", "opened_at", "closed_at", "findings")
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(round_objects(found))
    return text.getvalue().encode("utf-8", "backslashreplace")
