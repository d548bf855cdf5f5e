"""What Avro's bytes may hold: each mistake a dead letter that tells, none a silent misreading."""

from __future__ import annotations

import copy
import io
import json
from pathlib import Path
from typing import Any

import fastavro
import pytest

from services import encode, schemas
from services.decode.avro_schema import UnsafeSchemaError, understand
from services.decode.batch import DeadLetter
from services.decode.single_object import (
    UndecodableError,
    decode_single_object,
    decode_single_objects,
)
from services.errors import UnreadableFileError
from tests.contracts.carriers import (
    by_file,
    by_json,
    container_bytes,
    line,
    message_bytes,
    record_bytes,
    union_bytes,
    varint,
)
from tests.contracts.examples import Row, least, whole

PLACED = whole("WagerPlaced")
DEALT = whole("CardDealt")
OPENED = whole("TableOpened")

BAD_BYTES: list[tuple[Row, str, bytes, str]] = [
    # row, field, its bytes, what the error says besides the field
    (PLACED, "amount_cents", varint(2**63), "9223372036854775808 is out of range"),
    (PLACED, "amount_cents", varint(-(2**63) - 1), "is out of range"),
    (PLACED, "amount_cents", varint(2**64), "is out of range"),
    (PLACED, "seq", varint(0), "0 is out of range"),
    (PLACED, "spot", varint(0), "0 is out of range"),
    (PLACED, "spot", varint(2**31), "2147483648 is out of range"),
    (PLACED, "hand", varint(3), "3 is out of range"),
    (PLACED, "wager", varint(-1), "enum index -1 is not known"),
    (PLACED, "wager", varint(-7), "enum index -7 is not known"),
    (PLACED, "wager", varint(15), "enum index 15 is not known"),
    (PLACED, "wager", varint(0), "'UNKNOWN' is not known"),
    (PLACED, "bettor", varint(-1), "enum index -1 is not known"),
    (PLACED, "table_id", varint(2) + b"\xff\xfe", "is not UTF-8"),
    (PLACED, "player_id", varint(1) + varint(2) + b"\xff\xfe", "is not UTF-8"),
    (PLACED, "event_id", varint(4) + b"abcd", "'abcd' is no UUID"),
    (PLACED, "occurred_at", varint(2**60), "is out of range"),
    (DEALT, "place", varint(-1), "enum index -1 is not known"),
    (DEALT, "face_up", b"\x07", "the byte is neither 0 nor 1"),
    (whole("WagerSettled"), "paid_cents", varint(-1), "-1 is out of range"),
    (whole("CardsRevealed"), "places", varint(2) + varint(3) + varint(-1) + b"\0", "enum index -1"),
    (OPENED, "gaming_day", varint(2_932_897), "is out of range"),
    (
        OPENED,
        "paytables",
        varint(2) + 2 * (varint(1) + b"k" + varint(1) + b"v") + varint(0),
        "the key 'k' is there twice",
    ),
]


def messages(*raw: bytes) -> list[DeadLetter]:
    table, letters = decode_single_objects(raw, range(1, len(raw) + 1), "memory")
    assert table.num_rows + len(letters) == len(raw)
    return letters


