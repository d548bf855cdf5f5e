"""A history of millions of events as audits make one: a simulated floor, put down again and again.

One evening of a floor is simulated with mistakes in it, and comes again under other table ids, as
often as it takes, each time with event ids of its own; then all of it is decided and judged as any
audit does it. Tables are in turns within an evening, evenings one after the other.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa

from replay.rulebook.loader import load_rulebook
from services.arrow import octets_of, texts_of, valid_of
from services.history.journal import Journal
from services.history.store import History
from services.judging import judge
from services.simulate.service import FloorPlan
from services.simulate.writing import form_of, write_floor
from services.sources.files import read_events
from tests.bench.big_history import FAULTS, unfinished

TABLES: Final = 4  # of each game
ROUNDS: Final = 400  # of each table
SEED: Final = 20_260_418
MEMORY_MB: Final = 4_000
UUID_LENGTH: Final = 36
MARK_LENGTH: Final = 8  # digits of an event id that say which evening it is


def floor_history(event_count: int) -> Path:
    """The history with that many events, made unless it is there."""
    folder = Path(tempfile.gettempdir()) / "pitproof-bench"
    folder.mkdir(exist_ok=True)
    path = folder / f"floor-{event_count}.duckdb"
    if not path.exists():
        with unfinished(path) as part:
            _make(part, event_count, _evening(folder))
    return path


def _evening(folder: Path) -> list[pa.Table]:
    path = folder / f"evening-{TABLES}-{ROUNDS}.jsonl"
    if not path.exists():
        unfinished = folder / f"part-{path.name}"
        plan = FloorPlan(tables=TABLES, rounds=ROUNDS, seed=SEED, faults=tuple(FAULTS))
        with unfinished.open("wb") as file:
            write_floor(plan, file, form_of(str(path)))
        unfinished.rename(path)
    return [batch.table for batch in read_events(path)]


def _make(path: Path, event_count: int, evening: list[pa.Table]) -> None:
    with History.open(path, memory_mb=MEMORY_MB) as history, history.transaction():
        journal = Journal(history)
        for batch in _evenings(evening, event_count):
            journal.append("floor", batch)
        journal.decide()
        judge(history, load_rulebook(), journal.changed())


def _evenings(evening: list[pa.Table], event_count: int) -> Iterator[pa.Table]:
    left, number = event_count, 0
    while left:
        for batch in evening:
            batch = _renamed(batch.slice(0, left), number)
            left -= batch.num_rows
            if batch.num_rows:
                yield batch
        number += 1


def _renamed(batch: pa.Table, number: int) -> pa.Table:
    """The same events of other tables."""
    for name in ("event_id", "corrects"):
        place = batch.schema.get_field_index(name)
        batch = batch.set_column(place, name, _marked(batch.column(name), number))
    place = batch.schema.get_field_index("table_id")
    names = [f"{table_id}-{number:04}" for table_id in batch.column("table_id").to_pylist()]
    return batch.set_column(place, "table_id", pa.array(names, pa.string()))


def _marked(column: pa.ChunkedArray, number: int) -> pa.Array:
    """Event ids with the number of the evening for their first digits; null where they are."""
    ids = pa.array(column.to_pylist(), pa.string())
    known = ids.drop_null()
    octets = octets_of(known).reshape(-1, UUID_LENGTH).copy()
    octets[:, :MARK_LENGTH] = np.frombuffer(b"%0*x" % (MARK_LENGTH, number), np.uint8)
    marked = iter(texts_of(octets).to_pylist())
    return pa.array([next(marked) if there else None for there in valid_of(ids)], pa.string())
