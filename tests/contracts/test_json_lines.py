"""What a JSON line may hold: each mistake a dead letter that tells, none a silent misreading."""

import json
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from services import schemas
from services.decode import columns, json_lines
from services.decode.batch import POSITION_SCHEMA, DeadLetter
from services.decode.columns import Grouped
from services.decode.records import json_decoder, specs
from tests.contracts.carriers import by_json, by_json_singly, line
from tests.contracts.examples import least, whole, without

By = Callable[..., tuple[pa.Table, list[DeadLetter]]]

BAD_VALUES: list[tuple[str, str, Any, str]] = [
    # record, field, value, what the error says besides the field
    ("WagerPlaced", "amount_cents", 1000.0, "float"),
    ("WagerPlaced", "amount_cents", "5", "str"),
    ("WagerPlaced", "amount_cents", True, "bool"),
    ("WagerPlaced", "amount_cents", 2**63, "9223372036854775807"),
    ("WagerPlaced", "amount_cents", -(2**63) - 1, "-9223372036854775808"),
    ("WagerPlaced", "amount_cents", None, "null"),
    ("WagerPlaced", "seq", 0, "1"),
    ("WagerPlaced", "spot", 0, "1"),
    ("WagerPlaced", "spot", None, "null"),
    ("WagerPlaced", "spot", 2**31, "2147483647"),
    ("WagerPlaced", "hand", 0, "from 1 to 2"),
    ("WagerPlaced", "hand", 3, "from 1 to 2"),
    ("WagerPlaced", "hand", None, "null"),
    ("WagerPlaced", "wager", "UNKNOWN", "'UNKNOWN' is not known"),
    ("WagerPlaced", "wager", "INSURANCE", "'INSURANCE' is not known"),
    ("WagerPlaced", "wager", "big_8", "'big_8' is not known"),
    ("WagerPlaced", "wager", 8, "int"),
    ("WagerPlaced", "bettor", "", "is not known"),
    ("WagerPlaced", "player_id", 5, "int"),
    ("WagerSettled", "paid_cents", -1, "0"),
    ("PayoutCorrected", "paid_cents", -1, "0"),
    ("WagerSettled", "outcome", "UNKNOWN", "WIN, LOSE, PUSH, VOID"),
    ("ShoeLoaded", "decks", 0, "1"),
    ("ShoeLoaded", "decks", 2**31, "2147483647"),
    ("TableOpened", "spots", 0, "1"),
    ("TableOpened", "game", "POKER", "RUN_EM_TWICE"),
    ("TableOpened", "gaming_day", "2026-02-30", "date"),
    ("TableOpened", "gaming_day", "2026-02-03T00:00:00Z", "date"),
    ("TableOpened", "gaming_day", 20000, "date"),
    ("TableOpened", "paytables", {"big_8": 7}, "text"),
    ("TableOpened", "paytables", None, "null"),
    ("TableOpened", "paytables", [], "array"),
    ("TableOpened", "currency", None, "null"),
    ("CardDealt", "face_up", 1, "true or false"),
    ("CardDealt", "face_up", None, "null"),
    ("CardDealt", "spot", 0, "1"),
    ("CardDealt", "place", None, "null"),
    ("CardsRevealed", "places", ["LEFT", "UNKNOWN"], "is not known"),
    ("CardsRevealed", "places", "LEFT", "list"),
    ("DecisionMade", "cards", ["As", None], "text"),
    ("DecisionMade", "cards", None, "null"),
    ("DecisionMade", "decision", "RAISE", "PLAY, FOLD, KEEP, SPLIT"),
    ("CardCorrected", "card", None, "null"),
    ("CardCorrected", "corrects", "c5cd2fe7", "UUID"),
    ("RoundClosed", "event_id", "792920a542874a06b55e6d2e08a6d2d2", "36 characters"),
    ("RoundClosed", "event_id", "792920a5-4287-4a06-b55e-6d2e08a6d2d", "UUID"),
    ("RoundClosed", "event_id", "792920a5-4287-4a06-b55e-6d2e08a6d2g2", "UUID"),
    ("RoundClosed", "event_id", "{92920a5-4287-4a06-b55e-6d2e08a6d2d2", "UUID"),
    ("RoundClosed", "event_id", "792920a5-4287-4a06-b55e-6d2e08a6d2d2\n", "UUID"),
    ("RoundClosed", "event_id", None, "null"),
    ("RoundClosed", "occurred_at", "2026-03-01T20:15:04", "offset"),
    ("RoundClosed", "occurred_at", "2026-03-01", "offset"),
    ("RoundClosed", "occurred_at", 1772396104120000, "int"),
    ("RoundClosed", "occurred_at", "2026-02-30T20:15:04.120000Z", "day"),
    ("RoundClosed", "occurred_at", "2026-03-01T20:15:04.1200001Z", "decimals"),
    ("RoundClosed", "occurred_at", "0000-03-01T20:15:04.120000Z", "year"),
    ("RoundClosed", "occurred_at", "0001-01-01T00:00:00+01:00", "years 1 to 9999"),
    ("RoundClosed", "occurred_at", "9999-12-31T23:59:59-01:00", "years 1 to 9999"),
    ("RoundClosed", "occurred_at", "2026-03-01T20:15:60Z", "second"),
    ("RoundClosed", "recorded_by", 5, "null"),
    ("RoundVoided", "reason", "BORED", "MISDEAL"),
    ("RoundVoided", "reason", None, "null"),
]

