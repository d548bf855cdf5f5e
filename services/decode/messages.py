"""Many messages of one schema at once: fastavro's calls cost more than the records that they read.

The payloads are joined into one block, a secret mark behind each. A payload that is longer or
shorter than its record moves the marks, so that it shows, and the group is halved until it is
found: a bad message among a thousand costs ten calls more.
"""

from __future__ import annotations

import gc
import io
import secrets
from collections.abc import Sequence
from typing import Any, Final

import fastavro
import msgspec
import pyarrow as pa

from services.decode.avro_records import (
    RECORD_BYTES_MAX,
    RecordReader,
    _all_records,
    _may_hold_long_number,
    _zigzag,
)
from services.decode.avro_schema import WriterSchema
from services.decode.avro_walk import UnwalkableError
from services.decode.side_by_side import MESSAGES_MIN, SideBySide

_MARK_BYTES: Final = 16
_GROUP_MAX: Final = 512
_ALONE_MAX: Final = 4  # so few are read one by one

Outcome = msgspec.Struct | str
"""An event, or what is wrong."""


class MessageReader(RecordReader):
    """Reads messages of one writer's schema: one record in each, no more and no less."""

    def __init__(self, schema: WriterSchema) -> None:
        super().__init__(schema)
        record = schema.parsed["fields"][0]["type"]["items"]
        mark = {"type": "fixed", "name": "mark_behind", "size": _MARK_BYTES}
        fields = [{"name": "record", "type": record}, {"name": "mark", "type": mark}]
        message = {"type": "record", "name": "marked_message", "fields": fields}
        array = {"type": "array", "items": message}
        self._marked = fastavro.parse_schema(
            {"type": "record", "name": "marked", "fields": [{"name": "messages", "type": array}]}
        )
        self._side_by_side = SideBySide.of(schema)
        # No byte of it is above 7F: it never looks like part of a long number.
        self._mark = bytes(octet & 0x7F for octet in secrets.token_bytes(_MARK_BYTES))

    def read_columns(self, payloads: Sequence[bytes]) -> pa.Table | None:
        """Columns of EVENT_SCHEMA; None: too few, or something is odd, so that they must be read.

        That is what `read_messages` is for.
        """
        if self._side_by_side is None or len(payloads) < MESSAGES_MIN:
            return None
        return self._side_by_side.read(payloads)

    def read_messages(self, payloads: Sequence[bytes]) -> list[Outcome]:
        """An outcome for each payload, in their order."""
        outcomes: list[Outcome] = []
        for at in range(0, len(payloads), _GROUP_MAX):
            outcomes += self._read_group(payloads[at : at + _GROUP_MAX])
        return outcomes

    def _read_group(self, payloads: Sequence[bytes]) -> list[Outcome]:
        if len(payloads) <= _ALONE_MAX:
            return [self._read_one(payload) for payload in payloads]
        read = None if self._always_strict else self._read_marked(payloads)
        if read is not None:
            return read
        half = len(payloads) // 2
        return self._read_group(payloads[:half]) + self._read_group(payloads[half:])

    def _read_one(self, payload: bytes) -> Outcome:
        if len(payload) > RECORD_BYTES_MAX:
            return f"{len(payload)} bytes long; allowed: {RECORD_BYTES_MAX}"
        try:
            records = self.read(payload, 1)
        except UnwalkableError as error:
            return f"damaged: {error}"
        return records.wrong[0][0] if records.wrong else records.events[0]

    def _read_marked(self, payloads: Sequence[bytes]) -> list[Outcome] | None:
        """All of them if every one is an event, or None."""
        if max(map(len, payloads)) > RECORD_BYTES_MAX:
            return None
        mark = self._mark
        data = mark.join(payloads)
        if _may_hold_long_number(data):
            return None
        file = io.BytesIO(b"".join((_zigzag(len(payloads)), data, mark, b"\0")))
        collecting = gc.isenabled()
        gc.disable()  # it would walk through all these dicts again and again: nothing is cyclic
        try:
            block: Any = fastavro.schemaless_reader(
                file, self._marked, None, return_record_name=self._single is None
            )
            messages = block["messages"]
            if file.tell() != len(file.getbuffer()) or len(messages) != len(payloads):
                return None
            if any(message["mark"] != mark for message in messages):
                return None
            records = self._tag_all([message["record"] for message in messages])
            structs: list[Outcome] = msgspec.convert(records, _all_records())
            return structs
        except Exception:  # whatever fastavro stumbles over: one by one it will be said
            return None
        finally:
            if collecting:
                gc.enable()
