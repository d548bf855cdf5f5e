"""`pitproof simulate`: tables that never were, with mistakes that are known."""

from __future__ import annotations

from typing import Annotated, Any, Final

import typer
import typer.core

from services.command_line.output import STANDARD, check_writable, write_result, writing
from services.command_line.parameters import whole_number
from services.errors import BadArgumentError

TABLES_MAX: Final = 10_000
ROUNDS_MAX: Final = 100_000_000
SEED_MAX: Final = 2**63 - 1


class SimulateCommand(typer.core.TyperCommand):
    """The command; its help ends with the faults, which are looked up only when it is shown."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Every fault with the codes that it is found under."""
        from services.simulate.service import faults_available

        rows = [
            (fault.name, f"{fault.summary} [{', '.join(fault.codes) or 'nothing'}]")
            for fault in faults_available()
        ]
        with formatter.section("Faults [and the codes they are found under]"):
            formatter.write_dl(rows)


def command(
    games: Annotated[
        list[str] | None,
        typer.Argument(metavar="GAME", help="As RUN_EM_TWICE; all there are unless named."),
    ] = None,
    tables: Annotated[
        str, typer.Option("--tables", metavar="N", help="Tables of each game.")
    ] = "1",
    rounds: Annotated[
        str, typer.Option("--rounds", metavar="N", help="Rounds at each table.")
    ] = "50",
    seed: Annotated[str, typer.Option("--seed", metavar="N", help="Same seed, same bytes.")] = "1",
    fault: Annotated[
        list[str] | None,
        typer.Option("--fault", metavar="NAME", help="Make this mistake once. Repeatable."),
    ] = None,
    planted: Annotated[
        str | None,
        typer.Option("--planted", metavar="PATH", help="Write what an audit must find."),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("--output", metavar="PATH|-", help="A .jsonl, .jsonl.gz or .avro file."),
    ] = None,
) -> int:
    """Simulate the evening of a casino floor, clean or with named mistakes.

    Exit status: 0 done, 2 could not.
    """
    tables_count = whole_number("--tables", tables, at_least=1, at_most=TABLES_MAX)
    rounds_count = whole_number("--rounds", rounds, at_least=1, at_most=ROUNDS_MAX)
    seed_number = whole_number("--seed", seed, at_least=0, at_most=SEED_MAX)
    if output is None:
        raise BadArgumentError(
            "--output is missing: where to write the events",
            next_step="name a .jsonl, .jsonl.gz or .avro file, or - for standard output",
        )
    check_writable(output)
    if planted == STANDARD == output:
        raise BadArgumentError(
            "--planted - and --output -: both cannot be standard output",
            next_step="name a file for one of them",
        )
    check_writable(planted)
    from services.simulate.service import FloorPlan, games_available
    from services.simulate.writing import expected_json, form_of, write_floor

    form = form_of(output)
    plan = FloorPlan(
        games=tuple(dict.fromkeys(games or games_available())),
        tables=tables_count,
        rounds=rounds_count,
        seed=seed_number,
        faults=tuple(fault or ()),
    )
    with writing(output) as file:
        rows = write_floor(plan, file, form)
    if planted is not None:
        write_result([expected_json(rows)], planted)
    return 0
