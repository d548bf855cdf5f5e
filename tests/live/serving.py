"""What the live tests share: floors into topics, `serve` as a process, what came out."""

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

from kafka import KafkaConsumer, KafkaProducer, TopicPartition

from services.api.address import read_address
from services.command_line.main import main
from services.encode import json_line, single_object
from services.live.finding_records import CONTENT
from services.live.kafka_settings import KafkaSettings
from services.live.reconciler import folded
from services.simulate.service import FloorPlan, simulate_floor

COMMAND = Path(sys.executable).parent / "pitproof"
PATIENCE_SECONDS = 180  # on a machine that does much else
SAID_LINES_MAX = 60

Row = Mapping[str, Any]


def evening(rounds: int = 12, seed: int = 3, **more: Any) -> list[dict[str, Any]]:
    """One table of each game, with mistakes."""
    faults = ("pays-wrong-row", "late-bet", "duplicate-card")
    plan = FloorPlan(tables=1, rounds=rounds, seed=seed, faults=faults, **more)
    return [dict(event) for event in simulate_floor(plan).events()]


def send(
    servers: str, topic: str, rows: Iterable[Row], *, partition: int | None = None, **settings: Any
) -> None:
    """Rows as tables send them."""
    values = ((str(row["table_id"]).encode(), single_object(row)) for row in rows)
    send_raw(servers, topic, values, partition=partition, **settings)


def send_raw(
    servers: str,
    topic: str,
    records: Iterable[tuple[bytes | None, bytes | None]],
    *,
    partition: int | None = None,
    headers: Sequence[tuple[str, bytes]] = (),
    **settings: Any,
) -> None:
    settings = {"max_request_size": 8 << 20, "linger_ms": 5, **settings}
    with KafkaProducer(bootstrap_servers=servers, **settings) as producer:
        sent = [
            producer.send(topic, key=key, value=value, partition=partition, headers=list(headers))
            for key, value in records
        ]
        for future in sent:
            future.get(timeout=PATIENCE_SECONDS)


def read_all(servers: str, topic: str) -> list[Any]:
    """Every record of a topic."""
    found: list[Any] = []
    with KafkaConsumer(
        bootstrap_servers=servers, enable_auto_commit=False, isolation_level="read_committed"
    ) as consumer:
        tps = [TopicPartition(topic, one) for one in consumer.partitions_for_topic(topic)]
        consumer.assign(tps)
        consumer.seek_to_beginning(*tps)
        ends = consumer.end_offsets(tps)
        until = time.monotonic() + PATIENCE_SECONDS
        while any(consumer.position(tp) < end for tp, end in ends.items()):
            assert time.monotonic() < until
            for records in consumer.poll(timeout_ms=200).values():
                found += records
    return found


