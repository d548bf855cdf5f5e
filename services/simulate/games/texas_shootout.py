"""Texas Shootout: four cards a spot, two kept or the four split, a dealer by house way, a flop."""

from typing import Final

import numpy as np

from replay.rulebook.house_way import HouseWay
from replay.rulebook.loader import load_rulebook
from replay.vocabulary import CARD_CODES, CARD_NAMES
from services.simulate.chance import Chance
from services.simulate.games.script import Manners, Posting, main_bet, rank, to_settle, wish
from services.simulate.round import Dues, Round, Where
from services.simulate.seats import SIDE_CENTS, Seat
from services.simulate.shoe import Shoe

HOUSE_WAY: Final = "published-2011"
SETTLED_IN_ORDER: Final = ("PRIMARY", "SHOOTOUT_BONUS", "ENVY_BONUS")
"""Clauses (15) and (16), the envy bonus after its own hand's."""

PAIRS_OF_FOUR: Final = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))


class TexasShootout:
    """Rounds of Texas Shootout, many from one shoe."""

    game = "TEXAS_SHOOTOUT"
    prefix = "TS"
    decks = 6
    one_deck_a_round = False
    round_units = 1

    def __init__(self) -> None:
        way = load_rulebook().house_way(HOUSE_WAY)
        assert way is not None
        self._house_way: HouseWay = way

    def post(self, rng: Chance) -> Posting:
        """Bonus table A or B, and the published house way."""
        return Posting({"shootout_bonus": rng.choice("AB")}, HOUSE_WAY)

    def play(self, play: Round, shoe: Shoe, manners: Manners) -> None:
        """Bets, four cards each, keep or split, the dealer's hand, the flop."""
        for seat in play.seats:
            self._bet_before_the_deal(play, seat)
        if not self._deal(play, shoe, manners):
            play.void("MISDEAL", "wrong number of cards")
            return
        play.read_late()
        for seat in play.seats:
            self._choose(play, seat)
        self._set_dealer(play)
        for index in range(5):
            self._deal_one(play, shoe, ("FLOP", None, index))
        play.read_late()

    def order(self, play: Round, dues: Dues) -> list[Where]:
        """From the dealer's right, the highest spot, down; hand 1 before hand 2."""
        return sorted(
            to_settle(dues),
            key=lambda at: (-at.spot, at.hand, SETTLED_IN_ORDER.index(at.wager)),
        )

    def house_way_keeps(self, cards: list[str]) -> list[str]:
        """The two cards of four that the dealer must keep."""
        codes = np.array([[CARD_CODES[card]] for card in cards], dtype=np.uint8)
        return [CARD_NAMES[code] for code in self._house_way.choose(codes)[:, 0]]

    def is_house_way(self, cards: list[str], kept: list[str]) -> bool:
        """Whether the dealer may keep these two of four."""
        codes, pair = (
            np.array([[CARD_CODES[card]] for card in them], dtype=np.uint8)
            for them in (cards, kept)
        )
        return bool(self._house_way.is_right(codes, pair)[0])

    def _bet_before_the_deal(self, play: Round, seat: Seat) -> None:
        play.bet(seat, main_bet(seat.spot, "PRIMARY"), seat.unit_cents)
        if play.rng.random() < seat.side_chance:
            cents = play.limits.capped(play.rng.choice(SIDE_CENTS))
            play.bet(seat, main_bet(seat.spot, "SHOOTOUT_BONUS"), cents)

    def _deal(self, play: Round, shoe: Shoe, manners: Manners) -> bool:
        """Clause (7), clockwise, the dealer last; False where it was broken off."""
        hands: list[tuple[str, int | None]] = [("PLAYER", seat.spot) for seat in play.seats]
        hands.append(("DEALER", None))
        if manners.cards_together:
            rotation = [(*hand, index) for hand in hands for index in range(4)]
        else:
            rotation = [(*hand, index) for index in range(4) for hand in hands]
        stop = play.rng.randrange(len(rotation) - 1) if play.misdeals() else -1
        for number, place in enumerate(rotation):
            self._deal_one(play, shoe, place)
            if number == stop:
                return False
        return True

    def _deal_one(self, play: Round, shoe: Shoe, at: tuple[str, int | None, int]) -> None:
        place, spot, index = at
        card = shoe.draw(wish(play, place, spot, index))
        play.deal(place, spot, card)
        play.notes.setdefault("hands", {}).setdefault((place, spot), []).append(card)
        if shoe.comes_to_cut():
            play.events.append(play.scribe.cut_card(shoe.shoe_id))

    def _choose(self, play: Round, seat: Seat) -> None:
        """Keep two, or split two pair or four of a kind as clause (9) allows."""
        rng = play.rng
        cards: list[str] = play.notes["hands"]["PLAYER", seat.spot]
        if can_split(cards) and rng.random() < 0.6:
            play.decide(seat.spot, "SPLIT", *sorted(cards, key=rank, reverse=True))
            back_split(play, seat)
            return
        if rng.random() < 0.04:
            kept = rng.sample(cards, 2)
        else:
            kept = [cards[at] for at in max(PAIRS_OF_FOUR, key=lambda at: _eye(cards, at))]
        play.decide(seat.spot, "KEEP", *kept)

    def _set_dealer(self, play: Round) -> None:
        """The dealer keeps by the house way, at times only at the second try."""
        rng = play.rng
        cards: list[str] = play.notes["hands"]["DEALER", None]
        kept = self.house_way_keeps(cards)
        if rng.random() < 0.3:
            play.reveal("DEALER")
        if not play.wishes.plain and rng.random() < 0.01:
            play.decide(None, "KEEP", *rng.sample(cards, 2))
        play.decide(None, "KEEP", *kept)


def back_split(play: Round, seat: Seat) -> None:
    """Clause (9): match the primary; a second bonus up to the first, where there is one."""
    rng, spot = play.rng, seat.spot
    stakes = play.bets()
    primary_cents = stakes[main_bet(spot, "PRIMARY")]
    play.bet(seat, main_bet(spot, "PRIMARY", 2), primary_cents, locked=True)
    bonus_cents = stakes.get(main_bet(spot, "SHOOTOUT_BONUS"), 0)
    if bonus_cents and rng.random() < 0.6:
        again = rng.choice([each for each in SIDE_CENTS if each < bonus_cents] or [bonus_cents])
        play.bet(seat, main_bet(spot, "SHOOTOUT_BONUS", 2), again, locked=True)


def can_split(cards: list[str]) -> bool:
    """Two pair or four of a kind."""
    ranks = sorted(map(rank, cards))
    return ranks[0] == ranks[1] and ranks[2] == ranks[3]


def _eye(cards: list[str], at: tuple[int, int]) -> tuple[int, int, int]:
    """What a player looks for: a pair, then high cards, then suits that agree."""
    one, other = cards[at[0]], cards[at[1]]
    low, high = sorted((rank(one), rank(other)))
    is_pair = low == high
    return (
        int(is_pair) * low + int(high == 14 and low > 10) * 7,
        high + low + 2 * int(one[1] == other[1]),
        int(high - low == 1),
    )
