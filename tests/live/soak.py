"""`make soak-live`: a floor at 1,000 events a second with every fault, while things break.

`python -m tests.live.soak [MINUTES] [EVENTS A SECOND]`, 60 and 1,000 unless told. The service is
killed, is stopped for ten seconds, and its receiver of alerts is down for a while. At the end:

- what was planted is what is found, and the topic of findings says the same;
- the history holds every event, and verifies;
- of each cause one alert is open, each reached the receiver, and none twice by id and count;
- memory is flat: from the second quarter of the time to the last it grows by a tenth at most.

Ends with 1 and what is wrong.
"""

from __future__ import annotations

import contextlib
import json
import math
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Final

from kafka import KafkaProducer

from services.alerts.delivery import LOOK_SECONDS
from services.encode import single_object
from services.history.store import History
from services.simulate.service import FloorPlan, SimulatedFloor, faults_for, simulate_floor
from services.simulate.writing import expected_rows
from tests.bench.bench_serve import resident_mib
from tests.live.conftest import broker, topics_of
from tests.live.monitoring import Receiver, receiving
from tests.live.serving import Stage, pitproof, wait_until
from tests.live.test_api import answering, metric
from tests.property.floors import PLACE
from tests.services.alerts import plain

MINUTES: Final = 60
RATE: Final = 1_000
TABLES: Final = 12  # of each game
EVENTS_A_ROUND: Final = 56  # about; the floor is as long as its rounds make it
FAULTS_SECONDS: Final = 100  # every fault once in so many
PATIENCE_SECONDS: Final = 300

GROWTH_MAX: Final = 1.10
FLAT_MINUTES_MIN: Final = 20
"""What fills once (DuckDB's buffers, the index of tables) has filled by then."""

KILLED, PAUSED, DOWN, UP = 0.10, 0.15, 0.20, 0.24
"""When what breaks, as shares of the time; before the memory is looked at."""

PAUSE_SECONDS: Final = 10.0

DB: Final = "history.duckdb"
SIZES: Final = struct.Struct(">II")  # of a recorded key and its value


@dataclass
class Soak:
    """What is going on."""

    on: Stage
    receiver: Receiver
    seconds: float
    rate: float
    memory: list[float] = field(default_factory=list)
    """Resident MiB of the service, second by second."""
    late_seconds: float = 0.0
    """How far the producer fell behind its pace, at most."""


def main(minutes: float, rate: float) -> int:
    with (
        tempfile.TemporaryDirectory(prefix="pitproof-soak-live-") as folder,
        broker() as at,
        topics_of(at.bootstrap_servers) as topic,
        receiving() as receiver,
    ):
        on = Stage(at.bootstrap_servers, Path(folder), topic(6), topic(2), topic(1))
        on.environment = {
            "PITPROOF_WEBHOOKS": f"soak=http://127.0.0.1:{receiver.port}/soak",
            "PITPROOF_WEBHOOK_SECRET": "for this soak only",
        }
        soak = Soak(on, receiver, minutes * 60, rate)
        floor = floor_of(soak)
        events = recorded(floor, on.folder / "events")
        say(f"{events:,} different events recorded")
        play(soak, on.folder / "events", events)
        wrong = list(judge(soak, floor, events))
    for line in wrong:
        say(f"WRONG: {line}")
    say("soak-live: " + ("failed" if wrong else "nothing wrong"))
    return 1 if wrong else 0


def floor_of(soak: Soak) -> SimulatedFloor:
    rounds = math.ceil(soak.seconds * soak.rate / EVENTS_A_ROUND / TABLES / 3)
    times = max(1, round(soak.seconds / FAULTS_SECONDS))
    games = FloorPlan().games
    plan = FloorPlan(games, TABLES, rounds, seed=11, faults=faults_for(games) * times)
    say(f"{3 * TABLES} tables, {rounds:,} rounds each, {len(plan.faults):,} mistakes")
    return simulate_floor(plan)


def recorded(floor: SimulatedFloor, path: Path) -> int:
    """Write what the tables will send, so that sending costs little; how many different events."""
    different: set[int] = set()  # some are sent twice, which is a fault to be found as well
    with path.open("wb") as file:
        for row in floor.events():
            key, value = str(row["table_id"]).encode(), single_object(row)
            different.add(hash(value))
            file.write(SIZES.pack(len(key), len(value)) + key + value)
    return len(different)


def records(path: Path) -> Iterator[tuple[bytes, bytes]]:
    """Keys and values, in order."""
    with path.open("rb") as file:
        while head := file.read(SIZES.size):
            key_size, value_size = SIZES.unpack(head)
            yield file.read(key_size), file.read(value_size)


