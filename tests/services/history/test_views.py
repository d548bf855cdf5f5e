"""The views hold what the events say, and the README says what they hold."""

import json
from pathlib import Path
from typing import Any

import pytest

from services.history.sql.run import SqlRequest, answer
from services.history.sql.source import SqlSource
from services.history.views import all_views, markdown

HISTORY = Path(__file__).parents[3] / "services" / "history"
SAMPLES = Path(__file__).parents[2] / "samples"


def rows(db: Path, text: str) -> list[list[Any]]:
    given = answer(SqlSource(database=db), SqlRequest(text=text, zone="America/Denver"))
    said = json.loads(b"".join(given.chunks()))
    given.close()
    answered: list[list[Any]] = said["rows"]
    return answered


@pytest.fixture(scope="module")
def events() -> list[dict[str, Any]]:
    return events_of(SAMPLES / "evening.jsonl")


def events_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_the_readme_says_what_every_column_is() -> None:
    assert markdown() in (HISTORY / "README.md").read_text("utf-8")
    for view in all_views():
        names = [column.name for column in view.columns]
        assert len(names) == len(set(names))
        assert view.said.endswith(".")
        assert all(column.said for column in view.columns)


def test_wagers_are_what_was_put_down_less_what_was_taken(
    evening_db: Path, events: list[dict[str, Any]]
) -> None:
    stakes: dict[tuple[object, ...], int] = {}
    for event in events:
        if event["type"] in ("WagerPlaced", "WagerRemoved"):
            bet = tuple(event[k] for k in ("round_id", "spot", "hand", "wager", "bettor"))
            sign = 1 if event["type"] == "WagerPlaced" else -1
            stakes[bet] = stakes.get(bet, 0) + sign * max(event["amount_cents"], 0)
    text = "SELECT round_id, spot, hand, wager, bettor, stake_cents FROM wagers"
    assert {tuple(row[:5]): row[5] for row in rows(evening_db, text)} == stakes
    [[cents, dollars]] = rows(evening_db, "SELECT sum(stake_cents), sum(stake_dollars) FROM wagers")
    assert cents == round(dollars * 100) == sum(stakes.values())


def test_cards_are_those_that_left_the_deck(evening_db: Path, events: list[dict[str, Any]]) -> None:
    corrected = {e["corrects"]: e["card"] for e in events if e["type"] == "CardCorrected"}
    expected = {
        event["event_id"]: [
            event.get("card"),
            corrected.get(event["event_id"], event.get("card")),
            event["type"] == "CardBurned",
            event["event_id"] in corrected,
        ]
        for event in events
        if event["type"] in ("CardDealt", "CardBurned")
    }
    held = rows(evening_db, "SELECT event_id, card, final_card, burned, corrected FROM cards")
    assert corrected
    assert {row[0]: row[1:] for row in held} == expected
    assert len(held) == len(expected)


def test_an_exposed_card_is_marked(evening_db: Path, events: list[dict[str, Any]]) -> None:
    exposed = {
        (e["round_id"], e["place"], e["spot"], e["card"])
        for e in events
        if e["type"] == "CardExposed"
    }
    text = "SELECT round_id, place, spot, final_card FROM cards WHERE exposed"
    assert exposed
    assert {tuple(row) for row in rows(evening_db, text)} == exposed


def test_payouts_are_settlements(evening_db: Path, events: list[dict[str, Any]]) -> None:
    settled = [e for e in events if e["type"] == "WagerSettled"]
    text = "SELECT count(*), sum(paid_cents), sum(paid_dollars) FROM payouts"
    cents = sum(e["paid_cents"] for e in settled)
    assert rows(evening_db, text) == [[len(settled), cents, cents / 100]]


def test_a_corrected_payout_has_both(tmp_path: Path) -> None:
    from services.audit import audit

    case = Path(__file__).parents[2] / "cases" / "C05-corrected.jsonl"
    db = tmp_path / "corrected.db"
    audit([str(case)], db=str(db))
    corrections = [event for event in events_of(case) if event["type"] == "PayoutCorrected"]
    text = (
        "SELECT event_id, final_paid_cents, final_outcome, corrected_by, paid_cents <> "
        "final_paid_cents FROM payouts WHERE corrected"
    )
    last = {c["corrects"]: c for c in corrections}
    assert rows(db, text) == [
        [event_id, c["paid_cents"], c["outcome"], c["authorised_by"], True]
        for event_id, c in last.items()
    ]


def test_decisions_rounds_and_tables(evening_db: Path, events: list[dict[str, Any]]) -> None:
    counts = {
        view: rows(evening_db, f"SELECT count(*) FROM {view}")[0][0]  # noqa: S608
        for view in ("decisions", "rounds", "tables", "events")
    }
    assert counts == {
        "decisions": sum(e["type"] == "DecisionMade" for e in events),
        "rounds": 300,
        "tables": 3,
        "events": len({e["event_id"] for e in events}),
    }
    assert rows(
        evening_db,
        "SELECT table_id, opened_local, closed_local IS NOT NULL FROM tables ORDER BY 1 LIMIT 1",
    ) == [["DD-07", "2026-04-18T18:01:48.621801", True]]
    assert rows(
        evening_db,
        "SELECT count(*), count(void_reason), count(voided_by) FROM rounds WHERE status = 'VOIDED'",
    ) == [[7, 7, 7]]


def test_findings_are_those_of_the_report(evening_db: Path) -> None:
    expected = json.loads((SAMPLES / "evening.expected.json").read_text("utf-8"))
    listed = expected["findings"] if isinstance(expected, dict) else expected
    text = "SELECT table_id, round_id, code, delta_cents, dealer_id IS NULL FROM findings"
    held = rows(evening_db, text)
    assert len(held) == len(listed) == 17
    assert sorted((row[0], row[2]) for row in held) == sorted(
        (one["table_id"], one["code"]) for one in listed
    )
    assert [row[4] for row in held if row[1] is not None] == [False] * 16
