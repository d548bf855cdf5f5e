"""What decoding hands on: columns, and what could not be read, each with its place."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from services.event_table import EVENT_SCHEMA

POSITION_SCHEMA = EVENT_SCHEMA.append(pa.field("position", pa.int64()))
"""`EVENT_SCHEMA` and where in its source each event stood: line or record, from 1."""


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """Something that is no event of the contract: kept, never guessed at."""

    source: str
    """The file's name as it was given, or topic and partition."""
    position: int
    """Line or record from 1; of a damaged block the first record that it would have held."""
    error: str
    """What is wrong, where, and what would be right."""
    raw: bytes
    """The bytes as they came; of an over-long line or block their beginning."""


@dataclass(frozen=True, slots=True)
class TopicDeadLetter(DeadLetter):
    """One out of a topic: its source is `topic[partition]`, its position the offset."""

    key: bytes | None = None
    """The record's own."""
    sent_micros: int | None = None
    """The record's timestamp, microseconds since 1970 UTC."""
    tombstone: bool = False
    """The record had no value at all."""
    last_position: int | None = None
    """Of a batch that is lost as a whole: its last offset."""


@dataclass(frozen=True, slots=True)
class DecodedBatch:
    """A bounded number of events in the order of their source, and the dead letters among them."""

    table: pa.Table
    """Columns of `POSITION_SCHEMA`; `position` ascends."""
    dead_letters: list[DeadLetter]
    """Ascending `position`."""
    bytes_read: int
    """How many bytes of the source this batch took (of a packed file, packed ones)."""
