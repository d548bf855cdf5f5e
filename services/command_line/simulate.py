"""`pitproof simulate`: tables that never were, with mistakes that are known."""

from __future__ import annotations

from typing import Annotated, Any, Final

import typer
import typer.core

from services.command_line.output import STANDARD, check_writable, remark
from services.command_line.parameters import no_such, whole_number
from services.errors import BadArgumentError

TABLES_MAX: Final = 10_000
ROUNDS_MAX: Final = 100_000_000
SEED_MAX: Final = 2**63 - 1


class SimulateCommand(typer.core.TyperCommand):
    """The command; its help ends with the faults, which are looked up only when it is shown."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Every fault with the codes it is found under."""
        from services.simulate.floor import faults_available

        with formatter.section("Faults, and the codes they are found under"):
            formatter.write_dl([(name, ", ".join(codes)) for name, codes in faults_available()])


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
    numbers = {
        "tables": whole_number("--tables", tables, at_least=1, at_most=TABLES_MAX),
        "rounds": whole_number("--rounds", rounds, at_least=1, at_most=ROUNDS_MAX),
        "seed": whole_number("--seed", seed, at_least=0, at_most=SEED_MAX),
    }
    if output is None:
        raise BadArgumentError(
            "--output is missing: where to write the events",
            next_step="name a .jsonl, .jsonl.gz or .avro file, or - for standard output",
        )
    check_writable(output)
    if planted is not None:
        check_writable(planted)
    raise NotImplementedError(numbers, games, fault, STANDARD, no_such, remark)
