"""Messages read side by side give what they give one after the other, or are left to that way."""

import random
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from services import schemas
from services.decode import columns, messages
from services.decode.avro_schema import PADDING_OF_MESSAGES, understand
from services.decode.batch import POSITION_SCHEMA
from services.decode.columns import Grouped
from services.decode.messages import MessageReader
from services.encode import single_object
from services.simulate.service import FloorPlan, simulate_floor
from tests.contracts.examples import WHOLE

HEADER_BYTES = 10
LISTED = {"TableOpened", "CardsRevealed", "DecisionMade"}  # maps and lists are read the other way


def message(row: Mapping[str, Any]) -> bytes:
    """One without its header; money of nine bytes is read the other way."""
    plain = {**row, "paid_cents": 5} if row.get("paid_cents", 0) > 2**54 else row
    return single_object(plain)[HEADER_BYTES:]


@pytest.fixture(scope="module")
def payloads() -> dict[str, list[bytes]]:
    """Every record, many of most, on a floor that says things in another script too."""
    found = {name: [message({"type": name, **row})] for name, row in WHOLE.items()}
    for row in simulate_floor(
        FloorPlan(tables=1, rounds=12, seed=5, faults=("duplicate-card",))
    ).events():
        event = {**row, "recorded_by": "Ωmega"} if row["seq"] % 7 == 0 else dict(row)
        found.setdefault(row["type"], []).append(message(event))
    return found


def reader_of(name: str) -> MessageReader:
    return MessageReader(understand(schemas.record_schema(name), PADDING_OF_MESSAGES))


def one_after_the_other(reader: MessageReader, own: list[bytes]) -> object:
    """Columns of EVENT_SCHEMA, or None where a message is no event."""
    outcomes = reader.read_messages(own)
    if any(isinstance(outcome, str) for outcome in outcomes):
        return None
    table, wrong = columns.build(Grouped(outcomes), np.arange(len(own), dtype=np.int64))
    return None if wrong else table.select(POSITION_SCHEMA.names[:-1])


@pytest.fixture(autouse=True)
def however_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "MESSAGES_MIN", 1)


def test_same_columns(payloads: dict[str, list[bytes]]) -> None:
    for name, own in payloads.items():
        reader = reader_of(name)
        read = reader.read_columns(own)
        if name in LISTED:
            assert read is None
        else:
            assert read is not None, name
            assert read.equals(one_after_the_other(reader, own)), name


def damaged(own: list[bytes], chance: random.Random) -> Iterator[bytes]:
    """Each message with a byte changed, cut off, or with one more."""
    for payload in own[:40]:
        octets = bytearray(payload)
        octets[chance.randrange(len(octets))] = chance.choice((0, 1, 2, 0x7F, 0x80, 0xFF, 0xC3))
        yield bytes(octets)
        yield payload[: chance.randrange(len(payload))]
        yield payload + b"\0"


def test_damage_is_read_the_same_or_left_alone(payloads: dict[str, list[bytes]]) -> None:
    chance, taken = random.Random(7), 0
    for name, own in payloads.items():
        reader = reader_of(name)
        for payload in damaged(own, chance):
            read = reader.read_columns([own[0], payload])
            if read is not None:
                taken += 1
                assert read.equals(one_after_the_other(reader, [own[0], payload])), name
    assert taken > 50


def test_what_is_left_over_in_one_is_not_lent_to_the_next(payloads: dict[str, list[bytes]]) -> None:
    first, second = payloads["RoundClosed"][:2]
    shifted = [first + second[:1], second[1:]]
    assert reader_of("RoundClosed").read_columns(shifted) is None


def test_long_texts_do_not_fill_the_memory() -> None:
    row = {"type": "TableClosed", **WHOLE["TableClosed"], "reason": "x" * 900_000}
    reader = reader_of("TableClosed")
    assert reader.read_columns([message(row)] * 9) is not None
    assert reader.read_columns([message(row)] * 10) is None