TWICE = b'"seq":17'


def the_one(letters: list[DeadLetter], table: pa.Table) -> str:
    assert (table.num_rows, len(letters)) == (0, 1)
    return letters[0].error


@pytest.mark.parametrize("by", [by_json, by_json_singly])
@pytest.mark.parametrize(("name", "field", "value", "said"), BAD_VALUES)
def test_a_bad_value_is_a_dead_letter(
    by: By, name: str, field: str, value: object, said: str
) -> None:
    table, letters = by(line(whole(name, **{field: value})))
    error = the_one(letters, table)
    assert error.startswith(f"{name}.{field}: ")
    assert said in error
    assert "; allowed: " in error


@pytest.mark.parametrize("by", [by_json, by_json_singly])
@pytest.mark.parametrize("name", schemas.RECORD_NAMES)
def test_a_missing_field_is_a_dead_letter_unless_it_has_a_default(by: By, name: str) -> None:
    for field, spec in specs()[name].fields.items():
        table, letters = by(line(without(whole(name), field)))
        if spec.required:
            assert the_one(letters, table).startswith(f"{name}.{field}: missing; allowed: ")
        else:
            assert (table.num_rows, letters) == (1, [])


@pytest.mark.parametrize("name", schemas.RECORD_NAMES)
def test_an_unknown_field_is_a_dead_letter(name: str) -> None:
    table, letters = by_json(line(whole(name, shade="blue")))
    error = the_one(letters, table)
    assert error.startswith(f"{name}: unknown field 'shade'; allowed: event_id, table_id")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"null", "one JSON object"),
        (b"[]", "one JSON object"),
        (b"42", "one JSON object"),
        (b"{}", "type: missing"),
        (b'{"type":null}', "type: "),
        (b'{"type":"RoundPaused"}', "'RoundPaused'"),
        (b'{"type":"UNKNOWN"}', "'UNKNOWN'"),
        (b'{"seq":1', "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, ""),
        (b'{"type":' + b"[" * 100_000, ""),
        (b"{} {}", ""),
    ],
)
@pytest.mark.parametrize("by", [by_json, by_json_singly])
def test_what_is_no_event_is_a_dead_letter(by: By, text: bytes, said: str) -> None:
    table, letters = by(text)
    assert said in the_one(letters, table)
    assert letters[0].raw == text
    assert (letters[0].source, letters[0].position) == ("memory", 1)


@pytest.mark.parametrize("word", [b"NaN", b"Infinity", b"-Infinity", b"1e400", b"1e3", b"1000.0"])
def test_no_number_but_a_whole_one_is_an_amount(word: bytes) -> None:
    text = line(whole("WagerPlaced")).replace(b'"amount_cents":1500', b'"amount_cents":' + word)
    assert word in text
    the_one(*reversed(by_json(text)))


