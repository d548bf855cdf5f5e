"""`pitproof serve`: follow the topic, settle every round as it ends, publish the findings."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from services.command_line.parameters import ConfigFlag, DbFlag, history_of, whole_number

MS_MAX: Final = 3_600_000
PARTITION_MAX: Final = 1_000_000


ServersFlag = Annotated[
    str | None,
    typer.Option(
        "--bootstrap-servers", metavar="H:P,...", help="Kafka; else KAFKA_BOOTSTRAP_SERVERS."
    ),
]
TopicFlag = Annotated[
    str | None, typer.Option("--topic", metavar="T", help="Events; table-events unless told.")
]
GroupFlag = Annotated[
    str | None,
    typer.Option(
        "--group", metavar="G", help="Members of it share the partitions; pitproof unless told."
    ),
]
FindingsTopicFlag = Annotated[
    str | None,
    typer.Option(
        "--findings-topic", metavar="T", help="Where findings go; audit-findings unless told."
    ),
]
DeadTopicFlag = Annotated[
    str | None,
    typer.Option(
        "--dead-topic", metavar="T", help="Where dead letters go; table-events.dead unless told."
    ),
]
CreateFlag = Annotated[bool, typer.Option("--create-topics", help="Make topics that are missing.")]
ListenFlag = Annotated[
    str | None,
    typer.Option(
        "--listen",
        metavar="H:P",
        help="Where it answers; else 127.0.0.1:8642, or a free port where that is taken.",
    ),
]
UntilEndFlag = Annotated[bool, typer.Option("--until-end", help="Stop where the topic ends now.")]
SessionFlag = Annotated[
    str | None,
    typer.Option(
        "--session-timeout-ms", metavar="N", help="A member silent so long is out; else 45000."
    ),
]
PollFlag = Annotated[
    str | None,
    typer.Option("--max-poll-interval-ms", metavar="N", help="So is one that hangs; else 300000."),
]
RegistryFlag = Annotated[
    str | None, typer.Option("--schema-registry", metavar="URL", help="For Confluent's framing.")
]
SkipFlag = Annotated[
    list[str] | None,
    typer.Option(
        "--skip-lost", metavar="PARTITION", help="Give up what this partition lost. Repeatable."
    ),
]
ShowFlag = Annotated[bool, typer.Option("--show-findings", help="Say each finding as it comes.")]


def command(
    context: typer.Context,
    db: DbFlag = None,
    servers: ServersFlag = None,
    topic: TopicFlag = None,
    group: GroupFlag = None,
    findings_topic: FindingsTopicFlag = None,
    dead_topic: DeadTopicFlag = None,
    create_topics: CreateFlag = False,
    listen: ListenFlag = None,
    until_end: UntilEndFlag = False,
    session_timeout: SessionFlag = None,
    poll_interval: PollFlag = None,
    registry: RegistryFlag = None,
    skip_lost: SkipFlag = None,
    show_findings: ShowFlag = False,
    config: ConfigFlag = None,
) -> int:
    """Follow a Kafka topic of table events; keep them, settle the rounds, publish the findings.

    Exit status: 0 stopped by a signal, or nothing found until the end; 1 findings; 2 could not.
    """
    given_up = _partitions(skip_lost)
    import os
    import sys
    from dataclasses import replace
    from pathlib import Path

    _have_memory_come_from_the_c_library()
    from services.live.kafka_settings import kafka_settings
    from services.settings import load_settings

    settings = load_settings(config or context.obj["config"])
    if registry:  # what asks the service, `redrive` among it, means the same one
        settings = replace(settings, registry_url=registry)
    session_ms = _ms("--session-timeout-ms", session_timeout, settings.session_timeout_ms)
    poll_ms = _ms("--max-poll-interval-ms", poll_interval, settings.max_poll_interval_ms)
    path = Path(history_of(db, settings))
    from services.api.server import beside
    from services.live.running import run_service, teller
    from services.live.service import Plan

    plan = Plan(
        kafka_settings(servers, settings.kafka),
        topic=topic or settings.topic,
        group=group or settings.group,
        findings_topic=findings_topic or settings.findings_topic,
        dead_topic=dead_topic or settings.dead_topic,
        create_topics=create_topics,
        until_end=until_end,
        session_timeout_ms=session_ms,
        max_poll_interval_ms=poll_ms,
        registry_url=settings.registry_url,
        registry_secret=os.environ.get("PITPROOF_REGISTRY_SECRET", ""),
        skip_lost=given_up,
        show_findings=show_findings,
    ).bounded(settings)
    say = teller(as_json=not sys.stderr.isatty())
    return run_service(path, plan, settings, say, beside(settings, listen or settings.listen, say))


def _have_memory_come_from_the_c_library() -> None:
    """In usual pages, which can be given back: Arrow and NumPy take others. Before they are loaded.

    Arrow's own allocator kept more from hour to hour, most of it in pages of 2 MB; what comes after
    a large array of NumPy's would lie in such pages too.
    """
    import os

    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    os.environ.setdefault("NUMPY_MADVISE_HUGEPAGE", "0")


def _ms(flag: str, value: str | None, setting: int) -> int:
    return whole_number(flag, value or str(setting), at_least=1_000, at_most=MS_MAX)


def _partitions(given: list[str] | None) -> tuple[int, ...]:
    return tuple(
        whole_number("--skip-lost", one, at_least=0, at_most=PARTITION_MAX) for one in given or ()
    )
