"""Dakota Duel Draw, clause by clause.

Source: ARSD 20:18:16:15.23 as amended by 49 SDR 9, in force from 2022-08-09. Readings `DD-*`,
`ALL-*`.

Array convention: R rounds, P seats, N hands; cards are columns, eight places a seat in the order of
`PLACES`; money in cents, net to the player.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from replay.arrays import NEVER, first_by_group, value_at
from replay.cards import Cards, rank_of
from replay.events import Bools, Int32s, Int64s, Ints
from replay.fold import Folded
from replay.games.lines import hand_lines, net_odds
from replay.games.rule import Rule
from replay.layout import count_right, in_rotation
from replay.ranking import Ranks, best_five
from replay.rulebook.loader import Rulebook
from replay.rulebook.model import Paytable
from replay.vocabulary import RANKS, Bettor, Game, Place, Wager

GAME: Final = Game.DAKOTA_DUEL_DRAW

RULE: Final = Rule(
    number="20:18:16:15.23",
    source="49 SDR 9",
    not_settled={},
)

PLAYER_1, PLAYER_2 = 0, 1
HAND_1_PLACES: Final = (PLAYER_1, PLAYER_2, 2, 3, 4)
HAND_2_PLACES: Final = (PLAYER_1, PLAYER_2, 5, 6, 7)
BIG_8_PLACES: Final = tuple(range(8))
PLACES_OF: Final = {
    Wager.POCKET_PAIR: (PLAYER_1, PLAYER_2),
    Wager.HAND_1_PLAY: HAND_1_PLACES,
    Wager.HAND_2_ANTE: HAND_2_PLACES,
    Wager.BIG_8: BIG_8_PLACES,
}
"""Cards on which each wager rests, among the spot's two, hand 1's three and hand 2's three."""

SPOT_CARDS, COMMUNITY_CARDS = 2, 3  # (4), reading DD-COUNT
DEAL_ORDER: Final = (Place.HAND_2, Place.HAND_1)  # (4), then each spot
PAID_ORDER: Final = (Wager.POCKET_PAIR, Wager.HAND_1_PLAY, Wager.HAND_2_ANTE, Wager.BIG_8)  # (6)
NINES: Final = RANKS.index("9")
HAND_PAIR_LINES: Final = ((NINES, "nines_or_higher"),)  # (10)

WAGERS: Final = (Wager.HAND_1_PLAY, Wager.HAND_2_ANTE, Wager.BIG_8)
"""What chips may stand on, the player's and (3) a tip for the dealer."""
SLOTS: Final = (
    (1, Wager.POCKET_PAIR, Bettor.PLAYER),  # DD-TIP-BONUS: a tip earns none
    *((1, wager, bettor) for wager in WAGERS for bettor in (Bettor.PLAYER, Bettor.DEALER)),
)


@RULE.clause("(1)", "hands rank from royal flush to high card, from one deck")
@RULE.clause("(8)", "big 8 is the best five of the spot's two cards and all six on the board")
@RULE.clause("(9)", "hand 1 and hand 2 are the spot's two cards with three of the board each")
def wager_ranks(cards: Cards, wager: Wager) -> Ranks:
    """Rank the hand of each seat on which a wager rests.

    Shapes:  (8, N) read cards in the order of the places -> (N,).
    Source:  20:18:16:15.23(1), (8) "the best 5 cards out of the player's two cards and the six
             community cards", (9) "two sets of three cards"; reading `DD-BIG-8`.
    """
    return best_five(cards[list(PLACES_OF[wager])])


@RULE.clause("(10)", "one schedule for hand 1 play and hand 2 ante, from a pair of nines up")
def hand_pay_lines(ranks: Ranks, paytable: Paytable) -> Int32s:
    """Line of each hand, -1 where it loses: (N,) -> (N,).

    Source:  20:18:16:15.23(10) "Pair, Nines or Higher"; reading `DD-NINES`.
    """
    return hand_lines(ranks, paytable, HAND_PAIR_LINES)


