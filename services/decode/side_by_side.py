"""Messages of one schema read side by side: of thousands, a field at a time, by NumPy.

That takes a quarter of the time of reading one after the other, and gives the same columns. It is
for what is as it should be. Where anything at all is odd in one message, none is read here, and the
other way says what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from services.arrow import array_of, spread
from services.decode.avro_records import RECORD_BYTES_MAX
from services.decode.avro_schema import Branch, Node, WriterSchema
from services.decode.columns import cards_of, column_of
from services.decode.records import DAY_MAX, DAY_MIN, MICROS_MAX, MICROS_MIN, FieldSpec
from services.decode.uuids import uuids_of_column
from services.event_table import EVENT_SCHEMA

MESSAGES_MIN: Final = 100
"""Fewer are read sooner one after the other."""

_NUMBER_BYTES_MAX: Final = 8
_BYTES_MAX: Final = 8 << 20
"""Of all messages: twenty times as much is needed to read them so. Events are some 120 bytes."""

Int64s = npt.NDArray[np.int64]

_WIRE_TYPES: Final = {
    **{"string": "string", "uuid": "string", "int": "int", "long": "long", "time": "long"},
    **{"date": "int", "enum": "enum", "boolean": "boolean"},
}
"""Form of a field -> its type in Avro. Lists and maps are read the other way."""


class OddError(ValueError):
    """Something that is not as it should be, wherever it is."""


class SideBySide:
    """Reads messages of one writer's schema that has our fields as we have them."""

    def __init__(self, branch: Branch) -> None:
        assert branch.spec is not None
        self._spec = branch.spec
        self._fields = [branch.spec.fields[name] for name, _ in branch.node["fields"]]

    @classmethod
    def of(cls, schema: WriterSchema) -> SideBySide | None:
        """The reader of a schema; None where it is not one that can be read so."""
        branch = schema.branches[0]
        if schema.is_union or branch.spec is None or branch.trouble or branch.symbols:
            return None
        nodes = dict(branch.node["fields"])
        if nodes.keys() != branch.spec.fields.keys():
            return None
        if not all(_is_plain(field, nodes[field.name]) for field in branch.spec.fields.values()):
            return None
        return cls(branch)

    def read(self, payloads: Sequence[bytes]) -> pa.Table | None:
        """N messages -> their columns of EVENT_SCHEMA; None where one of them is odd."""
        sizes = np.fromiter(map(len, payloads), np.int64, len(payloads))
        if sizes.max() > RECORD_BYTES_MAX or sizes.sum() > _BYTES_MAX:
            return None
        cursor = _Cursor(b"".join(payloads), sizes)
        try:
            found = {field.name: _column(field, cursor) for field in self._fields}
            cursor.check_end()
        except OddError:
            return None
        columns: dict[str, pa.Array] = {}
        for name, values in found.items():
            columns[column_of(self._spec.name, name)] = values
        if "card" in columns:
            cards = columns["card"].to_pylist()
            columns |= {name: cards_of(name, cards) for name in ("card", "card_code")}
        columns["kind"] = array_of(np.full(len(payloads), self._spec.kind, np.uint8))
        return pa.Table.from_arrays(
            [
                columns[each.name] if each.name in columns else pa.nulls(len(payloads), each.type)
                for each in EVENT_SCHEMA
            ],
            schema=EVENT_SCHEMA,
        )


def _is_plain(field: FieldSpec, node: Node) -> bool:
    """Whether the writer has a field as we have it."""
    if field.nullable:
        if node["type"] != "union" or len(node["branches"]) != 2:
            return False
        null, node = node["branches"]
        if null["type"] != "null":
            return False
    return bool(node["type"] == _WIRE_TYPES.get(field.form))


