"""What bets return over every deal there is, by the formulas that settle them.

Exact: ways and net units are integers, a return is their fraction. A bet that needs no decision is
counted over all deals of its cards; Dakota Duel Draw besides as a whole, played by its best
strategy, which is worked out here from the same counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Final

import numpy as np

from replay.arrays import sums_by_group
from replay.cards import Cards, names_of
from replay.deals import class_count, deal_count, deals
from replay.events import Int32s, Int64s
from replay.games import dakota_duel_draw as dakota
from replay.games import run_em_twice as run_em
from replay.games import texas_shootout as shootout
from replay.games.lines import net_odds
from replay.ranking import CATEGORY_STEP, Category, Ranks, best_five
from replay.rulebook.loader import Rulebook
from replay.rulebook.model import Line, Paytable
from replay.vocabulary import RANKS, Game, Wager

Tell = Callable[[int, int], None]
"""Told how many of how many hands are ranked."""

DECK: Final = 52
SHOE_DECKS: Final = 6
_KEY_SHIFT: Final = (CATEGORY_STEP - 1).bit_length() - 4
"""Below it lie the ranks that no paytable asks for: all but category and main rank."""
_KEY_COUNT: Final = len(Category) << 4


@dataclass(frozen=True, slots=True)
class LineCount:
    """One line of a paytable; None: what no line names, which loses or earns nothing."""

    line: Line | None
    net: int
    """Of one unit staked; of the envy bonus, cents."""
    ways: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Return:
    """One bet under one paytable."""

    wager: Wager
    paytable: str
    clause: str
    basis: str
    """What is counted, in words."""
    in_cents: bool = False
    """Nets are cents and not units of a stake: the envy bonus."""
    lines: tuple[LineCount, ...]

    @property
    def ways(self) -> int:
        """All deals."""
        return sum(count.ways for count in self.lines)

    @property
    def net(self) -> int:
        """Net units (or cents) over all deals."""
        return sum(count.net * count.ways for count in self.lines)

    @property
    def hits(self) -> int:
        """Deals that win; a push is none."""
        return sum(count.ways for count in self.lines if count.net > 0)

    @property
    def mean(self) -> Fraction:
        """Net of one unit staked (or cents)."""
        return Fraction(self.net, self.ways)


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeGame:
    """Dakota Duel Draw, ante, play and pocket pair bonus together, played as well as can be."""

    paytable: str
    """Of the pocket pair bonus; empty: none posted."""
    ways: int
    net: int
    """Net units of the hand 2 ante over all deals of two cards and one hand of three."""
    played: int
    """Deals of two cards, of 1326, that are played rather than folded."""
    folded: tuple[str, ...]
    """Kinds of two cards that are folded, as `J4s`."""

    @property
    def mean(self) -> Fraction:
        """Net for each unit of hand 2 ante."""
        return Fraction(self.net, self.ways)


def returns_of(game: Game, rulebook: Rulebook, tell: Tell) -> list[Return]:
    """Every bet of a game that needs no decision, under every paytable of the rule."""
    return {
        Game.RUN_EM_TWICE: _run_em_twice,
        Game.DAKOTA_DUEL_DRAW: _dakota_duel_draw,
        Game.TEXAS_SHOOTOUT: _texas_shootout,
    }[game](rulebook, tell)


def whole_dakota(rulebook: Rulebook) -> list[WholeGame]:
    """The whole game under its best strategy, for no pocket pair bonus and for each paytable."""
    tables = rulebook.paytables(Game.DAKOTA_DUEL_DRAW, Wager.POCKET_PAIR)
    pairs, weights = _two_cards()
    hand_nets = _hand_nets(pairs, rulebook)
    return [_whole(pairs, weights, hand_nets, table) for table in (None, *tables)]


def _run_em_twice(rulebook: Rulebook, tell: Tell) -> list[Return]:
    bonus = run_em.paytables(rulebook)[2]
    counts = _rank_counts(5, 1, tell)
    found = [
        _return(
            bonus,
            "the five community cards, over all hands of one deck",
            *_by_line(counts, lambda ranks: run_em.bonus_lines(ranks, bonus), bonus),
        )
    ]
    two = _all_two()
    for table in rulebook.paytables(Game.RUN_EM_TWICE, Wager.ULTIMATE_PAIRS):
        lines = run_em.pair_lines(two, table)
        ways = sums_by_group(lines + 1, np.ones(len(lines), np.int64), len(table.lines) + 1)
        basis = "the player's two cards, over all of one deck"
        found.append(_return(table, basis, np.roll(ways, -1), net_odds(table)))
    return found


def _dakota_duel_draw(rulebook: Rulebook, tell: Tell) -> list[Return]:
    fives, eights = class_count(5), class_count(8)
    whole = fives + eights
    hand = dakota.hand_paytable(rulebook)
    counts = _rank_counts(5, 1, lambda done, _: tell(done, whole))
    found = [
        _return(
            hand,
            "one hand of five that is played whatever it is, over all hands of one deck",
            *_by_line(counts, lambda ranks: dakota.hand_pay_lines(ranks, hand), hand),
        )
    ]
    two = _all_two()
    for table in rulebook.paytables(Game.DAKOTA_DUEL_DRAW, Wager.POCKET_PAIR):
        lines = dakota.pocket_pair_lines(two, table)
        ways = sums_by_group(lines + 1, np.ones(len(lines), np.int64), len(table.lines) + 1)
        basis = "units of the hand 1 play, over all two cards of one deck, all of them played"
        found.append(_return(table, basis, np.roll(ways, -1), dakota.pocket_pair_pays(table)))
    counts = _rank_counts(8, 1, lambda done, _: tell(fives + done, whole))
    for table in rulebook.paytables(Game.DAKOTA_DUEL_DRAW, Wager.BIG_8):

        def lines_of(ranks: Ranks, table: Paytable = table) -> Int32s:
            return dakota.big_8_lines(ranks, table)

        basis = "the best five of eight cards, over all of one deck"
        found.append(_return(table, basis, *_by_line(counts, lines_of, table)))
    return found


def _texas_shootout(rulebook: Rulebook, tell: Tell) -> list[Return]:
    counts = _rank_counts(7, SHOE_DECKS, tell)
    found = []
    for table in rulebook.paytables(Game.TEXAS_SHOOTOUT, Wager.SHOOTOUT_BONUS):

        def lines_of(ranks: Ranks, table: Paytable = table) -> Int32s:
            return shootout.bonus_lines(ranks, table)

        basis = "any two cards and the flop, over all seven of six decks, nothing chosen"
        found.append(_return(table, basis, *_by_line(counts, lines_of, table)))
    envy = shootout.envy_paytable(rulebook)
    ways, _ = _by_line(counts, lambda ranks: shootout.bonus_lines(ranks, envy), envy)
    basis = "cents for each other hand of any two cards and the flop, nothing chosen"
    found.append(_return(envy, basis, ways, shootout.envy_line_cents(envy), in_cents=True))
    return found


def _rank_counts(size: int, decks: int, tell: Tell) -> Int64s:
    """Deals of each category and main rank: what every paytable of hands asks for."""
    counts = np.zeros(_KEY_COUNT, np.int64)
    done, total = 0, class_count(size, decks)
    for cards, weights in deals(size, decks):
        counts += sums_by_group(best_five(cards) >> _KEY_SHIFT, weights, _KEY_COUNT)
        done += len(weights)
        tell(done, total)
    assert int(counts.sum()) == deal_count(size, decks), "every deal is counted once"
    return counts


def _by_line(
    counts: Int64s, lines_of: Callable[[Ranks], Int32s], table: Paytable
) -> tuple[Int64s, Int64s]:
    """Deals of each line, none last, and the line's net: both (L + 1,)."""
    keys = np.flatnonzero(counts)
    lines = lines_of((keys << _KEY_SHIFT).astype(np.int32))
    ways = sums_by_group(lines + 1, counts[keys], len(table.lines) + 1)
    return np.roll(ways, -1), net_odds(table)


