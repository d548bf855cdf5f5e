"""Texas Shootout: what is due at every seat, by the cards kept, the dealer's hand and the flop.

Source: 20:18:16:15.08(11) to (17), whose clauses `texas_shootout` carries out. Array convention as
in `replay.fold`; cards are columns, (4, P) dealt to seats, (4, R) to the dealer, (5, R) on the
flop; money in cents, net to the player.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from replay.arrays import distinct, sums_by_group
from replay.bets import Argument
from replay.cards import Cards
from replay.chips import Chips
from replay.events import NO_INDEX, Bools, Int64s
from replay.fold import Folded
from replay.games import texas_shootout as rule
from replay.games.play import Dues
from replay.games.posted import posted_at, posted_tables, seats_paid_by, seats_unknown
from replay.games.texas_shootout_choices import Choices
from replay.games.texas_shootout_envy import Board, EnvyWager, envy_bounds, whole
from replay.games.texas_shootout_ways import (
    Ways,
    bonus_bounds,
    dealer_ways,
    primary_bounds,
    seat_ways,
)
from replay.games.texas_shootout_words import Scene, argue
from replay.ranking import Ranks
from replay.rulebook.house_way import HouseWay
from replay.rulebook.loader import Rulebook
from replay.rulebook.model import Paytable
from replay.shoes import Seen
from replay.unread import Bounds
from replay.vocabulary import CARD_UNREAD, EventKind, Wager

HANDS = (1, 2)


@dataclass(frozen=True, slots=True)
class Settler:
    """The folded rounds as far as the dues rest on them."""

    folded: Folded
    rulebook: Rulebook
    chips: Chips
    choices: Choices
    seats: Cards
    """(4, P)."""
    has_cards: Bools
    """(P,) cards were dealt there, so that a hand is at the table."""
    dealer: Cards
    flop: Cards
    seen: Seen
    right: Bools
    """(R,) rounds with the right number of cards."""
    partners: tuple[Int64s, Int64s]
    """Two seats of a round that share a player, each pair both ways round: (M,), (M,).

    None where hands of the same player count as any others."""
    known_ranks: dict[int, Ranks] = field(default_factory=dict)
    """By hand, those that were worked out so far."""

    def dues(self) -> Dues:
        """Due on every bet; only rounds with the right number of cards are worked out."""
        folded, stands = self.folded, self.chips.stands
        dues = Dues.nothing(stands)
        two, dealer_open = self._dealer_plays()
        dealer_rank = rule.hand_ranks(_filled(two), _filled(self.flop))[folded.seat_round]
        ranks = [self._ranks(hand) for hand in HANDS]
        right = self.right[folded.seat_round]
        for hand in HANDS:
            hand_open = self._hand_open(hand)
            slot = folded.slot(Wager.PRIMARY, hand)
            stake = stands[:, slot]
            dues.put(slot, rule.primary_net_cents(stake, ranks[hand - 1], dealer_rank))
            unknown = hand_open | dealer_open[folded.seat_round]
            for seat in np.flatnonzero(unknown & right & (stake > 0)):
                dues.bound(int(seat), slot, self._primary_bounds(int(seat), hand))
            slot = folded.slot(Wager.SHOOTOUT_BONUS, hand)
            stake = stands[:, slot]
            dues.put(slot, stake * self._bonus_odds(ranks[hand - 1]))
            dues.unjudged[:, slot] = seats_unknown(folded, Wager.SHOOTOUT_BONUS)
            unknown = hand_open & right & (stake > 0) & ~dues.unjudged[:, slot]
            for seat in np.flatnonzero(unknown):
                table = posted_at(folded, int(seat), Wager.SHOOTOUT_BONUS)
                dues.bound(int(seat), slot, self._bonus_bounds(int(seat), hand, table))
        self._put_envy(dues, ranks)
        return dues

    def other_dues(self, slot: int, seats: Int64s, tables: Sequence[Paytable]) -> dict[str, Int64s]:
        """Due at some seats under bonus paytables: id -> (M,).

        Shapes:  seats (M,). Where unread cards leave that open, what is due under the posted one:
                 it tells nothing.
        """
        hand, wager, _ = self.folded.slots[slot]
        stake, ranks = self.chips.stands[seats, slot], self._ranks(hand)[seats]
        unknown = self._hand_open(hand) & self.right[self.folded.seat_round]
        unknown &= ~seats_unknown(self.folded, wager)
        open_here = np.flatnonzero(unknown[seats] & (stake > 0)).tolist()
        dues = {}
        for table in tables:
            cents = stake * rule.bonus_odds(ranks, table)
            for at in open_here:
                seat = int(seats[at])
                found = self._bonus_bounds(seat, hand, table)
                if found is None or found[0] != found[1]:
                    found = self._bonus_bounds(seat, hand, posted_at(self.folded, seat, wager))
                cents[at] = found[0] if found else 0
            dues[table.id] = cents
        return dues

    def earned_by(self) -> Int64s:
        """The bonus wager that earned each envy bonus: (P, K)."""
        stands = self.chips.stands
        earned = np.zeros_like(stands)
        for hand in HANDS:
            bonus = stands[:, self.folded.slot(Wager.SHOOTOUT_BONUS, hand)]
            envy = self.folded.slot(Wager.ENVY_BONUS, hand)
            earned[:, envy] = np.where(rule.envy_qualifies(bonus), bonus, 0)
        return earned

    def argue(self, seat: int, slot: int) -> Argument:
        """Why what is due on a bet is due."""
        hand, wager, _ = self.folded.slots[slot]
        place = int(self.folded.seat_round[seat])
        others: list[tuple[int, int, Cards]] = []
        if wager == Wager.ENVY_BONUS:
            others = [
                (int(self.folded.seat_spot[other]), number, self.choices.kept_at(other, number))
                for other in self._seats_at(place)
                for number in self._hands_of(other, seat, hand)
            ]
        scene = Scene(
            kept=self.choices.kept_at(seat, hand),
            flop=self.flop[:, place],
            dealer=self._dealer_at(place),
            paytable=posted_at(self.folded, seat, Wager.SHOOTOUT_BONUS),
            bonus_cents=int(self.chips.stands[seat, self.folded.slot(Wager.SHOOTOUT_BONUS, hand)]),
            others=others,
        )
        return argue(self.rulebook, wager, hand, scene)

    def _dealer_plays(self) -> tuple[Cards, Bools]:
        """The dealer's two cards, (2, R), and where they are not known, (R,).

        By the house way where one is posted and known, else those that the dealer kept.
        """
        two = self.choices.dealer_named.copy()
        for way in self._ways_posted():
            posts = np.array([opening.house_way == way for opening in self.folded.openings])
            mine = posts[self.folded.opening_of]
            two[:, mine] = _by_house_way(self.dealer[:, mine], two[:, mine], way)
        two[:, self.choices.dealer_wrong] = CARD_UNREAD
        return two, _any_unread(two)

    def _dealer_at(self, place: int) -> Cards:
        """The same for one round: (2,)."""
        two = self.choices.dealer_named[:, place, None]
        way = self.folded.openings[self.folded.opening_of[place]].house_way
        if way is not None:
            two = _by_house_way(self.dealer[:, place, None], two, way)
        return np.where(self.choices.dealer_wrong[place], np.uint8(CARD_UNREAD), two[:, 0])

    def _ways_posted(self) -> list[HouseWay]:
        ways = [opening.house_way for opening in self.folded.openings]
        return list({way.name: way for way in ways if way is not None}.values())

    def _ranks(self, hand: int) -> Ranks:
        """Rank of each seat's hand, as if unread cards were read; 0 for hands there are not."""
        if hand in self.known_ranks:
            return self.known_ranks[hand]
        ranks = np.zeros(self.folded.seat_count, np.int32)
        mine = np.flatnonzero(self.has_cards if hand == 1 else self.choices.split)
        flop = self.flop[:, self.folded.seat_round[mine]]
        ranks[mine] = rule.hand_ranks(_filled(self.choices.kept(hand)[:, mine]), _filled(flop))
        self.known_ranks[hand] = ranks
        return ranks

    def _bonus_odds(self, ranks: Ranks) -> Int64s:
        odds = np.zeros(self.folded.seat_count, np.int64)
        for table in posted_tables(self.folded, Wager.SHOOTOUT_BONUS):
            mine = seats_paid_by(self.folded, Wager.SHOOTOUT_BONUS, table)
            odds[mine] = rule.bonus_odds(ranks[mine], table)
        return odds

    def _hand_open(self, hand: int) -> Bools:
        """Seats with an unread or unknown card among a hand's two and the flop: (P,)."""
        flop_open = _any_unread(self.flop)[self.folded.seat_round]
        return _any_unread(self.choices.kept(hand)) | flop_open

    def _put_envy(self, dues: Dues, ranks: list[Ranks]) -> None:
        """(17): all hands of the round but the wager's own, and those that a reading leaves out."""
        folded, split = self.folded, self.choices.split
        table = rule.envy_paytable(self.rulebook)
        at_table = (self.has_cards, self.has_cards & split)
        amounts = [
            np.where(here, rule.envy_hand_cents(rank, table), 0)
            for here, rank in zip(at_table, ranks, strict=True)
        ]
        total = sums_by_group(folded.seat_round, amounts[0] + amounts[1], folded.round_count)
        left_out = self._left_out(amounts[0] + amounts[1])
        open_hand = np.zeros(folded.round_count, np.bool_)
        for hand, here in zip(HANDS, at_table, strict=True):
            unknown = here & self._hand_open(hand)
            open_hand[folded.seat_round[unknown]] = True
        unsure = (open_hand & self.right)[folded.seat_round]
        unknown_of: dict[int, list[tuple[int, int]]] = {}
        for hand in HANDS:
            bonus = self.chips.stands[:, folded.slot(Wager.SHOOTOUT_BONUS, hand)]
            qualifies = rule.envy_qualifies(bonus)
            own = amounts[hand - 1] if left_out is None else left_out
            slot = folded.slot(Wager.ENVY_BONUS, hand)
            dues.put(slot, np.where(qualifies, total[folded.seat_round] - own, 0))
            for seat in np.flatnonzero(qualifies & unsure).tolist():
                place = int(folded.seat_round[seat])
                unknown_of.setdefault(place, []).append((seat, hand))
        for place, wagers in unknown_of.items():
            for (seat, hand), span in zip(wagers, self._envy_bounds(place, wagers), strict=True):
                dues.bound(seat, folded.slot(Wager.ENVY_BONUS, hand), span)

    def _excludes(self) -> bool:
        return excludes_partners(self.rulebook)

    def _left_out(self, amounts: Int64s) -> Int64s | None:
        """What `exclude-same-player` leaves out for each seat, (P,); None where it is not read."""
        if not self._excludes():
            return None
        seats, partners = self.partners
        return amounts + sums_by_group(seats, amounts[partners], len(amounts))

    def _primary_bounds(self, seat: int, hand: int) -> Bounds:
        place = int(self.folded.seat_round[seat])
        stake = int(self.chips.stands[seat, self.folded.slot(Wager.PRIMARY, hand)])
        way = self.folded.openings[self.folded.opening_of[place]].house_way
        dealer = dealer_ways(
            self.dealer[:, place],
            self.choices.dealer_named[:, place],
            way,
            wrong=bool(self.choices.dealer_wrong[place]),
        )
        mine = self._ways_at(seat).of_hand(hand)
        return primary_bounds(stake, mine, dealer, self.flop[:, place], self.seen.left(place))

    def _bonus_bounds(self, seat: int, hand: int, table: Paytable | None) -> Bounds:
        place = int(self.folded.seat_round[seat])
        stake = int(self.chips.stands[seat, self.folded.slot(Wager.SHOOTOUT_BONUS, hand)])
        assert table is not None
        mine = self._ways_at(seat).of_hand(hand)
        return bonus_bounds(stake, mine, self.flop[:, place], self.seen.left(place), table)

    def _envy_bounds(self, place: int, wagers: list[tuple[int, int]]) -> list[Bounds]:
        """Of the envy bonuses of a round, told by seat and hand of their wagers."""
        hands = {seat: self._ways_at(seat) for seat in self._seats_at(place)}
        board = Board(self.flop[:, place], self.seen.left(place), rule.envy_paytable(self.rulebook))
        counted = []
        for seat, hand in wagers:
            if self._excludes():
                seats, partners = self.partners
                mine = [seat, *partners[seats == seat].tolist()]
                without = tuple(whole(each, hands[each]) for each in mine if each in hands)
                counted.append(EnvyWager(without))
            else:
                own = whole(seat, hands[seat])
                others = tuple(each for each in own[1] if each != hand)
                counted.append(EnvyWager((own,), ((seat, others),) if others else ()))
        return envy_bounds(hands, counted, board)

    def _seats_at(self, place: int) -> list[int]:
        first, end = np.searchsorted(self.folded.seat_round, (place, place + 1))
        return [seat for seat in range(first, end) if self.has_cards[seat]]

    def _hands_of(self, other: int, seat: int, hand: int) -> tuple[int, ...]:
        """Hands of another (or the same) seat that count for a wager's envy."""
        hands = HANDS if self.choices.split[other] else (1,)
        if not self._excludes():
            return tuple(each for each in hands if (other, each) != (seat, hand))
        seats, partners = self.partners
        shares = other == seat or bool(((seats == seat) & (partners == other)).any())
        return () if shares else hands

    def _ways_at(self, seat: int) -> Ways:
        choices = self.choices
        return seat_ways(
            self.seats[:, seat],
            choices.named[:, seat],
            split=bool(choices.split[seat]),
            wrong=bool(choices.wrong[seat]),
        )


