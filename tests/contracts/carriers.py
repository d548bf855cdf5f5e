"""The ways that an event can come in, each from a row to what decoding makes of it."""

import copy
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import fastavro
import msgspec
import pyarrow as pa

from services import encode, schemas
from services.decode.batch import DeadLetter
from services.decode.json_lines import decode_piece
from services.decode.single_object import decode_single_objects
from services.sources.files import read_events
from tests.contracts.examples import Row

SYNC: Final = bytes(range(16))


def by_json(*lines: bytes) -> tuple[pa.Table, list[DeadLetter]]:
    """JSON lines, all good ones at once."""
    return decode_piece(b"\n".join(lines), "memory", 1)


def by_json_singly(*lines: bytes) -> tuple[pa.Table, list[DeadLetter]]:
    """JSON lines, one by one: a blank line sees to that."""
    return decode_piece(b"\n".join([*lines, b" ", b""]), "memory", 1)


def by_message(*rows: Row) -> tuple[pa.Table, list[DeadLetter]]:
    """Single-object encoded."""
    messages = [encode.single_object(row) for row in rows]
    return decode_single_objects(messages, range(1, len(messages) + 1), "memory")


def by_container(folder: Path, *rows: Row) -> tuple[pa.Table, list[DeadLetter]]:
    """An Avro container file."""
    path = folder / "events.avro"
    with path.open("wb") as file:
        encode.write_container(file, rows)
    return by_file(path)


def by_file(path: Path) -> tuple[pa.Table, list[DeadLetter]]:
    """Everything in a file."""
    batches = list(read_events(path))
    tables = [batch.table for batch in batches]
    letters = [letter for batch in batches for letter in batch.dead_letters]
    table = pa.concat_tables(tables).combine_chunks() if tables else None
    return table, letters


def line(row: object) -> bytes:
    """A row as a JSON line without its newline."""
    return msgspec.json.encode(row)


def varint(value: int) -> bytes:
    """A whole number as Avro writes it, of any size and sign."""
    rest = value << 1 if value >= 0 else (-value << 1) - 1
    octets = bytearray()
    while rest > 0x7F:
        octets.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes([*octets, rest])


def record_bytes(row: Row, **raw: bytes) -> bytes:
    """A row's Avro record; the fields named are these bytes, whatever they are."""
    name, values = encode.avro_record(row)
    schema = copy.deepcopy(schemas.without_annotations(schemas.record_schema(name)))
    for field in schema["fields"]:
        if field["name"] in raw:
            octets = raw[field["name"]]
            field["type"] = {"type": "fixed", "name": f"Raw{field['name']}", "size": len(octets)}
            values[field["name"]] = octets
    written = io.BytesIO()
    fastavro.schemaless_writer(written, fastavro.parse_schema(schema), values)
    return written.getvalue()


def union_bytes(row: Row, **raw: bytes) -> bytes:
    """A row's Avro record as a branch of the union of all records."""
    return varint(schemas.RECORD_NAMES.index(row["type"])) + record_bytes(row, **raw)


def message_bytes(row: Row, **raw: bytes) -> bytes:
    """A row's Avro record, single-object encoded."""
    return b"\xc3\x01" + schemas.fingerprint(row["type"]) + record_bytes(row, **raw)


def container_bytes(
    blocks: Sequence[Sequence[bytes]], schema: Any = None, codec: bytes = b"null"
) -> bytes:
    """A container file of blocks of records, byte by byte."""
    return header_bytes(schema, codec) + b"".join(map(block_bytes, blocks))


def header_bytes(schema: Any = None, codec: bytes = b"null") -> bytes:
    """The header; without a schema the union of all records."""
    text = line(list(schemas.union_schema()) if schema is None else schema)
    pairs = {b"avro.schema": text, b"avro.codec": codec}
    entries = [varint(len(part)) + part for pair in pairs.items() for part in pair]
    return b"Obj\x01" + varint(len(pairs)) + b"".join(entries) + varint(0) + SYNC


def block_bytes(records: Sequence[bytes]) -> bytes:
    """A block with its sync marker."""
    data = b"".join(records)
    return varint(len(records)) + varint(len(data)) + data + SYNC
