"""Engine and oracle agree on Run'em Twice, whatever happens at the table."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.oracle.audit import audit_events
from tests.property.compare import differences
from tests.property.weird_run_em_twice import PLACES, stream
from tests.replay.tape import Tape

ROUNDS_EACH = 8


@pytest.mark.parametrize("seed", range(40))
def test_engine_and_oracle_agree(seed: int) -> None:
    assert differences(stream(seed, ROUNDS_EACH)) == []


def test_antes_put_down_after_the_fold_go_back_and_are_not_missing() -> None:
    tape = Tape("RT-01", "RUN_EM_TWICE")
    tape.open_round()
    tape.decide(1, "FOLD")
    for ante in ("FIRST_ANTE", "SECOND_ANTE"):
        tape.bet(1, ante, 1000)
    tape.deal("PLAYER", "Jh Jc", spot=1)
    for place, card in zip(PLACES, "2d 8s Kc 4d 3s".split(), strict=True):
        tape.deal(place, card)
    for ante in ("FIRST_ANTE", "SECOND_ANTE"):
        tape.settle(1, ante, "PUSH")
    tape.close_round()
    codes = Counter(finding["code"] for finding in audit_events(tape.events)["findings"])
    assert codes == {"DECISION_OUT_OF_TURN": 1, "ACTION_AFTER_FOLD": 2}
    assert differences(tape.events) == []


def test_an_opening_seen_before_its_table_opened_does_not_lie_in_a_later_gap() -> None:
    tape = Tape("RT-01", "RUN_EM_TWICE")
    tape.open_round()
    tape.bet(1, "FIRST_ANTE", 1000)
    tape.close_round()
    opened, _, round_opened, lost, closed = tape.events
    for seq, event in enumerate((round_opened, opened, lost, closed), start=1):
        event["seq"] = seq
    events = [round_opened, opened, closed]
    codes = Counter(finding["code"] for finding in audit_events(events)["findings"])
    assert codes == {"EVENT_OUT_OF_PLACE": 2, "SEQUENCE_GAP": 1}
    assert differences(events) == []


def test_a_fold_after_the_last_reveal_leaves_the_announced_center_missing() -> None:
    tape = Tape("RT-01", "RUN_EM_TWICE")
    tape.open_round()
    for ante in ("FIRST_ANTE", "SECOND_ANTE"):
        tape.bet(1, ante, 1000)
    tape.deal("PLAYER", "Jh Jc", spot=1)
    for place, card in zip(PLACES, "2d 8s Kc 4d 3s".split(), strict=True):
        tape.deal(place, card)
    for wager, places in (("FIRST_RUN", PLACES[:2]), ("SECOND_RUN", PLACES[2:4])):
        tape.decide(1, "PLAY")
        tape.bet(1, wager, 1000)
        tape.reveal(*places)
    tape.decide(1, "PLAY")
    tape.reveal("CENTER")
    tape.decide(1, "FOLD")
    for wager in ("FIRST_ANTE", "SECOND_ANTE", "FIRST_RUN", "SECOND_RUN"):
        tape.settle(1, wager, "LOSE")
    tape.close_round()
    findings = audit_events(tape.events)["findings"]
    told = Counter((finding["code"], finding["wager"]) for finding in findings)
    assert told == {("WAGER_MISSING", "CENTER"): 1, ("DECISION_OUT_OF_TURN", None): 1}
    assert differences(tape.events) == []


def test_a_round_lost_in_a_gap_ended_when_the_table_closed() -> None:
    tape = Tape("RT-01", "RUN_EM_TWICE")
    tape.send("TableClosed", reason=None)
    tape.open_round()
    tape.bet(1, "FIRST_ANTE", 1000)
    opened, closed, early, _, bet = tape.events
    for seq, event in ((1, early), (4, closed), (5, opened), (6, bet)):
        event["seq"] = seq
    events = [early, closed, opened, bet]
    codes = Counter(finding["code"] for finding in audit_events(events)["findings"])
    assert codes == {"EVENT_OUT_OF_PLACE": 3, "SEQUENCE_GAP": 1}
    assert differences(events) == []
