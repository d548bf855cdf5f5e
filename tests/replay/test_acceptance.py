"""Figures over all hands, reproduced by the engine's own formulas. Source: tests/acceptance."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from replay.cards import Cards
from replay.games import run_em_twice
from replay.games.lines import net_odds
from replay.ranking import Category, Ranks, best_five, category_of, pair_rank_of
from replay.rulebook.loader import load_rulebook
from replay.vocabulary import RANKS, Game, Wager

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
