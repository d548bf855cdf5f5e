"""A round for people stays readable, whatever a table system makes of it."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from replay.rulebook.loader import load_rulebook
from services.command_line.people import shown_round
from services.report.round_table import FINDINGS_MAX, SEATS_MAX
from services.rounds import round_of_rows
from tests.replay.tape import Tape


def test_of_too_many_seats_those_with_a_finding_come_first() -> None:
    seat_count, wrong = SEATS_MAX + 20, SEATS_MAX + 11
    tape = Tape("TS-01", "TEXAS_SHOOTOUT", house_way="published-2011", spots=seat_count)
    tape.open_round(decks=6)
    for spot in range(1, seat_count + 1):
        tape.bet(spot, "PRIMARY", 1 if spot == wrong else 500)
    tape.send("RoundVoided", reason="OTHER", note=None, authorised_by=None)
    text = shown_round(
        round_of_rows(tape.events, "TS-01", "TS-01-000001", load_rulebook()), zone=ZoneInfo("UTC")
    )
    seats = [line.split()[1] for line in text.splitlines() if line.startswith("  seat ")]
    assert seats == [*map(str, range(1, SEATS_MAX)), str(wrong)]
    assert "20 seats more (--format json for all)" in text


def test_of_too_many_findings_some_are_shown() -> None:
    tape = Tape("DD-01", "DAKOTA_DUEL_DRAW", paytables={"big_8": "1"})
    tape.open_round()
    for _ in range(FINDINGS_MAX + 5):
        tape.send("CardDealt", place="HAND_1", spot=None, card="xx", face_up=False)
    tape.send("RoundVoided", reason="OTHER", note=None, authorised_by=None)
    text = shown_round(
        round_of_rows(tape.events, "DD-01", "DD-01-000001", load_rulebook()), zone=ZoneInfo("UTC")
    )
    assert text.count("BAD_CARD") == FINDINGS_MAX
    assert "5 findings more (--format json for all)" in text
