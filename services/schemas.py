"""The Avro schemas of the event contract: read once, from the installed `schemas` folder.

One file a record and version, `<Record>.v<version>.avsc`, each complete in itself. The union for
container files is put together here, with every named type defined once.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any, Final, TypeAlias

JsonSchema: TypeAlias = Any
"""A schema as JSON has it: a name, a list (union) or an object."""

RECORD_NAMES: Final = (
    "TableOpened",
    "TableClosed",
    "ShoeLoaded",
    "CardBurned",
    "CutCardReached",
    "TrayCounted",
    "ChipsMoved",
    "RoundOpened",
    "WagerPlaced",
    "WagerRemoved",
    "CardDealt",
    "CardExposed",
    "CardsRevealed",
    "DecisionMade",
    "WagerSettled",
    "RoundClosed",
    "RoundVoided",
    "CardCorrected",
    "PayoutCorrected",
    "RulingMade",
)
"""The records in the contract's order: record n (from 1) is `EventKind` n and branch n - 1 of the
union. New records are only ever added at the end."""

VERSIONS: Final = {name: (1,) for name in RECORD_NAMES}
"""The published versions of each record, oldest first. Read by the name, so that a listing of the
folder is never needed."""

PUBLISHED: Final = {"AuditFinding": (1,)}
"""What we write for others: versions, oldest first. No event, so not in the union."""


@cache
def record_schema(name: str, version: int = 0) -> JsonSchema:
    """The schema of a record as published, docs and logical types included; 0: the newest version.

    The result is shared: copy before changing it. Unknown names raise `KeyError`.
    """
    number = version or (VERSIONS.get(name) or PUBLISHED[name])[-1]
    file = resources.files("schemas").joinpath(f"{name}.v{number}.avsc")
    return json.loads(file.read_text(encoding="utf-8"))


@cache
def union_schema() -> tuple[JsonSchema, ...]:
    """The union of the newest version of every record, for container files; `list()` it to use it.

    The first record that uses an enum defines it, later ones name it, as Avro demands.
    """
    defined: dict[str, JsonSchema] = {}
    return tuple(_define_once(record_schema(name), defined) for name in RECORD_NAMES)


@cache
def fingerprint(name: str, version: int = 0) -> bytes:
    """CRC-64-AVRO of the canonical form, 8 bytes, little-endian as single-object encoding has it.

    fastavro answers in that byte order already (of `"null"`: 8a8f25cce724dd63).
    """
    from fastavro.schema import fingerprint as digest
    from fastavro.schema import to_parsing_canonical_form

    canonical = to_parsing_canonical_form(record_schema(name, version))
    return bytes.fromhex(digest(canonical, "CRC-64-AVRO"))


@cache
def by_fingerprint() -> dict[bytes, tuple[str, int]]:
    """Fingerprint -> record and version, over everything ever published."""
    known = {
        fingerprint(name, version): (name, version)
        for name in RECORD_NAMES
        for version in VERSIONS[name]
    }
    assert len(known) == sum(map(len, VERSIONS.values())), "two schemas share a fingerprint"
    return known


def without_annotations(schema: JsonSchema) -> JsonSchema:
    """A copy without logical types, docs and defaults: what the bytes look like, no more.

    fastavro reads plain longs and strings nearly twice as fast as it builds datetimes and UUIDs.
    """
    if isinstance(schema, list | tuple):
        return [without_annotations(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {
        key: value for key, value in schema.items() if key not in {"logicalType", "doc", "default"}
    }
    if "fields" in kept:
        kept["fields"] = [
            {"name": field["name"], "type": without_annotations(field["type"])}
            for field in kept["fields"]
        ]
    for key in ("type", "items", "values"):
        if isinstance(kept.get(key), dict | list):
            kept[key] = without_annotations(kept[key])
    return kept["type"] if set(kept) == {"type"} else kept


def _define_once(schema: JsonSchema, defined: dict[str, JsonSchema]) -> JsonSchema:
    """The schema with every named type that is in `defined` replaced by its name."""
    if isinstance(schema, list):
        return [_define_once(part, defined) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("type") in {"enum", "fixed"}:
        name = schema["name"]
        if name in defined:
            assert defined[name] == schema, f"{name} is defined in two ways"
            return name
        defined[name] = schema
        return schema
    copy = dict(schema)
    if "fields" in copy:
        copy["fields"] = [
            {**field, "type": _define_once(field["type"], defined)} for field in copy["fields"]
        ]
    for key in ("type", "items", "values"):
        if isinstance(copy.get(key), dict | list):
            copy[key] = _define_once(copy[key], defined)
    return copy
