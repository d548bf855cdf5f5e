"""What findings say: who did what, and which events show it."""

import json
from pathlib import Path
from typing import Final

import pytest

from replay.findings import Finding, FindingCode
from tests.replay.streams import Event, judge
from tests.replay.tape import Tape

CASES: Final = Path(__file__).parents[1] / "cases"


def events_of(path: Path) -> list[Event]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def found(code: FindingCode, case: str) -> list[Finding]:
    return [each for each in judge(events_of(CASES / f"{case}.jsonl"))[1] if each.code is code]


@pytest.mark.parametrize(
    ("case", "code", "words"),
    [
        ("A12-bad", "BAD_CARD", "CardDealt names '1d', which is no card"),
        ("B03-order", "SETTLEMENT_ORDER", "seat 1 hand 2 ante, seat 1 hand 1 play, seat 1 pocket"),
        ("C10-misset-right", "HOUSE_WAY_MISSET", "kept 9♥ 8♥ of K♣ K♦ 9♥ 8♥; house way"),
        ("C10-misset-right", "HOUSE_WAY_MISSET", "house way published-2011 keeps K♣ K♦"),
        ("F02-no-decision", "DECISION_MISSING", "seat 1 neither played nor folded for the center"),
        ("F03-early", "DECISION_OUT_OF_TURN", "seat 1 played before its cards were dealt"),
        (
            "F17-choice-right",
            "DECISION_OUT_OF_TURN",
            "seat 1 kept after the dealer's hand lay open",
        ),
        ("F18-locked-right", "DECISION_OUT_OF_TURN", "seat 1 folded though chips stood on hand 1"),
        ("F05-no-edition", "NO_EDITION_IN_FORCE", "the rule of Run'em Twice"),
        ("F06-after-the-end", "EVENT_OUT_OF_PLACE", "WagerSettled outside the time"),
    ],
)
def test_a_message_names_what_it_is_about(case: str, code: str, words: str) -> None:
    assert words in found(FindingCode(code), case)[0].message


def test_late_play_names_the_reveal() -> None:
    events = events_of(CASES / "F02-no-decision.jsonl")
    reveal = next(each for each in events if each["type"] == "CardsRevealed")
    first = next(each for each in events if each["type"] == "DecisionMade")
    first["seq"], reveal["seq"] = reveal["seq"], first["seq"]
    told = [each for each in judge(events)[1] if each.code is FindingCode.DECISION_OUT_OF_TURN]
    assert told[0].message.startswith("seat 1 played for the first run after left and right were")


def numbers(events: list[Event]) -> dict[str, int]:
    """The `event_no` that a stretch gives each event: its place in the file."""
    return {event["event_id"]: place for place, event in enumerate(events)}


@pytest.mark.parametrize(
    ("case", "code"), [("C05-corrected", "MISPAY_CORRECTED"), ("C05-too-much", "OVERPAID")]
)
def test_a_correction_is_among_the_events_that_show_a_finding(case: str, code: str) -> None:
    events = events_of(CASES / f"{case}.jsonl")
    number = numbers(events)
    corrections = {
        number[event["corrects"]]: number[event["event_id"]]
        for event in events
        if event["type"] == "PayoutCorrected"
    }
    findings = found(FindingCode(code), case)
    assert len(findings) == len(corrections)
    for finding in findings:
        (settled,) = set(finding.event_nos) & set(corrections)
        assert finding.event_nos[-1] == corrections[settled]


@pytest.mark.parametrize(
    ("case", "outcome", "words"),
    [
        ("B01-fives-wrong", "PUSH", "settled push: $10.00 too little taken"),
        ("B01-fives-wrong", "VOID", "settled void: $10.00 too little taken"),
        ("B01-fives-wrong", "WIN", "settled win $0.00: $10.00 too little taken"),
        ("A01-wrong", "LOSE", "settled -$10.00: $20.00 too little for the player"),
    ],
)
def test_a_settlement_is_called_what_it_was(case: str, outcome: str, words: str) -> None:
    events = events_of(CASES / f"{case}.jsonl")
    for event in events:
        if event["type"] == "WagerSettled":
            event.update(outcome=outcome, paid_cents=0)
    told = [each.message for each in judge(events)[1] if each.wager == "FIRST_ANTE"]
    assert [message for message in told if message.endswith(words)]


def test_a_bonus_that_is_not_due_is_no_push() -> None:
    (finding,) = found(FindingCode.OVERPAID, "B03-fold-wrong")
    assert "hand 1 was not played: due nothing; settled +$30.00" in finding.message


def test_what_is_not_known_is_said_to_decide() -> None:
    told = [each.message for each in found(FindingCode.UNDETERMINED, "C12-dakota")]
    assert any(
        message.endswith(
            "cards that are not known decide it, due -$10.00 to +$20.00; settled -$10.00, "
            "which may be right"
        )
        for message in told
    )


def test_a_corrected_card_is_among_the_events_that_show_what_rests_on_it() -> None:
    """A card of hand 1 was told wrongly: hand 2's bets have nothing to do with that."""
    events = events_of(CASES / "A01-wrong.jsonl")
    dealt = next(each for each in events if each.get("place") == "LEFT")
    last = events[-1]
    right, dealt["card"] = dealt["card"], "9h"
    correction = {
        **{name: last[name] for name in ("table_id", "occurred_at")},
        **{"type": "CardCorrected", "event_id": "c" * 8 + "-0000-4000-8000-" + "c" * 12},
        **{"seq": last["seq"] + 1, "round_id": dealt["round_id"], "corrects": dealt["event_id"]},
        **{"card": right, "authorised_by": "S-3", "note": None},
    }
    events.append(correction)
    number = numbers(events)
    told = {each.wager: each.event_nos for each in judge(events)[1] if each.wager}
    assert {"FIRST_ANTE", "FIRST_RUN", "CENTER"} <= set(told)
    for wager in ("FIRST_ANTE", "FIRST_RUN", "CENTER"):
        shown = told[wager][-2:]
        assert shown == (number[dealt["event_id"]], number[correction["event_id"]])


def test_corrections_are_shown_in_the_order_of_what_they_correct_however_they_arrived() -> None:
    tape = Tape("RT-01", "RUN_EM_TWICE")
    tape.open_round()
    tape.bet(1, "FIRST_ANTE", 1000)
    tape.deal("PLAYER", "Jh Jc", spot=1)
    tape.settle(1, "FIRST_ANTE", "PUSH")
    dealt = [event["event_id"] for event in tape.events if event["type"] == "CardDealt"]
    fixes = [
        tape.send("CardCorrected", corrects=each, card=card, authorised_by="D-1", note=None)
        for each, card in zip(dealt, ("9h", "9c"), strict=True)
    ]
    tape.close_round()
    shown = []
    for arrivals in (tape.events, tape.events[::-1]):
        number = {no: event_id for event_id, no in numbers(arrivals).items()}
        misdeal = [f for f in judge(arrivals)[1] if f.code is FindingCode.MISDEAL_NOT_CALLED]
        shown.append([number[no] for no in misdeal[0].event_nos])
    assert shown[0] == shown[1]
    assert shown[0][-2:] == [fix["event_id"] for fix in fixes]
