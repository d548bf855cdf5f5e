"""Which rounds are found, and which comes first."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from replay import vocabulary as words
from services.audit import judge_tables, rulebook_for
from services.find import search as search_module
from services.find.asked import FindAsked
from services.find.found import FoundRound, found_json, found_of
from services.history.journal import Journal
from services.history.store import History
from tests.services.history.build import (
    Event,
    arrow,
    closed,
    dealt,
    event,
    opened,
    round_opened,
    wager,
)

DENVER = ZoneInfo("America/Denver")
"""The evenings of `build` begin on 1 March 2026 at 13:15:04 there, an event a second."""


def settled(table: str, seq: int, round_id: str, cents: int, **fields: object) -> Event:
    told = {"spot": 1, "hand": 1, "wager": 1, "bettor": 1, "outcome": 1, "paid_cents": cents}
    return event(words.EventKind.WAGER_SETTLED, table, seq, round_id=round_id, **(told | fields))


@pytest.fixture
def held(evening_db: Path) -> Iterator[History]:
    with History.open(evening_db, create=False) as history:
        yield history


def find(history: History, *said: str, **flags: str | int) -> list[FoundRound]:
    asked = FindAsked(words=said, **flags)  # type: ignore[arg-type]
    return list(found_of(history, asked, DENVER).rounds)


def ids(rounds: list[FoundRound]) -> list[str]:
    return [row.round_id for row in rounds]


def test_what_a_patron_remembers(held: History) -> None:
    found = find(held, "RT-12", "14:13", "seat 2", "$15", told=True)
    assert found[0].round_id == "RT-12-000012"
    assert (found[0].seats, found[0].findings) == (3, 1)
    assert found[0].told == "seat 2: 5-card bonus $5.00 paid $15.00"


def test_order_and_form_of_the_words_do_not_matter(held: History) -> None:
    first = ids(find(held, "RT-12", "14:13", "seat 2", "$15"))
    assert first == ids(find(held, "$15", "seat", "2", "2:13pm", "rt-12"))
    assert first == ids(find(held, table="RT-12", about="14:13", seat="2", amount="15"))
    assert first == ids(find(held, "2026-04-18 14:13", table="RT-12", seat="2", amount="$15.00"))
    assert first == ids(find(held, "2026-04-18T20:13Z", table="RT-12", seat="2", amount="15"))


def test_the_nearest_comes_first(held: History) -> None:
    found = find(held, "RT-12", "14:13", limit=300)
    assert found[0].round_id in ("RT-12-000011", "RT-12-000012")  # both were under way
    distances = [abs(row.opened_micros - found[0].opened_micros) for row in found]
    assert max(distances) < 35 * 60 * 1_000_000
    assert find(held, "RT-12", "03:00") == []


def test_cards_at_one_seat_come_first(held: History) -> None:
    found = find(held, cards="Ac Ad", limit=300, told=True)
    seats = [row.told.startswith("seat") for row in found]
    assert seats == sorted(seats, reverse=True)
    assert True in seats
    assert False in seats
    assert find(held, cards="Ac Ac Ac Ac Ac Ac Ac") == []


def test_a_code_and_what_is_of_no_consequence(held: History) -> None:
    found = find(held, code="UNDERPAID")
    assert ids(found) == ["RT-12-000012"]
    assert len(find(held, code="OVERPAID", limit=300)) == 4
    assert find(held, code="CLOCK_SKEW") == []


def test_a_voided_round(held: History) -> None:
    found = find(held, "DD-07", "18:45", "void")
    assert found[0].round_id == "DD-07-000043"
    assert found[0].closed_micros is not None


def test_without_anything_the_latest(held: History) -> None:
    assert ids(find(held, limit=2)) == ["DD-07-000100", "DD-07-000099"]


def test_the_object_of_the_contract(held: History) -> None:
    found = found_of(held, FindAsked(words=("14:13",), limit=1, table="RT-12"), DENVER)
    assert b'"rounds": [{"table_id": "RT-12"' in found_json(found)


@contextmanager
def judged(events: list[Event]) -> Iterator[History]:
    """A history of events at table A."""
    with History.open() as history:
        with history.transaction():
            journal = Journal(history)
            journal.append("a", arrow(events))
            journal.decide()
            judge_tables(history, rulebook_for({}, None), ["A"])
        yield history


@pytest.fixture
def small() -> Iterator[History]:
    """Table A on two days, a bet put down in parts, a player, a round still open."""
    later = 86_400
    events = [
        opened("A", 1),
        round_opened("A", 2, "first"),
        wager("A", 3, "first", 1_000, player_id="P-1"),
        wager("A", 4, "first", 1_500, player_id="P-1"),
        dealt("A", 5, "first", "As", spot=1),
        dealt("A", 6, "first", "Ks", spot=2),
        settled("A", 7, "first", 2_000),
        closed("A", 8, "first"),
        opened("A", later, date(2026, 3, 2)),
        round_opened("A", later + 1, "second"),
        wager("A", later + 2, "second", 2_500),
        dealt("A", later + 3, "second", "As", spot=1),
        dealt("A", later + 4, "second", "Ks", spot=1),
        round_opened("A", later + 3_600, "open"),
        wager("A", later + 3_601, "open", 4_200, spot=3),
    ]
    with judged(events) as history:
        yield history


def test_an_amount_fits_a_placement_a_sum_or_a_pay(small: History) -> None:
    assert ids(find(small, "$10")) == ["first"]
    assert ids(find(small, "$25")) == ["second", "first"]
    assert ids(find(small, "$20")) == ["first"]
    assert find(small, "$35") == []


def test_one_seat_before_two(small: History) -> None:
    assert ids(find(small, "Ks As")) == ["second", "first"]
    assert ids(find(small, "P-1")) == ["first"]
    assert ids(find(small, player="nobody")) == []


def test_an_open_round_has_no_end(small: History) -> None:
    [found] = find(small, "$42")
    assert (found.round_id, found.closed_micros) == ("open", None)


def test_a_time_without_a_day_means_the_last_that_has_one_near(small: History) -> None:
    assert ids(find(small, "A", "13:15")) == ["second"]
    assert ids(find(small, "13:15")) == ["second"]
    assert ids(find(small, "2026-03-01 13:15")) == ["first"]
    assert ids(find(small, "14:20")) == ["open"]


def test_earlier_rounds_are_looked_at_too(held: History, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = ids(find(held, "$15", limit=300))
    monkeypatch.setattr(search_module, "WINDOWS", (5, 20))
    assert ids(find(held, "$15", limit=300)) == whole
    assert ids(find(held, "$15", "seat 2", limit=3))[0] in whole


@pytest.mark.parametrize("said", ["$15", "$1.50", "$1234.56", "seat 2 $15", "RT-12 $5 win"])
def test_passing_over_hours_changes_nothing(
    held: History, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_module, "WINDOWS", (5, 20))
    monkeypatch.setattr(search_module, "HOURS_AT_FIRST", 1)
    whole = ids(find(held, *said.split(), limit=300))
    held.said.load(held)
    assert ids(find(held, *said.split(), limit=300)) == whole


def test_what_was_met_on_one_day_only(small: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_module, "WINDOWS", (1,))
    small.said.load(small)
    assert ids(find(small, "P-1")) == ["first"]
    assert ids(find(small, "$25")) == ["second", "first"]
    assert ids(find(small, "$42")) == ["open"]


def test_a_round_that_was_held_up_for_an_hour_and_a_half(monkeypatch: pytest.MonkeyPatch) -> None:
    later = 86_400
    events = [
        opened("A", 1),
        round_opened("A", 2, "long"),
        wager("A", 3, "long", 1_000),
        settled("A", 5_400, "long", 7_700),
        closed("A", 5_401, "long"),
        *(round_opened("A", later + at, f"R-{at}") for at in range(3)),
    ]
    monkeypatch.setattr(search_module, "WINDOWS", (1,))
    monkeypatch.setattr(search_module, "HOURS_AT_FIRST", 1)
    monkeypatch.setattr(search_module, "HOURS_GROW", 1)
    with judged(events) as history:
        history.said.load(history)
        assert ids(find(history, "$77")) == ["long"]


def test_more_rounds_than_are_looked_at_at_once(
    held: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = ids(find(held, "$15", limit=300))
    monkeypatch.setattr(search_module, "WINDOWS", (5,))
    monkeypatch.setattr(search_module, "ROUNDS_AT_ONCE", 30)
    assert ids(find(held, "$15", limit=300)) == whole
