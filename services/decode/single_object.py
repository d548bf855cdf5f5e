"""Avro single-object encoding: `C3 01`, the fingerprint of the writer's schema, one record."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import msgspec
import numpy as np
import pyarrow as pa

from services import schemas
from services.decode import columns
from services.decode.avro_records import RECORD_BYTES_MAX, RecordReader
from services.decode.avro_schema import PADDING_OF_MESSAGES, understand
from services.decode.avro_walk import UnwalkableError
from services.decode.batch import DeadLetter
from services.decode.columns import Grouped

MARKER: Final = b"\xc3\x01"
_HEADER_BYTES: Final = 10


class UndecodableError(ValueError):
    """Bytes that are no event; the message says why."""


def decode_single_object(data: bytes) -> msgspec.Struct:
    """One message -> its record, checked but for what only columns check.

    Raises `UndecodableError`. Use `decode_single_objects` to get rows.
    """
    if data[:2] != MARKER:
        found = data[:2].hex(" ") or "nothing"
        raise UndecodableError(f"not single-object encoded: c3 01 expected, found {found}")
    if len(data) > RECORD_BYTES_MAX:
        raise UndecodableError(f"{len(data)} bytes long; allowed: {RECORD_BYTES_MAX}")
    mark = data[2:_HEADER_BYTES]
    known = schemas.by_fingerprint().get(mark)
    if known is None:
        raise UndecodableError(f"unknown schema fingerprint {mark.hex()}; no schema here has it")
    return decode_payload(reader_of(*known), data[_HEADER_BYTES:])


def decode_payload(reader: RecordReader, payload: bytes) -> msgspec.Struct:
    """One record without framing -> the record. Raises `UndecodableError`."""
    try:
        records = reader.read(payload, 1)
    except UnwalkableError as error:
        raise UndecodableError(f"damaged: {error}") from error
    if records.wrong:
        raise UndecodableError(records.wrong[0][0])
    return records.events[0]


@cache
def reader_of(name: str, version: int) -> RecordReader:
    """The reader of a published schema."""
    schema = schemas.record_schema(name, version)
    return RecordReader(understand(schema, PADDING_OF_MESSAGES))


def decode_single_objects(
    messages: Sequence[bytes], positions: Sequence[int], source: str
) -> tuple[pa.Table, list[DeadLetter]]:
    """N messages and their offsets -> a table of `POSITION_SCHEMA`, and dead letters."""
    assert len(messages) == len(positions)
    rows: list[Any] = []
    kept: list[int] = []
    dead: list[DeadLetter] = []
    for number, data in enumerate(messages):
        try:
            rows.append(decode_single_object(data))
            kept.append(number)
        except UndecodableError as error:
            dead.append(DeadLetter(source, positions[number], str(error), data))
    if not rows:
        return columns.empty_table(), dead
    where = np.array([positions[number] for number in kept], dtype=np.int64)
    table, wrong = columns.build(Grouped(rows), where)
    dead += [
        DeadLetter(source, positions[kept[row]], error, messages[kept[row]])
        for row, error in wrong.items()
    ]
    return table, sorted(dead, key=lambda letter: letter.position)
