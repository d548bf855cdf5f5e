"""Every canned question on the samples: it is answered, and says what the samples say."""

import json
from datetime import date
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest

from replay.rulebook.loader import load_rulebook
from services.errors import BadArgumentError
from services.gaps import open_gaps, release_gap
from services.history.sql.run import SqlRequest, answer
from services.history.sql.source import SqlSource
from services.history.store import History
from services.questions.catalogue import CannedQuestion, names, parsed, question, questions

DAY = date(2026, 4, 18)
HEAD = "-- Title\n--\n-- What it\n-- answers.\n--\n-- --day DAY = LAST_DAY\n--     a day\n"


def ask(db: Path, name: str, **values: str) -> list[dict[str, Any]]:
    text = question(name).filled(values, DAY)
    given = answer(SqlSource(database=db), SqlRequest(text=text, zone="America/Denver"))
    said = json.loads(b"".join(given.chunks()))
    given.close()
    assert said["truncated"] is False
    return [dict(zip(said["columns"], row, strict=True)) for row in said["rows"]]


def column(rows: list[dict[str, Any]], name: str) -> list[Any]:
    return [row[name] for row in rows]


def test_there_are_twenty_and_more() -> None:
    assert len(names()) >= 20


@pytest.mark.parametrize("one", questions(), ids=lambda one: one.name)
def test_each_says_what_it_answers(one: CannedQuestion) -> None:
    assert one.title
    assert one.title[0].isupper()
    assert one.answers.endswith(".")
    assert all(parameter.said for parameter in one.parameters)
    for parameter in one.parameters:
        if parameter.default is not None and parameter.default.isdigit():
            assert f"{parameter.default} unless told" in parameter.said
    assert {parameter.name for parameter in one.parameters}.isdisjoint(
        {"db", "limit", "format", "output", "config", "help"}
    )
    assert all(f"${parameter.name}" in one.sql for parameter in one.parameters)


def test_too_much_and_too_little(evening_db: Path) -> None:
    over = ask(evening_db, "overpaid-by-dealer")
    assert (over[0]["dealer_id"], over[0]["delta_dollars"]) == ("D-1214", 180.0)
    assert sum(column(over, "delta_dollars")) == 180 + 40 + 20 + 18 + 10
    assert sum(column(ask(evening_db, "underpaid_by_dealer"), "delta_dollars")) == -15 - 80 - 10
    assert ask(evening_db, "overpaid-by-dealer", to="2026-04-17") == []
    assert column(ask(evening_db, "overpaid-by-dealer", table="RT-12"), "dealer_id") == ["D-3339"]


def test_players(evening_db: Path) -> None:
    rounds = ask(evening_db, "rounds-of-a-player", player="P-90532")
    assert len(rounds) == 17
    assert (rounds[0]["round_id"], rounds[0]["put_down_dollars"]) == ("TS-03-000029", 5.0)
    assert ask(evening_db, "players-most-overpaid") == []


def test_payouts(evening_db: Path) -> None:
    payouts = ask(evening_db, "biggest-payouts", rows="3")
    assert column(payouts, "final_paid_dollars") == [10_000.0, 10_000.0, 1_500.0]
    assert column(payouts, "round_id") == ["RT-12-000083", "RT-12-000083", "DD-07-000061"]
    unsettled = ask(evening_db, "unsettled-wagers")
    assert column(unsettled, "expected_dollars") == [80.0, 10.0]
    assert ask(evening_db, "mispays-corrected") == []


def test_voids_and_rounds_not_settled(evening_db: Path) -> None:
    [voids] = ask(evening_db, "voids-by-reason")
    assert (voids["void_reason"], voids["rounds"], voids["wrongly_voided"]) == ("MISDEAL", 7, 1)
    held = ask(evening_db, "rounds-not-settled")
    assert column(held, "status") == ["NOT_SETTLED", "HELD"]
    [gap] = ask(evening_db, "gaps-open")
    assert (gap["first_missing_seq"], gap["last_missing_seq"], gap["rounds_held"]) == (354, 355, 1)


def test_a_released_gap_is_not_open(evening_db: Path, tmp_path: Path) -> None:
    path = tmp_path / "evening.db"
    copyfile(evening_db, path)
    with History.open(path) as history:
        history.accept_head()
        [gap] = open_gaps(history)
        release_gap(history, load_rulebook(), gap.table_id, 354, by="Ann", why="lost for good")
    assert ask(path, "gaps-open") == []


