"""Records of the topic to events: the framing told by the first byte, then Avro.

`C3 01` and a fingerprint: single-object encoding, of a schema published here or archived in the
history. `00` and a number: Confluent's framing, where a registry is configured. All else, also
whatever is left behind a whole record, is a dead letter.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

import numpy as np
import pyarrow as pa
from fastavro.schema import fingerprint, to_parsing_canonical_form

from services import schemas
from services.decode import columns
from services.decode.avro_records import RECORD_BYTES_MAX
from services.decode.avro_schema import PADDING_OF_MESSAGES, UnsafeSchemaError, understand
from services.decode.batch import POSITION_SCHEMA, TopicDeadLetter
from services.decode.columns import Grouped
from services.decode.messages import MessageReader, Outcome
from services.decode.single_object import MARKER
from services.live.places import source_of
from services.live.registry import Registry, UnknownSchemaError
from services.live.unpacking import UnreadableBatch
from services.schemas import JsonSchema

CONFLUENT: Final = b"\x00"
GUID_HEADERS: Final = frozenset({"__value_schema_id", "__key_schema_id"})
_SINGLE_HEADER_BYTES: Final = 10
_CONFLUENT_HEADER_BYTES: Final = 5


@dataclass(frozen=True, slots=True)
class Decoded:
    """What the records of one partition came to."""

    table: pa.Table
    """Columns of `POSITION_SCHEMA`; `position` is the offset."""
    letters: list[TopicDeadLetter]
    """Ascending offset."""
    timestamps_ms: list[int]
    """Of each event."""


@dataclass(frozen=True, slots=True)
class Opened:
    """Records of one partition in the order of their offsets."""

    partition: int
    records: Sequence[Any]
    found: list[tuple[MessageReader, bytes] | str]
    """Of each record the reader of its schema and the payload, or what is wrong."""


class Wire:
    """Decodes; keeps a reader for each schema that it met.

    `archived` are schemas as text by their fingerprint (16 hexadecimal digits), `registered` by
    their number in the registry, as the history holds them.
    """

    def __init__(
        self,
        archived: Mapping[str, str] | None = None,
        registered: Mapping[int, str] | None = None,
        registry: Registry | None = None,
        record_bytes_max: int = RECORD_BYTES_MAX,
    ) -> None:
        self._archived = dict(archived or {})
        self._registry = registry
        self._record_bytes_max = min(record_bytes_max, RECORD_BYTES_MAX)
        self._readers: dict[bytes, MessageReader | str] = {}
        """By marker and fingerprint: a reader, or why there is none."""
        self._registered: dict[int, MessageReader] = {}
        """By number in the registry. Not by fingerprint: that leaves out whether a number is
        micro- or milliseconds."""
        self.to_archive: dict[str, str] = {}
        """Met and not in the history yet, by fingerprint; whoever stores them clears it."""
        self.to_register: dict[int, str] = {}
        """The same by number in the registry."""
        for number, text in (registered or {}).items():
            self._registered[number] = self._understood(json.loads(text))

    def decode(self, topic: str, partition: int, records: Sequence[Any]) -> Decoded:
        """Records of one partition in the order of their offsets.

        Raises:
            RegistryUnreachableError: a schema is needed that cannot be asked for now.
        """
        [decoded] = self.decode_all(topic, [self.opened(partition, records)])
        return decoded

    def opened(self, partition: int, records: Sequence[Any]) -> Opened:
        """Records of one partition with all that `decode_all` needs to know.

        Raises:
            RegistryUnreachableError: a schema is needed that cannot be asked for now.
        """
        return Opened(partition, records, [self._opened(record) for record in records])

    def decode_all(self, topic: str, parts: Sequence[Opened]) -> list[Decoded]:
        """What each part came to. All are decoded together: few records cost as much as many."""
        offsets = [record.offset for part in parts for record in part.records]
        groups: dict[MessageReader, list[int]] = defaultdict(list)
        payloads: dict[int, bytes] = {}
        wrong: dict[int, str] = {}
        for number, found in enumerate(chain.from_iterable(part.found for part in parts)):
            if isinstance(found, str):
                wrong[number] = found
            else:
                groups[found[0]].append(number)
                payloads[number] = found[1]
        tables: list[tuple[list[int], pa.Table]] = []
        events: dict[int, Outcome] = {}
        for reader, numbers in groups.items():
            own = [payloads[number] for number in numbers]
            quick = reader.read_columns(own)
            if quick is not None:
                at = pa.array([offsets[number] for number in numbers], pa.int64())
                tables.append((numbers, quick.append_column(POSITION_SCHEMA.field("position"), at)))
                continue
            for number, outcome in zip(numbers, reader.read_messages(own), strict=True):
                if isinstance(outcome, str):
                    wrong[number] = outcome
                else:
                    events[number] = outcome
        if events:
            rows = sorted(events)
            at = np.array([offsets[number] for number in rows], dtype=np.int64)
            table, refused = columns.build(Grouped([events[number] for number in rows]), at)
            wrong |= {rows[row]: error for row, error in refused.items()}
            tables.append(([number for number in rows if number not in wrong], table))
        table = columns.joined(tables) if tables else columns.empty_table()
        return list(_parted(topic, parts, table, wrong))

    def _opened(self, record: Any) -> tuple[MessageReader, bytes] | str:
        """The reader of the writer's schema and the payload, or what is wrong."""
        value = record.value
        if type(value) is bytes and len(value) <= self._record_bytes_max:
            known = self._readers.get(value[:_SINGLE_HEADER_BYTES])  # nearly always
            if isinstance(known, MessageReader):
                return known, value[_SINGLE_HEADER_BYTES:]
        if value is None:
            return "a tombstone: a record without a value is no event"
        if isinstance(value, UnreadableBatch):
            return value.error
        if len(value) > self._record_bytes_max:
            return f"{len(value)} bytes long; allowed: {self._record_bytes_max}"
        if value[:2] == MARKER:
            if len(value) < _SINGLE_HEADER_BYTES:
                return "cut off within the schema's fingerprint"
            reader = self._reader(value[:_SINGLE_HEADER_BYTES])
            return reader if isinstance(reader, str) else (reader, value[_SINGLE_HEADER_BYTES:])
        if record.headers and any(name in GUID_HEADERS for name, _ in record.headers):
            return "the schema is named in a header, by a GUID: not a framing of the contract"
        if value[:1] == CONFLUENT:
            return self._opened_confluent(value)
        found = value[:2].hex(" ") or "nothing"
        return f"not framed: c3 01 or 00 expected at its beginning, found {found}"

    def _opened_confluent(self, value: bytes) -> tuple[MessageReader, bytes] | str:
        if len(value) < _CONFLUENT_HEADER_BYTES:
            return "cut off within the schema's number"
        number = int.from_bytes(value[1:_CONFLUENT_HEADER_BYTES], "big")
        if number not in self._registered:
            if self._registry is None:
                return f"schema {number} of a registry, and none is configured"
            try:
                schema = self._registry.schema(number)
                self._registered[number] = self._understood(schema)
                self.to_register[number] = json.dumps(schema)
            except UnknownSchemaError as error:
                return str(error)
        return self._registered[number], value[_CONFLUENT_HEADER_BYTES:]

    def _understood(self, schema: JsonSchema) -> MessageReader:
        """A reader for a writer's schema, which is archived."""
        try:
            reader = MessageReader(understand(schema, PADDING_OF_MESSAGES))
            self._note(mark_of(schema), schema)
        except UnsafeSchemaError as error:
            raise UnknownSchemaError(f"the writer's schema cannot be read with: {error}") from error
        except Exception as error:  # whatever fastavro finds in a schema of someone else's
            raise UnknownSchemaError(f"the writer's schema is no Avro schema: {error}") from error
        return reader

    def _note(self, mark: bytes, schema: JsonSchema) -> None:
        """Have a schema archived, unless it is."""
        if mark.hex() not in self._archived:
            self._archived[mark.hex()] = self.to_archive[mark.hex()] = json.dumps(schema)

    def _reader(self, header: bytes) -> MessageReader | str:
        found = self._readers.get(header)
        if found is None:
            mark = header[len(MARKER) :]
            known = schemas.by_fingerprint().get(mark)
            text = None if known else self._archived.get(mark.hex())
            if known is None and text is None:
                # Not kept: it may be archived later.
                return f"unknown schema fingerprint {mark.hex()}; no schema here has it"
            schema = schemas.record_schema(*known) if known else json.loads(text or "")
            try:
                found = MessageReader(understand(schema, PADDING_OF_MESSAGES))
                self._note(mark, schema)
            except UnsafeSchemaError as error:
                found = f"the schema of fingerprint {mark.hex()} cannot be read with: {error}"
            self._readers[header] = found
        return found


