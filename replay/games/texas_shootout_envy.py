"""Texas Shootout: bounds of envy bonuses where cards were not read, or not known to be kept.

Source: 20:18:16:15.08(17); readings `ALL-UNSEEN`, `TS-ENVY`. The envy wagers of a round count
nearly the same hands, all but their own, so that they are worked out together: every hand once for
every way in which the unread cards may have fallen, and of their sum each wager leaves out its own.

Array convention: cards are columns, a column a way; cents (parts, M).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from replay.cards import Cards
from replay.events import Int64s
from replay.games import texas_shootout as rule
from replay.games.texas_shootout_ways import Ways, over_all
from replay.rulebook.model import Paytable
from replay.unread import Bounds, can_be_tried, fillings

Part = tuple[int, tuple[int, ...]]
"""Some hands of a seat: its number, and the numbers of the hands."""
Span = tuple[int, int]

_HANDS_MAX: Final = 1 << 19
"""Ranked at a time: some 10 MB."""


@dataclass(frozen=True, slots=True)
class EnvyWager:
    """Which hands a wager counts, by how they differ from all there are."""

    without: tuple[Part, ...]
    beside: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Board:
    """What every hand of a round is held against."""

    flop: Cards
    """(5,)."""
    left: Int64s
    """(52,) copies of each card that may remain."""
    table: Paytable


def envy_bounds(
    hands: Mapping[int, Ways], wagers: Sequence[EnvyWager], board: Board
) -> list[Bounds]:
    """Lowest and highest sum over the other hands' cards, for each wager of a round.

    A spot whose hands come to the same amount whatever its cards are is decided by itself; so is,
    once the flop was read, one without unread cards. The others are taken together.
    """
    full = [whole(seat, ways) for seat, ways in sorted(hands.items())]
    parts = sorted({*full, *(part for each in wagers for part in (*each.without, *each.beside))})
    ways = {part: hands[part[0]].of_hands(part[1]) for part in parts}
    flop_read = bool((board.flop < 52).all())
    alone = {part: _alone(ways[part], board) for part in parts}
    decided = {
        part: span
        for part, span in alone.items()
        if span and (span[0] == span[1] or (flop_read and not ways[part].unread))
    }
    open_wagers = [
        EnvyWager(
            tuple(part for part in each.without if part not in decided),
            tuple(part for part in each.beside if part not in decided),
        )
        for each in wagers
    ]
    together = _together(ways, [p for p in full if p not in decided], open_wagers, board)
    base = _sum(decided.get(part) for part in full)
    found: list[Bounds] = []
    for each, span in zip(wagers, together, strict=True):
        less = _sum(decided.get(part) for part in each.without)
        more = _sum((base, span, *(decided.get(part) for part in each.beside)))
        found.append(None if span is None else (more[0] - less[0], more[1] - less[1]))
    return found


def _alone(ways: Ways, board: Board) -> Bounds:
    """Bounds of what the hands of one part come to."""

    def evaluate(cards: Cards) -> Int64s:
        total = np.zeros(cards.shape[1], np.int64)
        for first in range(rule.FLOP_SIZE, len(cards), 2):
            ranks = rule.hand_ranks(cards[first : first + 2], cards[: rule.FLOP_SIZE])
            total += rule.envy_hand_cents(ranks, board.table)
        return total

    return over_all(
        (
            np.array([*board.flop, *(card for two in hands for card in two)], np.uint8)
            for hands in ways.arrangements
        ),
        (0,) * rule.FLOP_SIZE + (1, 1, 2, 2)[: 2 * len(ways.picks[0])],
        board.left + ways.back,
        ways.unread + int((board.flop >= 52).sum()),
        evaluate,
    )


def whole(seat: int, ways: Ways) -> Part:
    """All hands of a seat."""
    return seat, tuple(range(1, 1 + len(ways.picks[0])))


def _sum(spans: Iterable[Bounds]) -> Span:
    known = [span for span in spans if span is not None]
    return sum(low for low, _ in known), sum(high for _, high in known)


def _together(
    ways: Mapping[Part, Ways], full: Sequence[Part], wagers: Sequence[EnvyWager], board: Board
) -> list[Bounds]:
    """Bounds over `full`, without and beside what each wager says; (0, 0) over nothing.

    Wagers that rest on the same unread cards are worked out in one go.
    """
    unread = [part for part in full if ways[part].unread]
    groups: dict[tuple[Part, ...], list[int]] = {}
    found: list[Bounds] = [None] * len(wagers)
    for number, wager in enumerate(wagers):
        if len(full) == len(wager.without) and not wager.beside:
            found[number] = (0, 0)
            continue
        kept = [part for part in unread if part not in wager.without]
        more = [part for part in wager.beside if ways[part].unread]
        groups.setdefault((*kept, *more), []).append(number)
    for key, numbers in groups.items():
        known = [part for part in full if part in key or not ways[part].unread]
        spans = _over_fillings(ways, key, known, [wagers[number] for number in numbers], board)
        for number, span in zip(numbers, spans, strict=True):
            found[number] = span
    return found


def _over_fillings(
    ways: Mapping[Part, Ways],
    unread: tuple[Part, ...],
    full: Sequence[Part],
    wagers: Sequence[EnvyWager],
    board: Board,
) -> Sequence[Bounds]:
    """The same for wagers that rest on the unread cards of these parts, and of the flop."""
    left = sum((ways[part].back for part in unread), board.left)
    unread_count = int((board.flop >= 52).sum()) + sum(ways[part].unread for part in unread)
    if not can_be_tried(left, unread_count):
        return [None] * len(wagers)
    parts = sorted({*full, *(part for wager in wagers for part in wager.beside)})
    row = {part: number for number, part in enumerate(parts)}
    counted = [row[part] for part in full]
    without = [[row[part] for part in wager.without if part in row] for wager in wagers]
    beside = [[row[part] for part in wager.beside] for wager in wagers]
    spans: list[Span] | None = None
    for low, high in _cents(ways, unread, parts, left, board):
        sums = low[counted].sum(axis=0), high[counted].sum(axis=0)
        now = [
            (
                int((sums[0] - low[less].sum(axis=0) + low[more].sum(axis=0)).min()),
                int((sums[1] - high[less].sum(axis=0) + high[more].sum(axis=0)).max()),
            )
            for less, more in zip(without, beside, strict=True)
        ]
        pairs = zip(spans or now, now, strict=True)
        spans = [(min(a[0], b[0]), max(a[1], b[1])) for a, b in pairs]
    return spans or []


def _cents(
    ways: Mapping[Part, Ways],
    unread: tuple[Part, ...],
    parts: Sequence[Part],
    left: Int64s,
    board: Board,
) -> Iterator[tuple[Int64s, Int64s]]:
    """Least and most that the hands of each part come to, some ways at a time: (parts, M) each."""
    starts, cards, alike = {}, [*board.flop], [0] * rule.FLOP_SIZE
    for part in unread:
        starts[part] = len(cards)
        alike += [len(cards) + place for place in ways[part].alike]
        cards += ways[part].cards
    pairs: list[tuple[int, ...]] = []
    fixed: list[int] = []  # cards that lie behind those that are filled
    picks: list[Int64s] = []
    for part in parts:
        if part not in starts:
            start = len(cards) + len(fixed)
            fixed += ways[part].cards
        else:
            start = starts[part]
        drawn = sorted({pair for pick in ways[part].picks for pair in pick})
        number = {pair: len(pairs) + at for at, pair in enumerate(drawn)}
        picks.append(np.array([[number[pair] for pair in pick] for pick in ways[part].picks]))
        pairs += [tuple(start + place for place in pair) for pair in drawn]
    places = np.array(pairs, np.int64).reshape(-1, 2).T
    step = max(1, _HANDS_MAX // max(len(pairs), 1))
    for filled in fillings(np.array(cards, np.uint8), tuple(alike), left):
        for at in range(0, filled.shape[1], step):
            piece = filled[:, at : at + step]
            size = piece.shape[1]
            rest = np.repeat(np.array(fixed, np.uint8)[:, None], size, axis=1)
            two = np.concatenate([piece, rest])[places].reshape(2, -1)
            flop = np.tile(piece[: rule.FLOP_SIZE], len(pairs))
            worth = rule.envy_hand_cents(rule.hand_ranks(two, flop), board.table)
            worth = worth.reshape(len(pairs), size)
            sums = [worth[each].sum(axis=1) for each in picks]
            if sums:
                yield (
                    np.stack([each.min(axis=0) for each in sums]),
                    np.stack([each.max(axis=0) for each in sums]),
                )
            else:
                yield np.zeros((0, size), np.int64), np.zeros((0, size), np.int64)