def test_procedure(evening_db: Path) -> None:
    [order] = ask(evening_db, "settlement-order-by-dealer")
    assert (order["dealer_id"], order["out_of_order"], order["rounds"]) == ("D-1214", 1, 27)
    [late] = ask(evening_db, "late-bets")
    assert (late["spot"], late["wagers"]) == (2, "BIG_8")
    assert column(ask(evening_db, "house-way-missets"), "round_id") == ["TS-03-000088"]
    assert column(ask(evening_db, "duplicate-cards"), "round_id") == ["RT-12-000021"]
    assert ask(evening_db, "decks-repeated") == []


def test_tables_days_and_games(evening_db: Path) -> None:
    assert sum(column(ask(evening_db, "findings-by-table-and-day"), "findings")) == 17
    games = ask(evening_db, "money-by-game")
    assert column(games, "rounds") == [100, 100, 100]
    assert sum(column(games, "staked_dollars")) == 43_996.5
    assert len(ask(evening_db, "money-by-game", game="TEXAS_SHOOTOUT")) == 1
    hours = ask(evening_db, "opening-hours")
    assert column(hours, "hours") == [1.72, 1.69, 1.69]


def test_what_was_never_settled_is_money_too(evening_db: Path) -> None:
    games = ask(evening_db, "money-by-game")
    off = sum(row["settled_dollars"] - row["due_dollars"] for row in games)
    by_voids = 180 - 10  # of rounds voided, which are in neither net
    much = sum(column(games, "too_much_dollars"))
    little = sum(column(games, "too_little_dollars"))
    assert (off, much + little) == (-7.0, -7.0 + by_voids)
    days = ask(evening_db, "findings-by-table-and-day")
    assert sum(column(days, "too_much_dollars")) == much
    assert sum(column(days, "too_little_dollars")) == little


def test_side_bets_tips_and_dealers(evening_db: Path) -> None:
    held = {row["wager"]: row for row in ask(evening_db, "side-bet-hold")}
    assert held["BIG_8"]["bets"] == 174
    assert held["ULTIMATE_PAIRS"]["held_dollars"] == 249.0
    assert sum(column(ask(evening_db, "tips"), "bets")) == 26
    assert sum(column(ask(evening_db, "rounds-by-dealer"), "rounds")) == 300
    assert ask(evening_db, "rounds-over-an-amount") == []
    assert ask(evening_db, "rounds-over-an-amount", amount="$900")[0]["staked_dollars"] >= 900


def test_people_in_charge(evening_db: Path) -> None:
    [corrected] = ask(evening_db, "corrections-by-authoriser")
    assert (corrected["authorised_by"], corrected["cards"], corrected["payouts"]) == ("F-207", 8, 0)
    assert set(column(ask(evening_db, "rulings"), "authorised_by")) == {"F-207"}
    assert ask(evening_db, "dead-letters-by-source") == []


def test_a_file_taken_apart() -> None:
    one = parsed("a", HEAD + "\nSELECT $day\n")
    assert (one.title, one.answers) == ("Title", "What it answers.")
    assert one.filled({}, DAY) == "SELECT DATE '2026-04-18'"
    assert one.filled({"day": "2026-01-01"}, DAY) == "SELECT DATE '2026-01-01'"


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("overpaid-by-deeler", {}, "did you mean overpaid-by-dealer"),
        ("overpaid-by-dealer", {"form": "2026-04-01"}, "did you mean --from"),
        ("overpaid-by-dealer", {"from": "April"}, "not a day"),
        ("money-by-game", {"from": "2026-04-18", "to": "2026-04-17"}, "swap the two days"),
        ("rounds-of-a-player", {}, "--player is missing"),
        ("biggest-payouts", {"rows": "0"}, "not a whole number"),
        ("rounds-over-an-amount", {"amount": "1.234"}, "not an amount"),
        ("rounds-over-an-amount", {"amount": "1e5000"}, "not an amount"),
        ("money-by-game", {"game": "POKER"}, "there is no such game"),
    ],
)
def test_what_there_is_not(name: str, values: dict[str, str], said: str) -> None:
    with pytest.raises(BadArgumentError) as refused:
        question(name).filled(values, DAY)
    assert said in str(refused.value)


def test_a_value_is_never_sql(evening_db: Path) -> None:
    nasty = "x' OR true; DROP VIEW rounds; --"
    assert ask(evening_db, "rounds-of-a-player", player=nasty) == []
