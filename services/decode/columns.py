"""Checked records to Arrow columns: the one way from any carrier to `EVENT_SCHEMA`.

Rows are struct instances of `records`, JSON's or Avro's. What a type cannot say is checked here,
whole columns at a time: UUIDs, times as text, and that a card has a spot only at a player's place.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache, cached_property
from operator import attrgetter
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import UNSET

from replay.vocabulary import CARD_BAD, CARD_CODES, CARD_NAMES, CARD_UNREAD, EventKind
from services.decode.batch import POSITION_SCHEMA
from services.decode.explain import wrong_field
from services.decode.records import FieldSpec, RecordSpec, specs, specs_by_type
from services.decode.times import micros_of_column
from services.event_table import EVENT_SCHEMA

_UUID: Final = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
_KEPT_COUNT_MAX: Final = 4  # cards that fit into `kept`; `cards` holds all of them
_DERIVED: Final = {"card_code": "card", "kept": "cards", "kept_count": "cards", "kept_bad": "cards"}
_OTHER_NAMES: Final = {("TableClosed", "reason"): "note"}
"""Fields whose column bears another name: the reason of a closing table is text, not a symbol."""

Rows = Sequence[msgspec.Struct]


class Grouped:
    """N records of one carrier in the order of their source, sorted out by kind."""

    def __init__(self, rows: list[Any], *, complete: bool = False) -> None:
        self.rows = rows
        self.complete = complete
        """Known: no field was left out anywhere."""
        self._values: dict[tuple[EventKind, str], list[Any]] = {}
        self.kinds: npt.NDArray[np.uint8] = np.fromiter(
            map(_kind_codes().__getitem__, map(type, rows)), np.uint8, len(rows)
        )
        self.of_avro = bool(rows) and specs_by_type()[type(rows[0])].avro_type is type(rows[0])

    @cached_property
    def places(self) -> dict[EventKind, npt.NDArray[np.int64]]:
        """Kind -> row numbers, ascending."""
        counts = np.bincount(self.kinds, minlength=len(EventKind))
        order = np.argsort(self.kinds, kind="stable")
        parts = np.split(order, np.cumsum(counts)[:-1])
        return {EventKind(kind): part for kind, part in enumerate(parts) if len(part)}

    @cached_property
    def by_kind(self) -> dict[EventKind, list[Any]]:
        """Kind -> its records."""
        boxed = np.empty(len(self.rows), dtype=object)
        boxed[:] = self.rows
        return {kind: boxed[where].tolist() for kind, where in self.places.items()}

    def keys_if_complete(self) -> int:
        """How many JSON keys the records have if no field was left out.

        Counts `type`, and the keys of nested objects.
        """
        keys = 0
        for kind, rows in self.by_kind.items():
            fields = _spec_of_kind()[kind].fields.values()
            keys += len(rows) * (len(fields) + 1)
            for field in fields:
                if field.form == "map":
                    keys += sum(map(len, self.values(kind, field.name)))
        return keys

    def keys_left_out(self) -> int:
        """How many fields were left out."""
        return sum(
            len([True for value in self.values(kind, field.name) if value is UNSET])
            for kind in self.by_kind
            for field in _spec_of_kind()[kind].fields.values()
            if not field.required
        )

    def values(self, kind: EventKind, field: str) -> list[Any]:
        """A field of every record of a kind, as decoded."""
        if (kind, field) not in self._values:
            self._values[kind, field] = list(map(attrgetter(field), self.by_kind[kind]))
        return self._values[kind, field]


def build(grouped: Grouped, positions: npt.NDArray[np.int64]) -> tuple[pa.Table, dict[int, str]]:
    """N records -> a table of `POSITION_SCHEMA` without the bad rows, and row -> what is wrong."""
    builder = _Builder(grouped)
    columns = [builder.column(name) for name in EVENT_SCHEMA.names]
    table = pa.Table.from_arrays([*columns, pa.array(positions)], schema=POSITION_SCHEMA)
    if builder.wrong:
        good = np.ones(len(grouped.rows), dtype=np.bool_)
        good[list(builder.wrong)] = False
        table = table.filter(pa.array(good))
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
        self._takes: dict[tuple[EventKind, ...], pa.Array | None] = {}

    def column(self, name: str) -> pa.Array:
        """A column of `EVENT_SCHEMA`, (N,): null where the record has no such field."""
        kind = EVENT_SCHEMA.field(name).type
        if name == "kind":
            return pa.array(self.grouped.kinds)
        sources = _sources()[_DERIVED.get(name, name)]
        present = [(k, field) for k, field in sources.items() if k in self.grouped.by_kind]
        if not present:
            return pa.nulls(self.size, kind)
        kinds = tuple(record_kind for record_kind, _ in present)
        one_name = len({field.name for _, field in present}) == 1
        everywhere = len(kinds) == len(self.grouped.by_kind)
        if one_name and everywhere and all(f.required for _, f in present):
            values = list(map(attrgetter(present[0][1].name), self.grouped.rows))
            return self._array(name, present[0][1], values, None)
        values = []
        for record_kind, field in present:
            values += self._values(record_kind, field)
        array = self._array(name, present[0][1], values, kinds)
        assert array.type == kind, (name, array.type)
        take = self._take(kinds)
        return array if take is None else array.take(take)

    def _values(self, kind: EventKind, field: FieldSpec) -> list[Any]:
        """The field of every record of a kind, defaults filled in (enums as symbols or codes)."""
        values = self.grouped.values(kind, field.name)
        if not (field.required or self.grouped.complete) and UNSET in values:
            default = field.default
            if self.grouped.of_avro and field.codes and default is not None:
                default = field.codes[default]
            values = [default if value is UNSET else value for value in values]
        return values

    def _array(
        self, name: str, field: FieldSpec, values: list[Any], kinds: tuple[EventKind, ...] | None
    ) -> pa.Array:
        """The values as Arrow, in order: kind after kind, or without `kinds` row after row."""
        if field.form in {"uuid", "time"}:
            return self._checked(field, values, kinds)
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

    def _checked(
        self, field: FieldSpec, values: list[Any], kinds: tuple[EventKind, ...] | None
    ) -> pa.Array:
        """UUIDs in lower case, or times in microseconds; what is neither is noted."""
        if field.form == "time" and self.grouped.of_avro:
            return pa.array(values, pa.int64())
        texts = pa.array(values, pa.string())
        wrong: dict[int, str]
        if field.form == "time":
            micros, wrong = micros_of_column(texts)
            checked = pa.array(micros)
        else:
            checked = pc.ascii_lower(texts)
            wrong = {}
            fits = pc.match_substring_regex(checked, _UUID)
            if not pc.all(fits).as_py():
                odd = np.flatnonzero(~fits.to_numpy(zero_copy_only=False)).tolist()
                wrong = {number: f"{values[number][:60]!r} is no UUID" for number in odd}
        if wrong:
            rows = self._rows_of(kinds) if kinds else np.arange(self.size)
            for number, what in wrong.items():
                row = int(rows[number])
                spec = specs_by_type()[type(self.grouped.rows[row])]
                self.wrong.setdefault(row, wrong_field(spec, field.name, what))
        return checked

    def _rows_of(self, kinds: tuple[EventKind, ...]) -> npt.NDArray[np.int64]:
        """The row numbers of kind after kind."""
        return np.concatenate([self.grouped.places[kind] for kind in kinds])

    def _take(self, kinds: tuple[EventKind, ...]) -> pa.Array | None:
        """Where each row's value stands among those of `kinds`, null where it has none: (N,).

        None: they stand in the order of the rows.
        """
        if kinds not in self._takes:
            rows = self._rows_of(kinds)
            inverse = np.full(self.size, -1, dtype=np.int32)
            inverse[rows] = np.arange(len(rows), dtype=np.int32)
            if len(kinds) == 1 and len(rows) == self.size:
                self._takes[kinds] = None
            else:
                self._takes[kinds] = pa.array(inverse, mask=inverse < 0)
        return self._takes[kinds]


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
    return pa.array(packed.view("<u4").reshape(-1).astype(np.uint32))


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
