"""Avro's bytes to checked records: fastavro for what is good, the strict reader for the rest."""

from __future__ import annotations

import gc
import io
import re
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import fastavro
import msgspec
import numpy as np
import numpy.typing as npt

from services.decode import explain
from services.decode.avro_schema import Branch, WriterSchema
from services.decode.avro_walk import UnwalkableError, number, union, walker
from services.decode.records import RecordSpec, specs

RECORD_BYTES_MAX: Final = 1 << 20
"""An event is some 120 bytes; what is a thousand times longer is none."""

_LONG_NUMBER: Final = re.compile(rb"[\x80-\xff]{9}")
"""What a number of more than 63 bits looks like, which fastavro cuts to 64 without a word. Text in
another script looks like it too: such bytes are read strictly, that is all."""

_QUICK_SEARCH_BYTES: Final = 1024  # below, the expression is quicker than setting up arrays

Wrong = tuple[str, bytes]
"""What is wrong with a record, and its bytes."""


@dataclass(frozen=True, slots=True)
class Records:
    """N records in order, sorted into events and others."""

    events: list[msgspec.Struct]
    numbers: npt.NDArray[np.int64]
    """Of each event, which of the N it is, from 0: ascending."""
    wrong: dict[int, Wrong]
    """The others."""


class RecordReader:
    """Reads the records of one writer's schema. Errors in a record are results, not exceptions."""

    def __init__(self, schema: WriterSchema) -> None:
        self.schema = schema
        self._adapted = {
            branch.wire_name: branch
            for branch in schema.branches
            if branch.maps or branch.symbols or branch.trouble
        }
        """Records that need more than their type to be ready for `convert`."""
        self._single = None if schema.is_union else schema.branches[0]
        self.complete = all(
            branch.trouble is not None
            or set(branch.spec.fields) == {n for n, _ in branch.node["fields"]}
            for branch in schema.branches
            if branch.spec
        )
        """The writer's records have every field of ours."""
        self._always_strict = all(branch.trouble for branch in schema.branches)
        walks = [walker(branch.node) for branch in schema.branches]
        self._walk = union(walks) if schema.is_union else walks[0]

    def read(self, data: bytes, count: int) -> Records:
        """`count` records that fill `data` exactly.

        Raises `UnwalkableError` if the bytes are not that many records.
        """
        plain = len(data) <= RECORD_BYTES_MAX or count > 1
        if plain and not self._always_strict and not _may_hold_long_number(data):
            events = self._read_quickly(data, count)
            if events is not None:
                return Records(events, np.arange(count, dtype=np.int64), {})
        return self._read_strictly(data, count)

    def parts(self, data: bytes, count: int, size: int) -> list[tuple[bytes, int]]:
        """The same records in parts of at most `size`. Raises `UnwalkableError`."""
        if count <= size:
            return [(data, count)]
        cuts, at = [0], 0
        for number_read in range(1, count + 1):
            _, at = self._walk(data, at)
            if number_read % size == 0 or number_read == count:
                cuts.append(at)
        _check_end(data, at)
        counts = [size] * (len(cuts) - 2) + [count - size * (len(cuts) - 2)]
        return [(data[a:b], n) for a, b, n in zip(cuts, cuts[1:], counts, strict=False)]

    def span(self, data: bytes, index: int) -> tuple[int, int]:
        """Where record `index` (from 0) begins and ends."""
        start = end = 0
        for _ in range(index + 1):
            start = end
            _, end = self._walk(data, start)
        return start, end

    def _read_quickly(self, data: bytes, count: int) -> list[msgspec.Struct] | None:
        """All records if every one is an event, or None.

        fastavro reads them in one call, as an array: its calls cost more than a record does.
        """
        file = io.BytesIO(b"".join((_zigzag(count), data, b"\0")))
        collecting = gc.isenabled()
        gc.disable()  # it would walk through all these dicts again and again: nothing is cyclic
        try:
            block: Any = fastavro.schemaless_reader(
                file, self.schema.parsed, None, return_record_name=self._single is None
            )
            if file.tell() != len(file.getbuffer()) or len(block["records"]) != count:
                return None
            records = self._tag_all(block["records"])
            structs: list[msgspec.Struct] = msgspec.convert(records, _all_records())
            return structs
        except Exception:  # whatever it is that fastavro stumbles over: the strict reader will say
            return None
        finally:
            if collecting:
                gc.enable()

    def _tag_all(self, raw: list[Any]) -> list[dict[str, Any]]:
        """Records as fastavro gives them, of a union with their names -> ready for `convert`."""
        if self._single is not None:
            return [_tagged(self._single, record) for record in raw]
        adapted = self._adapted
        for name, record in raw:
            if name in adapted:
                _tagged(adapted[name], record)
            else:
                record["type"] = name
        return [record for _, record in raw]

    def _read_strictly(self, data: bytes, count: int) -> Records:
        """Record by record."""
        at = 0
        events: list[msgspec.Struct] = []
        numbers: list[int] = []
        wrong: dict[int, Wrong] = {}
        for index in range(count):
            start = at
            branch = self._branch_at(data, at)
            record, at = self._walk(data, at)
            checked = _checked(branch, record, data[start:at])
            if isinstance(checked, tuple):
                wrong[index] = checked
            else:
                events.append(checked)
                numbers.append(index)
        _check_end(data, at)
        return Records(events, np.array(numbers, dtype=np.int64), wrong)

    def _branch_at(self, data: bytes, at: int) -> Branch:
        """Which record begins here."""
        if self._single is not None:
            return self._single
        index, _ = number(data, at)
        if not 0 <= index < len(self.schema.branches):
            raise UnwalkableError(
                f"union index {index}; allowed: 0 to {len(self.schema.branches) - 1}"
            )
        return self.schema.branches[index]


