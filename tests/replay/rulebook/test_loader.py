"""Editions and limits by their edges, what the rulebook answers, and what it refuses."""

from datetime import date, timedelta
from itertools import pairwise

import pytest

from replay.rulebook.loader import ONLY_PAYTABLE, Rulebook, RulebookError, load_rulebook
from replay.vocabulary import Game, Wager

GAMES = [Game.RUN_EM_TWICE, Game.DAKOTA_DUEL_DRAW, Game.TEXAS_SHOOTOUT]


@pytest.fixture(scope="module")
def rulebook() -> Rulebook:
    return load_rulebook()


EDITIONS = [
    (Game.RUN_EM_TWICE, "2025-05-05", None, None),
    (Game.RUN_EM_TWICE, "2025-05-06", "51 SDR 111", True),
    (Game.DAKOTA_DUEL_DRAW, "2021-04-25", None, None),
    (Game.DAKOTA_DUEL_DRAW, "2021-04-26", "47 SDR 109", False),
    (Game.DAKOTA_DUEL_DRAW, "2021-12-07", "47 SDR 109", False),
    (Game.DAKOTA_DUEL_DRAW, "2021-12-08", "48 SDR 61", False),
    (Game.DAKOTA_DUEL_DRAW, "2022-08-08", "48 SDR 61", False),
    (Game.DAKOTA_DUEL_DRAW, "2022-08-09", "49 SDR 9", True),
    (Game.TEXAS_SHOOTOUT, "2003-05-05", None, None),
    (Game.TEXAS_SHOOTOUT, "2003-05-06", "29 SDR 147", False),
    (Game.TEXAS_SHOOTOUT, "2006-01-29", "29 SDR 147", False),
    (Game.TEXAS_SHOOTOUT, "2006-01-30", "32 SDR 128", True),
    (Game.TEXAS_SHOOTOUT, "2099-12-31", "32 SDR 128", True),
]


@pytest.mark.parametrize(("game", "day", "register", "held"), EDITIONS)
def test_the_edition_of_a_gaming_day(
    rulebook: Rulebook, game: Game, day: str, register: str | None, held: bool | None
) -> None:
    edition = rulebook.edition_on(game, date.fromisoformat(day))
    if register is None:
        assert edition is None
    else:
        assert edition is not None
        assert (edition.game, edition.register, edition.held) == (game, register, held)
        assert edition in rulebook.editions(game)


def test_editions_follow_each_other(rulebook: Rulebook) -> None:
    for game in GAMES:
        for earlier, later in pairwise(rulebook.editions(game)):
            last_day = later.in_force_from - timedelta(days=1)
            assert rulebook.edition_on(game, last_day) == earlier


@pytest.mark.parametrize(
    ("day", "maximum_cents"),
    [
        ("2001-01-29", None),
        ("2001-01-30", 100_00),
        ("2012-06-30", 100_00),
        ("2012-07-01", 1_000_00),
        ("2026-03-01", 1_000_00),
    ],
)
def test_the_legal_maximum_of_a_day(
    rulebook: Rulebook, day: str, maximum_cents: int | None
) -> None:
    assert rulebook.legal_maximum_cents(date.fromisoformat(day)) == maximum_cents


@pytest.mark.parametrize(
    ("game", "clause_count", "decks"),
    [
        (Game.RUN_EM_TWICE, 10, 1),
        (Game.DAKOTA_DUEL_DRAW, 12, 1),
        (Game.TEXAS_SHOOTOUT, 19, 6),
    ],
)
def test_clauses_and_decks(rulebook: Rulebook, game: Game, clause_count: int, decks: int) -> None:
    numbers = [clause.number for clause in rulebook.clauses(game)]
    assert numbers == [f"({number})" for number in range(1, clause_count + 1)]
    assert rulebook.decks(game) == decks


@pytest.mark.parametrize(
    ("game", "clause", "cited"),
    [
        (Game.RUN_EM_TWICE, "(7)(d)", "Run'em Twice (7)(d)"),
        (Game.DAKOTA_DUEL_DRAW, "(12)", "20:18:16:15.23(12)"),
        (Game.TEXAS_SHOOTOUT, "(15)", "20:18:16:15.08(15)"),
    ],
)
def test_how_findings_cite(rulebook: Rulebook, game: Game, clause: str, cited: str) -> None:
    assert rulebook.cite(game, clause) == cited


