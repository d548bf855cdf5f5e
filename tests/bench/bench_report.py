"""How long the statistical report and the index of records take in a big history.

    python -m tests.bench.bench_report [EVENTS] [FOLDER]

The report is for the last month held, with month and year to date; beside it the same without
lines, a count of what it reads, so that its cost can be told from that of reading. The index reads
and digests every row of every view. Peak memory is that of the process after each.
"""

import resource
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from time import perf_counter, process_time
from typing import Final

from services.history.store import History
from services.queries.query import About
from services.queries.report import IndexAsked, ReportAsked, indexed, report_of
from services.settings import Settings
from tests.bench.big_history import big_history

ABOUT: Final = About(Settings())
READ: Final = """
SELECT (SELECT count(*) FROM rounds WHERE net_actual_cents > 0),
    (SELECT sum(amount_cents) FROM events WHERE kind IN ('ChipsMoved', 'TrayCounted'))
"""


def timed(name: str, work: Callable[[], object]) -> None:
    began, busy = perf_counter(), process_time()
    work()
    took, spent = perf_counter() - began, process_time() - busy
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{name:34}{took:9.2f} s {spent:9.2f} s of processors   peak {peak:6.0f} MiB")


def main(event_count: int, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"big-{event_count}.duckdb"
    events = big_history(path, event_count)
    with History.open(path, create=False) as history:
        [(first, last)] = history.rows("SELECT min(gaming_day), max(gaming_day) FROM rounds")
        openings = history.count("SELECT count(*) FROM table_openings")
        print(f"{events:,} events, {openings:,} openings, {first} to {last}")
        timed("reading what it reads", lambda: history.rows(READ))
        timed("report of the last day", lambda: report_of(history, ReportAsked(), ABOUT))
        month = ReportAsked(first_day=date(last.year, last.month, 1), last_day=last)
        timed("report of the last month", lambda: report_of(history, month, ABOUT))
        timed("index of records", lambda: indexed(history, IndexAsked(), ABOUT))


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 2_000_000,
        Path(sys.argv[2] if len(sys.argv) > 2 else "build/bench"),
    )