NO_PARTNERS: Final = (np.zeros(0, np.int64), np.zeros(0, np.int64))


def excludes_partners(rulebook: Rulebook) -> bool:
    """Whether the hands of a seat of the same player are no cause of envy: TS-ENVY-OWN."""
    return rulebook.reading("TS-ENVY-OWN").value == "exclude-same-player"


def partners_of(folded: Folded) -> tuple[Int64s, Int64s]:
    """Seats of a round that share a player, and the seats they share one with: (M,), (M,)."""
    events = folded.events
    rows = folded.rows(EventKind.WAGER_PLACED)
    rows = rows[(folded.seat_of[rows] >= 0) & (events.player[rows] != NO_INDEX)]
    player_count = max(len(events.player_ids), 1)
    keys = distinct(folded.seat_of[rows].astype(np.int64) * player_count + events.player[rows])
    seat, player = np.divmod(keys, player_count)
    who = folded.seat_round[seat] * np.int64(player_count) + player
    order = np.argsort(who, kind="stable")
    seat, who = seat[order], who[order]
    first, last = np.searchsorted(who, who, side="left"), np.searchsorted(who, who, side="right")
    one = np.repeat(np.arange(len(who)), last - first)
    step = np.arange(len(one)) - np.repeat(np.cumsum(last - first) - (last - first), last - first)
    other = np.repeat(first, last - first) + step
    pairs = distinct(seat[one] * np.int64(folded.seat_count) + seat[other])
    seats, partners = np.divmod(pairs, max(folded.seat_count, 1))
    apart = seats != partners
    return seats[apart], partners[apart]


def _by_house_way(four: Cards, kept: Cards, way: HouseWay) -> Cards:
    """The dealer's two cards by a house way, unread where one of the four is: (4, M) -> (2, M)."""
    chosen = rule.dealer_cards(_filled(four), kept, way)
    return np.where(_any_unread(four), np.uint8(CARD_UNREAD), chosen)


def _any_unread(cards: Cards) -> Bools:
    """Columns with a card that was not read: (n, N) -> (N,)."""
    unread: Bools = np.any(cards >= 52, axis=0)
    return unread


def _filled(cards: Cards) -> Cards:
    """Unread cards as some card, for columns that are masked."""
    return np.where(cards < 52, cards, np.uint8(0))
