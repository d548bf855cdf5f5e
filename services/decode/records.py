"""The records of the contract as types that msgspec checks, made from the Avro schemas.

Each record gives two struct types: one for JSON (enums and times as text) and one for decoded Avro
(enums as their index, times as microseconds). Both have the same fields and the same bounds, so a
record means the same whichever carrier brought it. A field that was left out is `msgspec.UNSET`.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from replay import vocabulary
from replay.vocabulary import EventKind
from services import schemas

INT_MIN, INT_MAX = -(2**31), 2**31 - 1
LONG_MIN, LONG_MAX = -(2**63), 2**63 - 1
EPOCH_DAY: Final = datetime.date(1970, 1, 1)
DAY_MIN: Final = (datetime.date.min - EPOCH_DAY).days
DAY_MAX: Final = (datetime.date.max - EPOCH_DAY).days
MICROS_MIN: Final = DAY_MIN * 86_400_000_000
MICROS_MAX: Final = (DAY_MAX + 1) * 86_400_000_000 - 1
"""Years 1 to 9999, what ISO-8601 text and Python can say: the same for every carrier."""

BOUNDS: Final = {
    "seq": (1, LONG_MAX),
    "spot": (1, INT_MAX),
    "spots": (1, INT_MAX),
    "decks": (1, INT_MAX),
    "hand": (1, 2),
    "paid_cents": (0, LONG_MAX),
}
"""Fields narrower than their Avro type. A wager's amount is not: a bad one is a finding."""

ENUMS: Final[dict[str, type[IntEnum]]] = {
    "Game": vocabulary.Game,
    "TrayCount": vocabulary.TrayCount,
    "Movement": vocabulary.Movement,
    "Wager": vocabulary.Wager,
    "Bettor": vocabulary.Bettor,
    "Place": vocabulary.Place,
    "Decision": vocabulary.Decision,
    "Outcome": vocabulary.Outcome,
    "VoidReason": vocabulary.VoidReason,
}


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """A field as the contract has it."""

    name: str
    form: str
    """string, uuid, int, long, time, date, boolean, enum, enums, strings or map."""
    nullable: bool
    required: bool
    default: Any
    """What stands for a field that was left out; None where it is required."""
    codes: dict[str, int]
    """Enums: known symbol -> code, without UNKNOWN. The code is the symbol's index in Avro."""

    @property
    def bounds(self) -> tuple[int, int]:
        """Least and greatest value of a number."""
        whole = (INT_MIN, INT_MAX) if self.form == "int" else (LONG_MIN, LONG_MAX)
        return BOUNDS.get(self.name, whole)

    def allowed(self) -> str:
        """What the field may hold, in words for an error message."""
        low, high = self.bounds
        words = {
            "string": "text",
            "uuid": "a UUID of 36 characters with hyphens",
            "int": f"a whole number from {low} to {high}",
            "long": f"a whole number from {low} to {high}",
            "time": "an ISO-8601 time with an offset, at most 6 decimals (Avro: microseconds)",
            "date": "an ISO-8601 date (Avro: days since 1970)",
            "boolean": "true or false",
            "enum": "one of " + ", ".join(self.codes),
            "enums": "a list of " + ", ".join(self.codes),
            "strings": "a list of texts",
            "map": "an object of texts",
        }[self.form]
        return words + (" or null" if self.nullable else "")


@dataclass(frozen=True, slots=True)
class RecordSpec:
    """A record as the contract has it."""

    name: str
    kind: EventKind
    fields: dict[str, FieldSpec]
    json_type: type[msgspec.Struct]
    avro_type: type[msgspec.Struct]


@cache
def specs() -> dict[str, RecordSpec]:
    """Every record by its name, in the contract's order."""
    made: dict[str, RecordSpec] = {}
    for number, name in enumerate(schemas.RECORD_NAMES, start=1):
        schema = schemas.record_schema(name)
        fields = {field["name"]: _field_spec(field) for field in schema["fields"]}
        made[name] = RecordSpec(
            name,
            EventKind(number),
            fields,
            _struct(name, fields, _json),
            _struct(name, fields, _avro),
        )
    return made


