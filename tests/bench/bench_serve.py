"""From the topic to the committed finding, against a broker made for it.

    python -m tests.bench.bench_serve [EVENTS] [SECONDS] [OLD_EVENTS]

Throughput: `serve --until-end` over a topic of `EVENTS`, less what the same call takes over an
empty topic, beside what cannot be left out, each by itself in this same run: records consumed,
decoded by fastavro to dicts without logical types, and columns inserted into DuckDB.

Delay: for `SECONDS`, 1,000 events a second are produced; of each finding of a round that ended, the
time from the production of its `RoundClosed` until the finding was read from its topic.

Start: `serve` on a history of `OLD_EVENTS`, from the call until it says that it is ready.
"""

import contextlib
import io
import os
import shutil
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import fastavro
import msgspec
from kafka import KafkaConsumer, KafkaProducer, TopicPartition

from services import schemas
from services.broker.broker import Broker
from services.broker.config import BrokerConfig
from services.encode import single_object
from services.history.head import head_path
from services.live.finding_records import decoded
from services.simulate.service import FloorPlan, simulate_floor
from tests.bench._floors import copies, json_file, simulated
from tests.bench.bench_audit import columns_of, insert
from tests.bench.big_history import big_history
from tests.live.conftest import topics_of
from tests.live.serving import Stage, wait_until
from tests.live.test_api import answering, get

EVENT_COUNT: Final = 300_000
RATE_SECONDS: Final = 60
OLD_EVENT_COUNT: Final = 1_000_000
RATE: Final = 1_000  # events a second
PARTITIONS: Final = 6
MISTAKES: Final = ("pays-wrong-row", "takes-a-winner", "pays-a-loser")  # four a second
HEADER_BYTES: Final = 10  # of single-object encoding: the mark and the fingerprint

Rows = Sequence[tuple[str, bytes]]


def main(event_count: int, seconds: int, old_event_count: int) -> None:
    """Measure and print."""
    print(f"{os.cpu_count()} cores, load before {os.getloadavg()[0]:.1f}")
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-serve-")))
        broker = stack.enter_context(Broker(1, BrokerConfig()))
        topic = stack.enter_context(topics_of(broker.bootstrap_servers))

        def stage(name: str) -> Stage:
            (folder / name).mkdir()
            names = topic(PARTITIONS), topic(1), topic(1)
            return Stage(broker.bootstrap_servers, folder / name, *names)

        throughput(stage("empty"), stage("full"), event_count)
        delay(stage("rate"), seconds)
        start(stage("old"), old_event_count)


# --- throughput ---


def throughput(empty: Stage, full: Stage, event_count: int) -> None:
    rows = [
        (row["table_id"], single_object(row))
        for text in copies(simulated(), event_count)
        for row in map(msgspec.json.decode, text.splitlines())
    ]
    with KafkaProducer(bootstrap_servers=full.servers, linger_ms=20) as producer:
        for table_id, value in rows:
            producer.send(full.topic, key=table_id.encode(), value=value)
        producer.flush()
    nothing = run_to_end(empty)
    took = run_to_end(full) - nothing
    parts = {
        "consumed": consume(full.servers, full.topic, event_count),
        "decoded": decode([value for _, value in rows]),
        "inserted": insert(columns_of(json_file(event_count))).clock,
    }
    print(f"\n{event_count:,} events from {PARTITIONS} partitions to committed findings")
    for what, clock in parts.items():
        print(f"{what:28} {event_count / clock:10,.0f} a second")
    series = sum(parts.values())
    print(f"{'all three in series':28} {event_count / series:10,.0f} a second")
    print(f"{'serve --until-end':28} {event_count / took:10,.0f} a second ({nothing:.1f} s less)")
    print(f"{'of what is possible':28} {series / took:10.0%}")


def run_to_end(on: Stage) -> float:
    began = time.perf_counter()
    with on.serving("--until-end") as process:
        assert process.wait() in (0, 1), on.log()
    return time.perf_counter() - began


def consume(servers: str, topic: str, count: int) -> float:
    with KafkaConsumer(bootstrap_servers=servers, max_poll_records=5_000) as consumer:
        tps = [TopicPartition(topic, one) for one in range(PARTITIONS)]
        consumer.assign(tps)
        consumer.seek_to_beginning(*tps)
        began = time.perf_counter()
        while count > 0:
            count -= sum(map(len, consumer.poll(timeout_ms=500).values()))
        return time.perf_counter() - began


def decode(values: Sequence[bytes]) -> float:
    plain: dict[bytes, Any] = {}
    for name in schemas.RECORD_NAMES:
        schema = schemas.without_annotations(schemas.record_schema(name))
        plain[schemas.fingerprint(name)] = fastavro.parse_schema(schema)
    began = time.perf_counter()
    for value in values:
        payload = io.BytesIO(value[HEADER_BYTES:])
        fastavro.schemaless_reader(payload, plain[value[2:HEADER_BYTES]], None)
    return time.perf_counter() - began


