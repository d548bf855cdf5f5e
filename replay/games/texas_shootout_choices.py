"""Texas Shootout: when the dealer's hand lies open, which choices count, and what they keep.

Source: 20:18:16:15.08(8) to (11); event contract 1, "How a round runs": of a spot's choices before
the dealer's hand is exposed the last counts, a later one only where there was none; the dealer's
last `KEEP` counts; cards that a decision names are read off the unread cards where they must be
among them.

Array convention: R rounds, P spots' seats, G groups of cards; kept and dealt cards are columns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from replay.arrays import (
    by_turn,
    distinct,
    equal_to,
    first_by_group,
    first_seq,
    last_by_group,
    nth_by_group,
)
from replay.cards import Cards
from replay.corrections import Corrected
from replay.events import NO_INDEX, Bools, EventColumns, Int64s, Ints
from replay.fold import Folded
from replay.games import texas_shootout as rule
from replay.layout import Lay
from replay.stream import Lifecycle
from replay.vocabulary import CARD_UNREAD, Decision, EventKind, Place

NAMED_MAX: Final = 4
"""Cards that a decision may name: two, or a split's four."""
HELD_MAX: Final = 8
"""Cards of a place that are looked at; four are right, more make the whole round a misdeal."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Choices:
    """What each spot and the dealer chose. An unread code stands for a card that is not known."""

    exposed_seq: Int64s
    """(R,) `seq` at which the dealer's hand lies open; NEVER."""
    row: Int64s
    """(P,) row of the choice that counts; -1: none."""
    split: Bools
    """(P,)."""
    named: Cards
    """(4, P) cards of the choice that counts: hand 1's two, then of a split hand 2's."""
    wrong: Bools
    """(P,) it names a card that was not dealt there, or another number of cards than it should."""
    dealer_row: Int64s
    """(R,)."""
    dealer_named: Cards
    """(2, R)."""
    dealer_wrong: Bools
    """(R,)."""
    untimely: Int64s
    """Rows of choices made too early or too late."""
    untimely_early: Bools
    """Whether each of those came before the cards it is about."""

    def kept(self, hand: int) -> Cards:
        """The two cards of a hand as far as they are known: (2, P)."""
        two = self.named[2 * hand - 2 : 2 * hand]
        return np.where(self.wrong, np.uint8(CARD_UNREAD), two)

    def kept_at(self, seat: int, hand: int) -> Cards:
        """The same for one seat: (2,)."""
        two = self.named[2 * hand - 2 : 2 * hand, seat]
        return np.where(self.wrong[seat], np.uint8(CARD_UNREAD), two)


def exposed_at(
    events: EventColumns, rows_of: Callable[[EventKind], Int64s], round_of: Ints, size: int
) -> Int64s:
    """`seq` at which the dealer's hand lies open in each round: (size,), NEVER if it does not.

    Shapes:  rows_of, the rows of a kind; round_of (N,), NO_INDEX for events that are not judged.
    Source:  findings contract: the first of `CardsRevealed` with `DEALER`, the dealer's first
             `KEEP`, the first `FLOP` card; 20:18:16:15.08(8) to (11).
    """
    dealer = np.uint16(1 << Place.DEALER)
    shows = rows_of(EventKind.CARDS_REVEALED)
    shows = shows.compress(events.at("places", shows) & dealer)
    keeps = _choices(events, rows_of(EventKind.DECISION_MADE))
    keeps = keeps.compress(events.spot.take(keeps) == 0)
    dealt = rows_of(EventKind.CARD_DEALT)
    flop = dealt.compress(equal_to(events.place.take(dealt), Place.FLOP))
    rows = np.concatenate([shows, keeps, flop])
    rows = np.sort(rows[round_of[rows] >= 0])
    return first_seq(events.seq[rows], round_of[rows], size)


@rule.RULE.clause("(8)", "the last choice before the dealer's hand lies open counts")
def counting(rows: Int64s, group: Ints, exposed: Bools, size: int) -> Int64s:
    """Row of the choice that counts for each group: (size,), -1 where there is none.

    Shapes:  rows, group, exposed (M,), choices in order, and whether the dealer's hand then lay
             open.
    Source:  20:18:16:15.08(8) to (11); reading `TS-SPLIT`. Of several later ones the first: when
             the second came there was one.
    """
    if not len(rows):
        return np.full(size, -1, np.int64)
    timely, late = rows[~exposed], rows[exposed]
    last = last_by_group(group[~exposed], size)
    first = first_by_group(group[exposed], size)
    counts = np.full(size, -1, np.int64)
    counts[first >= 0] = late[first[first >= 0]]
    counts[last >= 0] = timely[last[last >= 0]]
    return counts


