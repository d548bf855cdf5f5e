"""A round for people stays readable, whatever a table system makes of it."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from rich.text import Text

from replay.rulebook.loader import load_rulebook
from services.command_line.people import shown_round
from services.report.round_table import FINDINGS_MAX, SEATS_MAX, RoundView, round_table
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


def test_what_is_wrong_stands_below_where_it_does_not_fit() -> None:
    tape = Tape("TS-01", "TEXAS_SHOOTOUT", house_way="published-2011")
    tape.open_round(decks=6)
    tape.bet(1, "PRIMARY", 1_250_000)
    tape.deal("PLAYER", "As Ac 9s 8c", 1)
    tape.deal("DEALER", "Kd 7h 5s 2c")
    tape.decide(1, "KEEP", "As Ac")
    tape.reveal("DEALER")
    tape.decide(None, "KEEP", "Kd 7h")
    tape.deal("FLOP", "Ts 3d 4h 6c Jd")
    tape.settle(1, "PRIMARY", "LOSE")
    tape.close_round()
    report = round_of_rows(tape.events, "TS-01", "TS-01-000001", load_rulebook())
    view = RoundView(zone=ZoneInfo("UTC"), width=72)
    lines = [line.plain for line in round_table(report, view) if isinstance(line, Text)]
    at = next(at for at, line in enumerate(lines) if line.startswith("    primary"))
    assert lines[at].endswith("taken $12,500.00")
    assert lines[at + 1].strip() == "✗ $25,000.00 too little for the player"
    assert max(map(len, lines)) <= 72
