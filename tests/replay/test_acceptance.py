"""Figures over all hands, reproduced by the engine's own formulas. Source: tests/acceptance."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from replay.cards import Cards
from replay.games import run_em_twice, texas_shootout
from replay.games.lines import net_odds
from replay.ranking import (
    CATEGORY_STEP,
    Category,
    Ranks,
    best_five,
    category_of,
    pair_rank_of,
)
from replay.rulebook.loader import load_rulebook
from replay.rulebook.model import Paytable
from replay.vocabulary import RANKS, Game, Wager
from tests.replay.test_ranking_counts import batches, ways

FIGURES = json.loads(
    (Path(__file__).parent.parent / "acceptance" / "acceptance.json").read_text(encoding="utf-8")
)


def choose_five() -> Cards:
    """Every five-card hand of one deck: (5, 2598960)."""
    flat = np.fromiter(
        (card for hand in combinations(range(52), 5) for card in hand), np.uint8, 2598960 * 5
    )
    return np.ascontiguousarray(flat.reshape(-1, 5).T)


@pytest.fixture(scope="module")
def ranks() -> Ranks:
    return best_five(choose_five())


def test_five_card_52(ranks: Ranks) -> None:
    wanted = FIGURES["five_card_52"]
    category = category_of(ranks)
    pair = pair_rank_of(ranks)[category == Category.PAIR]
    counts = {each.name.lower(): int((category == each).sum()) for each in Category}
    for name in ("royal_flush", "straight_flush", "four_of_a_kind", "full_house", "flush"):
        assert counts[name] == wanted[name]
    for name in ("straight", "three_of_a_kind", "two_pair"):
        assert counts[name] == wanted[name]
    jack, six, nine = (RANKS.index(rank) for rank in "J69")
    assert int((pair >= jack).sum()) == wanted["pair_J_A"]
    assert int(((pair >= six) & (pair < jack)).sum()) == wanted["pair_6_10"]
    assert int((pair < six).sum()) == wanted["pair_2_5"]
    assert int((pair >= nine).sum()) == wanted["pair_9_A"]
    assert counts["high_card"] == wanted["nothing"]
    assert len(ranks) == wanted["total"]


def test_five_card_bonus(ranks: Ranks) -> None:
    wanted = FIGURES["five_card_bonus"]
    table = run_em_twice.paytables(load_rulebook())[2]
    net = net_odds(table)[run_em_twice.bonus_lines(ranks, table)]
    assert int(net.sum()) == wanted["net_per_2598960"]
    assert int((net > 0).sum()) == wanted["hits"]


def test_ultimate_pairs() -> None:
    wanted = FIGURES["ultimate_pairs"]["net_per_1326"]
    hands = np.array(list(combinations(range(52), 2)), np.uint8).T
    for table in load_rulebook().paytables(Game.RUN_EM_TWICE, Wager.ULTIMATE_PAIRS):
        net = net_odds(table)[run_em_twice.pair_lines(hands, table)]
        assert int(net.sum()) == wanted[table.id]


def shootout_tables() -> dict[str, Paytable]:
    tables = load_rulebook().paytables(Game.TEXAS_SHOOTOUT, Wager.SHOOTOUT_BONUS)
    return {table.id: table for table in tables}


def test_texas_shootout_7of312_by_category() -> None:
    """Counts by category are held by `test_ranking_counts`; here the bonus pays them."""
    wanted = FIGURES["texas_shootout_7of312"]
    names = {Category.FIVE_OF_A_KIND_SUITED: "five_suited"}
    counts = [wanted[names.get(each, each.name.lower())] for each in Category]
    ranks = np.array([each * CATEGORY_STEP for each in Category], np.int32)
    assert sum(counts) == wanted["total"]
    for table in shootout_tables().values():
        odds = texas_shootout.bonus_odds(ranks, table).tolist()
        net = sum(count * each for count, each in zip(counts, odds, strict=True))
        assert net == wanted["net_random_two"][table.id]


@pytest.mark.slow
def test_texas_shootout_7of312_hand_by_hand() -> None:
    """Every two cards kept and five on the flop, weighed by the ways to deal them."""
    wanted = FIGURES["texas_shootout_7of312"]["net_random_two"]
    nets = dict.fromkeys(wanted, 0)
    for hands in batches(7, repeats=True):
        weights, ranks = ways(hands, 6), texas_shootout.hand_ranks(hands[:2], hands[2:])
        for name, table in shootout_tables().items():
            nets[name] += int((weights * texas_shootout.bonus_odds(ranks, table)).sum())
    assert nets == wanted
