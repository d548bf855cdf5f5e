"""How many events a second are appended to a history and come back as stretches.

    python -m tests.bench.bench_history [EVENTS]

Beside each, in the same run, what DuckDB does with the same columns and nothing to decide: the raw
Arrow columns inserted into a plain table, and the stored columns scanned to Arrow unordered.
"""

import os
import resource
import sys
from collections.abc import Iterator
from time import perf_counter, process_time
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from services.decode.batch import POSITION_SCHEMA
from services.history.columns import EVENT_COLUMNS
from services.history.digests import events_digest
from services.history.journal import ROW_GROUP_ROWS, Journal
from services.history.store import History
from services.history.stretches import stretches
from services.history.verify import problems_of
from tests.services.history.build import arrow, evening

TABLE_COUNT: Final = 30
SQL_TYPES: Final = {
    pa.uint8(): "UTINYINT",
    pa.uint32(): "UINTEGER",
    pa.int32(): "INTEGER",
    pa.int64(): "BIGINT",
    pa.string(): "VARCHAR",
    pa.bool_(): "BOOLEAN",
    pa.date32(): "DATE",
    pa.list_(pa.uint8()): "UTINYINT[]",
    pa.list_(pa.string()): "VARCHAR[]",
}


def floor(event_count: int) -> Iterator[pa.Table]:
    """Batches of a floor of tables, whose events come in turns of some rounds."""
    base = arrow(evening("T", 700, cards=24)).combine_chunks()
    made = turn = 0
    while made < event_count:
        suffix = f"-{turn % TABLE_COUNT:02d}"
        columns = {name: base.column(name) for name in base.column_names}
        ids = os.urandom(16 * base.num_rows).hex()
        columns["event_id"] = pa.array(
            [
                f"{ids[at : at + 8]}-{ids[at + 8 : at + 12]}-{ids[at + 12 : at + 16]}-"
                f"{ids[at + 16 : at + 20]}-{ids[at + 20 : at + 32]}"
                for at in range(0, 32 * base.num_rows, 32)
            ]
        )
        columns["table_id"] = pc.binary_join_element_wise(base.column("table_id"), suffix, "")
        columns["seq"] = pc.add(base.column("seq"), turn // TABLE_COUNT * base.num_rows)
        columns["round_id"] = pc.binary_join_element_wise(
            base.column("round_id"), f"{suffix}-{turn // TABLE_COUNT}", ""
        )
        yield pa.table(columns, schema=POSITION_SCHEMA).slice(0, event_count - made)
        made, turn = made + base.num_rows, turn + 1


def raw_seconds(history: History, event_count: int) -> tuple[float, float]:
    """The raw columns into a plain table: seconds, and seconds of all cores."""
    columns = ", ".join(f'"{field.name}" {SQL_TYPES[field.type]}' for field in POSITION_SCHEMA)
    history.run(f"CREATE TABLE raw ({columns})")
    wall = cores = 0.0
    history.run("BEGIN TRANSACTION")
    waiting: list[pa.Table] = []
    for batch in floor(event_count):
        waiting.append(batch)
        if sum(map(len, waiting)) < 2 * ROW_GROUP_ROWS:
            continue
        rows = pa.concat_tables(waiting)
        begin, busy = perf_counter(), process_time()
        history.insert("raw", rows)
        wall, cores = wall + perf_counter() - begin, cores + process_time() - busy
        waiting = []
    begin, busy = perf_counter(), process_time()
    if waiting:
        history.insert("raw", pa.concat_tables(waiting))
    history.run("COMMIT")
    return wall + perf_counter() - begin, cores + process_time() - busy


def append_seconds(history: History, event_count: int) -> tuple[float, float]:
    """A whole transaction, everything decided: seconds, and seconds of all cores."""
    wall = cores = 0.0
    with history.transaction():
        journal = Journal(history)
        for batch in floor(event_count):
            begin, busy = perf_counter(), process_time()
            journal.append("floor", batch)
            wall, cores = wall + perf_counter() - begin, cores + process_time() - busy
        begin, busy = perf_counter(), process_time()
        journal.decide()
    return wall + perf_counter() - begin, cores + process_time() - busy


def told(what: str, event_count: int, wall: float, cores: float) -> None:
    """One line: events a second, and what it cost."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(
        f"{what:44} {event_count / wall / 1e6:7.2f} M events/s "
        f"{cores / event_count * 1e6:6.2f} us of a core each   peak {peak} MiB"
    )


def main(event_count: int) -> None:
    """Measure and print."""
    print(f"{event_count} events, {TABLE_COUNT} tables, {os.cpu_count()} cores")
    with History.open() as history:
        told("inserted, raw columns", event_count, *raw_seconds(history, event_count))
    with History.open() as history:
        told(
            "appended, typed, digested and decided",
            event_count,
            *append_seconds(history, event_count),
        )
        size = history.path.stat().st_size
        print(f"{'on disk':44} {size / event_count:7.1f} bytes an event")
        begin, busy = perf_counter(), process_time()
        scanned = f"SELECT {EVENT_COLUMNS} FROM events"  # noqa: S608 (constants only)
        count = sum(batch.num_rows for batch in history.stream(scanned))
        told("scanned to Arrow, unordered", count, perf_counter() - begin, process_time() - busy)
        begin, busy = perf_counter(), process_time()
        count = sum(len(stretch.events) for stretch in stretches(history))
        told("streamed as stretches", count, perf_counter() - begin, process_time() - busy)
        begin, busy = perf_counter(), process_time()
        events_digest(history)
        told("digested", event_count, perf_counter() - begin, process_time() - busy)
        begin, busy = perf_counter(), process_time()
        assert not list(problems_of(history))
        told("verified", event_count, perf_counter() - begin, process_time() - busy)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
