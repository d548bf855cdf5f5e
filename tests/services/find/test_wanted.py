"""Words in any order, flags, times: what they mean, and what is refused."""

from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from replay.vocabulary import CARD_CODES
from services.errors import BadArgumentError
from services.find.asked import FindAsked
from services.find.times import time_of
from services.find.wanted import Wanted, amount_of, cards_of, wanted_of

TABLES = ["DD-07", "RT-12", "win"]
DENVER = ZoneInfo("America/Denver")


def wanted(*words: str, **flags: Any) -> Wanted:
    return wanted_of(FindAsked(words=words, **flags), TABLES, lambda word: word == "P-1")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["rt-12"], Wanted(table_id="RT-12")),
        (["seat 3"], Wanted(spot=3)),
        (["seat", "3", "DD-07"], Wanted(spot=3, table_id="DD-07")),
        (["Spot 12"], Wanted(spot=12)),
        (["$25"], Wanted(amount_cents=2_500)),
        (["$1,250.50", "P-1"], Wanted(amount_cents=125_050, player_id="P-1")),
        (["Ac Ad"], Wanted(cards=(CARD_CODES["Ac"], CARD_CODES["Ad"]))),
        (["Ac", "10h"], Wanted(cards=(CARD_CODES["Ac"], CARD_CODES["Th"]))),
        (["A♣A♦"], Wanted(cards=(CARD_CODES["Ac"], CARD_CODES["Ad"]))),
        (["lost"], Wanted(outcome="LOSE")),
        (["push"], Wanted(outcome="PUSH")),
        (["win"], Wanted(table_id="win")),  # a table goes before all else
        (["overpaid"], Wanted(code="OVERPAID")),
        (["RT-12 seat 2 $15"], Wanted(table_id="RT-12", spot=2, amount_cents=1_500)),
    ],
)
def test_words(words: list[str], expected: Wanted) -> None:
    assert wanted(*words) == expected


def test_times_in_words() -> None:
    assert wanted("21:40").time == time_of("", "21:40")
    assert wanted("9:40", "pm").time == time_of("", "21:40")
    assert wanted("2026-04-18", "21:40").time == time_of("", "2026-04-18T21:40")
    assert wanted("2026-04-18T21:40:00-06:00").time is not None
    assert wanted("2026-04-18", "21:40-06:00").time == time_of("", "2026-04-18T21:40-06:00")


@pytest.mark.parametrize("said", ["7:00 pm", "7 pm", "7pm", "7 PM", "7Pm"])
def test_a_full_hour_needs_no_minutes(said: str) -> None:
    assert wanted(*said.split()) == wanted(said) == wanted(about=said) == wanted("19:00")
    assert wanted("2026-04-18", said) == wanted(about=f"2026-04-18 {said}")


@pytest.mark.parametrize("said", ["13pm", "0 am"])
def test_an_hour_that_no_clock_shows_is_refused(said: str) -> None:
    with pytest.raises(BadArgumentError, match="is not a time"):
        wanted(said)


@pytest.mark.parametrize(
    ("words", "flags"),
    [
        (["9:40pm", "DD-07", "2026-04-18"], {}),
        (["2026-04-18", "DD-07", "21:40"], {}),
        (["2026-04-18", "9:40", "pm", "DD-07"], {}),
        (["DD-07", "2026-04-18"], {"about": "21:40"}),
        (["DD-07"], {"about": "2026-04-18 9:40pm"}),
    ],
)
def test_a_day_and_a_time_in_any_order(words: list[str], flags: dict[str, str]) -> None:
    at = time_of("", "2026-04-18T21:40")
    assert wanted(*words, **flags) == Wanted(table_id="DD-07", time=at)


def test_two_days_are_one_too_many() -> None:
    with pytest.raises(BadArgumentError, match="another time"):
        wanted("2026-04-18", "21:40", "2026-04-19")


def test_flags_are_words_by_name() -> None:
    flags = {"table": "DD-07", "seat": "3", "amount": "25", "player": "x", "cards": "AcAd"}
    assert wanted(**flags) == Wanted(
        table_id="DD-07",
        spot=3,
        amount_cents=2_500,
        player_id="x",
        cards=(CARD_CODES["Ac"], CARD_CODES["Ad"]),
    )


@pytest.mark.parametrize(
    ("words", "flags", "said"),
    [
        (["nonsense"], {}, "tables are DD-07"),
        (["25:10"], {}, "not a time"),
        (["12:99pm"], {}, "not a time"),
        (["2026-02-30"], {}, "not a time"),
        (["$0"], {}, "not an amount"),
        (["$1.999"], {}, "not an amount"),
        (["$-5"], {}, "not an amount"),
        (["seat 0"], {}, "not a seat"),
        (["$5", "$6"], {}, "another amount"),
        (["DD-07", "RT-12"], {}, "another table"),
        ([], {"table": "DD-7"}, "did you mean DD-07"),
        ([], {"cards": "Ax"}, "not a card"),
        ([], {"cards": ""}, "no card"),
        ([], {"seat": "three"}, "not a seat"),
        ([], {"amount": "a lot"}, "not an amount"),
        ([], {"code": "OVERPAYED"}, "OVERPAID"),
        ([], {"about": "yesterday"}, "not a time"),
    ],
)
def test_what_is_nothing_is_refused(words: list[str], flags: dict[str, str], said: str) -> None:
    with pytest.raises(BadArgumentError) as refused:
        wanted(*words, **flags)
    assert said in str(refused.value)


def test_amounts_and_cards() -> None:
    assert amount_of("", " $12.5 ") == 1_250
    assert amount_of("", "1,000,000") == 100_000_000
    assert cards_of("", "tD, 2c") == (CARD_CODES["Td"], CARD_CODES["2c"])


def test_a_time_without_an_offset_is_the_casino_s() -> None:
    [span] = time_of("", "21:40").spans(DENVER, date(2026, 4, 18))
    expected = datetime(2026, 4, 18, 21, 40, tzinfo=DENVER)
    assert span.start == expected.timestamp() * 1_000_000
    assert span.stop - span.start == 60_000_000
    [exact] = time_of("", "2026-04-19T03:40:05Z").spans(DENVER)
    assert exact.start == (expected + timedelta(seconds=5)).timestamp() * 1_000_000
    assert exact.stop - exact.start == 1_000_000


def test_the_hour_that_comes_twice_means_both() -> None:
    twice = time_of("", "01:30").spans(DENVER, date(2026, 11, 1))
    assert [twice[1].start - twice[0].start] == [3_600_000_000]
    assert len(time_of("", "03:30").spans(DENVER, date(2026, 11, 1))) == 1


def test_a_day_is_all_of_it() -> None:
    [span] = time_of("", "2026-11-01").spans(DENVER)
    assert span.stop - span.start == 25 * 3_600_000_000