def _return(
    table: Paytable, basis: str, ways: Int64s, nets: Int64s, *, in_cents: bool = False
) -> Return:
    """`ways` and `nets` are of each line, and last of none."""
    lines: Sequence[Line | None] = (*table.lines, None)
    return Return(
        wager=table.wager,
        paytable=table.id,
        clause=table.clause,
        basis=basis,
        in_cents=in_cents,
        lines=tuple(
            LineCount(line, int(net), int(way))
            for line, net, way in zip(lines, nets.tolist(), ways.tolist(), strict=True)
        ),
    )


def _all_two() -> Cards:
    """Every two cards of one deck: (2, 1326)."""
    return np.array(list(combinations(range(DECK), 2)), np.uint8).T


def _two_cards() -> tuple[Cards, Int64s]:
    """Two cards up to the names of suits: (2, 169), and of how many of the 1326 each is: (169,)."""
    parts = list(deals(2))
    return np.concatenate([cards for cards, _ in parts], axis=1), np.concatenate(
        [weights for _, weights in parts]
    )


def _hand_nets(pairs: Cards, rulebook: Rulebook) -> list[int]:
    """Net units of one played hand for each two cards, over every three that may join them."""
    table = dakota.hand_paytable(rulebook)
    odds, nets = net_odds(table), []
    for two in pairs.T:
        rest = np.setdiff1d(np.arange(DECK, dtype=np.uint8), two)
        three = rest[_threes(len(rest))]
        hands = np.concatenate([np.repeat(two[:, None], three.shape[1], axis=1), three])
        nets.append(int(odds[dakota.hand_pay_lines(best_five(hands), table)].sum()))
    return nets


def _threes(count: int) -> Int64s:
    return np.array(list(combinations(range(count), 3)), np.int64).T


def _whole(
    pairs: Cards, weights: Int64s, hand_nets: list[int], table: Paytable | None
) -> WholeGame:
    """Play where hand 1, hand 2 and the bonus together beat the ante that a fold loses."""
    boards = comb(DECK - 2, 3)
    bonus = [0] * len(hand_nets)
    if table is not None:
        pays = dakota.pocket_pair_pays(table)
        bonus = pays[dakota.pocket_pair_lines(pairs, table)].tolist()
    net, played, folded = 0, 0, []
    for two, weight, hand, pay in zip(pairs.T, weights.tolist(), hand_nets, bonus, strict=True):
        # Both hands are two cards of one's own and three unknown ones: alike before the reveal.
        play, fold = 2 * hand + pay * boards, -boards
        net += weight * max(play, fold)
        if play >= fold:
            played += weight
        else:
            folded.append(two)
    return WholeGame(
        paytable=table.id if table else "",
        ways=comb(DECK, 2) * boards,
        net=net,
        played=played,
        folded=tuple(_kinds(folded)),
    )


def _kinds(twos: list[Cards]) -> Iterator[str]:
    """Two cards as players write them, the highest first: `AKs`, `J4`."""
    order = sorted(twos, key=lambda two: sorted(-(int(card) // 4) for card in two))
    for two in order:
        names = sorted(names_of(two).tolist(), key=lambda name: -RANKS.index(name[0]))
        suited = names[0][1] == names[1][1]
        yield names[0][0] + names[1][0] + ("s" if suited else "")