def test_which_wagers_a_table_posts(rulebook: Rulebook) -> None:
    posted = {wager: rulebook.posted_key(wager) for wager in Wager}
    assert {wager: key for wager, key in posted.items() if key is not None} == {
        Wager.ULTIMATE_PAIRS: "ultimate_pairs",
        Wager.BIG_8: "big_8",
        Wager.POCKET_PAIR: "pocket_pair",
        Wager.SHOOTOUT_BONUS: "shootout_bonus",
    }


def test_every_wager_belongs_to_one_game(rulebook: Rulebook) -> None:
    wagers = [entry.wager for game in GAMES for entry in rulebook.wagers(game)]
    assert sorted(wagers) == [wager for wager in Wager if wager is not Wager.UNKNOWN]
    unplaced = {e.wager for game in GAMES for e in rulebook.wagers(game) if not e.placed}
    assert unplaced == {Wager.POCKET_PAIR, Wager.ENVY_BONUS}


def test_paytables_not_in_the_rule(rulebook: Rulebook) -> None:
    assert rulebook.paytable(Game.TEXAS_SHOOTOUT, Wager.SHOOTOUT_BONUS, "C") is None
    assert rulebook.paytable(Game.TEXAS_SHOOTOUT, Wager.SHOOTOUT_BONUS, "a") is None
    assert rulebook.paytable(Game.DAKOTA_DUEL_DRAW, Wager.BIG_8, "8") is None
    assert rulebook.paytable(Game.DAKOTA_DUEL_DRAW, Wager.SHOOTOUT_BONUS, "A") is None
    assert rulebook.paytable(Game.TEXAS_SHOOTOUT, Wager.PRIMARY, ONLY_PAYTABLE) is None


def test_an_unknown_line_names_those_there_are(rulebook: Rulebook) -> None:
    table = rulebook.paytable(Game.TEXAS_SHOOTOUT, Wager.ENVY_BONUS, ONLY_PAYTABLE)
    assert table is not None
    with pytest.raises(RulebookError, match=r"ENVY_BONUS .* no line 'flush'.*royal_flush"):
        table.line("flush")


def test_orders_of_settlement(rulebook: Rulebook) -> None:
    dakota = rulebook.settlement_order(Game.DAKOTA_DUEL_DRAW)
    assert dakota.clause == "(6)"
    assert [wager.name for wager in dakota.wagers] == [
        "POCKET_PAIR",
        "HAND_1_PLAY",
        "HAND_2_ANTE",
        "BIG_8",
    ]
    shootout = rulebook.settlement_order(Game.TEXAS_SHOOTOUT)
    assert shootout.wagers == (Wager.PRIMARY, Wager.SHOOTOUT_BONUS)
    assert shootout.spots == "highest-first"
    assert rulebook.settlement_order(Game.RUN_EM_TWICE).wagers == ()


def test_readings_that_can_be_chosen(rulebook: Rulebook) -> None:
    assert rulebook.reading_values() == {
        "RT-RANGE": "any-amount",
        "TS-ENVY-OWN": "every-other-hand",
    }
    assert len(rulebook.readings()) == 39
    assert rulebook.reading("DD-QUEENS").games == (Game.DAKOTA_DUEL_DRAW,)


def test_another_value_leaves_the_first_rulebook_as_it_was(rulebook: Rulebook) -> None:
    other = rulebook.with_readings({"RT-RANGE": "whole-multiples"})
    assert other.reading("RT-RANGE").value == "whole-multiples"
    assert other.reading("TS-ENVY-OWN").value == "every-other-hand"
    assert rulebook.reading("RT-RANGE").value == "any-amount"
    assert other.house_ways() == rulebook.house_ways()


@pytest.mark.parametrize(
    ("reading_id", "value", "told"),
    [
        ("RT-RANG", "any-amount", ["RT-RANG", "no such reading", "RT-RANGE", "TS-CARDS"]),
        ("RT-RANGE", "two", ["'two'", "any-amount", "whole-multiples"]),
        ("TS-ENVY-OWN", "", ["every-other-hand, exclude-same-player"]),
        ("DD-QUEENS", "4x", ["DD-QUEENS", "no other value", "RT-RANGE, TS-ENVY-OWN"]),
    ],
)
def test_readings_refused(rulebook: Rulebook, reading_id: str, value: str, told: list[str]) -> None:
    with pytest.raises(RulebookError) as error:
        rulebook.with_readings({reading_id: value})
    assert all(word in str(error.value) for word in told), str(error.value)


def test_the_packaged_rulebook_is_read_once() -> None:
    assert load_rulebook() is load_rulebook()
