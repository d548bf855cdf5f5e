"""`pitproof rulebook`: what the rules say and what bets return, for people and for programs."""

from __future__ import annotations

from fractions import Fraction

import pytest

from services.command_line import people
from services.report.rulebook import percent
from tests.services.command_line.conftest import Call

GAMES = ("RUN_EM_TWICE", "DAKOTA_DUEL_DRAW", "TEXAS_SHOOTOUT")


def test_list(pitproof: Call) -> None:
    text = pitproof("rulebook", "list").out.decode()
    assert "2021-04-26  47 SDR 109   not held" in text
    report = pitproof("rulebook", "list", "--format", "json").report
    assert [game["game"] for game in report["games"]] == list(GAMES)
    held = {
        (game["game"], edition["edition"])
        for game in report["games"]
        for edition in game["editions"]
        if edition["held"]
    }
    assert held == {
        ("RUN_EM_TWICE", "2025-05-06"),
        ("DAKOTA_DUEL_DRAW", "2022-08-09"),
        ("TEXAS_SHOOTOUT", "2006-01-30"),
    }
    rows = pitproof("rulebook", "list", "--format", "csv").out.decode().splitlines()
    assert len(rows) == 1 + 6


@pytest.mark.parametrize("game", GAMES)
def test_show_has_every_paytable_reading_and_clause(
    pitproof: Call, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = pitproof("rulebook", "show", game, "--format", "json").report
    ended = pitproof("rulebook", "show", game)
    assert (ended.status, ended.err) == (0, "")
    text = ended.out.decode()
    assert max(map(len, text.splitlines())) <= 100
    for reading in report["readings"]:
        assert reading["id"] in text
    monkeypatch.setattr(people, "width_for", lambda output: 80)
    narrow = pitproof("rulebook", "show", game).out.decode()
    assert narrow.split() == text.split()
    prose = narrow[narrow.index("Clauses") :].splitlines()
    assert max(len(line) for line in prose if not line.startswith("  ALL-")) <= 80
    clauses = {"RUN_EM_TWICE": 10, "DAKOTA_DUEL_DRAW": 12, "TEXAS_SHOOTOUT": 19}
    assert len(report["clauses"]) == clauses[game]
    for table in report["paytables"]:
        assert all(line["row"] in text for line in table["lines"])
    assert [limit["maximum_cents"] for limit in report["limits"]] == [10_000, 100_000]


def test_paytables_as_printed(pitproof: Call) -> None:
    dakota = pitproof("rulebook", "show", "dakota-duel-draw").out.decode()
    assert "    88    4x  4x  3x  N/A  N/A  N/A" in dakota
    assert "    Straight         2 to 1   1 to 1   1 to 1" in dakota
    assert "push" in dakota
    shootout = pitproof("rulebook", "show", "TEXAS_SHOOTOUT").out.decode()
    assert "    5 of a Kind, Suited  5,000 to 1  1,000 to 1" in shootout
    assert " 1  pair of 8s or higher" in shootout
    report = pitproof("rulebook", "show", "DAKOTA_DUEL_DRAW", "--format", "json").report
    [seven] = [
        table
        for table in report["paytables"]
        if (table["wager"], table["paytable"]) == ("BIG_8", "7")
    ]
    assert seven["lines"][-1] == {
        "row": "Straight",
        "clause": "20:18:16:15.23(12)",
        "odds": "push",
        "readings": ["DD-PUSH"],
    }


def test_an_edition_that_is_not_held(pitproof: Call) -> None:
    old = ("rulebook", "show", "TEXAS_SHOOTOUT", "--edition", "2003-05-06")
    assert b"not held" in pitproof(*old).out
    report = pitproof(*old, "--format", "json").report
    assert (report["held"], report["register"]) == (False, "29 SDR 147")


def test_returns(pitproof: Call) -> None:
    ended = pitproof("rulebook", "returns", "RUN_EM_TWICE", "--format", "json")
    assert (ended.status, ended.err) == (0, "")
    bonus, first = ended.report["wagers"][:2]
    assert (bonus["net_units"], bonus["ways"], bonus["hits"]) == (-91836, 2_598_960, 958_500)
    assert bonus["net_percent"] == "-3.5336"
    assert bonus["clause"] == "Run'em Twice (9)"
    assert (first["wager"], first["paytable"]) == ("ULTIMATE_PAIRS", "1")
    assert sum(line["ways"] * line["net_to_one"] for line in first["lines"]) == first["net_units"]
    assert sum(line["ways"] for line in first["lines"]) == first["ways"] == 1326
    text = pitproof("rulebook", "returns", "RUN_EM_TWICE").out.decode()
    assert "-3.5336 %   wins  36.8801 %   -91,836 units in 2,598,960" in text


def test_returns_of_six_decks(pitproof: Call) -> None:
    report = pitproof("rulebook", "returns", "TEXAS_SHOOTOUT", "--format", "json").report
    nets = {row["paytable"]: row["net_units"] for row in report["wagers"][:2]}
    assert nets == {"A": -23959999511280, "B": -23856719000544}
    assert report["wagers"][2]["mean_cents"] == "2.1825"


@pytest.mark.slow
def test_returns_of_dakota_with_its_whole_game(pitproof: Call) -> None:
    report = pitproof("rulebook", "returns", "DAKOTA_DUEL_DRAW", "--format", "json").report
    assert {row["wager"] for row in report["wagers"]} == {"HAND_1_PLAY", "POCKET_PAIR", "BIG_8"}
    whole = {row["pocket_pair"]: row for row in report["whole_game"]}
    assert whole["1"]["net_percent"] == "-2.5581"
    assert whole["1"]["hands_played"] == 1050
    text = pitproof("rulebook", "returns", "DAKOTA_DUEL_DRAW").out.decode()
    assert "fold 87 86 85" in text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (Fraction(1, 3), "33.3333"),
        (Fraction(-2, 3), "-66.6667"),
        (Fraction(1), "100.0000"),
        (Fraction(5, 10_000_000), "0.0000"),
        (Fraction(15, 10_000_000), "0.0002"),
    ],
)
def test_per_cent_of_an_exact_fraction(share: Fraction, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize(
    ("arguments", "say"),
    [
        (("show",), "GAME"),
        (("show", "POKER"), "DAKOTA_DUEL_DRAW"),
        (("show", "RUN_EM_TWICE", "--edition", "2020-01-01"), "2025-05-06"),
        (("returns", "RUN_EM"), "did you mean RUN_EM_TWICE"),
        (("shown",), "shown"),
        (("list", "--format", "xml"), "table, json, csv"),
    ],
)
def test_a_bad_call(pitproof: Call, arguments: tuple[str, ...], say: str) -> None:
    ended = pitproof("rulebook", *arguments)
    assert (ended.status, ended.out) == (2, b"")
    assert say in ended.err


@pytest.mark.parametrize("arguments", [(), ("list",), ("show",), ("returns",)])
def test_help(pitproof: Call, arguments: tuple[str, ...]) -> None:
    ended = pitproof("rulebook", *arguments, "--help")
    assert (ended.status, ended.err) == (0, "")
    assert b"Exit status" in ended.out
