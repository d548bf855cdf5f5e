"""What people are told beside the findings: what is still open, where a round is, what was bet."""

import json
from pathlib import Path

import pytest

from tests.services.command_line.conftest import Call, event, lines, opened

TESTS = Path(__file__).parents[2]
EVENING = TESTS / "samples" / "evening.jsonl"


@pytest.mark.parametrize("form", ["table", "json", "csv"])
def test_only_a_round_that_is_open_is_said_to_be(pitproof: Call, tmp_path: Path, form: str) -> None:
    closed = tmp_path / "closed.jsonl"
    began = [opened(), event("RoundOpened", 2, round_id="R", dealer_id=None, shoe_id=None)]
    closed.write_bytes(lines(*began, event("RoundClosed", 3, round_id="R")))
    said = pitproof("audit", closed, "--format", form).err
    assert said.splitlines() == ["not closed when the events ended: RT-90"]  # the table, no round
    begun = tmp_path / "begun.jsonl"
    begun.write_bytes(lines(*began))
    assert "still open when the events ended" in pitproof("audit", begun, "--format", form).err


def test_no_escape_out_of_an_event_reaches_a_terminal(pitproof: Call, tmp_path: Path) -> None:
    bell = "RT\x1b[2J\x07\x9b31m"
    path = tmp_path / "escapes.jsonl"
    said = [opened(), event("RoundOpened", 2, round_id=bell, dealer_id=bell, shoe_id=None)]
    path.write_bytes(lines(*({**one, "table_id": bell} for one in [*said, event("Odd", 4)])))
    for call in (
        ("audit", path),
        ("round", bell, "--file", path, "--timeline"),
        ("round", "other", "--file", path),
        ("round", bell, "--file", path, "--table", "other"),
    ):
        ended = pitproof(*call)
        told = ended.out.decode() + ended.err
        assert "RT\\x1b[2J" in told
        assert not set(told) & {"\x1b", "\x07", "\x9b"}


def test_a_round_of_another_table_is_said_to_be_there(pitproof: Call) -> None:
    ended = pitproof("round", "RT-12-000012", "--file", EVENING, "--table", "TS-03")
    assert (ended.status, ended.out) == (2, b"")
    assert ended.err == "pitproof: round RT-12-000012: is not at table TS-03\n  it is at RT-12\n"


def test_chips_that_go_back_are_no_part_of_the_bet(pitproof: Call) -> None:
    """$10.00 stand, $6.00 came late: neither finding is about $16.00."""
    text = " ".join(pitproof("audit", EVENING).out.decode().split())
    assert "round DD-07-000015 seat 2 big 8 $10.00 OVERPAID" in text
    assert "round DD-07-000015 seat 2 big 8 $6.00 WAGER_LATE" in text


@pytest.mark.parametrize(
    ("outcome", "words"),
    [("PUSH", "settled push"), ("VOID", "settled void"), ("WIN", "settled win $0.00")],
)
def test_a_settlement_without_money_is_called_what_it_was(
    pitproof: Call, tmp_path: Path, outcome: str, words: str
) -> None:
    path = tmp_path / "settled.jsonl"
    said = (TESTS / "cases" / "B03-fold-wrong.jsonl").read_text()
    events = [json.loads(line) for line in said.splitlines()]
    for one in events:
        if one["type"] == "WagerSettled" and one["wager"] == "POCKET_PAIR":
            one.update(outcome=outcome, paid_cents=0)
    path.write_bytes(lines(*events))
    text = pitproof("round", "DD-07-000001", "--file", path).out.decode()
    (line,) = (line for line in text.split("\n") if line.startswith("    pocket pair bonus"))
    assert "due nothing" in line
    assert words in line
