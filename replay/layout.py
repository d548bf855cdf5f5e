"""Cards as they lie in folded rounds: at the seats, in the community, in order of the deal.

Array convention as in `replay.fold`. A place where no card lies, or whose card was not read, holds
a code of 52 or above.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from replay.arrays import NEVER, among, first_by_group, nth_by_group, position_in_group, value_at
from replay.cards import Cards
from replay.events import Bools, Int64s, Ints
from replay.fold import Folded
from replay.vocabulary import CARD_UNREAD, EventKind, Place


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Lay:
    """Cards at G groups (seats or rounds), `n` at each at the most."""

    cards: Cards
    """(n, G) in the order dealt."""
    count: Int64s
    """(G,) how many were dealt there, also beyond n."""
    last_seq: Int64s
    """(G,) `seq` of the last of these cards; NEVER where none was dealt."""


def seat_cards(folded: Folded, size: int) -> Lay:
    """The first `size` cards of every seat."""
    rows = folded.dealt(Place.PLAYER)
    rows = rows[folded.seat_of[rows] >= 0]
    return _lay(folded, rows, folded.seat_of[rows], folded.seat_count, size)


def community_cards(folded: Folded, place: Place, size: int) -> Lay:
    """The first `size` cards of one community place, or of the dealer, of every round."""
    rows = folded.dealt(place)
    return _lay(folded, rows, folded.round_of[rows], folded.round_count, size)


def _lay(folded: Folded, rows: Int64s, groups: Ints, count: int, size: int) -> Lay:
    members = nth_by_group(groups, count, size)
    found = members >= 0
    cards = np.full(members.shape, CARD_UNREAD, np.uint8)
    cards[found] = folded.card[rows[members[found]]]
    seq = np.where(found, value_at(folded.events.seq[rows], members, NEVER), -1)
    last: Int64s = np.where(found.any(axis=0), seq.max(axis=0), NEVER)
    return Lay(cards, np.bincount(groups, minlength=count).astype(np.int64), last)


def first_deal_seq(folded: Folded) -> Int64s:
    """`seq` of the first card dealt in each round: (R,), NEVER where none was."""
    rows = folded.rows(EventKind.CARD_DEALT)
    return value_at(
        folded.events.seq[rows],
        first_by_group(folded.round_of[rows], folded.round_count),
        NEVER,
    )


def wrong_places(folded: Folded, offered_places: tuple[Place, ...]) -> Bools:
    """Rounds in which a card was dealt to a place that the game does not have: (R,)."""
    rows = folded.rows(EventKind.CARD_DEALT)
    known = among(folded.events.place[rows], offered_places)
    wrong = np.zeros(folded.round_count, np.bool_)
    wrong[folded.round_of[rows[~known]]] = True
    lost = rows[(folded.events.place[rows] == Place.PLAYER) & (folded.seat_of[rows] < 0)]
    wrong[folded.round_of[lost]] = True
    return wrong


def clockwise(
    folded: Folded, seats: Bools, per_seat: int, dealer: Place | None, last: tuple[Place, ...]
) -> Bools:
    """Whether each round was dealt clockwise from the dealer's left, the community last: (R,).

    One card at a time, or a seat's cards together; the dealer, where there is one, after the
    highest spot. Only rounds with the right number of cards are answered rightly.
    """
    events = folded.events
    rows = folded.rows(EventKind.CARD_DEALT)
    is_last = among(events.place[rows], last)
    is_hand = ~is_last
    round_of = folded.round_of[rows]
    hands = rows[is_hand]
    hand_round = round_of[is_hand]
    # Number of the hand within its round: seats by spot, then the dealer.
    seat_number = np.full(folded.seat_count + 1, -1, np.int64)
    playing = np.flatnonzero(seats)
    seat_number[playing] = position_in_group(folded.seat_round[playing], folded.round_count)
    hand_count = np.bincount(folded.seat_round[playing], minlength=folded.round_count)
    number = seat_number[folded.seat_of[hands]]
    if dealer is not None:
        number = np.where(events.place[hands] == dealer, hand_count[hand_round], number)
        hand_count = hand_count + 1
    turn = position_in_group(hand_round, folded.round_count)
    at_a_time = turn % np.maximum(hand_count[hand_round], 1) == number
    together = turn // per_seat == number
    good = _all_of(hand_round, at_a_time, folded.round_count) | _all_of(
        hand_round, together, folded.round_count
    )
    # No hand card may follow a community card.
    first_last = value_at(
        events.seq[rows[is_last]],
        first_by_group(round_of[is_last], folded.round_count),
        NEVER,
    )
    early = events.seq[hands] < first_last[hand_round]
    answer: Bools = good & _all_of(hand_round, early, folded.round_count)
    return answer


def count_right(
    folded: Folded, in_play: Bools, seat_size: int, community: Mapping[Place, int]
) -> Bools:
    """Whether every spot in play and every community place got its number of cards: (R,).

    Shapes:  in_play (P,). A card at a place that the game does not have is one too many.
    """
    right = ~wrong_places(folded, (Place.PLAYER, *community))
    for place, size in community.items():
        rows = folded.dealt(place)
        counts = np.bincount(folded.round_of[rows], minlength=folded.round_count)
        right &= counts == size
    seats = folded.seat_of[folded.dealt(Place.PLAYER)]
    counts = np.bincount(seats[seats >= 0], minlength=folded.seat_count)
    right[folded.seat_round[in_play & (counts != seat_size)]] = False
    return right


def in_rotation(folded: Folded, seats: Bools, first: tuple[Place, ...]) -> Bools:
    """Whether each round's cards came one at a time in rotation, as far as they came: (R,).

    Shapes:  seats (P,), the spots that take part. The places of `first`, then the spots by number,
             then the same again; how often it went round is not looked at.
    """
    rows = folded.rows(EventKind.CARD_DEALT)
    round_of, place = folded.round_of[rows], folded.events.place[rows]
    playing = np.flatnonzero(seats)
    number = np.full(folded.seat_count + 1, -1, np.int64)  # the last: no seat
    number[playing] = len(first) + position_in_group(folded.seat_round[playing], folded.round_count)
    turn_of = np.where(place == Place.PLAYER, number[folded.seat_of[rows]], -1)
    for turn, each in enumerate(first):
        turn_of[place == each] = turn
    cycle = len(first) + np.bincount(folded.seat_round[playing], minlength=folded.round_count)
    fits = position_in_group(round_of, folded.round_count) % cycle[round_of] == turn_of
    return _all_of(round_of, fits, folded.round_count)


def _all_of(groups: Ints, holds: Bools, count: int) -> Bools:
    """Whether a condition holds for every member of each group: (count,)."""
    answer = np.ones(count, np.bool_)
    answer[groups[~holds]] = False
    return answer
