"""Dakota Duel Draw over all hands, by the engine's own formulas. Source: tests/acceptance."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from random import Random

import numpy as np
import pytest

from replay.cards import Cards
from replay.games import dakota_duel_draw as rule
from replay.ranking import Category, Ranks, category_of
from replay.rulebook.loader import load_rulebook
from replay.vocabulary import Game, Wager

FIGURES = json.loads(
    (Path(__file__).parents[2] / "acceptance" / "acceptance.json").read_text(encoding="utf-8")
)


def choose(size: int) -> Cards:
    """Every hand of so many cards of one deck: (size, N)."""
    flat = np.fromiter((card for hand in combinations(range(52), size) for card in hand), np.uint8)
    return np.ascontiguousarray(flat.reshape(-1, size).T)


def test_acceptance_dakota_hand() -> None:
    wanted, table = FIGURES["dakota_hand"], rule.hand_paytable(load_rulebook())
    net = hits = 0
    for first in range(48):  # the lowest card, to work in little memory
        rest = np.array(list(combinations(range(first + 1, 52), 4)), np.uint8).T
        cards = np.zeros((8, rest.shape[1]), np.uint8)
        cards[0], cards[1:5] = first, rest
        odds = rule.line_odds(Wager.HAND_1_PLAY, table)[
            rule.wager_lines(cards, Wager.HAND_1_PLAY, table)
        ]
        net, hits = net + int(odds.sum()), hits + int((odds > 0).sum())
    assert (net, hits) == (wanted["net_per_2598960"], wanted["hits"])


def test_acceptance_pocket_pair_bonus() -> None:
    wanted, two = FIGURES["pocket_pair_bonus"], choose(2)
    for table in load_rulebook().paytables(Game.DAKOTA_DUEL_DRAW, Wager.POCKET_PAIR):
        lines = rule.pocket_pair_lines(two, table)
        assert (np.bincount(lines[lines >= 0]) == wanted["ways_each_pair"]).all()
        units = rule.pocket_pair_pays(table)[lines]
        assert int(units.sum()) == wanted["units_per_1326"][table.id]


def counts_of(ranks: Ranks) -> dict[str, int]:
    counts = np.bincount(category_of(ranks), minlength=len(Category))
    return {each.name.lower(): int(counts[each]) for each in Category}


def test_acceptance_big_8_on_a_sample() -> None:
    """Frequencies of 200,000 deals within five standard deviations; nets by the counts' odds."""
    wanted, size, random = FIGURES["big8"], 200_000, Random(8)
    cards = np.array([random.sample(range(52), 8) for _ in range(size)], np.uint8).T
    ranks = rule.wager_ranks(np.ascontiguousarray(cards), Wager.BIG_8)
    for name, count in counts_of(ranks).items():
        if name in wanted:
            mean = size * wanted[name]
            # Whole numbers: everything times the total, so that nothing is divided.
            deviation = count * wanted["total"] - mean
            variance = mean * (wanted["total"] - wanted[name])
            assert deviation**2 <= 25 * variance, name
    for table in load_rulebook().paytables(Game.DAKOTA_DUEL_DRAW, Wager.BIG_8):
        paid = {line.id: line.net_to_one for line in table.lines}
        counts = {each.name.lower(): wanted.get(each.name.lower(), 0) for each in Category}
        net = sum(count * (paid.get(name, -1) or 0) for name, count in counts.items())
        assert net == wanted["net"][table.id]


@pytest.mark.slow
def test_acceptance_big_8_over_every_eight_cards() -> None:
    wanted = FIGURES["big8"]
    tables = load_rulebook().paytables(rule.GAME, Wager.BIG_8)
    counts = dict.fromkeys((each.name.lower() for each in Category), 0)
    nets = {table.id: 0 for table in tables}
    fives = choose(5)
    for low in combinations(range(47), 3):  # the three lowest cards
        begin = int(np.searchsorted(fives[0], low[2] + 1))
        cards = np.empty((8, fives.shape[1] - begin), np.uint8)
        cards[:3], cards[3:] = np.array(low, np.uint8)[:, None], fives[:, begin:]
        ranks = rule.wager_ranks(cards, Wager.BIG_8)
        for name, count in counts_of(ranks).items():
            counts[name] += count
        for table in tables:
            by_line = np.bincount(
                rule.big_8_lines(ranks, table) + 1, minlength=len(table.lines) + 1
            )
            odds = np.roll(rule.line_odds(Wager.BIG_8, table), 1)  # the line -1 comes first
            nets[table.id] += int((by_line * odds).sum())
    assert sum(counts.values()) == wanted["total"]
    assert {name: count for name, count in counts.items() if count} == {
        name: count for name, count in wanted.items() if name not in ("total", "net")
    }
    assert nets == wanted["net"]
