"""Events to bytes, for the simulator and for tests: JSON lines, Avro container files, messages.

A row is a JSON object as a dict: `type`, and the fields of the record, times as text or as aware
datetimes. Rows are checked as strictly as decoding does it, since fastavro's writer takes nearly
anything; a bad row raises `ValueError`.
"""

from __future__ import annotations

import datetime
import hashlib
import io
import json
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, BinaryIO, Final

import msgspec
from msgspec import UNSET

from services import schemas
from services.decode.records import EPOCH_DAY, json_decoder, specs_by_type
from services.decode.times import micros_of

Row = Mapping[str, Any]
SYNC_BYTES: Final = 16
BLOCK_BYTES: Final = 64_000


def json_line(row: Row) -> bytes:
    """A row as a JSON line with its newline, keys in the row's order. It is not checked."""
    return msgspec.json.encode(row) + b"\n"


def avro_record(row: Row) -> tuple[str, dict[str, Any]]:
    """A row as the record's name and the values that fastavro writes, defaults filled in."""
    try:
        struct = json_decoder().decode(msgspec.json.encode(row))
    except msgspec.MsgspecError as error:
        raise ValueError(f"no event: {error}: {dict(row)!r}") from error
    spec = specs_by_type()[type(struct)]
    values: dict[str, Any] = {}
    for field in spec.fields.values():
        value = getattr(struct, field.name)
        if value is UNSET:
            value = field.default
        elif field.form == "time":
            value = micros_of(value)
        elif isinstance(value, datetime.date):
            value = (value - EPOCH_DAY).days
        values[field.name] = value
    return spec.name, values


def write_container(file: BinaryIO, rows: Iterable[Row], codec: str = "deflate") -> None:
    """Write an Avro container file of the union of all records; the same rows give the same bytes.

    `file` must be open for reading and writing at its beginning, or be a fresh one.
    """
    import fastavro

    fastavro.writer(
        file,
        _parsed_union(),
        map(avro_record, rows),
        codec=codec,
        sync_interval=BLOCK_BYTES,
        sync_marker=_sync_marker(),
    )


def single_object(row: Row) -> bytes:
    """A row as a message in single-object encoding."""
    import fastavro

    name, values = avro_record(row)
    payload = io.BytesIO()
    fastavro.schemaless_writer(payload, _parsed_record(name), values)
    return b"\xc3\x01" + schemas.fingerprint(name) + payload.getvalue()


@cache
def _parsed_union() -> Any:
    import fastavro

    return _in_order(fastavro.parse_schema(list(schemas.union_schema())))


def _in_order(schema: Any) -> Any:
    """The same schema, keys sorted: fastavro leaves them in the order of hashes."""
    if isinstance(schema, dict):
        return {key: _in_order(schema[key]) for key in sorted(schema)}
    return [_in_order(part) for part in schema] if isinstance(schema, list) else schema


@cache
def _parsed_record(name: str) -> Any:
    import fastavro

    return fastavro.parse_schema(schemas.record_schema(name))


@cache
def _sync_marker() -> bytes:
    """Not of chance, so that the same events give the same file."""
    text = json.dumps(schemas.union_schema(), sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=SYNC_BYTES).digest()
