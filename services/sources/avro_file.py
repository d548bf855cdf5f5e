"""Event files that are Avro object containers, in batches of bounded size."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from services.decode import columns
from services.decode.avro_records import RecordReader
from services.decode.avro_schema import UnsafeSchemaError, understand
from services.decode.avro_walk import UnwalkableError
from services.decode.batch import DeadLetter, DecodedBatch
from services.decode.columns import Grouped
from services.errors import UnreadableFileError
from services.sources.avro_blocks import HEAD_BYTES, Block, Header, read_blocks, read_header

BATCH_EVENTS: Final = 16_000
BATCH_BYTES: Final = 8 << 20
"""Of blocks together: 16,000 events are some 2 MB."""
_LARGE_BLOCK: Final = 50_000
"""Records of a block beyond which it is read in parts: decoded, it would take too much memory."""


def read_avro(path: Path, source: str) -> Iterator[Blocks]:
    """The blocks of an `.avro` file. `source` is its name as given.

    Raises `UnreadableFileError` if its header or schema will not do, and `OSError`.
    """
    with path.open("rb") as file:
        if not path.stat().st_size:
            return
        header = read_header(file, source)
        reader = _reader(header, source)
        schema = json.dumps(header.schema)
        first, taken = 1, header.size
        gathered: list[Block] = []
        count = size = 0
        for block in read_blocks(path, file, header):
            taken += block.taken
            for part in _parts(block, reader):
                gathered.append(part)
                count += part.count
                size += len(part.data)
                if count >= BATCH_EVENTS or size >= BATCH_BYTES:
                    yield Blocks(source, first, schema, gathered, taken)
                    first, taken, gathered, count, size = first + count, 0, [], 0, 0
        if gathered or taken:
            yield Blocks(source, first, schema, gathered, taken)


def check_header(path: Path, source: str) -> None:
    """Raise what `read_avro` would raise for the file's header or schema."""
    with path.open("rb") as file:
        if path.stat().st_size:
            _reader(read_header(file, source), source)


def _reader(header: Header, source: str) -> RecordReader:
    """The reader for the file's schema."""
    try:
        schema = understand(header.schema)
    except UnsafeSchemaError as error:
        raise UnreadableFileError(
            f"{source}: byte 0: its Avro schema cannot be read with: {error}",
            next_step="write the file with the schemas of this project",
        ) from error
    if not schema.has_ours:
        names = ", ".join(branch.name[:60] for branch in schema.branches[:5])
        raise UnreadableFileError(
            f"{source}: byte 0: an Avro file of another schema ({names}); no table event in it",
            next_step="check that it is the right file; table events have the schemas of schemas/",
        )
    return RecordReader(schema)


def _parts(block: Block, reader: RecordReader) -> Iterator[Block]:
    """A block in parts that are not too large."""
    if block.error or block.count <= _LARGE_BLOCK:
        yield block
        return
    try:
        parts = reader.parts(block.data, block.count, _LARGE_BLOCK)
    except UnwalkableError as error:
        yield replace(block, data=block.data[:HEAD_BYTES], error=_damaged(error))
        return
    yield from (Block(count, data, "", 0) for data, count in parts)


def _damaged(error: UnwalkableError) -> str:
    return f"damaged block: {error}. None of its records is taken"


@dataclass(frozen=True, slots=True)
class Blocks:
    """Some blocks of a file, one after the other."""

    source: str
    first: int
    """Position of the first record."""
    schema: str
    """The file's own, as JSON."""
    blocks: list[Block]
    taken: int
    """Bytes of the file."""

    def decode(self) -> DecodedBatch:
        """Their events and dead letters."""
        gathered = _Gathered(self.source, self.first)
        reader = _reader_of(self.schema)
        for block in self.blocks:
            gathered.add(block, reader)
        return gathered.batch(self.taken, complete=reader.complete)


@lru_cache(maxsize=1)
def _reader_of(schema: str) -> RecordReader:
    """The reader for a schema that was seen to do."""
    return RecordReader(understand(json.loads(schema)))


class _Gathered:
    """The records of blocks, on the way to a table."""

    def __init__(self, source: str, first: int) -> None:
        self.source = source
        self.position = first
        """Of the next record."""
        self.rows: list[Any] = []
        self.positions: list[npt.NDArray[np.int64]] = []
        self.dead: list[DeadLetter] = []
        self.parts: list[tuple[int, bytes, int, RecordReader]] = []
        """First position, bytes and number of records: to find a row's bytes again."""

    def add(self, block: Block, reader: RecordReader) -> None:
        """Take in the records of a block."""
        try:
            if block.error:
                raise UnwalkableError(block.error)
            self._add_records(block.data, block.count, reader)
        except UnwalkableError as error:
            what = block.error or _damaged(error)
            self.dead.append(DeadLetter(self.source, self.position, what, block.data[:HEAD_BYTES]))
        self.position += block.count

    def _add_records(self, data: bytes, count: int, reader: RecordReader) -> None:
        """Take in records that fill `data`. Raises `UnwalkableError` before it takes any."""
        records = reader.read(data, count)
        assert len(records.events) + len(records.wrong) == count
        self.parts.append((self.position, data, count, reader))
        self.rows += records.events
        self.positions.append(records.numbers + self.position)
        for number, (error, raw) in records.wrong.items():
            self.dead.append(DeadLetter(self.source, self.position + number, error, raw))

    def batch(self, taken: int, *, complete: bool) -> DecodedBatch:
        """What was gathered. `complete`: no record of the file leaves a field out."""
        table, dead = columns.empty_table(), self.dead
        if self.rows:
            positions = np.concatenate(self.positions)
            table, wrong = columns.build(Grouped(self.rows, complete=complete), positions)
            for row, error in wrong.items():
                position = int(positions[row])
                dead.append(DeadLetter(self.source, position, error, self._raw(position)))
            dead.sort(key=lambda letter: letter.position)
        return DecodedBatch(table, dead, taken)

    def _raw(self, position: int) -> bytes:
        """The bytes of a record of this batch."""
        for first, data, count, reader in self.parts:
            if first <= position < first + count:
                start, end = reader.span(data, position - first)
                return data[start:end]
        raise AssertionError(position)
