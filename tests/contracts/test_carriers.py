"""An event is the same event whichever way it came in."""

from __future__ import annotations

import datetime
import json
import tempfile
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from replay.vocabulary import CARD_BAD, CARD_UNREAD, EventKind
from services import schemas
from services.decode.records import ENUMS, MICROS_MAX, MICROS_MIN, FieldSpec, specs
from services.decode.times import micros_of, micros_of_column
from services.event_table import EVENT_SCHEMA
from tests.contracts.carriers import (
    by_container,
    by_json,
    by_json_singly,
    by_message,
    line,
)
from tests.contracts.examples import WHOLE, Row, least, whole

EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
ENUM_OF_FIELD: Final = {
    "game": "Game",
    "count": "TrayCount",
    "movement": "Movement",
    "wager": "Wager",
    "bettor": "Bettor",
    "place": "Place",
    "decision": "Decision",
    "outcome": "Outcome",
    "reason": "VoidReason",
}


def all_ways(*rows: Row) -> list[tuple[pa.Table, list[Any]]]:
    lines = [line(row) for row in rows]
    with tempfile.TemporaryDirectory() as folder:
        return [
            by_json(*lines),
            by_json_singly(*lines),
            by_message(*rows),
            by_container(Path(folder), *rows),
        ]


def the_same(*rows: Row) -> pa.Table:
    """The table that all carriers give."""
    first, *others = all_ways(*rows)
    assert first[1] == []
    assert first[0].num_rows == len(rows)
    first[0].validate(full=True)
    for table, letters in others:
        assert letters == []
        assert table.equals(first[0])
    return first[0]


def in_column(field: FieldSpec, value: Any) -> Any:
    """What a field's column should hold."""
    if field.form == "enum":
        return None if value is None else ENUMS[ENUM_OF_FIELD[field.name]][value].value
    if field.form == "enums":
        return [ENUMS["Place"][symbol].value for symbol in value]
    if field.form == "map":
        return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    if field.form == "time":
        moment = datetime.datetime.fromisoformat(value) - EPOCH
        return moment // datetime.timedelta(microseconds=1)
    if field.form == "date":
        return datetime.date.fromisoformat(value)
    if field.name == "card" and value is not None:
        return value.replace("10", "T")
    if field.name == "cards":
        return [card.replace("10", "T") for card in value]
    return value


@pytest.mark.parametrize("make", [whole, least])
@pytest.mark.parametrize("name", schemas.RECORD_NAMES)
def test_every_record_is_the_same_row_from_every_carrier(name: str, make: Any) -> None:
    row = make(name)
    (found,) = the_same(row).to_pylist()
    assert found["kind"] == specs()[name].kind.value
    filled = set()
    for field in specs()[name].fields.values():
        column = "note" if (name, field.name) == ("TableClosed", "reason") else field.name
        assert found[column] == in_column(field, row.get(field.name, field.default)), field.name
        filled.add(column)
    derived = {"kind", "position", "card_code", "kept", "kept_count", "kept_bad"}
    others = set(found) - filled - derived
    assert {column: found[column] for column in others} == dict.fromkeys(others)


@pytest.mark.parametrize("name", schemas.RECORD_NAMES)
def test_company_changes_nothing(name: str) -> None:
    """A field may be required in one record and left out in the other."""
    for other in schemas.RECORD_NAMES:
        together, letters = by_json(line(whole(name)), line(least(other)), line(least(name)))
        assert letters == []
        for row, alone in enumerate((whole(name), least(other), least(name))):
            expected = by_json(line(alone))[0].drop_columns("position")
            assert together.drop_columns("position").slice(row, 1).equals(expected)


def test_all_records_together_keep_their_order() -> None:
    names = [*schemas.RECORD_NAMES, *reversed(schemas.RECORD_NAMES)]
    table = the_same(*(whole(name, seq=n) for n, name in enumerate(names, 1)))
    assert table["seq"].to_pylist() == list(range(1, 41))
    assert table["position"].to_pylist() == list(range(1, 41))
    kinds = [kind.value for kind in EventKind if kind]
    assert table["kind"].to_pylist() == kinds + kinds[::-1]


@pytest.mark.parametrize(
    ("card", "text", "code"),
    [
        ("2c", "2c", 0),
        ("As", "As", 51),
        ("10h", "Th", 34),
        ("Th", "Th", 34),
        ("as", "as", CARD_BAD),
        ("10x", "10x", CARD_BAD),
        ("", "", CARD_BAD),
        (None, None, None),
    ],
)
def test_cards(card: str | None, text: str | None, code: int | None) -> None:
    table = the_same(whole("CardDealt", card=card), whole("RoundClosed"))
    assert table["card"].to_pylist() == [text, None]
    assert table["card_code"].to_pylist() == [code, None]


