"""`pitproof simulate`: the same seed, the same bytes, and an audit that finds what was planted."""

import json
from pathlib import Path

import pytest

from services.simulate.faults.registry import FAULTS
from tests.checks import Answer, differences
from tests.services.command_line.conftest import Call

SMALL = ("simulate", "RUN_EM_TWICE", "--rounds", "6")


def test_settings_named_before_the_command_hold(pitproof: Call) -> None:
    ended = pitproof("--config", "none.toml", *SMALL, "--kafka", "127.0.0.1:1")
    assert (ended.status, ended.out) == (2, b"")
    assert "none.toml" in ended.err


@pytest.mark.parametrize("name", ["e.jsonl", "e.jsonl.gz", "e.avro"])
def test_same_seed_same_bytes(pitproof: Call, name: str) -> None:
    outputs = []
    for seed in (3, 3, 4):
        ended = pitproof(*SMALL, "--seed", seed, "--output", name)
        assert (ended.status, ended.out, ended.err) == (0, b"", "")
        outputs.append(Path(name).read_bytes())
    assert outputs[0] == outputs[1] != outputs[2]


def test_every_carrier_gives_the_same_report(pitproof: Call) -> None:
    reports = []
    for name in ("e.jsonl", "e.jsonl.gz", "e.avro"):
        assert pitproof(*SMALL, "--fault", "late-bet", "--output", name).status == 0
        reports.append(pitproof("audit", name, "--format", "json").out)
    assert reports[0] == reports[1] == reports[2]


def test_standard_output_gets_json_lines(pitproof: Call) -> None:
    ended = pitproof(*SMALL, "--output", "-")
    assert pitproof(*SMALL, "--output", "e.jsonl").status == 0
    assert ended.out == Path("e.jsonl").read_bytes()
    assert json.loads(ended.out.splitlines()[0])["type"] == "TableOpened"


def test_an_audit_finds_what_was_planted_and_nothing_else(pitproof: Call) -> None:
    faults = ("pays-wrong-row", "duplicate-card", "gap", "redelivery")
    flags = [word for fault in faults for word in ("--fault", fault)]
    made = pitproof(*SMALL, "--rounds", "12", *flags, "--planted", "p.json", "--output", "e.jsonl")
    assert (made.status, made.out) == (0, b"")
    planted = json.loads(Path("p.json").read_bytes())
    assert {row["code"] for row in planted} >= {"DUPLICATE_CARD", "SEQUENCE_GAP"}
    ended = pitproof("audit", "e.jsonl", "--format", "json")
    assert differences(planted, Answer(ended.status, ended.report)) == []


def test_a_clean_evening_is_clean(pitproof: Call) -> None:
    made = pitproof(*SMALL, "--tables", 2, "--planted", "-", "--output", "e.jsonl")
    assert json.loads(made.out) == []
    ended = pitproof("audit", "e.jsonl", "--format", "json")
    assert ended.status == 0
    assert ended.report["summary"]["tables"] == 2


def test_help_lists_each_fault_with_its_codes(pitproof: Call) -> None:
    text = pitproof("simulate", "--help").out.decode()
    words = text.split()
    for fault in FAULTS:
        assert fault.name in words
        assert all(code in text for code in fault.codes)


def test_a_fault_of_another_game(pitproof: Call) -> None:
    ended = pitproof(*SMALL, "--fault", "house-way-misset", "--output", "e.jsonl")
    assert (ended.status, ended.out) == (2, b"")
    assert "TEXAS_SHOOTOUT" in ended.err
    assert list(Path().iterdir()) == []
