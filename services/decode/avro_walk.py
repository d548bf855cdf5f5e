"""A slow, strict reader of Avro's bytes: says where each value ends, and what cannot be one.

fastavro is quick and lenient: it takes numbers of more than 64 bits and negative indices. Whatever
it stumbles over, or may have misread, is read again here. The values are those of the wire schema
(`avro_schema`): an enum is its index, a boolean 0 or -1, a map a list of pairs. Text that is not
UTF-8 stays bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from services.decode.avro_schema import Node, bytes_min

Walk = Callable[[bytes, int], tuple[Any, int]]
"""(bytes, where a value begins) -> (the value, where the next one begins)."""

_VARINT_BYTES_MAX = 10  # 64 bits, 7 in a byte


class UnwalkableError(ValueError):
    """The bytes from here on cannot be told apart into values; the message says why."""


def walker(node: Node) -> Walk:
    """The reader of a resolved type."""
    kind = node["type"]
    if kind in {"int", "long", "enum", "boolean"}:
        return number
    if kind in {"string", "bytes"}:
        return text if kind == "string" else octets
    if kind == "null":
        return lambda data, at: (None, at)
    if kind in {"float", "double", "fixed"}:
        return _fixed({"float": 4, "double": 8}.get(kind) or node["size"])
    if kind == "union":
        return union([walker(part) for part in node["branches"]])
    if kind == "record":
        return _record([(name, walker(part)) for name, part in node["fields"]])
    if kind == "map":
        pair = _record([("key", text), ("value", walker(node["items"]))])
        return _array(pair, 1 + bytes_min(node["items"]))
    assert kind == "array", kind
    return _array(walker(node["items"]), bytes_min(node["items"]))


def number(data: bytes, at: int) -> tuple[int, int]:
    """A whole number, exact even beyond 64 bits."""
    value = shift = 0
    for end in range(at, min(at + _VARINT_BYTES_MAX, len(data))):
        octet = data[end]
        value |= (octet & 0x7F) << shift
        if octet < 0x80:
            return (value >> 1) ^ -(value & 1), end + 1
        shift += 7
    cut = at + _VARINT_BYTES_MAX > len(data)
    raise UnwalkableError("a number is cut off" if cut else "a number takes more than 10 bytes")


def octets(data: bytes, at: int) -> tuple[bytes, int]:
    """Bytes with their length before them."""
    length, at = number(data, at)
    if not 0 <= length <= len(data) - at:
        raise UnwalkableError(f"{length} bytes are announced and {len(data) - at} are left")
    return data[at : at + length], at + length


def text(data: bytes, at: int) -> tuple[str | bytes, int]:
    """Text; what is not UTF-8 stays bytes."""
    raw, at = octets(data, at)
    try:
        return raw.decode(), at
    except UnicodeDecodeError:
        return raw, at


def union(parts: list[Walk]) -> Walk:
    """One of several types."""

    def walk(data: bytes, at: int) -> tuple[Any, int]:
        index, at = number(data, at)
        if not 0 <= index < len(parts):
            raise UnwalkableError(f"union index {index}; allowed: 0 to {len(parts) - 1}")
        return parts[index](data, at)

    return walk


def _fixed(size: int) -> Walk:
    def walk(data: bytes, at: int) -> tuple[bytes, int]:
        if size > len(data) - at:
            raise UnwalkableError(f"{size} bytes are due and {len(data) - at} are left")
        return data[at : at + size], at + size

    return walk


def _record(fields: list[tuple[str, Walk]]) -> Walk:
    def walk(data: bytes, at: int) -> tuple[dict[str, Any], int]:
        values: dict[str, Any] = {}
        for name, part in fields:
            try:
                values[name], at = part(data, at)
            except UnwalkableError as error:
                raise UnwalkableError(f"{name}: {error}") from error
        return values, at

    return walk


def _array(item: Walk, item_bytes_min: int) -> Walk:
    """Blocks of items; a negative count has the block's length behind it."""

    def walk(data: bytes, at: int) -> tuple[list[Any], int]:
        items: list[Any] = []
        while True:
            count, at = number(data, at)
            if count == 0:
                return items, at
            if count < 0:
                _, at = number(data, at)
                count = -count
            if count * item_bytes_min > len(data) - at:
                raise UnwalkableError(f"{count} items are announced, more than there are bytes")
            for _ in range(count):
                value, at = item(data, at)
                items.append(value)

    return walk
