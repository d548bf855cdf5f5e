"""A round whose opening was lost is a round, wherever the stream is cut."""

from __future__ import annotations

from replay.rulebook.loader import load_rulebook
from tests.replay.tape import Tape
from tests.services.test_judging import audited, live, same


def test_what_comes_after_its_end_came_after_its_end() -> None:
    rulebook = load_rulebook()
    tape = Tape("TS-01", "TEXAS_SHOOTOUT", house_way="published-2011")
    for number in (1, 2):
        tape.open_round(number, decks=6)
        tape.bet(1, "PRIMARY", 500)
        tape.close_round()
    lost = next(event for event in tape.events if event["type"] == "RoundOpened")
    stray = next(event for event in tape.events if event["type"] == "WagerPlaced")
    stray = stray | {"seq": tape.events[-1]["seq"] + 1, "event_id": lost["event_id"]}
    events = [*(event for event in tape.events if event is not lost), stray]
    with audited(events, rulebook) as whole, live([events], rulebook) as kept:
        same(whole, kept)
        [(said,)] = whole.rows("SELECT message FROM findings WHERE code = 'EVENT_OUT_OF_PLACE'")
        assert said.startswith("WagerPlaced outside the time")