# --- delay ---


def delay(on: Stage, seconds: int) -> None:
    """At a steady rate: delays, and memory at the beginning and at the end."""
    rounds = RATE * seconds // 500  # twelve tables: some 600 events a round of each
    plan = FloorPlan(tables=4, rounds=rounds, seed=6, faults=MISTAKES * (seconds * 4 // 3))
    rows = [dict(row) for row in simulate_floor(plan).events()]
    closed: dict[tuple[str, str], float] = {}
    heard: dict[str, tuple[tuple[str, str], float]] = {}

    def note(row: dict[str, Any], now: float) -> None:
        if row["type"] == "RoundClosed":
            closed[(row["table_id"], row["round_id"])] = now

    with on.serving() as process:
        address = answering(on.folder / "history.duckdb")
        wait_until(lambda: get(address, "/readyz")[0] == 200, "ready")
        with listening(on, heard):
            memory = produce(on, rows[: RATE * seconds], note, process.pid)
            time.sleep(3)
    delays = sorted(at - closed[key] for key, at in heard.values() if key in closed)
    print(f"\n{len(closed):,} rounds ended in {seconds} s at {RATE:,} events a second")
    if delays:
        p50, p99 = (delays[int(len(delays) * share)] for share in (0.5, 0.99))
        print(
            f"RoundClosed produced to its finding read from the topic: {len(delays)} findings, "
            f"median {p50 * 1e3:.0f} ms, p99 {p99 * 1e3:.0f} ms, most {delays[-1] * 1e3:.0f} ms"
        )
    third = max(1, len(memory) // 3)
    shares = [sum(part) / len(part) for part in (memory[third : 2 * third], memory[-third:])]
    print(f"memory of serve: {shares[0]:.0f} MiB in the second third, {shares[1]:.0f} in the last")


@contextlib.contextmanager
def listening(on: Stage, heard: dict[str, tuple[tuple[str, str], float]]) -> Iterator[None]:
    """Note when each finding is first read from its topic."""
    is_over = threading.Event()

    def listen() -> None:
        with KafkaConsumer(
            on.findings, bootstrap_servers=on.servers, auto_offset_reset="earliest"
        ) as consumer:
            while not is_over.is_set():
                for records in consumer.poll(timeout_ms=50).values():
                    now = time.time()
                    for record in records:
                        values = decoded(record.value)
                        key = (values["table_id"], values["round_id"])
                        heard.setdefault(values["finding_id"], (key, now))

    thread = threading.Thread(target=listen)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def produce(
    on: Stage,
    rows: Sequence[dict[str, Any]],
    note: Callable[[dict[str, Any], float], None],
    pid: int,
) -> list[float]:
    """Produce at the rate, noting when each was; the service's resident MiB, second by second."""
    memory: list[float] = []
    began = time.time()
    with KafkaProducer(bootstrap_servers=on.servers, linger_ms=0) as producer:
        for number, row in enumerate(rows):
            if number % 10 == 0:
                time.sleep(max(0.0, began + number / RATE - time.time()))
            producer.send(on.topic, key=row["table_id"].encode(), value=single_object(row))
            note(row, time.time())
            if number % RATE == 0:
                memory.append(resident_mib(pid))
    print(f"\nproduced in {time.time() - began:.1f} s")
    return memory


def resident_mib(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    fields = dict(line.split(":", 1) for line in status.splitlines())
    return int(fields["VmRSS"].split()[0]) / 1024


# --- start ---


def start(on: Stage, event_count: int) -> None:
    cached = Path(tempfile.gettempdir()) / "pitproof-bench" / f"history-{event_count}.duckdb"
    held = big_history(cached, event_count)
    own = on.folder / "history.duckdb"  # so that nothing a service leaves behind lies beside others
    shutil.copyfile(cached, own)
    shutil.copyfile(head_path(cached), head_path(own))
    took: dict[str, float] = defaultdict(float)
    began = time.perf_counter()
    with on.serving():
        address = answering(own)
        took["answers"] = time.perf_counter() - began
        wait_until(lambda: get(address, "/readyz")[0] == 200, "ready")
        took["is ready"] = time.perf_counter() - began
    print(f"\nstart with {held:,} events in the history")
    for what, clock in took.items():
        print(f"{what:28} {clock:10.1f} s after the call")


if __name__ == "__main__":
    given = [int(one) for one in sys.argv[1:4]]
    main(*given, *(EVENT_COUNT, RATE_SECONDS, OLD_EVENT_COUNT)[len(given) :])
