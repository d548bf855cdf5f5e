"""Checked records to Arrow columns: the one way from any carrier to `EVENT_SCHEMA`.

Rows are struct instances of `records`, JSON's or Avro's. What a type cannot say is checked here,
whole columns at a time: UUIDs, and times as text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache, cached_property
from itertools import chain
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from msgspec import UNSET
from msgspec.structs import astuple

from replay.vocabulary import CARD_BAD, CARD_CODES, CARD_NAMES, CARD_UNREAD, EventKind
from services.arrow import array_of, spread
from services.decode.batch import POSITION_SCHEMA
from services.decode.explain import wrong_field
from services.decode.records import FieldSpec, RecordSpec, specs, specs_by_type
from services.decode.times import micros_of_column
from services.decode.uuids import uuids_of_column
from services.event_table import EVENT_SCHEMA

_KEPT_COUNT_MAX: Final = 4  # cards that fit into `kept`; `cards` holds all of them
_DERIVED: Final = {"card_code": "card", "kept": "cards", "kept_count": "cards", "kept_bad": "cards"}
_OTHER_NAMES: Final = {("TableClosed", "reason"): "note"}
"""Fields whose column bears another name: the reason of a closing table is text, not a symbol."""

Rows = npt.NDArray[np.int64]
Kinds = tuple[EventKind, ...]


class Grouped:
    """N records of one carrier in the order of their source, sorted out by kind.

    What is taken out of them comes kind by kind, within a kind in their order.
    """

    def __init__(self, rows: list[Any], *, complete: bool = False) -> None:
        self.rows = rows
        self.complete = complete
        """Known: no field was left out anywhere."""
        self.kinds: npt.NDArray[np.uint8] = np.fromiter(
            map(_kind_codes().__getitem__, map(type, rows)), np.uint8, len(rows)
        )
        counts = np.bincount(self.kinds, minlength=len(EventKind))
        self.counts: dict[EventKind, int] = {
            EventKind(kind): counts[kind] for kind in np.flatnonzero(counts).tolist()
        }
        self.of_avro = bool(rows) and specs_by_type()[type(rows[0])].avro_type is type(rows[0])
        self._ends = np.cumsum(counts).tolist()
        self._rows: dict[Kinds, Rows] = {}
        self._orders: dict[Kinds, Rows | None] = {}

    def fields(self, source: str) -> dict[EventKind, FieldSpec]:
        """The field that fills a column, for each kind here that has it."""
        return {k: field for k, field in _sources()[source].items() if k in self.counts}

    def rows_of(self, kinds: Kinds) -> Rows:
        """Which rows are of these kinds, kind by kind: ascending where it is one."""
        if kinds not in self._rows:
            parts = [self._by_kind[self._ends[kind - 1] : self._ends[kind]] for kind in kinds]
            self._rows[kinds] = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return self._rows[kinds]

    def values(self, source: str) -> list[Any]:
        """What fills a column, as decoded: a value for each of `rows_of`."""
        fields = self.fields(source)
        return [*chain(*(self._fields_of[kind][field.name] for kind, field in fields.items()))]

    def ascending(self, kinds: Kinds, values: list[Any]) -> tuple[list[Any], Rows]:
        """A value for each of `rows_of`, put into the order of the source; and the rows."""
        rows = self.rows_of(kinds)
        if len(kinds) == 1:
            return values, rows
        if kinds not in self._orders:
            self._orders[kinds] = np.argsort(rows)
        order = self._orders[kinds]
        return _boxed(values)[order].tolist(), rows[order]

    def keys_if_complete(self) -> int:
        """How many JSON keys the records have if no field was left out.

        Counts `type`, and the keys of nested objects.
        """
        keys = sum(n * (len(_spec_of_kind()[k].fields) + 1) for k, n in self.counts.items())
        return keys + sum(len(row) for name in _nested() for row in self.values(name))

    def keys_left_out(self) -> int:
        """How many fields were left out."""
        return sum(
            len([True for value in self._fields_of[kind][name] if value is UNSET])
            for kind in self.counts
            for name, field in _spec_of_kind()[kind].fields.items()
            if not field.required
        )

    @cached_property
    def _by_kind(self) -> Rows:
        """All rows, kind by kind."""
        return np.argsort(self.kinds, kind="stable")

    @cached_property
    def _fields_of(self) -> dict[EventKind, dict[str, tuple[Any, ...]]]:
        """Of each kind the values of each field."""
        sorted_out = _boxed(self.rows)[self._by_kind].tolist()
        found: dict[EventKind, dict[str, tuple[Any, ...]]] = {}
        for kind in self.counts:
            records = sorted_out[self._ends[kind - 1] : self._ends[kind]]
            names = type(records[0]).__struct_fields__
            found[kind] = dict(zip(names, zip(*map(astuple, records), strict=True), strict=True))
        return found


def _boxed(values: list[Any]) -> npt.NDArray[np.object_]:
    boxed = np.empty(len(values), dtype=object)
    boxed[:] = values
    return boxed


def build(grouped: Grouped, positions: npt.NDArray[np.int64]) -> tuple[pa.Table, dict[int, str]]:
    """N records -> a table of `POSITION_SCHEMA` without the bad rows, and row -> what is wrong."""
    builder = _Builder(grouped)
    columns = [builder.column(name) for name in EVENT_SCHEMA.names]
    table = pa.Table.from_arrays([*columns, array_of(positions)], schema=POSITION_SCHEMA)
    if builder.wrong:
        good = np.ones(len(grouped.rows), dtype=np.bool_)
        good[list(builder.wrong)] = False
        table = table.filter(array_of(good))
    return table, builder.wrong


def empty_table() -> pa.Table:
    """No events."""
    return POSITION_SCHEMA.empty_table()


class _Builder:
    """Builds the columns of one batch, and notes the rows that must not be taken."""

    def __init__(self, grouped: Grouped) -> None:
        self.grouped = grouped
        self.size = len(grouped.rows)
        self.wrong: dict[int, str] = {}

    def column(self, name: str) -> pa.Array:
        """A column of `EVENT_SCHEMA`, (N,): null where the record has no such field."""
        kind = EVENT_SCHEMA.field(name).type
        if name == "kind":
            return array_of(self.grouped.kinds)
        source = _DERIVED.get(name, name)
        fields = self.grouped.fields(source)
        if not fields:
            return pa.nulls(self.size, kind)
        values, rows = self._values(source, fields), self.grouped.rows_of(tuple(fields))
        if not (pa.types.is_primitive(kind) or pa.types.is_boolean(kind)):
            values, rows = self.grouped.ascending(tuple(fields), values)
        array = self._array(name, next(iter(fields.values())), values, rows)
        assert array.type == kind, (name, array.type)
        in_place = len(rows) == self.size and bool((rows[1:] > rows[:-1]).all())
        return array if in_place else spread(array, rows, self.size)

    def _values(self, source: str, fields: dict[EventKind, FieldSpec]) -> list[Any]:
        """What fills the column, defaults filled in (enums as symbols or codes)."""
        values = self.grouped.values(source)
        optional = [field for field in fields.values() if not field.required]
        if optional and not self.grouped.complete:
            field = optional[0]
            default = field.default
            assert all(other.default == default for other in optional), source
            if self.grouped.of_avro and field.codes and default is not None:
                default = field.codes[default]
            values = [default if value is UNSET else value for value in values]
        return values

    def _array(self, name: str, field: FieldSpec, values: list[Any], rows: Rows) -> pa.Array:
        """The values as Arrow; `rows` are their rows."""
        if field.form in {"uuid", "time"}:
            return self._checked(field, values, rows)
        if name in {"card", "card_code"}:
            return cards_of(name, values)
        if _DERIVED.get(name, name) == "cards":
            return _kept(name, values)
        if field.form == "enum" and not self.grouped.of_avro:
            values = list(map(field.codes.__getitem__, values))
        elif field.form == "enums" and not self.grouped.of_avro:
            values = [[field.codes[symbol] for symbol in row] for row in values]
        elif field.form == "map":
            values = [
                json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
                for row in values
            ]
        elif field.form == "boolean" and self.grouped.of_avro:
            values = [value != 0 for value in values]
        elif field.form == "date" and self.grouped.of_avro:
            return pa.array(values, pa.int32()).view(pa.date32())
        return pa.array(values, EVENT_SCHEMA.field(name).type)

    def _checked(self, field: FieldSpec, values: list[Any], rows: Rows) -> pa.Array:
        """UUIDs in lower case, or times in microseconds; what is neither is noted."""
        if field.form == "time" and self.grouped.of_avro:
            return pa.array(values, pa.int64())
        texts = pa.array(values, pa.string())
        wrong: dict[int, str]
        if field.form == "time":
            micros, wrong = micros_of_column(texts)
            checked = array_of(micros)
        else:
            checked, odd = uuids_of_column(texts)
            wrong = {number: f"{values[number][:60]!r} is no UUID" for number in odd}
        for number, what in wrong.items():
            row = int(rows[number])
            spec = specs_by_type()[type(self.grouped.rows[row])]
            self.wrong.setdefault(row, wrong_field(spec, field.name, what))
        return checked


def column_of(record: str, field: str) -> str:
    """The column of EVENT_SCHEMA that a field of a record fills."""
    return _OTHER_NAMES.get((record, field), field)


def joined(parts: Sequence[tuple[list[int], pa.Table]]) -> pa.Table:
    """Tables of one schema and the numbers of their rows -> one table in the order of these."""
    tables = [table for _, table in parts]
    if len(tables) == 1:
        return tables[0]
    order = np.argsort(np.concatenate([np.array(rows, np.int64) for rows, _ in parts]))
    return pa.concat_tables(tables).combine_chunks().take(array_of(order))


def cards_of(name: str, values: list[str | None]) -> pa.Array:
    """`card`: as sent, `10h` as `Th`; `card_code`: their codes. Null where there is none."""
    distinct = {
        value: CARD_CODES.get(value, CARD_BAD) for value in set(values) if value is not None
    }
    lookup: dict[str | None, Any] = {None: None}
    if name == "card_code":
        return pa.array(list(map((lookup | distinct).__getitem__, values)), pa.uint8())
    lookup |= {value: _card_text(value) for value in distinct}
    return pa.array(list(map(lookup.__getitem__, values)), pa.string())


def _card_text(value: str) -> str:
    """A card's own name; of what is no card, what was sent."""
    code = CARD_CODES.get(value)
    return value if code is None else CARD_NAMES[code]


