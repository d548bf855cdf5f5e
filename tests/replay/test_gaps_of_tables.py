"""A gap at one table is none of another's, in whatever stretch they are judged together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from replay.findings import FindingCode
from replay.resettle import Resettler
from replay.rulebook.loader import load_rulebook
from tests.replay.streams import judge, stretch_of
from tests.replay.tape import Tape


def table(name: str) -> Tape:
    tape = Tape(name, "RUN_EM_TWICE")
    tape.open_round()
    tape.bet(1, "FIRST_ANTE", 1000)
    return tape


def test_a_gap_before_another_tables_first_event_holds_no_round() -> None:
    first, second = table("RT-01"), table("RT-02")
    resettler = Resettler(load_rulebook())
    resettler.judge(stretch_of(second.events[:2]))
    stretch = stretch_of([*first.events, *second.events[3:]])
    goes_on = np.array([len(first.events) + 1, 0], np.int64)
    findings = resettler.judge(replace(stretch, next_seq=goes_on)).findings
    told = [(each.code, each.table_id) for each in findings]
    assert (FindingCode.SEQUENCE_GAP, "RT-02") in told
    assert (FindingCode.ROUND_NOT_CLOSED, "RT-01") in told


def test_a_gap_before_a_tables_next_stretch_loses_no_opening_of_another() -> None:
    first, second = table("RT-01"), table("RT-02")
    opened, bet = second.events[0], second.events[-1] | {"seq": 2}
    stretch = stretch_of([*first.events, opened, bet])
    goes_on = np.array([len(first.events) + 2, 0], np.int64)
    findings = Resettler(load_rulebook()).judge(replace(stretch, next_seq=goes_on)).findings
    told = [(each.code, each.table_id) for each in findings]
    assert told == [(FindingCode.EVENT_OUT_OF_PLACE, "RT-02")]


def test_a_gap_before_what_does_not_stand_loses_no_opening_of_another_table() -> None:
    first, second = table("RT-01"), table("RT-02")
    last = first.send("WagerSettled", **_SETTLED)
    last["seq"] += 1
    opened, bet = second.events[0], second.events[-1] | {"seq": 2}
    stretch = stretch_of([*first.events, opened, bet])
    lost = (stretch.events.table == 0) & (stretch.events.seq == last["seq"])
    events = replace(stretch.events, standing=~lost)
    findings = Resettler(load_rulebook()).judge(replace(stretch, events=events)).findings
    told = {each.code for each in findings if each.table_id == "RT-02"}
    assert told == {FindingCode.EVENT_OUT_OF_PLACE}


def test_what_follows_a_round_whose_opening_was_lost_is_outside_its_time() -> None:
    tape = table("RT-01")
    del tape.events[2]
    lost = tape.round_id
    tape.open_round(2)
    late = tape.send("WagerSettled", **_SETTLED, round_id=lost)
    for seq, event in enumerate(tape.events[2:], start=4):
        event["seq"] = seq
    found = [each for each in judge(tape.events)[1] if each.seq == late["seq"]]
    assert [each.message for each in found] == [
        "WagerSettled outside the time between its round's opening and end: kept, not judged"
    ]


_SETTLED = {"spot": 1, "hand": 1, "wager": "FIRST_ANTE", "bettor": "PLAYER"} | {
    "outcome": "PUSH",
    "paid_cents": 0,
}
