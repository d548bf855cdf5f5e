"""Texas Shootout, clause by clause.

Source: ARSD 20:18:16:15.08 as amended by 32 SDR 128, in force from 2006-01-30. Readings `TS-*`,
`ALL-*`.

Array convention: R rounds, P seats, N hands; cards are columns, (2, N) kept, (4, N) dealt, (5, N)
on the flop; money in cents, net to the player.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from replay.cards import Cards, rank_of
from replay.cards_judged import judge_past_cut
from replay.events import Bools, Int32s, Int64s
from replay.games.lines import hand_lines, net_odds
from replay.games.rule import Rule
from replay.layout import clockwise, count_right
from replay.ranking import Ranks, best_five
from replay.rulebook.house_way import HouseWay
from replay.rulebook.loader import Rulebook
from replay.rulebook.model import ONLY_PAYTABLE, Paytable
from replay.shoes import judge_copies
from replay.vocabulary import Bettor, Game, Wager

GAME: Final = Game.TEXAS_SHOOTOUT

RULE: Final = Rule(
    number="20:18:16:15.08",
    source="32 SDR 128",
    not_settled={
        "(3)": "shuffle, inspection and cut: no event records them; a burned card that was read "
        "counts among the copies of (1)",
        "(10)": "collection of the discards: no event records it",
        "(18)": "collection of cards after settlement: no event records it",
    },
)

HAND_SIZE: Final = 4  # (7) "four cards"
FLOP_SIZE: Final = 5  # (12) "five cards"
ENVY_WAGER_CENTS_MIN: Final = 5_00  # (6), (17) "at least five dollars"

SLOTS: Final = tuple(
    (hand, wager, Bettor.PLAYER)
    for wager in (Wager.PRIMARY, Wager.SHOOTOUT_BONUS, Wager.ENVY_BONUS)
    for hand in (1, 2)
)

# Carried out by functions that every game shares.
RULE.clause("(7)", "four cards to each position in play and to the dealer")(count_right)
RULE.clause("(7)", "clockwise from the dealer's left, the dealer last")(clockwise)
RULE.clause("(12)", "exactly five cards on the flop")(count_right)
RULE.clause("(1)", "copies of a card are counted over the six decks of the shoe")(judge_copies)
RULE.clause("(19)", "no round opens once the shoe's cut card was reached")(judge_past_cut)


@RULE.clause("(4)", "every spot in play needs a primary wager")
@RULE.clause("(9)", "a split matches the original primary wager")
def primary_required(takes_part: Bools, moment_came: Bools) -> Bools:
    """Which primaries should lie there by now: two (P,) arrays -> (P,).

    `takes_part` is a spot in play for hand 1, a split for hand 2; before the wager's moment, in a
    round that was voided early, nothing is missing yet.
    Source:  20:18:16:15.08(4) "the required primary wager", (9) "matches the original".
    """
    required: Bools = takes_part & moment_came
    return required


@RULE.clause("(5)", "the bonus is offered where the table posts its paytable")
@RULE.clause("(9)", "hand 2 takes a bonus only beside one on hand 1")
def second_bonus_offered(posted: Bools, split: Bools, first_bonus_cents: Int64s) -> Bools:
    """Where a bonus on hand 2 takes part: three (P,) arrays -> (P,).

    Source:  20:18:16:15.08(5), (9) "If the player originally placed the Shootout Bonus wager";
             reading `TS-SPLIT`.
    """
    offered: Bools = posted & split & (first_bonus_cents > 0)
    return offered


@RULE.clause("(9)", "two pair or four of a kind may be split, and nothing else")
def no_split(cards: Cards) -> Bools:
    """Hands that may not be split, whatever their unread cards are: (4, N) -> (N,).

    Two ranks at the most, and of two ranks two cards each; unread cards may make up what lacks.
    Source:  20:18:16:15.08(9) "two-pair" or "four-of-a kind"; reading `TS-SPLIT`.

    >>> from replay.cards import codes_of
    >>> hands = ["8c 8d 3h 3s", "8c 8d 8h 8s", "8c 8d 8h 3s"]
    >>> no_split(np.stack([codes_of(hand.split()) for hand in hands], axis=1)).tolist()
    [False, False, True]
    """
    read = cards < 52
    same = (rank_of(cards)[:, None] == rank_of(cards)) & read[:, None] & read  # (4, 4, N)
    alike = same.sum(axis=1)  # (4, N) cards of the rank of each read card
    before = np.tril(np.ones((HAND_SIZE, HAND_SIZE), np.bool_), -1)[:, :, None]
    ranks = (read & ~(same & before).any(axis=1)).sum(axis=0)
    illegal: Bools = (ranks > 2) | ((ranks == 2) & (alike.max(axis=0) > 2))
    return illegal


@RULE.clause("(9)", "a second bonus is at most the first")
def second_bonus_out_of_range(second_cents: Int64s, first_cents: Int64s) -> Bools:
    """Whether the bonus of hand 2 is above that of hand 1: (N,), (N,) -> (N,).

    Source:  20:18:16:15.08(9) "up to an amount equal to the original Shootout Bonus wager".
    """
    flags: Bools = (first_cents > 0) & (second_cents > first_cents)
    return flags


@RULE.clause("(11)", "the dealer keeps two of four by the house way, and is reset to it")
def dealer_cards(cards: Cards, kept: Cards, way: HouseWay) -> Cards:
    """The dealer's two cards where a house way is posted.

    What was kept where it is right, of equals any; else what the house way keeps.
    Shapes:  (4, N) read cards in the order dealt, (2, N) kept, unread where unknown -> (2, N).
    Source:  20:18:16:15.08(11) "must reset the house hand to conform"; reading `TS-HOUSE-WAY`.
    """
    right = way.is_right(cards, kept)
    two: Cards = np.where(right, kept, way.choose(cards))
    return two


@RULE.clause("(13)", "the best five of the two cards and the flop")
@RULE.clause("(14)", "ranked with five of a kind, a straight flush above it unless suited")
def hand_ranks(kept: Cards, flop: Cards) -> Ranks:
    """Rank hands: (2, N), (5, N) read cards -> (N,); larger is better, equal is an exact tie.

    Source:  20:18:16:15.08(13), (14); readings `TS-ROYAL`, `TS-TIES`.
    """
    return best_five(np.concatenate([kept, flop]))


@RULE.clause("(2)", "each hand plays the dealer's hand alone")
@RULE.clause("(15)", "the player must beat the dealer; a tie loses")
def primary_net_cents(stake_cents: Int64s, player_rank: Ranks, dealer_rank: Ranks) -> Int64s:
    """Net of the primary wager: three (N,) arrays -> (N,).

    Source:  20:18:16:15.08(15); no push: "lower hand, or one that is equal to the dealer".

    >>> ranks = np.array([7, 7], np.int32), np.array([6, 7], np.int32)
    >>> primary_net_cents(np.array([500, 500]), *ranks).tolist()
    [500, -500]
    """
    player_wins = player_rank > dealer_rank  # (15) "has a higher ranking than the dealer"
    net: Int64s = np.where(player_wins, stake_cents, -stake_cents)  # (15) "one-to-one odds"
    return net


@RULE.clause("(5)", "the bonus pays by its posted paytable")
@RULE.clause("(16)", "the bonus pays by the hand's own line, whatever the primary does")
def bonus_lines(ranks: Ranks, paytable: Paytable) -> Int32s:
    """Line of each hand on a bonus paytable, -1 where it loses: (N,) -> (N,).

    Source:  20:18:16:15.08(16); reading `TS-ROYAL`.
    """
    return hand_lines(ranks, paytable)


def bonus_odds(ranks: Ranks, paytable: Paytable) -> Int64s:
    """Net of one unit on the bonus: (N,) -> (N,). Source: 20:18:16:15.08(16)."""
    net: Int64s = net_odds(paytable)[bonus_lines(ranks, paytable)]
    return net


@RULE.clause("(6)", "each bonus wager of at least five dollars earns envy by itself")
def envy_qualifies(bonus_cents: Int64s) -> Bools:
    """Whether a bonus wager earns envy: any shape -> the same.

    Source:  20:18:16:15.08(6), (17) "at least five dollars"; reading `TS-ENVY-MIN`.
    """
    qualifies: Bools = bonus_cents >= ENVY_WAGER_CENTS_MIN
    return qualifies


@RULE.clause("(17)", "what a hand pays to the envy of others: its highest line alone")
def envy_hand_cents(ranks: Ranks, paytable: Paytable) -> Int64s:
    """Cents that each hand pays to every envy wager but its own: (N,) -> (N,).

    Source:  20:18:16:15.08(17); readings `TS-ENVY`, `TS-ROYAL`.
    """
    cents: Int64s = envy_line_cents(paytable)[hand_lines(ranks, paytable)]
    return cents


def envy_line_cents(paytable: Paytable) -> Int64s:
    """Cents of each line of the envy paytable, and last 0 for no line: (L + 1,)."""
    return np.array([line.cents or 0 for line in paytable.lines] + [0], np.int64)


def envy_paytable(rulebook: Rulebook) -> Paytable:
    """The paytable of (17), the same at every table."""
    table = rulebook.paytable(GAME, Wager.ENVY_BONUS, ONLY_PAYTABLE)
    assert table is not None
    return table
