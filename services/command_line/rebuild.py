"""`pitproof rebuild`: make a history again, of sealed days, event files or the topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from services.command_line.output import check_writable, remark, write_result
from services.command_line.parameters import (
    DEFAULT_FORMAT,
    ConfigFlag,
    DbFlag,
    Format,
    FormatFlag,
    OutputFlag,
    format_of,
    history_of,
    pairs_of,
)
from services.command_line.serve import RegistryFlag, ServersFlag, TopicFlag
from services.errors import BadArgumentError

if TYPE_CHECKING:
    from pathlib import Path

    from services.command_line.progress import Progress
    from services.rebuild import Rebuilt
    from services.settings import Settings

FromFilesFlag = Annotated[
    bool, typer.Option("--from-files", help="Of event files, named behind it.")
]
FromSealedFlag = Annotated[
    str | None,
    typer.Option(
        "--from-sealed", metavar="DIR", help="Of sealed days, with all that was known when."
    ),
]
FromTopicFlag = Annotated[bool, typer.Option("--from-topic", help="Of the topic, to its end now.")]
FilesArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="[FILE]...", help="With --from-files: .jsonl, .jsonl.gz or .avro."),
]


def command(
    context: typer.Context,
    files: FilesArgument = None,
    db: DbFlag = None,
    from_files: FromFilesFlag = False,
    from_sealed: FromSealedFlag = None,
    from_topic: FromTopicFlag = False,
    servers: ServersFlag = None,
    topic: TopicFlag = None,
    registry: RegistryFlag = None,
    reading: Annotated[
        list[str] | None,
        typer.Option(
            "--reading", metavar="ID=VALUE", help="Settle by another reading of a rule. Repeatable."
        ),
    ] = None,
    format: FormatFlag = DEFAULT_FORMAT,
    output: OutputFlag = None,
    config: ConfigFlag = None,
) -> int:
    """Make a new history at --db, never over one that is there.

    Nothing is left behind when it is broken off. Exit status: 0 made, 2 could not.
    """
    chosen = format_of(format)
    _check_one_way(files or (), from_files, from_sealed is not None, from_topic)
    readings = pairs_of("--reading", reading)
    check_writable(output)
    import json
    from dataclasses import asdict, replace
    from pathlib import Path

    from services.settings import load_settings

    settings = load_settings(config or context.obj["config"])
    settings = replace(settings, readings={**settings.readings, **readings})
    path = Path(history_of(db, settings))
    from services.command_line.progress import Progress

    with Progress("rebuilding") as progress:
        if from_topic:
            made = _from_topic(path, settings, progress, servers, topic, registry)
        else:
            from services import rebuild

            if from_sealed is not None:
                made = rebuild.from_sealed(path, Path(from_sealed), settings, progress)
            else:
                made = rebuild.from_files(path, files or (), settings, progress)
    values = asdict(made)
    if chosen is Format.JSON:
        write_result([json.dumps({"version": 1, **values}).encode() + b"\n"], output)
    elif chosen is Format.CSV:
        row = ",".join(map(str, values.values()))
        write_result([f"{','.join(values)}\n{row}\n".encode()], output)
    else:
        from services.command_line.people import write_text

        write_text(_told(made, path), output)
    return 0


def _check_one_way(files: Sequence[str], *ways: bool) -> None:
    """Refuse anything but one thing that it is made of.

    Raises:
        BadArgumentError: several ways or none, or files without their flag.
    """
    if sum(ways) != 1:
        raise BadArgumentError(
            "say of what it is made: one of --from-files FILE..., --from-sealed DIR, --from-topic"
        )
    if ways[0] != bool(files):
        raise BadArgumentError(
            "--from-files: no file is named" if ways[0] else f"{files[0]}: of what is this?",
            next_step="event files are named behind --from-files",
        )


def _from_topic(
    path: Path,
    settings: Settings,
    progress: Progress,
    servers: str | None,
    topic: str | None,
    registry: str | None,
) -> Rebuilt:
    import os

    from services.live.kafka_settings import kafka_settings
    from services.live.reread import TopicAsked
    from services.rebuild import from_topic

    asked = TopicAsked(
        kafka_settings(servers, settings.kafka),
        topic or settings.topic,
        registry or settings.registry_url,
        os.environ.get("PITPROOF_REGISTRY_SECRET", ""),
        settings.batch_bytes_max,
        settings.record_bytes_max,
    )

    def say(_: str, fields: Mapping[str, Any]) -> None:
        remark(f"pitproof: {fields['message']}")

    return from_topic(path, asked, settings, progress, say)


def _told(made: Rebuilt, path: Path) -> str:
    from services.report.words import count
    from services.shown import shown

    lines = [
        f"{shown(str(path))} is made",
        f"  {count(made.events, 'event'):>20}   digest {made.events_digest}",
        f"  {count(made.findings, 'finding'):>20}   digest {made.findings_digest}",
        *([f"  {count(made.dead_letters, 'dead letter'):>20}"] if made.dead_letters else []),
    ]
    return "\n".join(lines) + "\n"
