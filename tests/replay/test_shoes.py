"""Which loading a shoe's name stands for, also where judging goes on from what was kept."""

from __future__ import annotations

from replay.resettle import Resettler
from replay.rulebook.loader import load_rulebook
from tests.replay.games.dakota_rounds import deal
from tests.replay.streams import Event, stretch_of
from tests.replay.tape import Tape

SHOE = "DD-01-S0001"


def codes_in_parts(events: list[Event]) -> list[str]:
    """Codes found where all before the last `RoundOpened` is judged by itself."""
    cut = max(place for place, event in enumerate(events) if event["type"] == "RoundOpened")
    resettler, found = Resettler(load_rulebook()), []
    for part, next_seq in ((events[:cut], events[cut]["seq"]), (events[cut:], 0)):
        stretch = stretch_of(part)
        stretch.next_seq[0] = next_seq
        found += [finding.code.value for finding in resettler.judge(stretch).findings]
    return found


def test_c1_a_card_burned_before_its_shoe_was_loaded_is_not_of_that_deck() -> None:
    tape = Tape("DD-01", "DAKOTA_DUEL_DRAW", paytables={"big_8": "1"})
    tape.send("CardBurned", shoe_id=SHOE, card="Kc")
    tape.open_round()
    tape.bet(1, "BIG_8", 1000)
    deal(tape, {1: "Kc Qd"}, "2c 5d 9h", "3c 6d Th")
    tape.settle(1, "BIG_8", "LOSE")
    tape.close_round()
    assert codes_in_parts(tape.events) == []