@pytest.mark.parametrize(("row", "field", "raw", "said"), BAD_BYTES)
def test_a_bad_value_is_a_dead_letter(
    row: Row, field: str, raw: bytes, said: str, tmp_path: Path
) -> None:
    (letter,) = messages(message_bytes(row, **{field: raw}))
    assert letter.error.startswith(f"{row['type']}.{field}: ")
    assert said in letter.error
    assert "; allowed: " in letter.error
    path = tmp_path / "events.avro"
    good, bad = union_bytes(whole("RoundClosed")), union_bytes(row, **{field: raw})
    path.write_bytes(container_bytes([[good, bad, good], [good]]))
    table, letters = by_file(path)
    assert table["position"].to_pylist() == [1, 3, 4]
    assert letters == [DeadLetter(str(path), 2, letter.error, bad)]


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (message_bytes(PLACED) + b"\0", "left over"),
        (message_bytes(PLACED)[:-1], "damaged"),
        (message_bytes(PLACED)[:10], "cut off"),
        (message_bytes(PLACED)[:9], "fingerprint"),
        (b"", "c3 01 expected"),
        (b"\0\0\0\0\1", "c3 01 expected"),
        (b"\xc3\x01" + bytes(8), "fingerprint"),
        (message_bytes(PLACED, player_id=varint(-1) + varint(1) + b"x"), "union index -1"),
        (message_bytes(PLACED, player_id=varint(-9) + varint(1) + b"x"), "union index -9"),
        (message_bytes(PLACED, player_id=varint(2) + varint(1) + b"x"), "union index 2"),
        (message_bytes(PLACED, table_id=varint(-3)), "table_id"),
        (message_bytes(PLACED, table_id=varint(2**40)), "bytes are announced"),
        (message_bytes(PLACED, amount_cents=b"\xff" * 11 + b"\0"), "more than 10 bytes"),
        (message_bytes(whole("CardsRevealed"), places=varint(2**50)), "items are announced"),
        (message_bytes(whole("RulingMade", note="x" * (1 << 20))), "allowed: 1048576"),
    ],
)
def test_damaged_messages_are_dead_letters(raw: bytes, said: str) -> None:
    (letter,) = messages(raw)
    assert said in letter.error
    assert letter.raw == raw
    with pytest.raises(UndecodableError):
        decode_single_object(raw)


def test_lists_in_several_blocks_are_one_list() -> None:
    blocks = varint(1) + varint(3) + varint(-2) + varint(2) + varint(4) + varint(5) + varint(0)
    raw = message_bytes(whole("CardsRevealed"), places=blocks)
    table, letters = decode_single_objects([raw], [1], "memory")
    assert letters == []
    assert table["places"].to_pylist() == [[3, 4, 5]]


def test_text_in_another_script_is_read_all_the_same(tmp_path: Path) -> None:
    rows = [whole("RulingMade", ruling="ставка возвращается", seq=n) for n in range(1, 40)]
    path = tmp_path / "events.avro"
    with path.open("wb") as file:
        encode.write_container(file, rows)
    assert by_file(path)[0].equals(by_json(*map(line, rows))[0])


def container(path: Path, schema: Any, values: list[Any]) -> tuple[Any, list[DeadLetter]]:
    """What a file of fastavro's own writer with another schema gives."""
    with path.open("wb") as file:
        fastavro.writer(file, fastavro.parse_schema(schema), values)
    return by_file(path)


def plain_closed(**changed: Any) -> Any:
    """The schema of RoundClosed, to be changed."""
    return copy.deepcopy(schemas.record_schema("RoundClosed")) | changed


def test_a_file_of_one_record_or_of_some_is_read(tmp_path: Path) -> None:
    row = whole("RoundClosed")
    values = encode.avro_record(row)[1]
    alone = container(tmp_path / "alone.avro", plain_closed(), [values])
    some = [plain_closed(namespace="casino.pit"), schemas.record_schema("ShoeLoaded")]
    among = container(tmp_path / "some.avro", some, [("casino.pit.RoundClosed", values)])
    for table, letters in (alone, among):
        assert letters == []
        assert table.equals(by_json(line(row))[0])


def test_a_writers_own_order_of_fields_and_symbols_is_respected(tmp_path: Path) -> None:
    schema = copy.deepcopy(schemas.record_schema("WagerPlaced"))
    schema["fields"].reverse()
    for field in schema["fields"]:
        if isinstance(field["type"], dict) and field["type"]["type"] == "enum":
            field["type"]["symbols"] = ["NOVELTY", *reversed(field["type"]["symbols"])]
    values = encode.avro_record(PLACED)[1]
    odd = [values, values | {"wager": "NOVELTY"}, values | {"wager": "UNKNOWN"}]
    table, letters = container(tmp_path / "events.avro", schema, odd)
    assert table.equals(by_json(line(PLACED))[0])
    assert [letter.position for letter in letters] == [2, 3]
    assert letters[0].error.startswith("WagerPlaced.wager: 'NOVELTY' is not known; allowed: ")
    assert letters[1].error.startswith("WagerPlaced.wager: 'UNKNOWN' is not known; allowed: ")


