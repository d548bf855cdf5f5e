"""Checked records to Arrow columns: the one way from any carrier to `EVENT_SCHEMA`.

Rows are struct instances of `records`, JSON's or Avro's. What a type cannot say is checked here,
whole columns at a time: UUIDs, and times as text.
"""

from __future__ import annotations

import json
from functools import cache, cached_property
from operator import attrgetter
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from msgspec import UNSET

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


class Grouped:
    """N records of one carrier in the order of their source, sorted out by kind."""

    def __init__(self, rows: list[Any], *, complete: bool = False) -> None:
        self.rows = rows
        self.complete = complete
        """Known: no field was left out anywhere."""
        self._records: dict[tuple[EventKind, ...], list[Any]] = {}
        self._rows_of: dict[tuple[EventKind, ...], Rows | None] = {}
        self._values: dict[str, list[Any]] = {}
        self.kinds: npt.NDArray[np.uint8] = np.fromiter(
            map(_kind_codes().__getitem__, map(type, rows)), np.uint8, len(rows)
        )
        self.counts: dict[EventKind, int] = {
            EventKind(kind): count
            for kind, count in enumerate(np.bincount(self.kinds).tolist())
            if count
        }
        self.of_avro = bool(rows) and specs_by_type()[type(rows[0])].avro_type is type(rows[0])

    def fields(self, source: str) -> dict[EventKind, FieldSpec]:
        """The field that fills a column, for each kind here that has it."""
        return {k: field for k, field in _sources()[source].items() if k in self.counts}

    def rows_of(self, kinds: tuple[EventKind, ...]) -> Rows | None:
        """Rows of these kinds, ascending; None: all rows."""
        if kinds not in self._rows_of:
            chosen = np.zeros(len(EventKind), dtype=np.bool_)
            chosen[list(kinds)] = True
            everything = len(kinds) == len(self.counts)
            self._rows_of[kinds] = None if everything else np.flatnonzero(chosen[self.kinds])
        return self._rows_of[kinds]

    def values(self, source: str) -> list[Any]:
        """What fills a column, as decoded: a value for each row whose kind has the field."""
        if source not in self._values:
            fields = self.fields(source)
            records = self._records_of(tuple(fields))
            names = {kind: field.name for kind, field in fields.items()}
            if len(set(names.values())) == 1:
                values = list(map(attrgetter(next(iter(names.values()))), records))
            else:
                of_type = {struct: names.get(EventKind(k)) for struct, k in _kind_codes().items()}
                values = [getattr(record, of_type[type(record)] or "") for record in records]
            self._values[source] = values
        return self._values[source]

    def keys_if_complete(self) -> int:
        """How many JSON keys the records have if no field was left out.

        Counts `type`, and the keys of nested objects.
        """
        keys = sum(n * (len(_spec_of_kind()[k].fields) + 1) for k, n in self.counts.items())
        return keys + sum(len(row) for name in _nested() for row in self.values(name))

    def keys_left_out(self) -> int:
        """How many fields were left out."""
        return sum(
            len([True for value in self.values(source) if value is UNSET])
            for source, optional in _optional().items()
            if not optional.isdisjoint(self.counts)
        )

    def _records_of(self, kinds: tuple[EventKind, ...]) -> list[Any]:
        """The records of these kinds."""
        rows = self.rows_of(kinds)
        if rows is None:
            return self.rows
        if kinds not in self._records:
            self._records[kinds] = self._boxed[rows].tolist()
        return self._records[kinds]

    @cached_property
    def _boxed(self) -> npt.NDArray[np.object_]:
        boxed = np.empty(len(self.rows), dtype=object)
        boxed[:] = self.rows
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
        rows = self.grouped.rows_of(tuple(fields))
        array = self._array(name, next(iter(fields.values())), self._values(source, fields), rows)
        assert array.type == kind, (name, array.type)
        return array if rows is None else spread(array, rows, self.size)

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

    def _array(self, name: str, field: FieldSpec, values: list[Any], rows: Rows | None) -> pa.Array:
        """The values as Arrow; `rows` are their rows."""
        if field.form in {"uuid", "time"}:
            return self._checked(field, values, rows)
        if name in {"card", "card_code"}:
            return _cards(name, values)
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

    def _checked(self, field: FieldSpec, values: list[Any], rows: Rows | None) -> pa.Array:
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
            row = number if rows is None else int(rows[number])
            spec = specs_by_type()[type(self.grouped.rows[row])]
            self.wrong.setdefault(row, wrong_field(spec, field.name, what))
        return checked


def _cards(name: str, values: list[str | None]) -> pa.Array:
    """Cards as sent, `10h` as `Th`, or their codes; null where there is none."""
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
    if name == "cards":
        return pa.array([list(map(_card_text, cards)) for cards in values], pa.list_(pa.string()))
    if name == "kept_count":
        return pa.array(list(map(len, values)), pa.int32())
    codes = [[CARD_CODES.get(card, CARD_BAD) for card in cards] for cards in values]
    if name == "kept_bad":
        return pa.array([CARD_BAD in row for row in codes], pa.bool_())
    packed = np.full((len(codes), _KEPT_COUNT_MAX), CARD_UNREAD, dtype=np.uint8)
    for number, row in enumerate(codes):
        first = row[:_KEPT_COUNT_MAX]
        packed[number, : len(first)] = first
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
            column = _OTHER_NAMES.get((spec.name, field.name), field.name)
            found[column][spec.kind] = field
    return found


@cache
def _optional() -> dict[str, frozenset[EventKind]]:
    """Columns that are filled from fields that may be left out, and the kinds where they may be."""
    found = {
        source: frozenset(kind for kind, field in fields.items() if not field.required)
        for source, fields in _sources().items()
    }
    return {source: kinds for source, kinds in found.items() if kinds}


@cache
def _nested() -> tuple[str, ...]:
    """Columns that are filled from objects."""
    return tuple(
        source
        for source, fields in _sources().items()
        if any(field.form == "map" for field in fields.values())
    )
