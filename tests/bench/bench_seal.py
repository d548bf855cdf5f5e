"""How many events a second are sealed, verified, and made a history again of.

    python -m tests.bench.bench_seal [EVENTS] [FOLDER]

Beside each, in the same run, what DuckDB alone does with the same columns: writing them to one
Parquet file unordered, and reading them all.
"""

from __future__ import annotations

import resource
import shutil
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Final, TypeVar

from services.audit import made_with, rulebook_for
from services.command_line.progress import Progress
from services.history.store import History
from services.history.whole import verify
from services.rebuild import from_sealed
from services.sealing import seal_all, sealed_folder
from services.settings import Settings
from tests.bench.big_history import big_history

EVENTS: Final = 2_000_000
Found = TypeVar("Found")

LATER: Final = datetime(2999, 1, 1, tzinfo=UTC)
SETTINGS: Final = Settings()


def main(event_count: int, folder: Path) -> None:
    """Measure and print."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"sealed-{event_count}.duckdb"
    path.unlink(missing_ok=True)  # left of a run that was broken off
    held = big_history(path, event_count)
    with History.open(path) as history:
        history.require(made_with(rulebook_for({}, None), None))
        below = sealed_folder(path, SETTINGS)
        shutil.rmtree(below.path, ignore_errors=True)
        print(f"{held:,} events, {path.stat().st_size >> 20} MiB")
        raw = folder / "raw.parquet"
        select = "COPY (SELECT * FROM events) TO '{}' (FORMAT parquet, COMPRESSION zstd)"
        told("written by DuckDB", held, lambda: history.run(select.format(raw)))
        hashes = f"SELECT max(hash(e)) FROM read_parquet('{raw}') AS e"  # noqa: S608
        told("read by DuckDB", held, lambda: history.rows(hashes))
        raw.unlink()
        done = told("sealed", held, lambda: list(seal_all(history, SETTINGS, clock=lambda: LATER)))
        size = sum(file.size_bytes for each in done for file in each.manifest.files)
        print(f"{'':20} {len(done)} days, {size / held:.0f} bytes an event")
        result = told("verified", held, lambda: verify(history, below))
        print(f"{'':20} {len(result['problems'])} problems")
    again = folder / "again.duckdb"
    for name in ("again.duckdb", "again.duckdb.head"):
        (folder / name).unlink(missing_ok=True)
    with Progress() as progress:
        made = told("made again", held, lambda: from_sealed(again, below.path, SETTINGS, progress))
    print(f"{'':20} events {'the same' if made.events_digest == result['events_digest'] else '!'}")
    path.unlink()  # what was sealed is entered in it
    shutil.rmtree(below.path)


def told(what: str, events: int, work: Callable[[], Found]) -> Found:
    """Do it, and say how long it took."""
    begin, busy = perf_counter(), _cores()
    found = work()
    wall, cores = perf_counter() - begin, _cores() - busy
    print(
        f"{what:20} {events / wall:12,.0f} events/s   {wall:7.2f} s, {cores:7.2f} s of cores   "
        f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MiB",
        flush=True,
    )
    return found


def _cores() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else EVENTS,
        Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.gettempdir()) / "pitproof-bench",
    )