@pytest.mark.parametrize(
    ("cards", "kept", "bad"),
    [
        ([], [CARD_UNREAD] * 4, False),
        (["2c", "As"], [0, 51, CARD_UNREAD, CARD_UNREAD], False),
        (["10c", "", "As", "2d"], [32, CARD_BAD, 51, 1], True),
        (["2c", "2d", "2h", "2s", "??"], [0, 1, 2, 3], True),
    ],
)
def test_the_cards_that_a_decision_names(cards: list[str], kept: list[int], bad: bool) -> None:
    (found,) = the_same(whole("DecisionMade", cards=cards)).to_pylist()
    assert list(found["kept"].to_bytes(4, "little")) == kept
    assert (found["kept_count"], found["kept_bad"]) == (len(cards), bad)


def test_ids_are_alike_in_upper_and_lower_case() -> None:
    row = whole("CardCorrected")
    upper = {key: row[key].upper() for key in ("event_id", "corrects")}
    assert the_same(row | upper).equals(the_same(row))


def test_wagers_of_any_amount_are_events() -> None:
    amounts = [0, -1, 2**63 - 1, -(2**63)]
    table = the_same(*(whole("WagerPlaced", amount_cents=amount) for amount in amounts))
    assert table["amount_cents"].to_pylist() == amounts


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-01T20:15:04.120000Z",
        "2026-03-01T20:15:04.12Z",
        "2026-03-01T20:15:04.120000000Z",
        "2026-03-01T20:15:04,12z",
        "2026-03-01 20:15:04.120000Z",
        "2026-03-01t20:15:04.120000Z",
        "2026-03-01T21:15:04.120000+01:00",
        "2026-03-01T14:15:04.1200-0600",
        "2026-03-02T06:15:04.12+10",
        "2026-03-01T20:15:04.120000-00:00",
    ],
)
def test_every_way_to_write_a_time_is_the_same_time(text: str) -> None:
    assert micros_of(text) == 1772396104120000
    assert the_same(whole("RoundClosed", occurred_at=text))["occurred_at"].to_pylist() == [
        1772396104120000
    ]


@settings(deadline=None)
@given(
    texts=st.lists(
        st.one_of(
            st.integers(MICROS_MIN, MICROS_MAX).map(
                lambda micros: (EPOCH + datetime.timedelta(microseconds=micros)).isoformat()
            ),
            st.from_regex(r"\A[0-9]{4}-[0-3][0-9]-[0-3][0-9][T ][0-2][0-9]:[0-6][0-9]:[0-6][0-9]"
                          r"(\.[0-9]{1,7})?(Z|[+-][0-2][0-9]:?[0-6][0-9])?\Z"),
            st.from_regex(r"\A[-0-9T:.+Z ]{27}\Z"),
            st.text(max_size=30),
        ),
        min_size=1,
        max_size=8,
    )
)  # fmt: skip
def test_a_time_reads_the_same_alone_and_in_company(texts: list[str]) -> None:
    micros, wrong = micros_of_column(pa.array(texts, pa.string()))
    for row, text in enumerate(texts):
        assert (wrong.get(row) or int(micros[row])) == alone(text)


def alone(text: str) -> int | str:
    """A time by itself: its microseconds, or what is wrong with it."""
    try:
        return micros_of(text)
    except ValueError as error:
        return str(error)


def values_of(field: FieldSpec) -> st.SearchStrategy[Any]:
    """Anything that a field may hold, but for null."""
    low, high = field.bounds
    text = st.text(max_size=12)
    moments = st.datetimes(timezones=st.just(datetime.UTC))
    return {
        "uuid": st.uuids().map(str) | st.uuids().map(lambda one: str(one).upper()),
        "string": text | st.sampled_from(["10h", "As", "Zz"]),
        "int": st.integers(low, high),
        "long": st.integers(low, high),
        "time": moments.map(lambda moment: moment.isoformat()),
        "date": st.dates().map(str),
        "boolean": st.booleans(),
        "enum": st.sampled_from(sorted(field.codes) or [""]),
        "enums": st.lists(st.sampled_from(sorted(field.codes) or [""]), max_size=4),
        "strings": st.lists(text | st.just("10c"), max_size=6),
        "map": st.dictionaries(text, text, max_size=3),
    }[field.form]


@st.composite
def rows(draw: st.DrawFn) -> Row:
    """Any event of the contract."""
    name = draw(st.sampled_from(schemas.RECORD_NAMES))
    row: Row = {"type": name}
    for field in specs()[name].fields.values():
        if not field.required and draw(st.booleans()):
            continue
        null = field.nullable and draw(st.booleans())
        row[field.name] = None if null else draw(values_of(field))
    if name in {"CardDealt", "CardExposed"} and row["place"] != "PLAYER":
        row["spot"] = None
    return dict(draw(st.permutations(list(row.items()))))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(events=st.lists(rows(), min_size=1, max_size=5))
def test_whatever_the_events_all_carriers_agree(events: list[Row]) -> None:
    table = the_same(*events)
    assert table.schema.names[:-1] == EVENT_SCHEMA.names


def test_the_examples_are_all_records() -> None:
    assert tuple(WHOLE) == schemas.RECORD_NAMES
    for name in schemas.RECORD_NAMES:
        assert set(WHOLE[name]) == set(specs()[name].fields)
