"""`pitproof replay`: settle a history again, to check it or to see what other rules change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from datetime import date
from typing import TYPE_CHECKING, Annotated, Final

import typer

from services.command_line.output import check_writable, write_result
from services.command_line.parameters import (
    DEFAULT_FORMAT,
    ConfigFlag,
    DbFlag,
    Format,
    FormatFlag,
    OutputFlag,
    day_of,
    format_of,
    history_of,
    pairs_of,
    whole_number,
)

if TYPE_CHECKING:
    from services.replaying.service import Checked, ReplayAsked, WhatIf

SinceFlag = Annotated[
    str | None, typer.Option("--from", metavar="DAY", help="First gaming day, 2026-04-18.")
]
UntilFlag = Annotated[
    str | None, typer.Option("--to", metavar="DAY", help="Last gaming day, included.")
]
TableFlag = Annotated[
    str | None, typer.Option("--table", metavar="T", help="One table only, as DD-07.")
]
GameFlag = Annotated[
    str | None, typer.Option("--game", metavar="G", help="One game only, as RUN_EM_TWICE.")
]
EditionFlag = Annotated[
    str | None,
    typer.Option(
        "--edition", metavar="DAY", help="What if the edition in force from DAY held always."
    ),
]
PaytableFlag = Annotated[
    list[str] | None,
    typer.Option(
        "--paytable",
        metavar="TABLE:WAGER=ID",
        help="What if a table posted another paytable, as DD-07:BIG_8=2. Repeatable.",
    ),
]
ReadingFlag = Annotated[
    list[str] | None,
    typer.Option(
        "--reading", metavar="ID=VALUE", help="What if a rule were read otherwise. Repeatable."
    ),
]
HouseWayFlag = Annotated[
    list[str] | None,
    typer.Option(
        "--house-way",
        metavar="TABLE=NAME",
        help="What if a table posted another house way. Repeatable.",
    ),
]
CoresFlag = Annotated[
    str | None, typer.Option("--cores", metavar="N", help="Cores to use; all unless told.")
]

CORES_MAX: Final = 1_024
NOT_THE_SAME: Final = 1


def command(
    context: typer.Context,
    db: DbFlag = None,
    since: SinceFlag = None,
    until: UntilFlag = None,
    table: TableFlag = None,
    game: GameFlag = None,
    edition: EditionFlag = None,
    paytable: PaytableFlag = None,
    reading: ReadingFlag = None,
    house_way: HouseWayFlag = None,
    cores: CoresFlag = None,
    format: FormatFlag = DEFAULT_FORMAT,
    output: OutputFlag = None,
    config: ConfigFlag = None,
) -> int:
    """Settle a history again, and check that its findings are those that its events make.

    With --edition, --paytable, --reading or --house-way: what these would change. Nothing is
    written, and a service that owns the history goes on.

    Exit status: 0 the same, or a what-if; 1 not the same; 2 could not.
    """
    chosen = format_of(format)
    days = day_of("--from", since), day_of("--to", until)
    from services.choices import check_days, check_game

    check_days(*days)
    check_game(game)
    asked = _asked(days, table, game, (edition, paytable, reading, house_way), cores)
    check_writable(output)
    from services.settings import load_settings

    settings = load_settings(config or context.obj["config"])
    path = history_of(db, settings)
    from services.command_line.progress import Progress
    from services.replaying.service import Checked, replayed
    from services.replaying.source import source_of

    with source_of(path, settings) as source, ExitStack() as open_history:
        with Progress("replaying") as progress:
            result = open_history.enter_context(replayed(source, asked, settings, progress))
        if chosen is Format.TABLE:
            from services.command_line.people import write_text

            write_text("".join(f"{line}\n" for line in _lines(result, asked, path)), output)
        else:
            write_result(_chunks(result, chosen), output)
        return NOT_THE_SAME if isinstance(result, Checked) and not result.same else 0


def _asked(
    days: tuple[date | None, date | None],
    table: str | None,
    game: str | None,
    other: tuple[str | None, list[str] | None, list[str] | None, list[str] | None],
    cores: str | None,
) -> ReplayAsked:
    edition, paytables, readings, house_ways = other
    from services.replaying.asked import OtherRules, edition_of, paytables_of
    from services.replaying.service import ReplayAsked
    from services.report.gather import Scope

    number = (
        None if cores is None else whole_number("--cores", cores, at_least=1, at_most=CORES_MAX)
    )
    return ReplayAsked(
        taken=Scope(first_day=days[0], last_day=days[1], table_id=table, game=game),
        other=OtherRules(
            edition=None if edition is None else edition_of(edition),
            paytables=paytables_of(paytables or ()),
            readings=pairs_of("--reading", readings),
            house_ways=pairs_of("--house-way", house_ways),
        ),
        cores=number,
    )


def _lines(result: Checked | WhatIf, asked: ReplayAsked, path: str) -> Iterator[str]:
    from services.replaying.service import Checked
    from services.report.what_if import checked_lines, what_if_lines

    if isinstance(result, Checked):
        return checked_lines(result, path)
    return what_if_lines(result, asked.other)


def _chunks(result: Checked | WhatIf, chosen: Format) -> Iterable[bytes]:
    from services.replaying.service import Checked
    from services.report import replayed

    if isinstance(result, Checked):
        write = replayed.checked_json if chosen is Format.JSON else replayed.checked_csv
        return write(result)
    what_if = replayed.what_if_json if chosen is Format.JSON else replayed.what_if_csv
    return what_if(result)