def _may_hold_long_number(data: bytes) -> bool:
    """Whether nine bytes in a row have their highest bit set."""
    if len(data) < _QUICK_SEARCH_BYTES:
        return _LONG_NUMBER.search(data) is not None
    high = np.frombuffer(data, dtype=np.uint8) >= 0x80
    for step in (1, 2, 4, 1):  # runs of 2, 4, 8 and 9
        high = high[:-step] & high[step:]
    return bool(high.any())


def _zigzag(value: int) -> bytes:
    """A count as Avro writes it."""
    value <<= 1
    octets = bytearray()
    while value > 0x7F:
        octets.append(value & 0x7F | 0x80)
        value >>= 7
    octets.append(value)
    return bytes(octets)


def _check_end(data: bytes, at: int) -> None:
    if at != len(data):
        raise UnwalkableError(f"{len(data) - at} bytes are left over behind the last record")


def _checked(branch: Branch, record: Any, raw: bytes) -> msgspec.Struct | Wrong:
    """A strictly read record as an event, or what is wrong with it."""
    if branch.trouble is not None or branch.spec is None:
        return branch.trouble or "", raw
    if len(raw) > RECORD_BYTES_MAX:
        error = f"the record is {len(raw)} bytes long; allowed: {RECORD_BYTES_MAX}"
        return error, raw[:4096]
    try:
        struct: msgspec.Struct = msgspec.convert(_tagged(branch, record), branch.spec.avro_type)
        return struct
    except msgspec.ValidationError as error:
        return _explained(branch.spec, record, str(error)), raw


def _tagged(branch: Branch, record: dict[str, Any]) -> dict[str, Any]:
    """A wire record made ready for `convert`: its type, its pairs as a map, its enums as our codes.

    What cannot be made ready stays what it is, so that `convert` refuses it.
    """
    spec = branch.spec
    if spec is None or branch.trouble:
        raise LookupError(branch.name)
    record["type"] = spec.name
    for field in branch.maps:
        if field in record:
            record[field] = _map_of(record[field])
    for field, symbols in branch.symbols.items():
        codes, value = spec.fields[field].codes, record[field]
        if isinstance(value, list):
            record[field] = [_code_of(symbols, codes, index) for index in value]
        elif value is not None:
            record[field] = _code_of(symbols, codes, value)
    return record


def _map_of(pairs: Any) -> Any:
    """Pairs as a map, if no key is there twice."""
    if not isinstance(pairs, list):
        return pairs
    made = {pair["key"]: pair["value"] for pair in pairs}
    return made if len(made) == len(pairs) else pairs


def _code_of(symbols: tuple[str, ...], codes: dict[str, int], index: int) -> int | tuple[str, int]:
    """Our code for a writer's index of an enum; of a symbol unknown here, the symbol itself."""
    if not 0 <= index < len(symbols):
        return ("index", index)
    return codes.get(symbols[index]) or (symbols[index], index)


def _explained(spec: RecordSpec, record: dict[str, Any], message: str) -> str:
    """What is wrong with a record, in the words of the contract."""
    found = re.search(r" - at `\$\.(\w+)(?:\[(\d+)\])?", message)
    if not found or found[1] not in spec.fields:
        return explain.refused(spec, message)
    field, value = spec.fields[found[1]], record[found[1]]
    if found[2] and isinstance(value, list):
        value = value[int(found[2])]
    what = ""
    if isinstance(value, bytes):
        what = f"{value[:60]!r} is not UTF-8"
    elif field.form == "map" and isinstance(value, list):
        keys = [pair["key"] for pair in value]
        what = f"the key {max(keys, key=keys.count)!r} is there twice"
    elif field.form in {"enum", "enums"} and value is not None:
        index = value[1] if isinstance(value, tuple) else value
        symbol = value[0] if isinstance(value, tuple) and value[0] != "index" else ""
        symbol = "UNKNOWN" if index == 0 and not symbol else symbol
        what = f"{symbol[:60]!r} is not known" if symbol else f"enum index {index} is not known"
    elif field.form == "boolean" and value is not None:
        what = "the byte is neither 0 nor 1"
    elif isinstance(value, int):
        what = f"{value} is out of range"
    return explain.wrong_field(spec, field.name, what) if what else explain.refused(spec, message)


@cache
def _all_records() -> Any:
    """A list of any records, for `convert`."""
    union_type: Any = None
    for spec in specs().values():
        union_type = spec.avro_type if union_type is None else union_type | spec.avro_type
    return list[union_type]
