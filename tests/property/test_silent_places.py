"""Where the contract says little: what was decided, and that audit and oracle both go by it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.oracle.audit import audit_events
from tests.property.compare import audited, differences_of_reports, write_lines
from tests.replay.streams import Event
from tests.replay.tape import Tape

GAMES = ("RUN_EM_TWICE", "DAKOTA_DUEL_DRAW", "TEXAS_SHOOTOUT")

REQUIRED = {
    "RUN_EM_TWICE": ("FIRST_ANTE", "SECOND_ANTE"),
    "DAKOTA_DUEL_DRAW": ("HAND_1_PLAY", "HAND_2_ANTE"),  # the play bet early, before the deal
    "TEXAS_SHOOTOUT": ("SHOOTOUT_BONUS", "PRIMARY"),
}
"""A bet of each game, and another that it is not enough without."""

Report = dict[str, Any]
Row = tuple[str, str | None, str | None]
"""Code, round and wager."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "events.jsonl"


def tape_of(game: str) -> Tape:
    posted = {"shootout_bonus": "A"}
    return Tape("T-01", game, paytables=posted, house_way="published-2011")


def open_round(tape: Tape) -> None:
    tape.open_round(decks=6 if tape.events[0]["game"] == "TEXAS_SHOOTOUT" else 1)


def audit_both(events: list[Event], path: Path) -> Report:
    """The report of an audit, which is also that of the oracle."""
    write_lines(events, path)
    report = audited(path)
    assert differences_of_reports(report, audit_events(events)) == []
    return report


def found(events: list[Event], path: Path) -> list[Row]:
    """What audit and oracle both find, info left out."""
    return rows_of(audit_both(events, path))


def rows_of(report: Report) -> list[Row]:
    return [
        (row["code"], row["round_id"], row["wager"])
        for row in report["findings"]
        if row["severity"] != "info"
    ]


def void(tape: Tape) -> None:
    tape.send("RoundVoided", reason="OTHER", note=None, authorised_by=None)
    tape.round_id = None


def close_table(tape: Tape) -> None:
    tape.send("TableClosed", reason=None)
    tape.round_id = None


@pytest.mark.parametrize("game", GAMES)
def test_nothing_is_missing_in_a_round_voided_before_the_deal(game: str, path: Path) -> None:
    tape = tape_of(game)
    open_round(tape)
    tape.bet(1, REQUIRED[game][0], 500)
    void(tape)
    assert found(tape.events, path) == []


@pytest.mark.parametrize("game", GAMES)
def test_nothing_is_missing_at_a_table_closed_before_the_deal(game: str, path: Path) -> None:
    tape = tape_of(game)
    open_round(tape)
    tape.bet(1, REQUIRED[game][0], 500)
    close_table(tape)
    assert found(tape.events, path) == [("ROUND_NOT_CLOSED", "T-01-000001", None)]


@pytest.mark.parametrize("game", GAMES)
def test_what_lacks_at_the_deal_is_missing(game: str, path: Path) -> None:
    tape = tape_of(game)
    open_round(tape)
    tape.bet(1, REQUIRED[game][0], 500)
    tape.deal("PLAYER", "2c", 1)
    void(tape)
    assert found(tape.events, path) == [("WAGER_MISSING", "T-01-000001", REQUIRED[game][1])]


@pytest.mark.parametrize("game", GAMES)
def test_bets_of_a_round_closed_without_a_card_are_unsettled(game: str, path: Path) -> None:
    """In Dakota a misdeal, so that they go back; the other games do not say what is due."""
    tape = tape_of(game)
    open_round(tape)
    for wager in REQUIRED[game]:
        tape.bet(1, wager, 500)
    tape.close_round()
    report = audit_both(tape.events, path)
    assert sorted(rows_of(report)) == sorted(
        ("WAGER_UNSETTLED", "T-01-000001", wager) for wager in REQUIRED[game]
    )
    due = 0 if game == "DAKOTA_DUEL_DRAW" else None
    assert {(row["expected_cents"], row["actual_cents"]) for row in report["findings"]} == {
        (due, None)
    }
    assert report["summary"]["not_settled"] == 1


