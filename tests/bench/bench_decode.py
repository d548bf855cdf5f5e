"""Events a second from files to checked Arrow columns, beside msgspec and fastavro alone.

    python -m tests.bench.bench_decode

Ours checks every field, keeps the place of each event, finds damage and builds the columns. Beside
it, in the same run and taking turns: the strict decoder of msgspec, whose structs are thrown away,
and the reader of fastavro, whose dicts are thrown away, once with the schemas as they are (it
builds datetimes and UUIDs) and once without logical types. `core` counts the seconds that one core
worked, `clock` those that passed: on a shared machine they differ.
"""

import gzip
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any, Final

import fastavro
import msgspec

from services import encode, schemas
from services.decode.records import json_decoder
from services.sources import jsonl
from services.sources.files import read_events

SAMPLE: Final = Path(__file__).parents[1] / "samples" / "evening.jsonl"
COPIES: Final = 20
RUN_COUNT: Final = 7


def ours(path: Path) -> int:
    return sum(batch.table.num_rows for batch in read_events(path))


def msgspec_alone(path: Path) -> int:
    """Pieces of the size that ours takes, cut at newlines."""
    decoder, count, carried = json_decoder(), 0, b""
    with path.open("rb", buffering=0) as file:
        while piece := file.read(jsonl.PIECE_BYTES):
            whole, _, rest = piece.rpartition(b"\n")
            count += len(decoder.decode_lines(carried + whole))
            carried = rest
    return count


def fastavro_alone(path: Path) -> int:
    with path.open("rb") as file:
        return sum(len(list(block)) for block in fastavro.block_reader(file))


def files(folder: Path) -> dict[str, Path]:
    """The same events in every form."""
    content = SAMPLE.read_bytes() * COPIES
    rows = [json.loads(line) for line in SAMPLE.read_bytes().splitlines()] * COPIES
    paths = {name: folder / name for name in ("e.jsonl", "e.jsonl.gz", "e.avro", "packed.avro")}
    paths["e.jsonl"].write_bytes(content)
    paths["e.jsonl.gz"].write_bytes(gzip.compress(content, 6))
    for name, codec in (("e.avro", "null"), ("packed.avro", "deflate")):
        with paths[name].open("wb") as file:
            encode.write_container(file, rows, codec)
    plain: Any = fastavro.parse_schema(schemas.without_annotations(list(schemas.union_schema())))
    paths["plain.avro"] = folder / "plain.avro"
    with paths["plain.avro"].open("wb") as file:
        fastavro.writer(file, plain, map(encode.avro_record, rows), sync_interval=64_000)
    return paths


def rates(runs: dict[str, Callable[[], int]]) -> dict[str, tuple[float, float]]:
    """Thousands of events a second of core time and of the clock, medians of runs in turn."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in runs}
    counts: dict[str, int] = {}
    for _ in range(RUN_COUNT):
        for name, run in runs.items():
            work, clock = process_time(), perf_counter()
            counts[name] = run()
            times[name].append((process_time() - work, perf_counter() - clock))
    assert len(set(counts.values())) == 1, counts
    return {
        name: (
            counts[name] / 1e3 / median(work for work, _ in each),
            counts[name] / 1e3 / median(clock for _, clock in each),
        )
        for name, each in times.items()
    }


def main() -> None:
    versions = f"msgspec {msgspec.__version__}, fastavro {fastavro.__version__}"
    print(f"{os.cpu_count()} cores, one used, load before {os.getloadavg()[0]:.1f}; {versions}")
    with tempfile.TemporaryDirectory() as name:
        paths = files(Path(name))
        found = rates(
            {
                "JSON lines, ours": lambda: ours(paths["e.jsonl"]),
                "JSON lines, msgspec alone": lambda: msgspec_alone(paths["e.jsonl"]),
                "JSON lines gzipped, ours": lambda: ours(paths["e.jsonl.gz"]),
                "Avro, ours": lambda: ours(paths["e.avro"]),
                "Avro, fastavro alone": lambda: fastavro_alone(paths["e.avro"]),
                "Avro, fastavro alone, no logical types": lambda: fastavro_alone(
                    paths["plain.avro"]
                ),
                "Avro deflated, ours": lambda: ours(paths["packed.avro"]),
            }
        )
    print(f"{COPIES} x {SAMPLE.name}, median of {RUN_COUNT} runs in turn")
    print()
    print(f"{'thousand events a second':40} {'core':>6} {'clock':>6}")
    for label, (work, clock) in found.items():
        print(f"{label:40} {work:6.0f} {clock:6.0f}")


if __name__ == "__main__":
    main()
