"""The three forms of a file hold the same events, and the same plan gives the same bytes."""

import gzip
import io
import json

import fastavro
import pytest

from services.errors import BadArgumentError
from services.simulate.scribe import Event
from services.simulate.service import FloorPlan
from services.simulate.writing import Form, expected_json, form_of, write_events
from tests.services.simulate.floors import oracle_dues, played


@pytest.fixture(scope="module")
def events() -> list[Event]:
    return played(FloorPlan(rounds=5, seed=2), oracle_dues)[0]


def written(events: list[Event], form: Form) -> bytes:
    file = io.BytesIO()
    write_events(events, file, form)
    return file.getvalue()


def test_lines_are_the_events(events: list[Event]) -> None:
    assert [json.loads(line) for line in written(events, "jsonl").splitlines()] == events


def test_gzip_holds_the_same_lines(events: list[Event]) -> None:
    assert gzip.decompress(written(events, "jsonl.gz")) == written(events, "jsonl")


def test_avro_holds_the_same_events(events: list[Event]) -> None:
    records = list(fastavro.reader(io.BytesIO(written(events, "avro"))))
    assert len(records) == len(events)
    told = [record["seq"] for record in records if isinstance(record, dict)]
    assert told == [event["seq"] for event in events]


@pytest.mark.parametrize("form", ["jsonl", "jsonl.gz", "avro"])
def test_the_same_events_give_the_same_bytes(events: list[Event], form: Form) -> None:
    assert written(events, form) == written(events, form)


@pytest.mark.parametrize(
    ("name", "form"),
    [("-", "jsonl"), ("a.jsonl", "jsonl"), ("b.x.JSONL.gz", "jsonl.gz"), ("c/d.avro", "avro")],
)
def test_the_name_tells_the_form(name: str, form: str) -> None:
    assert form_of(name) == form


def test_a_name_that_tells_nothing_is_refused() -> None:
    with pytest.raises(BadArgumentError, match=r"floor\.csv"):
        form_of("floor.csv")


def test_the_list_is_json_a_finding_a_line() -> None:
    _, planted = played(FloorPlan(rounds=5, seed=2, faults=("gap", "late-bet")), oracle_dues)
    text = expected_json(planted)
    assert json.loads(text) == planted
    assert text.count(b"\n") == len(planted) + 2
    assert json.loads(expected_json([])) == []