@RULE.clause("(12)", "big 8 wins with a straight or better, by the schedule on the layout")
def big_8_lines(ranks: Ranks, paytable: Paytable) -> Int32s:
    """Line of each best five on a big 8 paytable, -1 where it loses: (N,) -> (N,).

    Source:  20:18:16:15.23(12) "If the player's hand contains less than a straight the player
             loses"; reading `DD-PUSH`.
    """
    return hand_lines(ranks, paytable)


@RULE.clause("(11)", "the pocket pair bonus pays by the rank of the pair")
def pocket_pair_lines(cards: Cards, paytable: Paytable) -> Int32s:
    """Line of each two cards, -1 where they are no pair: (2, N) -> (N,).

    Source:  20:18:16:15.23(11).
    """
    numbers = {line.id: place for place, line in enumerate(paytable.lines)}
    of_rank = np.array([numbers[f"pair_{rank.lower()}"] for rank in RANKS], np.int32)
    first, second = rank_of(cards[0]), rank_of(cards[1])
    lines: Int32s = np.where(first == second, of_rank[first], np.int32(-1))
    return lines


@RULE.clause("(11)", "a pair printed N/A earns nothing, nor does what is no pair")
def pocket_pair_pays(paytable: Paytable) -> Int64s:
    """Pay of one unit on hand 1 for each line, and last for no line (-1): (L + 1,).

    Source:  20:18:16:15.23(11) "4x": winnings of four times the hand 1 play; readings `ALL-TO-ONE`,
             `DD-BONUS`, `DD-QUEENS`.
    """
    return np.array([line.to_one or 0 for line in paytable.lines] + [0], np.int64)


@RULE.clause("(9)", "the bonus is paid on the amount played on hand 1, whatever else loses")
def pocket_pair_net_cents(play_cents: Int64s, pays: Int64s) -> Int64s:
    """Net of the bonus: player's stake standing on hand 1 and pay of one unit, (N,) -> (N,).

    Source:  20:18:16:15.23(9) "paid only if the player plays the hand 1 play", "regardless of
             whether the player loses any of the other wagers"; readings `DD-BONUS`, `DD-TIP-BONUS`.

    >>> pocket_pair_net_cents(np.array([500, 0]), np.array([4, 4])).tolist()
    [2000, 0]
    """
    net: Int64s = play_cents * pays
    return net


@RULE.clause("(7)", "a fold forfeits the hand 2 ante")
def ante_net_cents(stake_cents: Int64s, odds: Int64s, folded: Bools) -> Int64s:
    """Net of the hand 2 ante, a tip on it alike: all three (N,) -> (N,).

    A spot that neither played nor folded leaves its ante in play.
    Source:  20:18:16:15.23(7) "fold and forfeit the hand 2 ante bet"; reading `DD-TIP-FOLD`.

    >>> ante_net_cents(np.array([500, 500]), np.array([4, 4]), np.array([False, True])).tolist()
    [2000, -500]
    """
    net: Int64s = stake_cents * np.where(folded, -1, odds)
    return net


@RULE.clause("(7)", "whoever has bet on hand 1 is locked in: a fold after that is void")
def fold_is_void(play_cents: Int64s) -> Bools:
    """Whether a fold finds the player's chips standing on hand 1: (N,) -> (N,).

    Source:  20:18:16:15.23(7) "locked into the hand"; reading `DD-LOCKED`.
    """
    flags: Bools = play_cents > 0
    return flags


@RULE.clause("(7)", "the hand 1 play equals the hand 2 ante")
def play_is_unequal(play_cents: Int64s, ante_cents: Int64s) -> Bools:
    """Whether two bets that both stand differ: (N,), (N,) -> (N,).

    Source:  20:18:16:15.23(7) "a bet equal to the hand 2 ante".
    """
    flags: Bools = (play_cents > 0) & (ante_cents > 0) & (play_cents != ante_cents)
    return flags


@RULE.clause("(2)", "without a hand 2 ante there is no hand 1 play")
def play_goes_back(ante_cents: Int64s) -> Bools:
    """Whether a player's bet on hand 1 takes no part: (N,) -> (N,).

    Source:  20:18:16:15.23(2), (7); reading `DD-BIG-8-ONLY`.
    """
    flags: Bools = ante_cents == 0
    return flags