def test_fields_with_a_default_may_be_missing_from_the_schema(tmp_path: Path) -> None:
    row = least("WagerPlaced")
    schema = copy.deepcopy(schemas.record_schema("WagerPlaced"))
    schema["fields"] = [field for field in schema["fields"] if field["name"] in row]
    values = {key: value for key, value in encode.avro_record(row)[1].items() if key in row}
    table, letters = container(tmp_path / "events.avro", schema, [values])
    assert letters == []
    assert table.equals(by_json(line(row))[0])


@pytest.mark.parametrize(
    ("field", "kind", "value", "said"),
    [
        ("shade", "string", "blue", "unknown field 'shade'"),
        ("seq", "string", "17", "written as string"),
        ("seq", "double", 17.0, "written as double"),
        ("seq", ["null", "long"], None, "got null"),
        ("occurred_at", {"type": "long", "logicalType": "timestamp-millis"}, 5, "millis"),
        ("occurred_at", {"type": "long", "logicalType": "local-timestamp-micros"}, 5, "local"),
        ("event_id", "bytes", b"x", "written as bytes"),
        ("recorded_by", ["null", "string", "long"], "x", "written as null or string or long"),
    ],
)
def test_what_is_written_otherwise_is_a_dead_letter(
    field: str, kind: Any, value: Any, said: str, tmp_path: Path
) -> None:
    schema = plain_closed()
    schema["fields"] = [part for part in schema["fields"] if part["name"] != field]
    schema["fields"].append({"name": field, "type": kind})
    values = encode.avro_record(whole("RoundClosed"))[1] | {field: value}
    table, letters = container(tmp_path / "events.avro", schema, [values, values])
    assert table.num_rows == 0
    assert [letter.position for letter in letters] == [1, 2]
    assert said in letters[0].error
    assert b"DD-07-000123" in letters[0].raw


def test_a_missing_field_is_a_dead_letter(tmp_path: Path) -> None:
    schema = plain_closed()
    schema["fields"] = [field for field in schema["fields"] if field["name"] != "round_id"]
    values = encode.avro_record(whole("RoundClosed"))[1]
    table, letters = container(tmp_path / "events.avro", schema, [values])
    assert table.num_rows == 0
    assert letters[0].error == "RoundClosed.round_id: missing; allowed: text"


def test_an_enum_written_as_a_number_is_no_enum(tmp_path: Path) -> None:
    schema = copy.deepcopy(schemas.record_schema("WagerPlaced"))
    for field in schema["fields"]:
        if field["name"] == "wager":
            field["type"] = "int"
    values = encode.avro_record(PLACED)[1] | {"wager": 8}
    table, letters = container(tmp_path / "events.avro", schema, [values])
    assert table.num_rows == 0
    assert "wager: written as int" in letters[0].error


def test_records_of_others_among_ours_are_dead_letters(tmp_path: Path) -> None:
    other = {"type": "record", "name": "Shift", "fields": [{"name": "who", "type": "string"}]}
    row = whole("RoundClosed")
    values = [("Shift", {"who": "Ann"}), encode.avro_record(row)]
    table, letters = container(tmp_path / "events.avro", [plain_closed(), other], values)
    assert table["position"].to_pylist() == [2]
    assert letters[0].error.startswith("type: 'Shift' is no record of the contract")
    assert letters[0].raw == varint(1) + varint(3) + b"Ann"