@dataclass
class Stage:
    """Topics of a test, and a group of its own."""

    servers: str
    folder: Path
    topic: str
    findings: str
    dead: str
    environment: dict[str, str] = field(default_factory=dict)

    def flags(self, db: str = "history.duckdb", group: str = "") -> list[str]:
        return [
            *("--db", str(self.folder / db), "--bootstrap-servers", self.servers),
            *("--topic", self.topic, "--findings-topic", self.findings, "--dead-topic", self.dead),
            *("--group", group or self.topic, "--session-timeout-ms", "6000"),
        ]

    def to_end(
        self, *flags: str, db: str = "history.duckdb", group: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Serve up to the end of the topic."""
        return pitproof(
            "serve", *self.flags(db, group), "--until-end", *flags, environment=self.environment
        )

    @contextlib.contextmanager
    def serving(
        self, *flags: str, db: str = "history.duckdb", group: str = "", **environment: str
    ) -> Iterator[subprocess.Popen[str]]:
        """Serve until the test is done with it."""
        with open(self.folder / f"{db}.log", "a", encoding="utf-8") as log:
            process = subprocess.Popen(
                [str(COMMAND), "serve", *self.flags(db, group), *flags],
                env={**os.environ, **self.environment, **environment},
                stdout=subprocess.DEVNULL,
                stderr=log,
                text=True,
            )
            try:
                yield process
            except Exception as error:
                error.add_note(self.aftermath(process, db))
                raise
            finally:
                if process.poll() is None:
                    process.send_signal(signal.SIGCONT)
                    process.kill()
                process.wait()

    def aftermath(self, process: subprocess.Popen[str], db: str = "history.duckdb") -> str:
        """What a failed test shows of a service: its state, what it answers, what it said."""
        parts = [f"serve {db}: status {process.poll()}"]
        address = read_address(self.folder / db)
        for path in ("readyz", "metrics") if address is not None else ():
            assert address is not None
            try:
                with urllib.request.urlopen(f"{address.url}/{path}", timeout=5) as answer:  # noqa: S310 (our own process)
                    parts.append(answer.read().decode())
            except OSError as error:
                parts.append(f"/{path}: {error}")
                if isinstance(error, urllib.error.HTTPError):
                    parts.append(error.read().decode())
        log = (self.folder / f"{db}.log").read_text(encoding="utf-8").splitlines()
        return "\n".join([*parts, *log[-SAID_LINES_MAX:]])

    def log(self, db: str = "history.duckdb") -> list[dict[str, Any]]:
        """What a service said, line by line."""
        text = (self.folder / f"{db}.log").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines() if line.startswith("{")]

    def said(self, event: str, db: str = "history.duckdb", **fields: Any) -> dict[str, Any] | None:
        """The first line of that kind, if there is one yet."""
        return next(
            (
                line
                for line in self.log(db)
                if line["event"] == event and fields.items() <= line.items()
            ),
            None,
        )

    def committed(self, partition: int) -> int | None:
        """How far Kafka says that the group has read."""
        with KafkaConsumer(
            bootstrap_servers=self.servers, group_id=self.topic, enable_auto_commit=False
        ) as consumer:
            offset: int | None = consumer.committed(TopicPartition(self.topic, partition))
            return offset

    def verified(self, db: str = "history.duckdb") -> dict[str, Any]:
        return digests(self.folder / db)

    def current(self) -> dict[str, dict[str, Any]]:
        """The findings that the topic says there are."""
        published = folded(KafkaSettings(tuple(self.servers.split(","))), self.findings)
        return {
            finding_id: {name: values[name] for name in CONTENT}
            for finding_id, values in published.items()
            if values["change"] != "WITHDRAWN"
        }

    def held(self, db: str = "history.duckdb") -> dict[str, dict[str, Any]]:
        """The findings that the history has."""
        shown = pitproof("findings", "--db", self.folder / db, "--format", "json")
        found = json.loads(shown.stdout)["findings"]
        return {row["finding_id"]: {name: row[name] for name in CONTENT} for row in found}

    def audited(self, rows: Iterable[Row]) -> dict[str, Any]:
        """What `pitproof audit` makes of the same events."""
        file, db = self.folder / "events.jsonl", self.folder / "audited.duckdb"
        file.write_bytes(b"".join(map(json_line, rows)))
        audited = pitproof("audit", file, "--db", db, "--format", "json")
        assert audited.returncode in (0, 1), audited.stderr
        return digests(db)


def pitproof(
    *arguments: object, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Call the command within this process: a process of its own takes seconds to start."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    called = [str(argument) for argument in arguments]
    with (
        mock.patch.dict(os.environ, environment or {}),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        breaker = threading.Timer(PATIENCE_SECONDS, signal.raise_signal, [signal.SIGTERM])
        breaker.start()
        try:
            status = main(called)
        finally:
            breaker.cancel()
            breaker.join()
        out.flush()
    printed = out.buffer.getvalue().decode()
    return subprocess.CompletedProcess(called, status, printed, err.getvalue())


def digests(db: Path) -> dict[str, Any]:
    """Counts and digests of a history that is whole."""
    shown = pitproof("verify", "--db", db, "--format", "json")
    assert shown.returncode == 0, shown.stdout + shown.stderr
    verified = json.loads(shown.stdout)
    names = ("events", "events_digest", "findings", "findings_digest")
    return {name: verified[name] for name in names}


def wait_until(true: Any, what: str, seconds: float = PATIENCE_SECONDS) -> None:
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until, f"not within {seconds} s: {what}"
        time.sleep(0.1)
