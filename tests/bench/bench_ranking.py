"""How many hands a second are ranked on one core, beside a public evaluator in the same run.

    python -m tests.bench.bench_ranking

The public evaluator is phevaluator, whose C function is called from Python for each hand. It takes
up to seven cards of one deck: for eight cards the best of the eight sevens is taken, and beside six
decks, which it cannot rank, stands its rate for one.
"""

import os
from collections.abc import Callable
from itertools import combinations
from statistics import median
from time import perf_counter
from typing import Final

import numpy as np
from phevaluator.evaluator import evaluate_cards

from replay.cards import Cards
from replay.ranking import best_five
from replay.ranking_tables import hand_tables
from tests.replay.plain_poker import deal

HAND_COUNT: Final = 1_000_000
PUBLIC_HAND_COUNT: Final = 20_000
RUN_COUNT: Final = 9

AIMS: Final = {(7, 1): 60, (8, 1): 45, (7, 6): 40, (8, 6): 25}
"""Millions of hands a second to reach, by cards a hand and decks."""


def seconds(run: Callable[[], object]) -> float:
    """The median of several runs."""
    times: list[float] = []
    for _ in range(RUN_COUNT):
        begin = perf_counter()
        run()
        times.append(perf_counter() - begin)
    return median(times)


def public_rate(card_count: int) -> float:
    """Hands a second of the public evaluator, one deck."""
    hands = deal(1, card_count, PUBLIC_HAND_COUNT).T.tolist()

    def sevens() -> list[int]:
        return [evaluate_cards(*hand) for hand in hands]

    def eights() -> list[int]:
        return [min(evaluate_cards(*seven) for seven in combinations(hand, 7)) for hand in hands]

    return PUBLIC_HAND_COUNT / seconds(eights if card_count == 8 else sevens)


def our_rate(hands: Cards) -> float:
    """Hands a second of ours, the check of the codes included."""
    hand_count: int = hands.shape[1]
    return hand_count / seconds(lambda: best_five(hands))


def main() -> None:
    print(f"{os.cpu_count()} cores, one used, load before {os.getloadavg()[0]:.1f}")
    print(f"NumPy {np.__version__}, {HAND_COUNT:,} hands at a time, median of {RUN_COUNT} runs")
    begin = perf_counter()
    for card_count in (7, 8):
        hand_tables(card_count)
    print(f"tables for 7 and 8 cards built in {(perf_counter() - begin) * 1e3:.0f} ms")
    one = deal(2, 7, 1)
    print(f"a batch of one hand of 7 takes {seconds(lambda: best_five(one)) * 1e6:.0f} us")
    print()
    print("million hands a second   ours    aim  phevaluator  times as fast")
    public = {card_count: public_rate(card_count) for card_count in (7, 8)}
    for (card_count, deck_count), aim in AIMS.items():
        ours = our_rate(deal(3, card_count, HAND_COUNT, deck_count)) / 1e6
        theirs = public[card_count] / 1e6
        hand = f"{card_count} cards, {'one deck' if deck_count == 1 else 'six decks'}"
        print(f"{hand:22} {ours:6.1f} {aim:6} {theirs:12.2f} {ours / theirs:14.0f}")


if __name__ == "__main__":
    main()