def mark_of(schema: JsonSchema) -> bytes:
    """The CRC-64-AVRO fingerprint as single-object encoding has it."""
    return bytes.fromhex(fingerprint(to_parsing_canonical_form(schema), "CRC-64-AVRO"))


def _parted(
    topic: str, parts: Sequence[Opened], table: pa.Table, wrong: Mapping[int, str]
) -> Iterator[Decoded]:
    """Rows of all parts one after the other, and what is wrong by number, part by part."""
    first = row = 0
    for part in parts:
        letters, stamps = [], []
        for number, record in enumerate(part.records, first):
            if number in wrong:
                letters.append(_letter(topic, part.partition, record, wrong[number]))
            else:
                stamps.append(record.timestamp)
        yield Decoded(table.slice(row, len(stamps)), letters, stamps)
        first, row = first + len(part.records), row + len(stamps)


def _letter(topic: str, partition: int, record: Any, error: str) -> TopicDeadLetter:
    value = record.value
    is_batch = isinstance(value, UnreadableBatch)
    return TopicDeadLetter(
        source_of(topic, partition),
        value.first_offset if is_batch else record.offset,
        error,
        b"" if value is None else bytes(value),
        key=record.key,
        sent_micros=record.timestamp * 1_000 if record.timestamp >= 0 else None,
        tombstone=value is None,
        last_position=record.offset if is_batch else None,
    )
