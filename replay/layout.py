"""Cards as they lie in folded rounds: at the seats, in the community, in order of the deal.

Array convention as in `replay.fold`. A place where no card lies, or whose card was not read, holds
a code of 52 or above.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from replay.arrays import (
    NEVER,
    among,
    equal_to,
    first_by_group,
    first_of_run,
    nth_by_group,
    position_in_group,
    value_at,
)
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
    seat_of = folded.column("seat_of", EventKind.CARD_DEALT)
    seats = folded.seat_count
    cards = np.flatnonzero(seat_of >= 0)
    groups = seat_of.take(cards)
    counts = np.bincount(groups, minlength=seats)
    playing = np.bincount(folded.seat_round.compress(counts), minlength=folded.round_count)
    return _lay(folded, cards, groups, counts, size, playing.take(folded.seat_round))


def community_cards(folded: Folded, place: Place, size: int) -> Lay:
    """The first `size` cards of one community place, or of the dealer, of every round."""
    cards = folded.dealt_places(place)
    groups = folded.column("round_of", EventKind.CARD_DEALT).take(cards)
    counts = np.bincount(groups, minlength=folded.round_count)
    return _lay(folded, cards, groups, counts, size, np.ones(folded.round_count, np.int64))


def _lay(
    folded: Folded, cards: Int64s, groups: Int64s, counts: Int64s, size: int, step: Int64s
) -> Lay:
    """Lay some of the cards dealt at the groups that they fall to.

    Shapes:  cards (M,), which of them; groups (M,); counts (G,), cards of each group; step (G,),
             after how many of those cards the next one of a group most likely comes.
    """
    count = len(counts)
    if not len(cards):
        unread = np.full((size, count), CARD_UNREAD, np.uint8)
        return Lay(unread, counts, np.full(count, NEVER))
    members = _members(groups, counts, size, step)
    code = folded.column("card", EventKind.CARD_DEALT).take(cards)
    seq = folded.column("seq", EventKind.CARD_DEALT)
    laid = np.where(members >= 0, code.take(members), np.uint8(CARD_UNREAD))
    last = value_at(cards, members.max(axis=0), np.int64(-1))
    return Lay(laid, counts, value_at(seq, last, NEVER))


def _members(groups: Int64s, counts: Int64s, size: int, step: Int64s) -> Int64s:
    """As `nth_by_group`, by a guess that is looked at: (M,) -> (size, G).

    Nearly everywhere cards come in turn: then the members of a group are so many apart. Groups
    where they are not, or which have more of them, go the long way.
    """
    first = first_by_group(groups, len(counts))
    group = np.arange(len(counts))
    members = np.empty((size, len(counts)), np.int64)
    right = counts <= size
    members[0] = first
    for nth in range(1, size):
        there = first + nth * step
        has = counts > nth
        holds = (groups.take(there, mode="clip") == group) & (there < len(groups))
        right &= ~has | holds
        members[nth] = np.where(has, there, -1)
    if not right.all():
        others = np.flatnonzero(~right.take(groups))
        slowly = nth_by_group(groups.take(others), len(counts), size)
        members[:, ~right] = value_at(others, slowly[:, ~right], np.int64(-1))
    return members


def first_deal_seq(folded: Folded) -> Int64s:
    """`seq` of the first card dealt in each round: (R,), NEVER where none was."""
    kind = EventKind.CARD_DEALT
    return value_at(folded.column("seq", kind), folded.first_of_kind(kind), NEVER)


def clockwise(
    folded: Folded, seats: Bools, per_seat: int, dealer: Place | None, last: tuple[Place, ...]
) -> Bools:
    """Whether each round was dealt clockwise from the dealer's left, the community last: (R,).

    One card at a time, or a seat's cards together; the dealer, where there is one, after the
    highest spot. Only rounds with the right number of cards are answered rightly.
    """
    round_of = folded.column("round_of", EventKind.CARD_DEALT)
    place = folded.column("place", EventKind.CARD_DEALT)
    is_last = among(place, last)
    begins = first_of_run(round_of)
    # No hand card may follow a community card: none follows one right away.
    late = np.zeros(len(place), np.bool_)
    late[1:] = is_last[:-1] & ~is_last[1:] & ~begins[1:]
    # Number of the hand within its round: seats by spot, then the dealer.
    seat_number, hand_count = _numbers(folded, seats)
    number = seat_number.take(folded.column("seat_of", EventKind.CARD_DEALT))
    size = hand_count.take(round_of)
    if dealer is not None:
        number = np.where(equal_to(place, dealer), size, number)
        size += 1
    fits = _in_turn(number, size, begins) | is_last
    answer = _all_of(round_of, fits, folded.round_count)
    if not answer.all():
        hands = np.flatnonzero(~is_last & ~answer.take(round_of))
        hand_round = round_of.take(hands)
        turn = position_in_group(hand_round, folded.round_count)
        answer |= _all_of(hand_round, turn // per_seat == number[hands], folded.round_count)
    answer[round_of[late]] = False
    return answer


def _numbers(folded: Folded, seats: Bools) -> tuple[Int64s, Int64s]:
    """Number of each seat among those of its round that take part, and how many those are.

    Shapes:  seats (P,) -> (P + 1,), -1 for seats that do not, and last for no seat; (R,).
    """
    playing = np.flatnonzero(seats)
    number = np.full(folded.seat_count + 1, -1, np.int64)
    number[playing] = position_in_group(folded.seat_round[playing], folded.round_count)
    return number, np.bincount(folded.seat_round[playing], minlength=folded.round_count)


def _in_turn(number: Int64s, size: Int64s, begins: Bools) -> Bools:
    """Which cards come right after the one before: 0, 1, 2 to `size` - 1, then 0 again: (M,).

    Shapes:  number, size (M,); begins (M,), the first card of a round. The first card of a round
             that is not in turn is found; what is said of those after it is of no account.
    """
    wanted = np.zeros(len(number), np.int64)
    wanted[1:] = number[:-1] + 1
    wanted *= (wanted != size) & ~begins
    fits: Bools = number == wanted
    return fits


def count_right(
    folded: Folded, in_play: Bools, seat_size: int, community: Mapping[Place, int]
) -> Bools:
    """Whether every spot in play and every community place got its number of cards: (R,).

    Shapes:  in_play (P,). A card at a place that the game does not have is one too many.
    """
    round_of = folded.column("round_of", EventKind.CARD_DEALT)
    place = folded.column("place", EventKind.CARD_DEALT)
    seat_of = folded.column("seat_of", EventKind.CARD_DEALT)
    places, rounds = len(Place), folded.round_count
    counts = np.bincount(round_of * places + place, minlength=rounds * places)
    wanted = np.zeros(places, np.int64)
    for each, size in community.items():
        wanted[each] = size
    there = counts.reshape(rounds, places)
    wrong = there != wanted
    wrong[:, Place.PLAYER] = False  # counted by seat
    right: Bools = ~wrong.any(axis=1)
    right[round_of[equal_to(place, Place.PLAYER) & (seat_of < 0)]] = False
    at_seats = np.bincount(seat_of.compress(seat_of >= 0), minlength=folded.seat_count)
    right[folded.seat_round[in_play & (at_seats != seat_size)]] = False
    return right


def in_rotation(folded: Folded, seats: Bools, first: tuple[Place, ...]) -> Bools:
    """Whether each round's cards came one at a time in rotation, as far as they came: (R,).

    Shapes:  seats (P,), the spots that take part. The places of `first`, then the spots by number,
             then the same again; how often it went round is not looked at.
    """
    round_of = folded.column("round_of", EventKind.CARD_DEALT)
    place = folded.column("place", EventKind.CARD_DEALT)
    number, count = _numbers(folded, seats)
    number[number >= 0] += len(first)
    turn_of = number.take(folded.column("seat_of", EventKind.CARD_DEALT))
    for turn, each in enumerate(first):
        turn_of[equal_to(place, each)] = turn
    cycle = (len(first) + count).take(round_of)
    return _all_of(round_of, _in_turn(turn_of, cycle, first_of_run(round_of)), folded.round_count)


def _all_of(groups: Ints, holds: Bools, count: int) -> Bools:
    """Whether a condition holds for every member of each group: (count,)."""
    answer = np.ones(count, np.bool_)
    answer[groups[np.flatnonzero(~holds)]] = False
    return answer