def test_a_misdeal_that_was_settled_in_part_is_one_finding(path: Path) -> None:
    tape = tape_of("DAKOTA_DUEL_DRAW")
    open_round(tape)
    tape.bet(1, "HAND_2_ANTE", 500)
    tape.bet(2, "HAND_2_ANTE", 500)
    tape.settle(1, "HAND_2_ANTE", "LOSE")
    tape.close_round()
    assert found(tape.events, path) == [("MISDEAL_NOT_CALLED", "T-01-000001", None)]


@pytest.mark.parametrize("game", GAMES)
def test_a_closed_table_opens_no_round(game: str, path: Path) -> None:
    tape = tape_of(game)
    close_table(tape)
    open_round(tape)
    tape.bet(1, REQUIRED[game][0], 500)
    tape.close_round()
    report = audit_both(tape.events, path)
    codes = [code for code, *_ in rows_of(report)]
    assert codes == ["EVENT_OUT_OF_PLACE"] * 3  # a shoe may be made ready
    assert report["summary"]["rounds"] == 0


def test_a_table_that_opens_again_goes_on(path: Path) -> None:
    tape = tape_of("TEXAS_SHOOTOUT")
    close_table(tape)
    opening = {k: v for k, v in tape.events[0].items() if k not in ("seq", "event_id", "type")}
    tape.send("TableOpened", **opening)
    open_round(tape)
    void(tape)
    assert found(tape.events, path) == []


def test_after_a_gap_a_closed_table_may_have_opened(path: Path) -> None:
    tape = tape_of("TEXAS_SHOOTOUT")
    close_table(tape)
    tape.send("TrayCounted", count="CLOSING", amount_cents=1)
    lost = tape.events.pop()
    tape.events.append(lost | {"seq": lost["seq"] + 1})
    open_round(tape)
    tape.events[-2]["seq"], tape.events[-1]["seq"] = 5, 6
    void(tape)
    tape.events[-1]["seq"] = 7
    report = audit_both(tape.events, path)
    assert rows_of(report) == [("SEQUENCE_GAP", None, None)]
    assert report["summary"]["voided"] == 1


def test_a_round_named_before_it_opened_may_have_opened_in_a_gap(path: Path) -> None:
    """It is held from its first event on, and goes on past the opening that came too late."""
    tape = tape_of("TEXAS_SHOOTOUT")
    tape.round_id = "T-01-000006"
    tape.bet(4, "PRIMARY", 500, seq=130)
    tape.send("RoundOpened", dealer_id=None, shoe_id=None, seq=132)
    tape.bet(2, "PRIMARY", 750, seq=133)
    assert found(tape.events, path) == [
        ("SEQUENCE_GAP", None, None),
        ("SEQUENCE_GAP", None, None),
        ("EVENT_OUT_OF_PLACE", "T-01-000006", None),
    ]
    tape.send("RoundClosed", seq=134)
    report = audit_both(tape.events, path)
    assert len(report["findings"]) == 3
    assert report["summary"]["held"] == 1


def test_a_correction_that_names_nothing_still_names_a_bad_card(path: Path) -> None:
    tape = tape_of("TEXAS_SHOOTOUT")
    tape.round_id = "T-01-000004"
    nothing = {"corrects": "cdcfb0a4-b0df-4800-8fad-4df964f8b191", "authorised_by": "S"}
    tape.send("CardCorrected", card="??", note=None, **nothing)
    tape.send("CardCorrected", card="Ks", note=None, **nothing)
    assert [code for code, *_ in found(tape.events, path)] == [
        "BAD_CARD",
        "ORPHAN_CORRECTION",
        "ORPHAN_CORRECTION",
    ]


def test_a_bad_correction_within_a_held_round_waits_for_it(path: Path) -> None:
    tape = tape_of("TEXAS_SHOOTOUT")
    open_round(tape)
    dealt = tape.send("CardDealt", place="DEALER", spot=None, card="2c", face_up=False)
    fields = {"corrects": dealt["event_id"], "authorised_by": "S", "note": None}
    tape.send("CardCorrected", card="??", seq=6, **fields)
    tape.send("RoundClosed", seq=7)
    assert found(tape.events, path) == [("SEQUENCE_GAP", None, None)]
    tape.send("CardCorrected", card="??", seq=8, **fields)
    assert ("BAD_CARD", "T-01-000001", None) in found(tape.events, path)
