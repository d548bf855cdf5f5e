"""Judging goes on from the openings of rounds, unless the round is named before its opening."""

from __future__ import annotations

from replay.rulebook.loader import load_rulebook
from services.history.verify import problems_of
from tests.replay.tape import Tape
from tests.services.test_judging import audited, live, same


def test_a_round_named_late_from_before_its_opening_is_no_place_any_more() -> None:
    """Its opening may then lie in the gap before, so that it runs on past the one it has."""
    rulebook = load_rulebook()
    tape = Tape("TS-01", "TEXAS_SHOOTOUT", house_way="published-2011")
    for number in range(1, 9):
        tape.open_round(number, decks=6)
        tape.bet(1, "PRIMARY", 500)
        tape.close_round()
    opening = [event for event in tape.events if event["type"] == "RoundOpened"][4]
    before = [event for event in tape.events if opening["seq"] - event["seq"] in (1, 2)]
    early = [event for event in tape.events if event not in before]
    bet = next(e for e in early if e["type"] == "WagerPlaced")
    late = bet | {"round_id": opening["round_id"]}
    late |= {"seq": opening["seq"] - 1, "event_id": before[1]["event_id"]}
    with (
        audited([*early, late], rulebook) as whole,
        live([early, [late]], rulebook, rows=4) as lived,
    ):
        same(whole, lived)
        assert not list(problems_of(lived))