def play(soak: Soak, path: Path, different: int) -> None:
    """Send what was recorded at its pace, and break things."""
    on, count = soak.on, 0
    with contextlib.ExitStack() as stack:
        services = [stack.enter_context(on.serving())]
        breaks = breaking(soak, services, lambda: stack.enter_context(on.serving()))
        producer = stack.enter_context(KafkaProducer(bootstrap_servers=on.servers, linger_ms=5))
        began = time.monotonic()
        for count, (key, value) in enumerate(records(path), 1):
            if count % 10 == 0:
                ahead = began + count / soak.rate - time.monotonic()
                soak.late_seconds = max(soak.late_seconds, -ahead)
                time.sleep(max(0.0, ahead))
            producer.send(on.topic, key=key, value=value)
            if count % soak.rate == 0:
                share = (time.monotonic() - began) / soak.seconds
                while breaks and share >= breaks[0][0]:
                    breaks.popleft()[1]()
                soak.memory.append(resident_mib(services[-1].pid))
            if count % (60 * soak.rate) == 0:
                say(f"{count:,} events, {soak.memory[-1]:.0f} MiB")
        producer.flush()
        took = time.monotonic() - began
        say(f"{count:,} events in {took:.0f} s, {count / took:,.0f} a second")
        say(f"the producer was {soak.late_seconds:.1f} s behind its pace at most")
        assert not breaks, "too short for all that breaks"
        address = answering(on.folder / DB)
        done = {"pitproof_history_events ": different, "pitproof_outbox_records": 0}
        done |= {"pitproof_partition_lag_records": 0, "pitproof_alerts_waiting": 0}
        wait_until(
            lambda: all(metric(address, name) == value for name, value in done.items()),
            f"all is settled, published and told: {done}",
            PATIENCE_SECONDS,
        )
        time.sleep(3 * LOOK_SECONDS)  # alerts are looked for once more
        services[-1].send_signal(signal.SIGTERM)
        services[-1].wait(PATIENCE_SECONDS)


def breaking(
    soak: Soak,
    services: list[subprocess.Popen[str]],
    serve: Callable[[], subprocess.Popen[str]],
) -> deque[tuple[float, Callable[[], None]]]:
    """What breaks, and when, as shares of the time."""

    def kill() -> None:
        say("the service is killed, and started again")
        services[-1].kill()
        services[-1].wait()
        services.append(serve())

    def pause() -> None:
        say(f"the service stands still for {PAUSE_SECONDS:.0f} s")
        services[-1].send_signal(signal.SIGSTOP)

    def go_on() -> None:
        services[-1].send_signal(signal.SIGCONT)

    def down() -> None:
        say("the receiver of alerts is down")
        soak.receiver.is_down = True

    def up() -> None:
        say("the receiver of alerts is back")
        soak.receiver.is_down = False

    return deque(
        [
            (KILLED, kill),
            (PAUSED, pause),
            (PAUSED + PAUSE_SECONDS / soak.seconds, go_on),
            (DOWN, down),
            (UP, up),
        ]
    )


def judge(soak: Soak, floor: SimulatedFloor, events: int) -> Iterator[str]:
    """What is not as it should be."""
    on = soak.on
    shown = json.loads(pitproof("findings", "--db", on.folder / DB, "--format", "json").stdout)
    planted = Counter(tuple(row[name] for name in PLACE) for row in expected_rows(floor))
    found = Counter(
        tuple(row[name] for name in PLACE) for row in shown["findings"] if row["severity"] != "info"
    )
    say(f"{planted.total():,} findings planted, {found.total():,} found")
    yield from (f"planted, not found: {row}" for row in (planted - found).elements())
    yield from (f"found, not planted: {row}" for row in (found - planted).elements())
    verified = on.verified()
    if verified["events"] != events:
        yield f"{events:,} events sent, {verified['events']:,} held"
    if on.current() != on.held():
        yield "the topic of findings says otherwise than the history"
    yield from told_wrong(soak)
    yield from grown(soak)


def told_wrong(soak: Soak) -> Iterator[str]:
    """Alerts against a plain grouping of the findings, and against what the receiver was told."""
    with History.open(soak.on.folder / DB, create=False) as history:
        if plain.open_alerts(history) != plain.held(history):
            yield "alerts are not those of the findings"
    shown = pitproof("alerts", "--all", "--db", soak.on.folder / DB, "--format", "json").stdout
    alerts = {one["id"]: one for one in json.loads(shown)["alerts"]}
    told: dict[str, dict[str, Any]] = {}
    times: Counter[tuple[str, ...]] = Counter()
    for notice in soak.receiver.notices:
        one = notice.said
        told[one["id"]] = one
        times[one["id"], str(one["count"]), one["status"], one["severity"]] += 1
    opened = [one for one in alerts.values() if one["status"] == "open"]
    say(f"{len(opened):,} alerts open, {len(told):,} told in {times.total():,} messages")
    yield from (f"alert {name} was never told" for one in opened if (name := one["id"]) not in told)
    for name, last in told.items():
        now = alerts[name]
        if (last["status"], last["count"]) != (now["status"], now["count"]):
            yield f"alert {name} was last told as {last['status']} with {last['count']}"
    yield from (f"told {number} times: {key}" for key, number in times.items() if number > 1)


def grown(soak: Soak) -> Iterator[str]:
    quarter = len(soak.memory) // 4
    early, late = median(soak.memory[quarter : 2 * quarter]), median(soak.memory[-quarter:])
    say(f"memory of the service: {early:.0f} MiB in the second quarter, {late:.0f} in the last")
    if soak.seconds < 60 * FLAT_MINUTES_MIN:
        say(f"too short to say whether it is flat: that takes {FLAT_MINUTES_MIN} minutes")
    elif late > GROWTH_MAX * early:
        yield f"memory grew from {early:.0f} to {late:.0f} MiB"


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    words = [float(word) for word in sys.argv[1:3]]
    sys.exit(main(*words, *(float(one) for one in (MINUTES, RATE)[len(words) :])))
