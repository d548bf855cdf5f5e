"""From a wrong settlement produced to its alert at a webhook, at a steady rate.

    python -m tests.bench.bench_alerts [SECONDS] [TABLES]

A broker is made, `serve` follows it, and 1,000 events a second are produced, of `TABLES` of each
game, with some four wrong settlements a second. For every message that the webhook gets, new alert
or grown, the time since the last wrong settlement that it tells of was produced, and since that
round's `RoundClosed`, before which nobody can say that it stays wrong.
"""

import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from services.broker.broker import Broker
from services.broker.config import BrokerConfig
from services.simulate.service import FloorPlan, simulate_floor
from tests.bench.bench_serve import MISTAKES, PARTITIONS, RATE, produce
from tests.live.conftest import topics_of
from tests.live.serving import Stage, wait_until
from tests.live.test_api import answering, get, metric
from tests.services.alerts.receiving import Receiving, receiving

SECONDS: Final = 60
TABLES: Final = 8  # of each game
EVENTS_OF_A_ROUND: Final = 40  # about
PATIENCE_SECONDS: Final = 5

PARTS: Final = {
    "produced_to_finding": "produced to committed, all records",
    "transaction_duration": "a transaction",
    "alert_delivery": "committed to a receiver's having it",
}
"""Histograms of the service."""

Round = tuple[str, str]


def main(seconds: int, tables: int) -> None:
    """Measure and print."""
    rows = floor(seconds, tables)
    print(f"{os.cpu_count()} cores, load before {os.getloadavg()[0]:.1f}")
    settled: dict[tuple[Round, str], float] = {}
    closed: dict[Round, float] = {}

    def note(row: dict[str, Any], now: float) -> None:
        place = (row["table_id"], row.get("round_id", ""))
        if row["type"] == "WagerSettled":
            settled[place, row["wager"]] = now
        elif row["type"] == "RoundClosed":
            closed[place] = now

    arrived: list[tuple[float, Any]] = []

    def answer(said: Any) -> int:
        arrived.append((time.time(), said))
        return 200

    with serving() as (on, at, process_id):
        at.answer = answer
        busy = core_seconds(process_id)
        produce(on, rows, note, process_id)
        time.sleep(PATIENCE_SECONDS)
        of_service, busy = means(on), core_seconds(process_id) - busy
    delays: dict[str, list[float]] = {"settlement": [], "round's end": []}
    for now, said in arrived:
        place = (said["table_id"], said["last_round"])
        if said["status"] == "open" and (place, said["wager"]) in settled and place in closed:
            delays["settlement"].append(now - settled[place, said["wager"]])
            delays["round's end"].append(now - closed[place])
    alerts = {said["id"] for _, said in arrived}
    print(f"{len(rows):,} events in {seconds} s, {len(closed):,} rounds ended")
    print(f"serve worked {busy / len(rows) * RATE:.2f} s of a core for {RATE:,} events")
    print(f"{len(arrived):,} messages about {len(alerts):,} alerts, {len(at.twice())} twice")
    for since, values in delays.items():
        show(since, sorted(values))
    for words, mean in of_service.items():
        print(f"{words + ':':40} mean {mean:.0f} ms")


def core_seconds(process_id: int) -> float:
    """How long a process has worked: tells how it stands where others use the machine as well."""
    text = Path(f"/proc/{process_id}/stat").read_text(encoding="ascii")
    user, system = text.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def means(on: Stage) -> dict[str, float]:
    """Of histograms of the service, the mean in milliseconds."""
    address = answering(on.folder / "history.duckdb")
    sums = {name: metric(address, f"pitproof_{name}_seconds_sum") for name in PARTS}
    counts = {name: metric(address, f"pitproof_{name}_seconds_count") for name in PARTS}
    return {words: sums[name] / max(1.0, counts[name]) * 1e3 for name, words in PARTS.items()}


def show(since: str, delays: Sequence[float]) -> None:
    p50, p99 = (delays[int(len(delays) * share)] for share in (0.5, 0.99))
    print(
        f"{since + ' produced, to the webhook:':40} {len(delays):,} messages, median "
        f"{p50 * 1e3:.0f} ms, p99 {p99 * 1e3:.0f} ms, most {delays[-1] * 1e3:.0f} ms"
    )


def floor(seconds: int, tables: int) -> list[dict[str, Any]]:
    """So many events, with mistakes all over."""
    rounds = max(2, RATE * seconds // (3 * tables * EVENTS_OF_A_ROUND))
    plan = FloorPlan(tables=tables, rounds=rounds, seed=6, faults=MISTAKES * (seconds * 4 // 3))
    return [dict(row) for row in simulate_floor(plan).events()][: RATE * seconds]


@contextlib.contextmanager
def serving() -> Iterator[tuple[Stage, Receiving, int]]:
    """A service that follows a topic and tells a webhook."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-alerts-")))
        broker = stack.enter_context(Broker(1, BrokerConfig()))
        topic = stack.enter_context(topics_of(broker.bootstrap_servers))
        at = stack.enter_context(receiving())
        on = Stage(broker.bootstrap_servers, folder, topic(PARTITIONS), topic(1), topic(1))
        secret = {"PITPROOF_WEBHOOKS": f"bench={at.url}", "PITPROOF_WEBHOOK_SECRET": "s3cret"}
        process = stack.enter_context(on.serving(**secret))
        address = answering(on.folder / "history.duckdb")
        wait_until(lambda: get(address, "/readyz")[0] == 200, "ready")
        yield on, at, process.pid


if __name__ == "__main__":
    given = [int(one) for one in sys.argv[1:3]]
    main(*given, *(SECONDS, TABLES)[len(given) :])
