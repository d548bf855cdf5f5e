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