def choose(folded: Folded, seats: Lay, dealer: Lay) -> Choices:
    """Find what counts: `seats` and `dealer` hold the cards dealt, HELD_MAX at the most."""
    events, seat_count, round_count = folded.events, folded.seat_count, folded.round_count
    exposed_seq = exposed_at(events, folded.rows, folded.round_of, round_count)
    choices = _choices(events, folded.rows(EventKind.DECISION_MADE))
    rows = choices[folded.seat_of[choices] >= 0]
    seat = folded.seat_of[rows]
    late = events.seq[rows] > exposed_seq[folded.round_of[rows]]
    row = counting(rows, seat, late, seat_count)
    split = (row >= 0) & (equal_to(events.at("decision", row), Decision.SPLIT))
    named = _named(events, row)
    keeps = choices[events.spot[choices] == 0]
    keep_round = folded.round_of[keeps]
    last = last_by_group(keep_round, round_count)
    dealer_row = np.where(last >= 0, keeps[last], -1) if len(keeps) else last
    dealer_named = _named(events, dealer_row)
    flop = folded.dealt(Place.FLOP)
    flop_seq = first_seq(events.seq[flop], folded.round_of[flop], round_count)
    first = np.zeros(len(keeps), np.bool_)
    first_keep = first_by_group(keep_round, round_count)
    first[first_keep[first_keep >= 0]] = True
    early = events.seq[rows] < seats.last_seq[seat]
    dealer_early = events.seq[keeps] < dealer.last_seq[keep_round]
    dealer_late = first & (events.seq[keeps] > flop_seq[keep_round])
    out, dealer_out = early | late, dealer_early | dealer_late
    untimely = np.concatenate([rows[out], keeps[dealer_out]]).astype(np.int64)
    order = np.argsort(untimely)
    return Choices(
        exposed_seq=exposed_seq,
        row=row,
        split=split,
        named=named,
        wrong=_names_wrongly(events, row, named, np.where(split, 4, 2), seats.cards),
        dealer_row=dealer_row,
        dealer_named=dealer_named[:2],
        dealer_wrong=_names_wrongly(
            events, dealer_row, dealer_named, np.full(round_count, 2), dealer.cards
        ),
        untimely=untimely[order],
        untimely_early=np.concatenate([early[out], dealer_early[dealer_out]])[order],
    )


def read_off(lifecycle: Lifecycle, corrections: Corrected) -> Corrected:
    """Corrections with the cards that decisions name read off unread cards, where they must be.

    A decision of the right number of cards is evidence, whether or not it counts; the one that
    counts comes first. Where more of its cards lack than are unread none can be read off.
    """
    events, rounds = lifecycle.events, lifecycle.rounds

    def rows_of(kind: EventKind) -> Int64s:
        return np.flatnonzero(equal_to(events.kind, kind))

    games = np.array([int(opening.game) for opening in lifecycle.openings] + [0])
    is_mine = np.append(equal_to(games[rounds.opening], rule.GAME), False)
    unread = np.flatnonzero(equal_to(events.kind, EventKind.CARD_DEALT) & (corrections.card >= 52))
    unread = unread[lifecycle.in_place[unread] & is_mine[lifecycle.round_of_row[unread]]]
    if not len(unread):
        return corrections
    mine = lifecycle.in_place & is_mine[lifecycle.round_of_row]
    held = mine & equal_to(events.kind, EventKind.CARD_DEALT)
    held &= (equal_to(events.place, Place.PLAYER) & (events.spot > 0)) | equal_to(
        events.place, Place.DEALER
    )
    unread = unread[held[unread]]
    if not len(unread):
        return corrections
    spot = np.where(equal_to(events.place, Place.DEALER), 0, events.spot).astype(np.int64)
    key = lifecycle.round_of_row * (spot.max() + 1) + spot
    groups = distinct(key[unread])
    place = np.minimum(np.searchsorted(groups, key), len(groups) - 1)
    concerned = mine & (groups[place] == key)
    choices = _choices(events, rows_of(EventKind.DECISION_MADE))
    decisions = choices[concerned[choices] & _names_enough(events, choices)]
    members = nth_by_group(place[held & concerned], len(groups), HELD_MAX)
    found = members >= 0
    cells = np.flatnonzero(held & concerned)[np.maximum(members, 0)]
    cards = np.where(found, corrections.card[cells], np.uint8(CARD_UNREAD))
    blank = found & (cards >= 52)
    round_of = np.where(lifecycle.in_place, lifecycle.round_of_row, NO_INDEX)
    exposed_seq = exposed_at(events, rows_of, round_of, len(rounds.index))
    late = events.seq[decisions] > exposed_seq[round_of[decisions]]
    is_dealer = events.spot[decisions] == 0
    counts = counting(decisions, place[decisions], late & ~is_dealer, len(groups))
    order = np.lexsort((decisions, decisions != counts[place[decisions]], place[decisions]))
    decisions = decisions[order]
    for turn in by_turn(place[decisions]):
        now = decisions[turn]
        at = place[now]
        cards[:, at], blank[:, at] = _fill(cards[:, at], blank[:, at], _named(events, now))
    card = corrections.card.copy()
    card[cells[found]] = cards[found]
    return replace(corrections, card=card)


