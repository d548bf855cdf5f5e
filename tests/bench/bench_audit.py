"""Events audited a second from JSON lines and from Avro, beside what their parts allow.

    python -m tests.bench.bench_audit [EVENTS]

The whole command, start-up and report included, beside the sum of what cannot be left out: reading
and decoding as fast as Python can, and inserting the same columns into DuckDB with nothing decided,
typed or digested. JSON by msgspec, strictly, to structs and from these to lists; Avro by fastavro
without logical types, to dicts that are thrown away. The parts are run by themselves, one after the
other, in this same run. `core` counts the seconds that all cores worked, `clock` those that passed.
"""

import gc
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, Final

import fastavro
import pyarrow as pa

from services.decode.batch import POSITION_SCHEMA
from services.decode.records import json_decoder
from services.history.journal import ROW_GROUP_ROWS
from services.history.store import History
from services.sources.files import read_events
from services.sources.jsonl import PIECE_BYTES
from tests.bench._floors import avro_file, json_file
from tests.bench.bench_history import SQL_TYPES

EVENT_COUNT: Final = 2_000_000
RUN_COUNT: Final = 3
COMMAND: Final = Path(sys.executable).parent / "pitproof"
STATUSES: Final = (0, 1)  # nothing found, or findings


class Cost:
    """Seconds of core time and of the clock, and peak memory where it is known."""

    def __init__(self, core: float, clock: float, peak_mib: int = 0) -> None:
        self.core, self.clock, self.peak_mib = core, clock, peak_mib

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(self.core + other.core, self.clock + other.clock)


def measured(run: Callable[[], object]) -> Cost:
    gc.collect()
    core, clock = process_time(), perf_counter()
    run()
    return Cost(process_time() - core, perf_counter() - clock)


def audited(path: Path) -> Cost:
    """A process of its own, as people call it."""
    clock = perf_counter()
    command = [str(COMMAND), "audit", "--format", "json", str(path)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as ours:
        _, status, used = os.wait4(ours.pid, 0)
        ours.returncode = os.waitstatus_to_exitcode(status)
    assert ours.returncode in STATUSES, ours.returncode
    return Cost(used.ru_utime + used.ru_stime, perf_counter() - clock, used.ru_maxrss // 1024)


def json_to_lists(path: Path) -> None:
    decoder, carried = json_decoder(), b""
    with path.open("rb", buffering=0) as file:
        while piece := file.read(PIECE_BYTES):
            whole, _, rest = piece.rpartition(b"\n")
            by_type: dict[type, list[Any]] = defaultdict(list)
            for row in decoder.decode_lines(carried + whole):
                by_type[type(row)].append(row)
            for kind, rows in by_type.items():
                for name in kind.__struct_fields__:  # type: ignore[attr-defined]
                    list(map(attrgetter(name), rows))
            carried = rest


def avro_to_dicts(path: Path) -> None:
    with path.open("rb") as file:
        for block in fastavro.block_reader(file):
            list(block)


def insert(tables: list[pa.Table]) -> Cost:
    """The columns as they are, in pieces of the size that the journal takes."""
    columns = ", ".join(f'"{field.name}" {SQL_TYPES[field.type]}' for field in POSITION_SCHEMA)
    with History.open() as history:
        history.run(f"CREATE TABLE raw ({columns})")

        def store() -> None:
            history.run("BEGIN TRANSACTION")
            for at in range(0, len(tables), 2):
                history.insert("raw", pa.concat_tables(tables[at : at + 2]))
            history.run("COMMIT")

        return measured(store)


def columns_of(path: Path) -> list[pa.Table]:
    """The decoded events in slices of a row group."""
    whole = pa.concat_tables([batch.table for batch in read_events(path)]).combine_chunks()
    return [whole.slice(at, ROW_GROUP_ROWS) for at in range(0, whole.num_rows, ROW_GROUP_ROWS)]


def main(event_count: int) -> None:
    print(f"{os.cpu_count()} cores, load before {os.getloadavg()[0]:.1f}")
    lines, plain = json_file(event_count), avro_file(event_count, plain=True)
    carriers: dict[str, tuple[Path, Callable[[], None]]] = {
        "JSON lines": (lines, lambda: json_to_lists(lines)),
        "Avro": (avro_file(event_count), lambda: avro_to_dicts(plain)),
    }
    print(f"{event_count} events, best of {RUN_COUNT} runs in turn")
    print()
    print(f"{'thousand events a second':28} {'core':>6} {'clock':>6} {'peak MiB':>9}")
    # First of all: a process counts the memory of the one that it was forked from as its own.
    ours_of = {
        label: [audited(path) for _ in range(RUN_COUNT)] for label, (path, _) in carriers.items()
    }
    for label, (path, decode) in carriers.items():
        runs: dict[str, list[Cost]] = defaultdict(list)
        runs["audited"] = ours_of[label]
        tables = columns_of(path)
        for _ in range(RUN_COUNT):
            runs["read and decoded"].append(measured(decode))
            runs["inserted"].append(insert(tables))
        del tables
        best = {what: min(costs, key=lambda cost: cost.core) for what, costs in runs.items()}
        best["both in series"] = best["read and decoded"] + best["inserted"]
        for what, cost in best.items():
            peak = str(cost.peak_mib or "")
            rates = event_count / 1e3 / cost.core, event_count / 1e3 / cost.clock
            print(f"{f'{label}, {what}':28} {rates[0]:6.0f} {rates[1]:6.0f} {peak:>9}")
        ours, parts = best["audited"], best["both in series"]
        core, clock = parts.core / ours.core, parts.clock / ours.clock
        print(f"{f'{label}, of what is possible':28} {core:6.0%} {clock:6.0%}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else EVENT_COUNT)
