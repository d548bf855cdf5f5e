"""Returns over every deal, against the figures of tests/acceptance and small sums by hand."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from replay.games import dakota_duel_draw
from replay.games.lines import net_odds
from replay.ranking import CATEGORY_STEP, Category, best_five
from replay.returns import Return, returns_of, whole_dakota
from replay.rulebook.loader import load_rulebook
from replay.vocabulary import Game, Wager
from tests.replay.plain_poker import deal, plain_rank

FIGURES: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent / "acceptance" / "acceptance.json").read_text(encoding="utf-8")
)


@cache
def found(game: Game) -> list[Return]:
    return returns_of(game, load_rulebook(), lambda done, total: None)


def of(game: Game, wager: Wager) -> dict[str, Return]:
    return {each.paytable: each for each in found(game) if each.wager == wager}


def counted(each: Return) -> dict[str, int]:
    return {count.line.id: count.ways for count in each.lines if count.line is not None}


def test_five_card_bonus() -> None:
    [bonus] = of(Game.RUN_EM_TWICE, Wager.FIVE_CARD_BONUS).values()
    wanted = FIGURES["five_card_bonus"]
    assert (bonus.net, bonus.hits, bonus.ways) == (
        wanted["net_per_2598960"],
        wanted["hits"],
        2_598_960,
    )


def test_ultimate_pairs() -> None:
    tables = of(Game.RUN_EM_TWICE, Wager.ULTIMATE_PAIRS)
    assert {id: each.net for id, each in tables.items()} == FIGURES["ultimate_pairs"][
        "net_per_1326"
    ]
    assert {each.ways for each in tables.values()} == {1326}
    assert (
        counted(tables["3"])["aces_red"]
        == FIGURES["ultimate_pairs"]["counts"]["AA_hearts_diamonds"]
    )


def lines_match(each: Return, wanted: dict[str, Any], renamed: dict[str, str]) -> None:
    for line, ways in counted(each).items():
        assert ways == wanted[renamed.get(line, line)], line


@pytest.mark.slow
def test_big_8_and_the_other_bets_of_dakota() -> None:
    wanted = FIGURES["big8"]
    tables = of(Game.DAKOTA_DUEL_DRAW, Wager.BIG_8)
    assert {id: each.net for id, each in tables.items()} == wanted["net"]
    for each in tables.values():
        assert each.ways == wanted["total"]
        lines_match(each, wanted, {})
    [hand] = of(Game.DAKOTA_DUEL_DRAW, Wager.HAND_1_PLAY).values()
    assert hand.net == FIGURES["dakota_hand"]["net_per_2598960"]
    assert hand.hits == FIGURES["dakota_hand"]["hits"]
    pairs = of(Game.DAKOTA_DUEL_DRAW, Wager.POCKET_PAIR)
    units = FIGURES["pocket_pair_bonus"]["units_per_1326"]
    assert {id: each.net for id, each in pairs.items()} == units


def test_dakota_hand_and_pocket_pair() -> None:
    """The same by plain sums, without the eight cards of big 8."""
    rulebook = load_rulebook()
    two = np.array(list(combinations(range(52), 2)), np.uint8).T
    units = {}
    for table in rulebook.paytables(Game.DAKOTA_DUEL_DRAW, Wager.POCKET_PAIR):
        pays = dakota_duel_draw.pocket_pair_pays(table)
        units[table.id] = int(pays[dakota_duel_draw.pocket_pair_lines(two, table)].sum())
    assert units == FIGURES["pocket_pair_bonus"]["units_per_1326"]
    flat = np.fromiter(
        (card for hand in combinations(range(52), 5) for card in hand), np.uint8, 2598960 * 5
    )
    table = dakota_duel_draw.hand_paytable(rulebook)
    ranks = best_five(np.ascontiguousarray(flat.reshape(-1, 5).T))
    net = net_odds(table)[dakota_duel_draw.hand_pay_lines(ranks, table)]
    assert int(net.sum()) == FIGURES["dakota_hand"]["net_per_2598960"]
    assert int((net > 0).sum()) == FIGURES["dakota_hand"]["hits"]


def test_shootout_bonus_over_six_decks() -> None:
    wanted = FIGURES["texas_shootout_7of312"]
    tables = of(Game.TEXAS_SHOOTOUT, Wager.SHOOTOUT_BONUS)
    assert {id: each.net for id, each in tables.items()} == wanted["net_random_two"]
    for each in tables.values():
        assert each.ways == wanted["total"]
        lines_match(each, wanted, {"five_of_a_kind_suited": "five_suited"})


def test_envy_is_cents_for_each_other_hand() -> None:
    [envy] = of(Game.TEXAS_SHOOTOUT, Wager.ENVY_BONUS).values()
    wanted = FIGURES["texas_shootout_7of312"]
    assert envy.in_cents
    assert envy.net == (
        1_000_00 * wanted["five_suited"]
        + 250_00 * wanted["royal_flush"]
        + 50_00 * wanted["straight_flush"]
        + 10_00 * wanted["five_of_a_kind"]
    )


def test_the_whole_of_dakota_is_played_by_what_is_best_for_each_two_cards() -> None:
    whole = {each.paytable: each for each in whole_dakota(load_rulebook())}
    assert set(whole) == {"", *(str(number) for number in range(1, 7))}
    blind = 2 * FIGURES["dakota_hand"]["net_per_2598960"]
    for each in whole.values():
        assert each.ways == 1326 * 19600
        assert each.played == 1050
        assert each.mean > Fraction(blind, 2_598_960)  # to fold now and then is better
    units = FIGURES["pocket_pair_bonus"]["units_per_1326"]
    for table, each in whole.items():  # no pair is ever folded, so the bonus adds up
        bonus = units[table] * 19600 if table else 0
        assert each.net == whole[""].net + bonus
    assert "72" in whole["1"].folded
    assert not {"22", "AA", "92", "A2"} & set(whole["1"].folded)


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    returns_of(Game.RUN_EM_TWICE, load_rulebook(), lambda done, total: told.append((done, total)))
    assert told[-1] == (134_459, 134_459)
    assert told == sorted(told)


def test_ultimate_pairs_line_by_line() -> None:
    counts = dict(FIGURES["ultimate_pairs"]["counts"])
    none = counts.pop("none")
    tables = of(Game.RUN_EM_TWICE, Wager.ULTIMATE_PAIRS)
    first, third = counted(tables["1"]), counted(tables["3"])
    assert third["aces_red"] == counts["AA_hearts_diamonds"]
    assert third["aces"] == counts["AA_other"]
    assert first["aces"] == counts["AA_hearts_diamonds"] + counts["AA_other"]
    assert first["ace_king_suited"] == counts["AK_suited"]
    assert first["ace_king_unsuited"] == counts["AK_off"]
    assert first["ace_queen_jack_suited"] == counts["AQ_suited"] + counts["AJ_suited"]
    assert first["ace_queen_jack_unsuited"] == counts["AQ_off"] + counts["AJ_off"]
    assert first["pair_j_to_k"] == counts["KK_QQ_JJ"]
    assert first["pair_2_to_t"] == counts["22_to_TT"]
    for each in tables.values():
        assert each.lines[-1].ways == none
        assert each.hits == 1326 - none


def test_big_8_on_a_sample_of_hands() -> None:
    """The whole count is slow; these are ranked the plain way, too."""
    cards = deal(8, 8, 300)
    plain = [Category(plain_rank(hand) // CATEGORY_STEP).name.lower() for hand in cards.T.tolist()]
    for table in load_rulebook().paytables(Game.DAKOTA_DUEL_DRAW, Wager.BIG_8):
        pays = {line.id: line.net_to_one for line in table.lines}
        lines = dakota_duel_draw.big_8_lines(best_five(cards), table)
        net = net_odds(table)[lines].tolist()
        assert net == [pays.get(name, -1) for name in plain]
