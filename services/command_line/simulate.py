"""`pitproof simulate`: tables that never were, with mistakes that are known."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
import typer.core

from services.command_line.output import STANDARD, check_writable, remark, write_result, writing
from services.command_line.parameters import ConfigFlag, whole_number
from services.command_line.progress import Progress
from services.errors import BadArgumentError

if TYPE_CHECKING:
    from services.simulate.faults.fault import FindingRow
    from services.simulate.service import FloorPlan

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


COMMAND_CLASS: Final = SimulateCommand


GamesArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="GAME", help="As RUN_EM_TWICE; all there are unless named."),
]
TablesFlag = Annotated[str, typer.Option("--tables", metavar="N", help="Tables of each game.")]
RoundsFlag = Annotated[str, typer.Option("--rounds", metavar="N", help="Rounds at each table.")]
SeedFlag = Annotated[str, typer.Option("--seed", metavar="N", help="Same seed, same bytes.")]
FaultFlag = Annotated[
    list[str] | None,
    typer.Option("--fault", metavar="NAME", help="Make this mistake once. Repeatable."),
]
PlantedFlag = Annotated[
    str | None, typer.Option("--planted", metavar="PATH", help="Write what an audit must find.")
]
EventsFlag = Annotated[
    str | None,
    typer.Option("--output", metavar="PATH|-", help="A .jsonl, .jsonl.gz or .avro file."),
]
KafkaFlag = Annotated[
    str | None, typer.Option("--kafka", metavar="H:P", help="Send the events to a topic instead.")
]
TopicFlag = Annotated[
    str | None,
    typer.Option("--topic", metavar="T", help="Which topic; table-events unless told."),
]
SpeedFlag = Annotated[
    str | None, typer.Option("--speed", metavar="X", help="1: real time; else as fast as it goes.")
]
CreateFlag = Annotated[
    bool, typer.Option("--create-topics", help="Make the topic if it is missing.")
]


def command(
    context: typer.Context,
    games: GamesArgument = None,
    tables: TablesFlag = "1",
    rounds: RoundsFlag = "50",
    seed: SeedFlag = "1",
    fault: FaultFlag = None,
    planted: PlantedFlag = None,
    output: EventsFlag = None,
    kafka: KafkaFlag = None,
    topic: TopicFlag = None,
    speed: SpeedFlag = None,
    create_topics: CreateFlag = False,
    config: ConfigFlag = None,
) -> int:
    """Simulate the evening of a casino floor, clean or with named mistakes.

    Exit status: 0 done, 2 could not.
    """
    tables_count = whole_number("--tables", tables, at_least=1, at_most=TABLES_MAX)
    rounds_count = whole_number("--rounds", rounds, at_least=1, at_most=ROUNDS_MAX)
    seed_number = whole_number("--seed", seed, at_least=0, at_most=SEED_MAX)
    if (output is None) == (kafka is None):
        raise BadArgumentError(
            "one of --output and --kafka: where to write the events",
            next_step="name a .jsonl, .jsonl.gz or .avro file, - for standard output, or HOST:PORT",
        )
    pace = _pace(speed)
    check_writable(output)
    if planted == STANDARD == output:
        raise BadArgumentError(
            "--planted - and --output -: both cannot be standard output",
            next_step="name a file for one of them",
        )
    check_writable(planted)
    from services.simulate.service import FloorPlan, games_available

    plan = FloorPlan(
        games=tuple(dict.fromkeys(games or games_available())),
        tables=tables_count,
        rounds=rounds_count,
        seed=seed_number,
        faults=tuple(fault or ()),
    )
    if output is not None:
        rows = _to_file(plan, output)
    else:
        rows = _to_kafka(plan, kafka, topic, pace, create_topics, config or context.obj["config"])
    if planted is not None:
        from services.simulate.writing import expected_json

        write_result([expected_json(rows)], planted)
    return 0


def _to_file(plan: FloorPlan, output: str) -> list[FindingRow]:
    from services.simulate.writing import form_of, write_floor

    form = form_of(output)
    with writing(output) as file, Progress() as progress:
        shown = output != STANDARD or not sys.stdout.isatty()  # else it would be among the events
        return write_floor(plan, file, form, progress.dealing if shown else None)


def _to_kafka(
    plan: FloorPlan,
    servers: str | None,
    topic: str | None,
    pace: float | None,
    create_topics: bool,
    config: str | None,
) -> list[FindingRow]:
    from services.live.kafka_settings import kafka_settings
    from services.live.produce import play_floor
    from services.settings import load_settings

    settings = load_settings(config)
    reached = kafka_settings(servers, settings.kafka)
    topic = topic or settings.topic
    with Progress() as progress:
        count, rows = play_floor(
            *(plan, reached, topic),
            speed=pace,
            create_topic=create_topics,
            tell=progress.dealing,
        )
    remark(f"{count:,} events sent to {topic}")
    return rows


def _pace(speed: str | None) -> float | None:
    if speed is None:
        return None
    try:
        pace = float(speed)
    except ValueError:
        pace = 0.0
    if not 0 < pace < float("inf"):
        raise BadArgumentError(
            f"--speed {speed}: is not a number above 0",
            next_step="1 is real time, 60 an hour a minute",
        )
    return pace
