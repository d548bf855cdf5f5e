"""Run'em Twice Poker, clause by clause.

Source: the South Dakota rule of 51 SDR 111, in force from 2025-05-06; the text bears no section
number and is cited as `Run'em Twice (n)`. Readings `RT-*`, `ALL-*`.

Array convention: R rounds, P seats, N hands; cards are columns, seven places a seat in the order of
`PLACES`; money in cents, net to the player.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from replay.arrays import among
from replay.cards import Cards
from replay.events import Bools, Int32s, Int64s
from replay.games.lines import hand_lines, net_odds
from replay.games.rule import Rule
from replay.ranking import Ranks, best_five
from replay.rulebook.loader import Rulebook
from replay.rulebook.model import Paytable
from replay.vocabulary import RANKS, Bettor, Game, Wager

GAME: Final = Game.RUN_EM_TWICE

RULE: Final = Rule(
    number="Run'em Twice",
    source="51 SDR 111",
    not_settled={},
)

PLAYER_1, PLAYER_2, LEFT, RIGHT, TOP, BOTTOM, CENTER = range(7)
"""Places of the seven cards that a seat uses, in the order of its columns."""
HAND_1_PLACES: Final = (PLAYER_1, PLAYER_2, LEFT, CENTER, RIGHT)
HAND_2_PLACES: Final = (PLAYER_1, PLAYER_2, TOP, CENTER, BOTTOM)
BOARD_PLACES: Final = (LEFT, RIGHT, TOP, BOTTOM, CENTER)

JACKS, SIXES = RANKS.index("J"), RANKS.index("6")
RUN_PAIR_LINES: Final = ((JACKS, "high_pair"), (SIXES, "low_pair"))  # (7)(i) and (j)
BONUS_PAIR_LINES: Final = ((SIXES, "sixes_or_better"),)  # (9)(i)

SLOTS: Final = tuple(
    (1, wager, Bettor.PLAYER)
    for wager in (
        Wager.FIRST_ANTE,
        Wager.SECOND_ANTE,
        Wager.FIRST_RUN,
        Wager.SECOND_RUN,
        Wager.CENTER,
        Wager.FIVE_CARD_BONUS,
        Wager.ULTIMATE_PAIRS,
    )
)


@RULE.clause(
    "(6)", "hand 1 is made with the horizontal line of the cross, hand 2 with the vertical"
)
def run_ranks(cards: Cards) -> tuple[Ranks, Ranks]:
    """Rank both hands of each seat.

    Shapes:  (7, N) read cards in the order of the places -> (N,), (N,).
    Source:  Run'em Twice (6); reading `RT-HANDS`.
    """
    return best_five(cards[list(HAND_1_PLACES)]), best_five(cards[list(HAND_2_PLACES)])


@RULE.clause("(7)", "one column of pays for both antes, one for both runs")
def run_lines(ranks: Ranks, paytable: Paytable) -> Int32s:
    """Line of each hand on the paytable of antes and runs: (N,) -> (N,).

    Source:  Run'em Twice (7); readings `RT-COLUMNS`, `RT-LOW-PAIR`.
    """
    return hand_lines(ranks, paytable, RUN_PAIR_LINES)


@RULE.clause("(8)", "the center bet takes the better of the two runs, and loses only if both do")
def center_odds(first_odds: Int64s, second_odds: Int64s) -> Int64s:
    """Net of one unit on the center: (N,), (N,) nets of one unit on either run -> (N,).

    A loss is -1, a push 0, a win its odds, so the better is the larger.
    Source:  Run'em Twice (8) "pay the highest odds between"; reading `RT-CENTER`.
    """
    better: Int64s = np.maximum(first_odds, second_odds)
    return better


@RULE.clause("(2)", "a fold before the first reveal loses every base bet")
@RULE.clause("(4)", "a fold before the second reveal loses every base bet")
@RULE.clause("(5)", "a fold before the center is revealed loses every base bet")
def base_net_cents(stake_cents: Int64s, odds: Int64s, folded: Bools) -> Int64s:
    """Net of antes, runs and center: all three (N,) -> (N,).

    Source:  Run'em Twice (2), (4), (5) "lose all base wagers"; reading `RT-FOLD`.

    >>> base_net_cents(np.array([500, 500]), np.array([8, 8]), np.array([False, True])).tolist()
    [4000, -500]
    """
    net: Int64s = stake_cents * np.where(folded, -1, odds)
    return net


@RULE.clause("(9)", "the 5-Card Bonus pays by the five community cards, fold or no fold")
def bonus_lines(ranks: Ranks, paytable: Paytable) -> Int32s:
    """Line of each board on the 5-Card Bonus paytable, -1 where it loses: (N,) -> (N,).

    Source:  Run'em Twice (9) "a pair of sixes or better"; reading `RT-SIXES`.
    """
    return hand_lines(ranks, paytable, BONUS_PAIR_LINES)


@RULE.clause("(10)", "Ultimate Pairs pays by the player's own two cards, fold or no fold")
def pair_lines(cards: Cards, paytable: Paytable) -> Int32s:
    """Line of each two cards on an Ultimate Pairs paytable, -1 where it loses: (2, N) -> (N,).

    Source:  Run'em Twice (10); readings `RT-RED-ACES`, `RT-FACE`, `RT-MIDDLE`, `RT-TABLES`.
    """
    lines: Int32s = _pair_table(paytable)[cards[0], cards[1]]
    return lines


@lru_cache(maxsize=16)  # more than the rule has paytables
def _pair_table(paytable: Paytable) -> Int32s:
    """Line of every two cards: (52, 52). A cell printed N/A names no hand (`RT-RED-ACES`)."""
    codes = np.arange(52)
    first, second = np.meshgrid(codes, codes, indexing="ij")
    high = np.maximum(first, second) // 4
    low = np.minimum(first, second) // 4
    suited = first % 4 == second % 4
    pair = high == low
    ten, jack, queen, king, ace = (RANKS.index(rank) for rank in "TJQKA")
    red = (first % 4 + second % 4 == 3) & among(first % 4, (1, 2))  # one diamond, one heart
    holds: dict[str, Bools] = {
        "aces_red": pair & (high == ace) & red,
        "aces": pair & (high == ace),
        "ace_king_suited": (high == ace) & (low == king) & suited,
        "ace_queen_jack_suited": (high == ace) & ((low == queen) | (low == jack)) & suited,
        "ace_king_unsuited": (high == ace) & (low == king) & ~suited,
        "pair_j_to_k": pair & (high >= jack) & (high <= king),
        "ace_queen_jack_unsuited": (high == ace) & ((low == queen) | (low == jack)) & ~suited,
        "pair_2_to_t": pair & (high <= ten),
        "ace_face_suited": (high == ace) & (low >= jack) & (low <= king) & suited,
        "ace_face_unsuited": (high == ace) & (low >= jack) & (low <= king) & ~suited,
        "pair_2_to_k": pair & (high <= king),
    }
    table = np.full((52, 52), -1, np.int32)
    for number in reversed(range(len(paytable.lines))):  # the first line that holds decides
        line = paytable.lines[number]
        if line.result != "na":
            table[holds[line.id]] = number
    return table


@RULE.clause("(1)", "two equal antes, a first run of 1x to 3x the first ante")
@RULE.clause("(3)", "a second run of 1x to 3x the second ante")
@RULE.clause("(5)", "a center bet of 1x to 3x the first ante")
def out_of_range(stake_cents: Int64s, ante_cents: Int64s, *, whole_multiples: bool) -> Bools:
    """Whether a run or center lies outside 1x to 3x its ante: (N,), (N,) -> (N,).

    Where either is not placed there is nothing to compare.
    Source:  Run'em Twice (1), (3), (5); reading `RT-RANGE`.
    """
    both = (stake_cents > 0) & (ante_cents > 0)
    outside = (stake_cents < ante_cents) | (stake_cents > 3 * ante_cents)
    if whole_multiples:
        outside |= stake_cents % np.maximum(ante_cents, 1) != 0
    flags: Bools = both & outside
    return flags


def paytables(rulebook: Rulebook) -> tuple[Paytable, Paytable, Paytable]:
    """The paytables of antes, runs and 5-Card Bonus."""
    antes = rulebook.paytables(GAME, Wager.FIRST_ANTE)[0]
    runs = rulebook.paytables(GAME, Wager.FIRST_RUN)[0]
    bonus = rulebook.paytables(GAME, Wager.FIVE_CARD_BONUS)[0]
    return antes, runs, bonus


def wager_odds(cards: Cards, wager: Wager, rulebook: Rulebook, paytable: Paytable | None) -> Int64s:
    """Net of one unit on a wager that is still in play: (7, N) read cards -> (N,).

    `paytable` is the posted one, needed for ULTIMATE_PAIRS alone.
    """
    antes, runs, bonus = paytables(rulebook)
    if wager == Wager.CENTER:
        first, second = run_ranks(cards)
        odds = net_odds(runs)
        return center_odds(odds[run_lines(first, runs)], odds[run_lines(second, runs)])
    if wager == Wager.ULTIMATE_PAIRS:
        assert paytable is not None
        table, lines = paytable, pair_lines(cards[:2], paytable)
    elif wager == Wager.FIVE_CARD_BONUS:
        table, lines = bonus, bonus_lines(best_five(cards[list(BOARD_PLACES)]), bonus)
    else:
        places = HAND_1_PLACES if wager in (Wager.FIRST_ANTE, Wager.FIRST_RUN) else HAND_2_PLACES
        table = antes if wager in (Wager.FIRST_ANTE, Wager.SECOND_ANTE) else runs
        lines = run_lines(best_five(cards[list(places)]), table)
    net: Int64s = net_odds(table)[lines]
    return net
