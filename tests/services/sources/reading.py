"""Reading files in tests."""

import gzip
from pathlib import Path
from typing import Final

import pyarrow as pa

from services.decode.batch import POSITION_SCHEMA, DeadLetter
from services.sources.files import read_events
from tests.contracts.carriers import line
from tests.contracts.examples import whole

GOOD: Final = line(whole("RoundClosed"))


def lines(count: int, first: int = 1) -> list[bytes]:
    """Good lines, numbered by `seq`."""
    return [line(whole("RoundClosed", seq=number)) for number in range(first, first + count)]


def written(folder: Path, content: bytes, name: str = "events.jsonl") -> Path:
    """A file with this content, packed if its name says so."""
    path = folder / name
    path.write_bytes(gzip.compress(content, mtime=0) if name.endswith(".gz") else content)
    return path


def read(path: Path) -> tuple[pa.Table, list[DeadLetter]]:
    """Everything in a file; every batch must be in order and name its bytes."""
    batches = list(read_events(path))
    taken = sum(batch.bytes_read for batch in batches)
    assert taken == (path.stat().st_size if batches else 0)
    table = pa.concat_tables([POSITION_SCHEMA.empty_table(), *(b.table for b in batches)])
    letters = [letter for batch in batches for letter in batch.dead_letters]
    for places in (table["position"].to_pylist(), [letter.position for letter in letters]):
        assert places == sorted(places)
    assert {letter.source for letter in letters} <= {str(path)}
    return table.combine_chunks(), letters