def test_invalid_utf8_within_a_text_is_a_dead_letter() -> None:
    text = line(whole("WagerPlaced")).replace(b"BIG_8", b"BIG\xff_8")
    assert "UTF-8" in the_one(*reversed(by_json(text)))
    text = line(whole("WagerPlaced")).replace(b"P-1", b"P\xff1")
    assert "UTF-8" in the_one(*reversed(by_json(text)))


@pytest.mark.parametrize(
    "text",
    [
        line(whole("RoundClosed")).replace(TWICE, b'"seq":17,"seq":18'),
        line(least("RoundClosed")).replace(TWICE, b'"seq":17,"seq":18'),
        line(whole("RoundClosed")).replace(TWICE, b'"seq" :17,"seq":18'),
        line(whole("RoundClosed")).replace(TWICE, b'"seq":17,"\\u0073eq":18'),
        line(whole("RoundClosed")).replace(b'{"type"', b'{"type":"RoundClosed","type"'),
        line(whole("TableOpened")).replace(b'"big_8":', b'"big_8":"1","big_8":'),
        # One key left out and another there twice: the number of keys is right.
        line(without(whole("RoundClosed"), "recorded_by")).replace(TWICE, b'"seq":17,"seq":18'),
    ],
)
@pytest.mark.parametrize("by", [by_json, by_json_singly])
def test_a_key_that_is_there_twice_is_a_dead_letter(by: By, text: bytes) -> None:
    table, letters = by(text)
    assert "is there twice" in the_one(letters, table)


@pytest.mark.parametrize("note", ['say ":" twice', '":', "a :b", 'x" :', "\t: {}\n"])
@pytest.mark.parametrize("by", [by_json, by_json_singly])
def test_text_that_looks_like_a_key_is_no_key(by: By, note: str) -> None:
    table, letters = by(line(whole("RulingMade", note=note)))
    assert letters == []
    assert table["note"].to_pylist() == [note]


def test_a_spaced_line_is_read_like_a_dense_one() -> None:
    row = whole("TableOpened")
    spaced = json.dumps(row, indent=2, separators=(" , ", " : ")).replace("\n", "\r").encode()
    assert by_json(spaced)[0].equals(by_json(line(row))[0])


def test_an_odd_spot_of_a_card_is_no_reason_to_lose_the_event() -> None:
    """The contract names what makes a dead letter; where a card lies is judged, not decoded."""
    for name in ("CardDealt", "CardExposed"):
        for place, spot in (("HAND_1", 1), ("PLAYER", None)):
            table, letters = by_json(line(whole(name, place=place, spot=spot)))
            assert (table.num_rows, letters) == (1, [])


def test_one_bad_line_leaves_the_others_in_their_places() -> None:
    good = line(whole("RoundClosed"))
    bad_id = line(whole("RoundClosed", event_id="x"))
    for middle in (bad_id, b"junk", b'{"type":"RoundClosed"}'):
        table, letters = by_json(good, middle, good, middle, good)
        assert table["position"].to_pylist() == [1, 3, 5]
        assert [(letter.position, letter.raw) for letter in letters] == [(2, middle), (4, middle)]


def test_two_events_on_a_line_are_a_dead_letter_and_one_on_two_lines_are_two() -> None:
    good = line(whole("RoundClosed"))
    table, letters = by_json(good + good, good)
    assert (table["position"].to_pylist(), [letter.position for letter in letters]) == ([2], [1])
    table, letters = by_json(good.replace(b",", b",\n", 1), good + b" " + good)
    assert (table.num_rows, [letter.position for letter in letters]) == (0, [1, 2, 3])


def test_a_table_has_the_columns_of_the_contract_even_without_events() -> None:
    assert by_json(b"junk")[0].schema == POSITION_SCHEMA
    assert by_json(line(whole("CardDealt")))[0].schema == POSITION_SCHEMA
    assert columns.empty_table().schema == POSITION_SCHEMA


def test_the_quick_way_is_taken_for_good_lines() -> None:
    rows = [make(name) for make in (whole, least) for name in schemas.RECORD_NAMES]
    quick = json_lines._decode_whole(b"\n".join(map(line, rows)))
    assert isinstance(quick, Grouped)
    assert quick.rows == [json_decoder().decode(line(row)) for row in rows]