def _kept(name: str, values: list[list[str]]) -> pa.Array:
    """The cards that a decision names: as text, packed, counted, or whether one is none."""
    counts = np.fromiter(map(len, values), np.int32, len(values))
    if name == "kept_count":
        return array_of(counts)
    cards = list(chain.from_iterable(values))
    if name == "cards":
        texts = pa.array(list(map(_card_text, cards)), pa.string())
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        return pa.ListArray.from_arrays(array_of(offsets), texts)
    codes = np.array([CARD_CODES.get(card, CARD_BAD) for card in cards], dtype=np.uint8)
    row = np.repeat(np.arange(len(values)), counts)
    if name == "kept_bad":
        bad = np.zeros(len(values), dtype=np.bool_)
        bad[row[codes == CARD_BAD]] = True
        return array_of(bad)
    place = np.arange(len(codes)) - np.repeat(np.cumsum(counts) - counts, counts)
    first = place < _KEPT_COUNT_MAX
    packed = np.full((len(values), _KEPT_COUNT_MAX), CARD_UNREAD, dtype=np.uint8)
    packed[row[first], place[first]] = codes[first]
    return array_of(packed.view("<u4").reshape(-1).astype(np.uint32))


@cache
def _kind_codes() -> dict[type[msgspec.Struct], int]:
    """Struct type -> kind."""
    return {struct: spec.kind.value for struct, spec in specs_by_type().items()}


@cache
def _spec_of_kind() -> dict[EventKind, RecordSpec]:
    """Kind -> record."""
    return {spec.kind: spec for spec in specs().values()}


@cache
def _sources() -> dict[str, dict[EventKind, FieldSpec]]:
    """Column -> the kinds that have it, and the field that fills it."""
    found: dict[str, dict[EventKind, FieldSpec]] = {name: {} for name in EVENT_SCHEMA.names}
    for spec in specs().values():
        for field in spec.fields.values():
            found[column_of(spec.name, field.name)][spec.kind] = field
    return found


@cache
def _nested() -> tuple[str, ...]:
    """Columns that are filled from objects."""
    return tuple(
        source
        for source, fields in _sources().items()
        if any(field.form == "map" for field in fields.values())
    )