@cache
def specs_by_type() -> dict[type[msgspec.Struct], RecordSpec]:
    """Every record by each of its two struct types."""
    both = {spec.json_type: spec for spec in specs().values()}
    return both | {spec.avro_type: spec for spec in specs().values()}


@cache
def json_decoder() -> msgspec.json.Decoder[Any]:
    """Strict decoder of one line: the tagged union of all records."""
    union: Any = tuple(spec.json_type for spec in specs().values())
    return msgspec.json.Decoder(_union(*union))


def _field_spec(field: dict[str, Any]) -> FieldSpec:
    """A field of a schema, read into the few forms that the contract uses."""
    kind, nullable = field["type"], False
    if isinstance(kind, list):
        assert kind[0] == "null", field
        assert len(kind) == 2, field
        kind, nullable = kind[1], True
    codes: dict[str, int] = {}
    form = kind if isinstance(kind, str) else kind.get("logicalType", kind["type"])
    if form == "array" and kind["items"] == "string":
        form = "strings"
    elif form in {"array", "enum"}:
        enum = kind["items"] if form == "array" else kind
        form = "enums" if form == "array" else "enum"
        assert enum["symbols"] == [word.name for word in ENUMS[enum["name"]]], field
        codes = {word.name: word.value for word in ENUMS[enum["name"]] if word.value}
    form = {"timestamp-micros": "time"}.get(form, form)
    default = field.get("default")
    return FieldSpec(field["name"], form, nullable, "default" not in field, default, codes)


def _struct(name: str, fields: dict[str, FieldSpec], typed: Any) -> type[msgspec.Struct]:
    """A struct type whose fields are typed by `typed`."""
    members: list[Any] = []
    for spec in fields.values():
        annotation = typed(spec)
        if spec.nullable:
            annotation = annotation | None
        members.append(
            (spec.name, annotation) if spec.required else (spec.name, annotation | UnsetType, UNSET)
        )
    return msgspec.defstruct(
        name,
        members,
        tag_field="type",
        tag=name,
        kw_only=True,
        forbid_unknown_fields=True,
        gc=False,
    )


def _json(spec: FieldSpec) -> Any:
    """The type of a field in JSON. UUIDs and times are text: whole columns are checked at once."""
    if spec.form in {"int", "long"}:
        return _whole(*spec.bounds)
    if spec.form in {"enum", "enums"}:
        symbols: Any = Literal[tuple(spec.codes)]
        return list[symbols] if spec.form == "enums" else symbols
    plain: dict[str, Any] = {
        "boolean": bool,
        "date": datetime.date,
        "strings": list[str],
        "map": dict[str, str],
    }
    return plain.get(spec.form, str)


def _avro(spec: FieldSpec) -> Any:
    """The type of a field in decoded Avro, as `avro_schema.decoding_schema` has it read.

    Enums are their index and booleans 0 or -1, so that an index or a byte that means nothing shows.
    """
    if spec.form in {"enum", "enums"}:
        code = _whole(1, len(spec.codes))
        return list[code] if spec.form == "enums" else code  # type: ignore[valid-type]
    if spec.form == "boolean":
        return Literal[0, -1]
    if spec.form == "date":
        return _whole(DAY_MIN, DAY_MAX)
    if spec.form == "time":
        return _whole(MICROS_MIN, MICROS_MAX)
    return _json(spec)


def _whole(low: int, high: int) -> Any:
    """A whole number within bounds."""
    return Annotated[int, Meta(ge=low, le=high)]


def _union(*types: Any) -> Any:
    """The union of types that are known only now."""
    union = types[0]
    for more in types[1:]:
        union = union | more
    return union
