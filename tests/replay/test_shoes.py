"""Which loading a shoe's name stands for, also where judging goes on from what was kept."""

from __future__ import annotations

import pytest

from replay.resettle import Resettler
from replay.rulebook.loader import load_rulebook
from replay.shoe_loads import SHOES_KEPT
from tests.replay.games.dakota_rounds import deal
from tests.replay.streams import Event, stretch_of
from tests.replay.tape import Tape

SHOE = "DD-01-S0001"


def codes_in_parts(events: list[Event], cut: int) -> list[str]:
    """Codes found where the events before `cut` are judged by themselves."""
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
    cut = max(place for place, event in enumerate(tape.events) if event["type"] == "RoundOpened")
    assert codes_in_parts(tape.events, cut) == []


@pytest.mark.parametrize("later", [5, 15])
def test_a_shoe_is_known_however_the_stream_is_cut(later: int) -> None:
    tape = Tape("TS-01", "TEXAS_SHOOTOUT", house_way="published-2011")
    for number in range(later + 1):
        tape.send("ShoeLoaded", shoe_id=f"S-{number}", decks=6)
        if number == 0:
            tape.send("CutCardReached", shoe_id="S-0")
    tape.round_id = "TS-01-000001"
    tape.send("RoundOpened", dealer_id=None, shoe_id="S-0")
    tape.close_round()
    for cut in (1, 2, 3, 4, len(tape.events) - 3, len(tape.events) - 2):
        assert "SHOE_PAST_CUT" in codes_in_parts(tape.events, cut)


def test_a_shoe_is_forgotten_however_the_stream_is_cut() -> None:
    tape = Tape("TS-01", "TEXAS_SHOOTOUT", house_way="published-2011")
    for number in range(SHOES_KEPT + 1):
        tape.send("ShoeLoaded", shoe_id=f"S-{number}", decks=6)
        tape.send("CutCardReached", shoe_id=f"S-{number}")
    tape.round_id = "TS-01-000001"
    tape.send("RoundOpened", dealer_id=None, shoe_id="S-0")
    tape.close_round()
    for cut in range(1, len(tape.events) - 1):
        assert "SHOE_PAST_CUT" not in codes_in_parts(tape.events, cut)
