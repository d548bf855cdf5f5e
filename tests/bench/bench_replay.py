"""Events settled again a second by `pitproof replay`, beside what their parts allow and the oracle.

    python -m tests.bench.bench_replay [EVENTS] [CORES]

The whole command on a history of a simulated floor, and on one of a tenth as many events: seconds
that passed, seconds that all cores worked, and the most memory that its processes had together,
pages that they share counted once. Beside it, in turn with it: the same columns merely scanned to
Arrow by DuckDB, on as many threads; and the oracle on a few of the same rounds, on one core.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, process_time, sleep
from typing import Final

from services.history.columns import PEOPLE, columns_but
from services.history.frozen import FrozenHistory
from services.history.sql.source import SqlSource
from services.processes import cores_available
from tests.bench._floors import simulated
from tests.bench.floor_history import floor_history
from tests.oracle.audit import audit_events

EVENT_COUNT: Final = 20_000_000
RUN_COUNT: Final = 3
ORACLE_ROUNDS: Final = 25
COMMAND: Final = Path(sys.executable).parent / "pitproof"
LOOK_SECONDS: Final = 0.05


class Cost:
    """Seconds of the clock, seconds that cores worked, and MiB at the most."""

    def __init__(self, clock: float, core: float, peak_mib: int = 0) -> None:
        self.clock, self.core, self.peak_mib = clock, core, peak_mib


def replayed(path: Path, cores: int) -> Cost:
    """The command, in a process of its own with those that it starts."""
    call = [str(COMMAND), "replay", "--db", str(path), "--cores", str(cores), "--format", "json"]
    clock = perf_counter()
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        looking = Looking(process.pid)
        looking.start()
        assert process.stdout is not None
        said = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        looking.stop()
    assert process.returncode == 0, said[:400]
    return Cost(perf_counter() - clock, used.ru_utime + used.ru_stime, looking.peak_kib >> 10)


class Looking(threading.Thread):
    """Looks now and then how much memory a process and its children have."""

    def __init__(self, process_id: int) -> None:
        super().__init__(daemon=True)
        self.peak_kib, self._process_id, self._is_over = 0, process_id, threading.Event()

    def run(self) -> None:
        while not self._is_over.is_set():
            self.peak_kib = max(self.peak_kib, sum(map(memory_kib, family(self._process_id))))
            sleep(LOOK_SECONDS)

    def stop(self) -> None:
        self._is_over.set()
        self.join()


def family(process_id: int) -> Iterator[int]:
    """A process and those that it started."""
    yield process_id
    try:
        for task in os.listdir(f"/proc/{process_id}/task"):
            for child in Path(f"/proc/{process_id}/task/{task}/children").read_text().split():
                yield from family(int(child))
    except OSError:
        pass  # it has just ended


def memory_kib(process_id: int) -> int:
    """What a process has, its share of pages that others have too."""
    try:
        lines = Path(f"/proc/{process_id}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def scanned(path: Path, cores: int) -> Cost:
    """The columns that a replay reads, to Arrow and away."""
    with FrozenHistory.over(SqlSource(database=path), threads=cores) as history:
        clock, core = perf_counter(), process_time()
        select = f"SELECT {columns_but('bad_card', *PEOPLE)} FROM events"  # noqa: S608
        for batch in history.stream(select):
            assert batch.num_rows
        return Cost(perf_counter() - clock, process_time() - core)


def oracle_seconds_per_event() -> float:
    events = simulated(rounds=ORACLE_ROUNDS)
    begin = process_time()
    audit_events(events)
    return (process_time() - begin) / len(events)


def best(costs: list[Cost]) -> Cost:
    """The least of each: what else runs on the machine only adds."""
    return Cost(
        min(each.clock for each in costs),
        min(each.core for each in costs),
        max(each.peak_mib for each in costs),
    )


def row(name: str, count: int, cost: Cost) -> str:
    memory = f"{cost.peak_mib:8,}" if cost.peak_mib else " " * 8
    rate, each = count / cost.clock / 1e6, 1e9 * cost.core / count
    return f"{name:28} {count:12,} {cost.clock:8.1f} {rate:10.2f} {each:12.0f} {memory}"


def main(event_count: int, cores: int) -> None:
    counts = event_count // 10, event_count
    paths = {count: floor_history(count) for count in counts}
    print(f"{os.cpu_count()} cores, {cores} used, load before {os.getloadavg()[0]:.1f}")
    print(f"best of {RUN_COUNT} runs in turn")
    print()
    heads = f"{'events':>12} {'seconds':>8} {'M a second':>10} {'core ns each':>12} {'MiB':>8}"
    print(f"{'':28} {heads}")
    replays: dict[int, list[Cost]] = {count: [] for count in counts}
    scans: list[Cost] = []
    for _ in range(RUN_COUNT):
        for count in counts:
            replays[count].append(replayed(paths[count], cores))
        scans.append(scanned(paths[event_count], cores))
    few, many = (best(replays[count]) for count in counts)
    scan, oracle = best(scans), oracle_seconds_per_event()
    print(row("replay", counts[0], few))
    print(row("replay", counts[1], many))
    print(row("scan to Arrow", event_count, scan))
    print(f"{'oracle, one core':28} {'':12} {'':8} {1e-6 / oracle:10.3f} {1e9 * oracle:12,.0f}")
    print()
    print(f"replay is {scan.clock / many.clock:.2f} of the scan's speed", end="; ")
    print(f"{oracle / (many.clock / event_count):,.0f} times the oracle's")
    print(f"ten times the events: {many.peak_mib / few.peak_mib - 1:+.0%} memory", end=", ")
    each = [cost.core / count for cost, count in ((few, counts[0]), (many, counts[1]))]
    print(f"{each[1] / each[0] - 1:+.0%} core time an event")


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else EVENT_COUNT,
        int(sys.argv[2]) if len(sys.argv) > 2 else cores_available(),
    )