@RULE.clause("(3)", "a tip goes with a wager that the player has on the same hand")
def tip_is_alone(tip_cents: Int64s, player_cents: Int64s) -> Bools:
    """Whether a tip stands where the player has nothing: (N,), (N,) -> (N,).

    Source:  20:18:16:15.23(3) "if the player has placed a personal wager on the same hand".
    """
    flags: Bools = (tip_cents > 0) & (player_cents == 0)
    return flags


@RULE.clause("(4)", "hand 2, hand 1, the spots in turn; again; hand 2, hand 1; one card at a time")
def dealt_in_rotation(folded: Folded, in_play: Bools) -> Bools:
    """Whether the cards of each round, as far as they came, came in rotation: (R,).

    Shapes:  in_play (P,), spots to which cards must go.
    Source:  20:18:16:15.23(4) "one at a time in rotation among the community cards and the players
             cards".
    """
    return in_rotation(folded, in_play, DEAL_ORDER)


@RULE.clause("(5)", "any other number of cards is a misdeal; an exposed card is none")
def number_is_right(folded: Folded, in_play: Bools) -> Bools:
    """Whether two cards lie at each spot in play and three at each community hand: (R,).

    Source:  20:18:16:15.23(5) "An incorrect number of cards ... is always a misdeal"; reading
             `DD-COUNT`.
    """
    return count_right(folded, in_play, SPOT_CARDS, dict.fromkeys(DEAL_ORDER, COMMUNITY_CARDS))


@RULE.clause("(6)", "pocket pair bonus, hand 1 play, hand 2 ante, big 8, within a spot")
def paid_too_late(seat: Ints, stage: Int64s) -> Bools:
    """Which settlements come after one that the order puts behind them at the same spot.

    Shapes:  (M,) in order of time, `stage` the place in `PAID_ORDER` -> (M,).
    Source:  20:18:16:15.23(6).

    >>> paid_too_late(np.array([0, 1, 0]), np.array([3, 3, 1])).tolist()
    [False, False, True]
    """
    size = int(seat.max()) + 1 if len(seat) else 0
    turn = np.arange(len(seat), dtype=np.int64)
    late = np.zeros(len(seat), np.bool_)
    for behind in range(1, len(PAID_ORDER)):
        paid = np.flatnonzero(stage == behind)
        first = value_at(turn[paid], first_by_group(seat[paid], size), NEVER)
        late |= (stage < behind) & (first[seat] < turn)
    return late


def hand_paytable(rulebook: Rulebook) -> Paytable:
    """The schedule of hand 1 play and hand 2 ante."""
    return rulebook.paytables(GAME, Wager.HAND_1_PLAY)[0]


def wager_lines(cards: Cards, wager: Wager, paytable: Paytable) -> Int32s:
    """Line of a wager at each seat, -1 where none decides: (8, N) read cards -> (N,)."""
    return hand_lines_of(wager_hands(cards, wager), wager, paytable)


def wager_hands(cards: Cards, wager: Wager) -> Cards | Ranks:
    """What decides a wager: the two cards of the bonus, the rank of a hand.

    Shapes:  (8, N) read cards -> (2, N) cards for the bonus, else (N,) ranks.
    """
    if wager == Wager.POCKET_PAIR:
        return cards[[PLAYER_1, PLAYER_2]]
    return wager_ranks(cards, wager)


def hand_lines_of(hands: Cards | Ranks, wager: Wager, paytable: Paytable) -> Int32s:
    """Line of each of the hands that `wager_hands` gave, -1 where none decides: -> (N,)."""
    if wager == Wager.POCKET_PAIR:
        return pocket_pair_lines(hands.astype(np.uint8, copy=False), paytable)
    ranks = hands.astype(np.int32, copy=False)
    return (big_8_lines if wager == Wager.BIG_8 else hand_pay_lines)(ranks, paytable)


def line_odds(wager: Wager, paytable: Paytable) -> Int64s:
    """Net of one unit for each line of a wager, and last for no line (-1): (L + 1,)."""
    return pocket_pair_pays(paytable) if wager == Wager.POCKET_PAIR else net_odds(paytable)