SELF = {"type": "record", "name": "RoundClosed"}
UNSAFE = [
    {**SELF, "fields": [{"name": "next", "type": ["null", "RoundClosed"]}]},
    {**SELF, "fields": [{"name": "a", "type": {"type": "array", "items": "null"}}]},
    {
        **SELF,
        "fields": [
            {
                "name": "a",
                "type": {
                    "type": "array",
                    "items": {"type": "record", "name": "Empty", "fields": []},
                },
            }
        ],
    },
    {**SELF, "fields": []},
    {**SELF, "fields": [{"name": "a", "type": "strnig"}]},
    {**SELF, "fields": [{"name": "a"}]},
    {**SELF, "fields": [{"name": "a", "type": "int"}, {"name": "a", "type": "int"}]},
    {"type": "record", "fields": []},
    {"type": "enum", "name": "E", "symbols": "AB"},
    {"type": "fixed", "name": "F", "size": -1},
    [],
    [["null"]],
    5,
    {"type": {"type": {"type": "array"}}},
]


@pytest.mark.parametrize("schema", UNSAFE)
def test_unsafe_schemas_are_refused(schema: Any, tmp_path: Path) -> None:
    with pytest.raises(UnsafeSchemaError):
        understand(schema)
    path = tmp_path / "events.avro"
    path.write_bytes(container_bytes([[bytes(100)]], schema))
    with pytest.raises(UnreadableFileError, match="schema cannot be read with"):
        by_file(path)


def test_schemas_that_grow_without_end_are_refused() -> None:
    deep: Any = "int"
    for _ in range(500):
        deep = {"type": "array", "items": deep}
    with pytest.raises(UnsafeSchemaError, match="too large or too deep"):
        understand(deep)
    doubled: list[Any] = [{"type": "fixed", "name": "t0", "size": 1}]
    for n in range(1, 60):
        two = [{"name": part, "type": f"t{n - 1}"} for part in "ab"]
        doubled.append({"type": "record", "name": f"t{n}", "fields": two})
    with pytest.raises(UnsafeSchemaError, match="too large or too deep"):
        understand(doubled)


def test_a_decimal_of_bytes_costs_no_time(tmp_path: Path) -> None:
    decimal = {"type": "bytes", "logicalType": "decimal", "precision": 400_000}
    schema = plain_closed()
    schema["fields"].append({"name": "share", "type": decimal})
    values = encode.avro_record(whole("RoundClosed"))[1]
    record = record_bytes(whole("RoundClosed")) + varint(200_000) + b"\x7f" * 200_000
    path = tmp_path / "events.avro"
    path.write_bytes(container_bytes([[record]], schema))
    table, letters = by_file(path)
    assert (table.num_rows, len(letters)) == (0, 1)
    assert "unknown field 'share'" in letters[0].error
    assert values["round_id"].encode() in letters[0].raw


def test_the_encoder_refuses_what_the_decoder_would() -> None:
    with pytest.raises(ValueError, match="amount_cents"):
        encode.avro_record(whole("WagerPlaced", amount_cents=5.0))
    with pytest.raises(ValueError, match="offset"):
        encode.single_object(whole("RoundClosed", occurred_at="2026-03-01T20:15:04"))


def test_what_others_read_is_what_we_wrote() -> None:
    rows = [whole(name) for name in schemas.RECORD_NAMES]
    file = io.BytesIO()
    encode.write_container(file, rows)
    again = io.BytesIO()
    encode.write_container(again, rows)
    assert file.getvalue() == again.getvalue()
    file.seek(0)
    reader = fastavro.reader(file, return_record_name=True)
    assert json.loads(str(reader.metadata["avro.schema"]))[0]["name"] == "TableOpened"
    read: list[Any] = list(reader)
    assert [name for name, _ in read] == list(schemas.RECORD_NAMES)
    opened = read[0][1]
    assert opened["occurred_at"].isoformat() == "2026-03-01T20:15:04.120000+00:00"
    assert str(opened["gaming_day"]) == "2026-03-01"
    assert opened["paytables"] == {"pocket_pair": "1", "big_8": "7"}
