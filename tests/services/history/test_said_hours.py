"""In which hours an amount or a player was met: none that it was met in is left out."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date

import pytest

from replay import vocabulary as words
from services.history import said_hours
from services.history.said_hours import HOUR_MICROS, SaidHours, spans_of
from services.history.store import History
from tests.services.history.build import (
    Event,
    append,
    event,
    event_id,
    opened,
    round_opened,
    wager,
)

DAY = 86_400
"""Events of `build` are a second apart: so many numbers later it is the next day."""

Asked = Callable[..., list[int] | None]


@pytest.fixture
def history() -> Iterator[History]:
    """A bet of $7 on the first day, one of $9 on the next, each of a player of its own."""
    with History.open() as history:
        add(history, bet(1, 700, "P-1"), bet(DAY, 900, "P-2"))
        yield history


def bet(seq: int, cents: int, player: str) -> list[Event]:
    return [
        opened("A", seq, date(2026, 3, 1)),
        round_opened("A", seq + 1, f"R-{seq}"),
        wager("A", seq + 2, f"R-{seq}", cents, player_id=player),
    ]


def add(history: History, *batches: Sequence[Event]) -> None:
    append(history, *batches)


def loaded(history: History) -> Asked:
    said = SaidHours()
    said.load(history)

    def asked(cents: int | None = None, player: str | None = None) -> list[int] | None:
        return said.of(history, cents, player)

    return asked


def hour(seq: int) -> int:
    return int(event(words.EventKind.UNKNOWN, "A", seq)["occurred_at"]) // HOUR_MICROS


def test_hours_in_which_its_round_may_have_been_opened(history: History) -> None:
    at = hour(3)
    assert loaded(history)(700) == [at - 2, at - 1, at, at + 1]


def test_what_nobody_bet_is_met_nowhere(history: History) -> None:
    assert loaded(history)(123_456) == []
    assert loaded(history)(player="nobody") == []


def test_both_must_be_met(history: History) -> None:
    asked = loaded(history)
    assert asked(900, "P-2") == asked(900)
    assert asked(900, "P-1") == []


def test_until_loaded_nothing_is_known(history: History) -> None:
    assert SaidHours().of(history, 700, None) is None


def test_of_nothing_nothing_is_known(history: History) -> None:
    assert loaded(history)() is None


def test_what_came_since_is_in_it(history: History) -> None:
    asked = loaded(history)
    add(history, bet(2 * DAY, 800, "P-3"))
    assert hour(2 * DAY) in (asked(800, "P-3") or [])


def test_a_bet_of_two_placements_that_came_apart(history: History) -> None:
    asked = loaded(history)
    add(history, [wager("A", 4, "R-1", 550, player_id="P-1")])
    assert hour(3) in (asked(1_250) or [])


def test_a_pay_as_it_was_corrected_later(history: History) -> None:
    told = {"spot": 1, "hand": 1, "wager": 1, "bettor": 1, "outcome": 1}
    settled = event(words.EventKind.WAGER_SETTLED, "A", 5, round_id="R-1", paid_cents=100, **told)
    other = {"corrects": event_id(("A", 5)), "outcome": 1, "paid_cents": 333}
    made = event(
        words.EventKind.PAYOUT_CORRECTED, "A", 2 * DAY, round_id="R-1", authorised_by="p", **other
    )
    asked = loaded(history)
    add(history, [made])
    assert asked(333) == []
    add(history, [settled])
    assert hour(5) in (asked(333) or [])


def test_far_behind_it_says_so_and_catches_up(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = loaded(history)
    monkeypatch.setattr(said_hours, "_EVENTS_AT_ONCE", 2)
    add(history, bet(2 * DAY, 800, "P-3"))
    assert asked(800) is None
    assert hour(2 * DAY) in (asked(800) or [])


def test_hours_that_follow_one_another_are_one_span() -> None:
    assert spans_of([3, 1, 2, 9]) == [
        (HOUR_MICROS, 4 * HOUR_MICROS),
        (9 * HOUR_MICROS, 10 * HOUR_MICROS),
    ]
