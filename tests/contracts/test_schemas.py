"""The schemas: one a record, self-contained, never changed once published."""

from importlib import resources
from typing import Any

import fastavro
import pytest
from fastavro.schema import fingerprint, to_parsing_canonical_form

from replay.vocabulary import EventKind
from services import schemas

PUBLISHED_V1 = {
    "TableOpened": "b68fc639e8f2b70a",
    "TableClosed": "0c7d73d187bb8aa2",
    "ShoeLoaded": "64eb0dab612a8124",
    "CardBurned": "fb8853c174446dff",
    "CutCardReached": "386c9efbe2f2133e",
    "TrayCounted": "150956f5d2243f6d",
    "ChipsMoved": "70ac1f99a57ac923",
    "RoundOpened": "0cc7ea15a9187586",
    "WagerPlaced": "64935a1da7cf26b6",
    "WagerRemoved": "d07c6110ca2c23e9",
    "CardDealt": "0f4a1118b717a0e4",
    "CardExposed": "a1111768435a5f12",
    "CardsRevealed": "d7b980631a4f76e7",
    "DecisionMade": "ad3e42a4e1e95fb9",
    "WagerSettled": "9349a4ded3ec5cf1",
    "RoundClosed": "a3fbb9e309ca8af9",
    "RoundVoided": "b24e5930a4bc7fd2",
    "CardCorrected": "4949c4cdd204de8f",
    "PayoutCorrected": "227570cd83fccc3f",
    "RulingMade": "dbde4bfe6bf91eb1",
}
"""Fingerprints, as in the messages: a changed one makes messages of the past unreadable."""


def enums_of(schema: Any) -> list[dict[str, Any]]:
    if isinstance(schema, list):
        return [enum for part in schema for enum in enums_of(part)]
    if not isinstance(schema, dict):
        return []
    inner = [enum for field in schema.get("fields", ()) for enum in enums_of(field["type"])]
    for key in ("type", "items", "values"):
        inner += enums_of(schema.get(key))
    return [*inner, schema] if schema.get("type") == "enum" else inner


def test_the_records_are_those_of_the_vocabulary_in_its_order() -> None:
    words = [kind.name.replace("_", "").lower() for kind in EventKind if kind]
    assert [name.lower() for name in schemas.RECORD_NAMES] == words


def test_every_file_is_known_and_every_version_has_a_file() -> None:
    files = {
        file.name for file in resources.files("schemas").iterdir() if file.name.endswith(".avsc")
    }
    published = schemas.VERSIONS | schemas.PUBLISHED
    known = {f"{name}.v{v}.avsc" for name, versions in published.items() for v in versions}
    assert files == known
    assert list(schemas.VERSIONS) == list(schemas.RECORD_NAMES)


@pytest.mark.parametrize("name", [*schemas.RECORD_NAMES, *schemas.PUBLISHED])
def test_a_record_stands_by_itself(name: str) -> None:
    schema = schemas.record_schema(name)
    assert schema["name"] == name
    assert "namespace" not in schema
    fastavro.parse_schema(schema)


@pytest.mark.parametrize("name", [*schemas.RECORD_NAMES, *schemas.PUBLISHED])
def test_every_enum_begins_with_unknown_which_is_its_default(name: str) -> None:
    for enum in enums_of(schemas.record_schema(name)):
        assert (enum["symbols"][0], enum["default"]) == ("UNKNOWN", "UNKNOWN"), enum["name"]


@pytest.mark.parametrize("name", schemas.RECORD_NAMES)
def test_what_may_be_null_must_be_there_unless_the_contract_gives_a_default(name: str) -> None:
    for field in schemas.record_schema(name)["fields"]:
        if isinstance(field["type"], list):
            assert field["type"][0] == "null", field["name"]
            assert ("default" in field) == (field["name"] == "recorded_by"), field["name"]


def test_the_union_defines_every_type_once_and_in_order() -> None:
    union = list(schemas.union_schema())
    parsed: Any = fastavro.parse_schema(union)
    assert [record["name"] for record in parsed] == list(schemas.RECORD_NAMES)
    defined = [enum["name"] for record in union for enum in enums_of(record)]
    assert len(defined) == len(set(defined)) == 9


def test_fingerprints_are_in_the_byte_order_of_the_wire() -> None:
    # The specification gives 63dd24e7cc258f8a for "null", and writes it lowest byte first.
    assert fingerprint('"null"', "CRC-64-AVRO") == "8a8f25cce724dd63"


def test_every_fingerprint_names_one_schema() -> None:
    for name in schemas.RECORD_NAMES:
        assert len(schemas.fingerprint(name)) == 8
        assert schemas.by_fingerprint()[schemas.fingerprint(name)] == (name, 1)


@pytest.mark.parametrize("name", schemas.RECORD_NAMES)
def test_without_annotations_the_bytes_are_the_same(name: str) -> None:
    whole = schemas.record_schema(name)
    plain = schemas.without_annotations(whole)
    assert to_parsing_canonical_form(plain) == to_parsing_canonical_form(whole)
    assert "logicalType" not in str(plain)
    assert "logicalType" in str(whole)


def test_published_schemas_are_never_edited() -> None:
    found = {name: schemas.fingerprint(name, 1).hex() for name in schemas.RECORD_NAMES}
    assert found == PUBLISHED_V1