def _choices(events: EventColumns, decisions: Int64s) -> Int64s:
    """Of rows of decisions this game's: a spot's `KEEP` or `SPLIT`, the dealer's `KEEP`."""
    decision = events.at("decision", decisions)
    splits = equal_to(decision, Decision.SPLIT) & (events.spot.take(decisions) > 0)
    return decisions.compress(equal_to(decision, Decision.KEEP) | splits)


def _names_enough(events: EventColumns, rows: Int64s) -> Bools:
    wanted = np.where(equal_to(events.at("decision", rows), Decision.SPLIT), 4, 2)
    enough: Bools = events.at("kept_count", rows) == wanted
    return enough


def _named(events: EventColumns, rows: Int64s) -> Cards:
    """Cards that decisions name: (4, M), unread where a row is -1 or names none."""
    packed = np.zeros(len(rows), np.uint32)
    if len(events):
        packed = events.at("kept", np.maximum(rows, 0))
    shifts = np.arange(0, 8 * NAMED_MAX, 8, dtype=np.uint32)[:, None]
    cards: Cards = (packed >> shifts & 0xFF).astype(np.uint8)
    cards[:, rows < 0] = CARD_UNREAD
    return cards


def _names_wrongly(
    events: EventColumns, rows: Int64s, named: Cards, wanted: Int64s, held: Cards
) -> Bools:
    """Choices of the wrong number of cards, none apart, or of a card that was not dealt: (M,).

    Shapes:  rows, wanted (M,); named (4, M); held (n, M), the cards dealt there.
    """
    count = np.where(rows >= 0, events.at("kept_count", rows), 0)
    missing = _missing(named, held).any(axis=0)
    wrong: Bools = (count > 0) & ((count != wanted) | missing)
    return wrong


def _missing(named: Cards, held: Cards) -> Bools:
    """Named cards that are not among the read ones, copies counted: (4, M), (n, M) -> (4, M)."""
    unused = np.ones(held.shape, np.bool_)
    missing = named < 52
    for card, lacks in zip(named, missing, strict=True):
        for other, is_unused in zip(held, unused, strict=True):
            same = (other == card) & is_unused & lacks
            lacks ^= same
            is_unused ^= same
    return missing


def _fill(cards: Cards, blank: Bools, named: Cards) -> tuple[Cards, Bools]:
    """Lay named cards that lack on unread places, first places first: (n, M), (n, M), (4, M)."""
    named = np.sort(named, axis=0)
    missing = _missing(named, cards)
    fits = missing.sum(axis=0) <= blank.sum(axis=0)
    columns = np.arange(named.shape[1])
    for card, lacks in zip(named, missing & fits, strict=True):
        place = blank.argmax(axis=0)
        cards[place[lacks], columns[lacks]] = card[lacks]
        blank[place[lacks], columns[lacks]] = False
    return cards, blank