class _Cursor:
    """A place in each of N messages."""

    def __init__(self, data: bytes, sizes: Int64s) -> None:
        self.count = len(sizes)
        self._octets = np.frombuffer(data + bytes(2 * _NUMBER_BYTES_MAX), np.uint8)
        self._ends = np.cumsum(sizes)
        self._at: Int64s = self._ends - sizes

    def rows(self, *, nullable: bool) -> Int64s | None:
        """Which messages have a value here; None: each."""
        if not nullable:
            return None
        branch = self.numbers(None, 0, 1)
        return np.flatnonzero(branch)

    def numbers(self, rows: Int64s | None, low: int, high: int) -> Int64s:
        """A number of each of the rows."""
        at = self._at.copy() if rows is None else self._at[rows]
        octets = self._octets[at]
        values = (octets & 0x7F).astype(np.int64)
        at += 1
        more = np.flatnonzero(octets >= 0x80)
        for shift in range(7, 7 * _NUMBER_BYTES_MAX, 7):
            if not len(more):
                break
            octets = self._octets[at[more]]
            values[more] |= (octets & 0x7F).astype(np.int64) << shift
            at[more] += 1
            more = more[octets >= 0x80]
        if len(more):
            raise OddError
        values = (values >> 1) ^ -(values & 1)
        self._go_to(rows, at)
        if len(values) and (int(values.min()) < low or int(values.max()) > high):
            raise OddError
        return values

    def flags(self, rows: Int64s | None) -> npt.NDArray[np.bool_]:
        """True or false of each of the rows."""
        at = self._at.copy() if rows is None else self._at[rows]
        octets = self._octets[at]
        self._go_to(rows, at + 1)
        if (octets > 1).any():
            raise OddError
        return octets.view(np.bool_)

    def texts(self, rows: Int64s | None) -> pa.StringArray:
        """A text of each of the rows."""
        sizes = self.numbers(rows, 0, RECORD_BYTES_MAX)
        at = self._at if rows is None else self._at[rows]
        ends = np.cumsum(sizes)
        total = int(ends[-1]) if len(ends) else 0
        self._go_to(rows, at + sizes)
        places = np.repeat(at - (ends - sizes), sizes)
        places += np.arange(total)
        octets = self._octets[places]
        offsets = np.zeros(len(sizes) + 1, np.int32)
        offsets[1:] = ends
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(octets)]
        texts = pa.Array.from_buffers(pa.string(), len(sizes), buffers)
        if (octets >= 0x80).any():
            try:
                texts.validate(full=True)
            except pa.ArrowInvalid as error:
                raise OddError from error
        return texts

    def check_end(self) -> None:
        """Every message is read to its end."""
        if not np.array_equal(self._at, self._ends):
            raise OddError

    def _go_to(self, rows: Int64s | None, at: Int64s) -> None:
        if (at > (self._ends if rows is None else self._ends[rows])).any():
            raise OddError
        if rows is None:
            self._at = at
        else:
            self._at[rows] = at


def _column(field: FieldSpec, cursor: _Cursor) -> pa.Array:
    """What all messages have in a field."""
    rows = cursor.rows(nullable=field.nullable)
    values = _READ.get(field.form, _numbers)(field, cursor, rows)
    return values if rows is None else spread(values, rows, cursor.count)


def _numbers(field: FieldSpec, cursor: _Cursor, rows: Int64s | None) -> pa.Array:
    low, high = {"time": (MICROS_MIN, MICROS_MAX), "date": (DAY_MIN, DAY_MAX)}.get(
        field.form, field.bounds
    )
    values = cursor.numbers(rows, low, high)
    type_ = EVENT_SCHEMA.field(field.name).type
    if field.form == "date":
        return array_of(values.astype(np.int32)).view(type_)
    return array_of(values.astype(type_.to_pandas_dtype()))


def _codes(field: FieldSpec, cursor: _Cursor, rows: Int64s | None) -> pa.Array:
    return array_of(cursor.numbers(rows, 1, len(field.codes)).astype(np.uint8))


def _flags(field: FieldSpec, cursor: _Cursor, rows: Int64s | None) -> pa.Array:
    del field
    return array_of(cursor.flags(rows))


def _texts(field: FieldSpec, cursor: _Cursor, rows: Int64s | None) -> pa.Array:
    del field
    return cursor.texts(rows)


def _uuids(field: FieldSpec, cursor: _Cursor, rows: Int64s | None) -> pa.Array:
    del field
    uuids, odd = uuids_of_column(cursor.texts(rows))
    if odd:
        raise OddError
    return uuids


_READ: Final[dict[str, Callable[[FieldSpec, _Cursor, Int64s | None], Any]]] = {
    "string": _texts,
    "uuid": _uuids,
    "enum": _codes,
    "boolean": _flags,
}
