"""`pitproof round`: one round from a file or a history, for people and for programs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final

import pytest

from tests.services.command_line.conftest import Call

TESTS: Final = Path(__file__).parents[2]
EVENING: Final = TESTS / "samples" / "evening.jsonl"
GOLDEN: Final = TESTS / "golden" / "round"

WAGER_KEYS: Final = [
    *("spot", "hand", "wager", "bettor", "stake_cents", "expected_cents", "expected_low_cents"),
    *("expected_high_cents", "actual_cents", "clause", "row", "readings"),
]


def told(pitproof: Call, *arguments: object) -> dict[str, Any]:
    ended = pitproof("round", *arguments, "--format", "json")
    assert ended.err == ""
    return ended.report


@pytest.mark.parametrize(
    "name",
    [
        "RT-12-000012",  # the bonus underpaid, folds
        "RT-12-000021",  # a card twice: not settled
        "DD-07-000015",  # a late bet paid
        "DD-07-000043",  # wrongly voided
        "DD-07-000084",  # a pocket pair bonus never paid
        "TS-03-000013",  # held for a gap
        "TS-03-000088",  # the dealer's hand set wrong
    ],
)
def test_what_people_see(pitproof: Call, name: str) -> None:
    """The text, whole. UPDATE_GOLDEN=1 writes it anew."""
    ended = pitproof("round", name, "--file", EVENING)
    assert ended.err == ""
    text = ended.out.decode()
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
    assert max(map(len, text.splitlines())) <= 100


def test_the_contract_of_the_json(pitproof: Call) -> None:
    round_ = told(pitproof, "RT-12-000012", "--file", EVENING)
    first = ["table_id", "round_id", "game", "wagers", "findings", "timeline"]
    assert list(round_)[1:7] == first
    assert (round_["table_id"], round_["game"]) == ("RT-12", "RUN_EM_TWICE")
    rows = round_["wagers"]
    assert all(list(row)[: len(WAGER_KEYS)] == WAGER_KEYS for row in rows)
    [bonus] = [row for row in rows if (row["spot"], row["wager"]) == (2, "FIVE_CARD_BONUS")]
    assert {key: bonus[key] for key in WAGER_KEYS} == {
        "spot": 2,
        "hand": 1,
        "wager": "FIVE_CARD_BONUS",
        "bettor": "PLAYER",
        "stake_cents": 500,
        "expected_cents": 2000,
        "expected_low_cents": None,
        "expected_high_cents": None,
        "actual_cents": 1500,
        "clause": "Run'em Twice (9)(g)",
        "row": "Three of a Kind",
        "readings": [],
    }
    assert (bonus["odds"], bonus["cards"][:3]) == ([4, 1], ["4s", "4d", "4c"])
    lines = [json.loads(line) for line in EVENING.read_bytes().splitlines()]
    mine = [line for line in lines if line.get("round_id") == "RT-12-000012"]
    assert [event["event_id"] for event in round_["timeline"]] == [e["event_id"] for e in mine]
    for event, line in zip(round_["timeline"], mine, strict=True):
        assert {key: event[key] for key in line} == line


def test_findings_are_those_of_the_audit(pitproof: Call) -> None:
    audited = pitproof("audit", EVENING, "--format", "json").report["findings"]
    for name in ("DD-07-000015", "TS-03-000088"):
        mine = [row for row in audited if row["round_id"] == name]
        assert told(pitproof, name, "--file", EVENING)["findings"] == mine


def test_a_history_tells_the_same_as_its_file(pitproof: Call) -> None:
    pitproof("audit", EVENING, "--db", "h.db")
    for name in ("RT-12-000012", "DD-07-000043", "TS-03-000088", "TS-03-000013"):
        from_file = pitproof("round", name, "--file", EVENING, "--format", "json")
        from_history = pitproof("round", name, "--db", "h.db", "--format", "json")
        assert from_history.out == from_file.out
        assert from_history.status == from_file.status


def test_statuses(pitproof: Call) -> None:
    assert pitproof("round", "RT-12-000001", "--file", EVENING).status == 0
    assert pitproof("round", "RT-12-000012", "--file", EVENING).status == 1
    unknown = pitproof("round", "RT-12-00012", "--file", EVENING, "--format", "json")
    assert (unknown.status, unknown.out) == (2, b"")
    assert "RT-12-000012" in unknown.err
    no_table = pitproof("round", "RT-12-000012", "--file", EVENING, "--table", "RT-99")
    assert no_table.status == 2
    assert "RT-12" in no_table.err
    at_another = pitproof("round", "RT-12-000012", "--file", EVENING, "--table", "DD-07")
    assert at_another.status == 2
    assert "DD-07" in at_another.err


def test_an_id_of_two_tables(pitproof: Call, tmp_path: Path) -> None:
    path = tmp_path / "two.jsonl"
    lines = [json.loads(line) for line in EVENING.read_bytes().splitlines()]
    first = [line for line in lines if line["table_id"] == "RT-12"][:200]
    for line in [*first]:
        other = dict(line, table_id="RT-13", event_id=f"f{line['event_id'][1:]}")
        first.append(other)
    path.write_text("".join(json.dumps(line) + "\n" for line in first))
    name = next(line["round_id"] for line in first if "round_id" in line)
    ended = pitproof("round", name, "--file", path)
    assert (ended.status, ended.out) == (2, b"")
    assert "RT-12, RT-13" in ended.err
    assert told(pitproof, name, "--file", path, "--table", "RT-13")["table_id"] == "RT-13"


def test_a_held_round_says_so_and_why(pitproof: Call) -> None:
    held = told(pitproof, "TS-03-000013", "--file", EVENING)
    assert held["status"] == "held"
    assert "events 354 to 355 are missing" in held["why"]
    assert held["wagers"]
    assert {row["expected_cents"] for row in held["wagers"]} == {None}


def test_a_voided_round_is_due_nothing(pitproof: Call) -> None:
    voided = told(pitproof, "DD-07-000043", "--file", EVENING)
    assert voided["status"] == "voided"
    assert {row["expected_cents"] for row in voided["wagers"]} == {0}
    assert -5000 in {row["by_cards_cents"] for row in voided["wagers"]}


def test_the_whole_timeline(pitproof: Call) -> None:
    short = pitproof("round", "RT-12-000012", "--file", EVENING).out.decode()
    whole = pitproof("round", "RT-12-000012", "--file", EVENING, "--timeline").out.decode()
    assert "--timeline for all 53 events" in short
    assert len(whole[whole.index("timeline") :].splitlines()) == 54
    assert "seat 2 5-card bonus: win $15.00" in whole


def test_rows_as_csv(pitproof: Call) -> None:
    ended = pitproof("round", "DD-07-000015", "--file", EVENING, "--format", "csv")
    header, *rows = ended.out.decode().splitlines()
    assert header.split(",") == WAGER_KEYS
    assert any(row.startswith("2,1,BIG_8,PLAYER,1000,3000,,,4800,") for row in rows)


@pytest.mark.parametrize(
    ("arguments", "say"),
    [
        (("round",), "ID"),
        (("round", "X", "--file", "none.jsonl"), "none.jsonl"),
        (("round", "X", "--db", "none.db"), "none.db"),
        (("round", "X", "--db", "a", "--file", "b"), "only one"),
        (("round", "X"), "--db"),
    ],
)
def test_a_bad_call(pitproof: Call, arguments: tuple[str, ...], say: str) -> None:
    ended = pitproof(*arguments)
    assert (ended.status, ended.out) == (2, b"")
    assert say in ended.err
