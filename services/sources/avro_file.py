"""Event files that are Avro object containers, in batches of bounded size."""

from __future__ import annotations

from collections.abc import Iterator
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
_LARGE_BLOCK: Final = 50_000
"""Records of a block beyond which it is read in parts: decoded, it would take too much memory."""


def read_avro(path: Path, source: str) -> Iterator[DecodedBatch]:
    """The events of an `.avro` file. `source` is its name as given.

    Raises `UnreadableFileError` if its header or schema will not do, and `OSError`.
    """
    with path.open("rb") as file:
        if not path.stat().st_size:
            return
        header = read_header(file, source)
        reader = _reader(header, source)
        batch = _Batch(source, complete=reader.complete)
        batch.taken = header.size
        for block in read_blocks(path, file, header):
            batch.taken += block.taken
            yield from batch.add(block, reader)
        yield batch.close()


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


class _Batch:
    """Gathers the records of blocks until there are enough for a table."""

    def __init__(self, source: str, *, complete: bool) -> None:
        self.source = source
        self.complete = complete
        """No record of the file leaves a field out."""
        self.position = 1
        """Of the next record."""
        self.taken = 0
        self._clear()

    def _clear(self) -> None:
        self.rows: list[Any] = []
        self.positions: list[npt.NDArray[np.int64]] = []
        self.dead: list[DeadLetter] = []
        self.parts: list[tuple[int, bytes, int, RecordReader]] = []
        """First position, bytes and number of records: to find a row's bytes again."""

    def add(self, block: Block, reader: RecordReader) -> Iterator[DecodedBatch]:
        """Take a block in; give the batches that it completes."""
        try:
            if block.error:
                raise UnwalkableError(block.error)
            for data, count in reader.parts(block.data, block.count, _LARGE_BLOCK):
                self._add_records(data, count, reader)
                if len(self.rows) + len(self.dead) >= BATCH_EVENTS:
                    yield self.close()
        except UnwalkableError as error:
            what = block.error or f"damaged block: {error}. None of its records is taken"
            head = block.data[:HEAD_BYTES]
            self.dead.append(DeadLetter(self.source, self.position, what, head))
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
        self.position += count

    def close(self) -> DecodedBatch:
        """What has been gathered, as a batch."""
        table, dead = columns.empty_table(), self.dead
        if self.rows:
            positions = np.concatenate(self.positions)
            table, wrong = columns.build(Grouped(self.rows, complete=self.complete), positions)
            for row, error in wrong.items():
                position = int(positions[row])
                dead.append(DeadLetter(self.source, position, error, self._raw(position)))
            dead.sort(key=lambda letter: letter.position)
        taken, self.taken = self.taken, 0
        self._clear()
        return DecodedBatch(table, dead, taken)

    def _raw(self, position: int) -> bytes:
        """The bytes of a record of this batch."""
        for first, data, count, reader in self.parts:
            if first <= position < first + count:
                start, end = reader.span(data, position - first)
                return data[start:end]
        raise AssertionError(position)
