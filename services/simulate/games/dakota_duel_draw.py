"""Dakota Duel Draw: two community hands of three, two cards a spot, tips for the dealer."""

from typing import Final

from services.simulate.chance import Chance
from services.simulate.games.script import Manners, Posting, main_bet, rank, to_settle, wish
from services.simulate.round import TIP, Dues, Round, Where
from services.simulate.seats import TIP_CENTS, Seat
from services.simulate.shoe import Shoe

SETTLED_IN_ORDER: Final = ("POCKET_PAIR", "HAND_1_PLAY", "HAND_2_ANTE", "BIG_8")
"""Clause (6)."""


class DakotaDuelDraw:
    """Rounds of Dakota Duel Draw."""

    game = "DAKOTA_DUEL_DRAW"
    prefix = "DD"
    decks = 1
    one_deck_a_round = True
    round_units = 2

    def post(self, rng: Chance) -> Posting:
        """One of six pocket pair tables, one of seven big 8 tables."""
        return Posting({"pocket_pair": rng.choice("123456"), "big_8": rng.choice("1234567")})

    def play(self, play: Round, shoe: Shoe, manners: Manners) -> None:
        """Bets, the deal in rotation, play or fold, both hands turned over."""
        for seat in play.seats:
            self._bet_before_the_deal(play, seat)
        if not self._deal(play, shoe):
            play.void("MISDEAL", "wrong number of cards")
            return
        play.read_late()
        antes = play.bets()
        for seat in play.seats:
            ante_cents = antes.get(main_bet(seat.spot, "HAND_2_ANTE"), 0)
            if ante_cents:
                self._decide(play, seat, ante_cents)
        play.notes["folds first"] = manners.takes_folded_antes_first
        play.reveal("HAND_1", "HAND_2")

    def order(self, play: Round, dues: Dues) -> list[Where]:
        """Clause (6) within a spot, the player's bet before the tip; the highest spot first."""
        return sorted(
            to_settle(dues),
            key=lambda at: (-at.spot, SETTLED_IN_ORDER.index(at.wager), at.bettor == TIP),
        )

    def _bet_before_the_deal(self, play: Round, seat: Seat) -> None:
        rng = play.rng
        unit, spot = seat.unit_cents, seat.spot
        plays_big_8 = rng.random() < 0.3 + seat.side_chance / 2
        if plays_big_8:
            play.bet(seat, main_bet(spot, "BIG_8"), rng.choice((unit, unit, unit + 5_00)))
            self._tip(play, seat, "BIG_8")
        if not plays_big_8 or rng.random() < 0.85:
            play.bet(seat, main_bet(spot, "HAND_2_ANTE"), unit)
            self._tip(play, seat, "HAND_2_ANTE")

    def _tip(self, play: Round, seat: Seat, wager: str) -> None:
        """Clause (3): a tip beside the player's own wager."""
        if play.rng.random() < seat.tip_chance:
            where = Where(seat.spot, 1, wager, TIP)
            play.bet(seat, where, play.rng.choice(TIP_CENTS), locked=True)

    def _deal(self, play: Round, shoe: Shoe) -> bool:
        """Clause (4), one at a time; False where a card too many made it a misdeal."""
        spots = [seat.spot for seat in play.seats]
        rotation: list[tuple[str, int | None, int]] = []
        for index in (0, 1):
            rotation += [("HAND_2", None, index), ("HAND_1", None, index)]
            rotation += [("PLAYER", spot, index) for spot in spots]
        rotation += [("HAND_2", None, 2), ("HAND_1", None, 2)]
        too_many = play.rng.randrange(2, len(rotation)) if play.misdeals() else -1
        exposed = play.rng.randrange(len(rotation)) if play.wishes.expose else -1
        for number, (place, spot, index) in enumerate(rotation):
            card = shoe.draw(wish(play, place, spot, index))
            play.deal(place, spot, card)
            if number == exposed:
                play.events.append(play.scribe.exposed(play.round_id, place, spot, card))
            if number == too_many:
                play.deal(place, spot, shoe.draw())
        return too_many < 0

    def _decide(self, play: Round, seat: Seat, ante_cents: int) -> None:
        rng = play.rng
        if not _hopeful(play.cards_at("PLAYER", seat.spot)) and rng.random() < seat.patience:
            play.decide(seat.spot, "FOLD")
            return
        word_first = rng.random() < 0.6
        if word_first:
            play.decide(seat.spot, "PLAY")
        play.bet(seat, main_bet(seat.spot, "HAND_1_PLAY"), ante_cents, locked=True)
        if not word_first:
            play.decide(seat.spot, "PLAY")
        self._tip(play, seat, "HAND_1_PLAY")


def _hopeful(cards: list[str | None]) -> bool:
    """A pair, a nine or better, or two cards that go together."""
    read = [card for card in cards if card is not None]
    if len(read) < 2:
        return True
    low, high = sorted(map(rank, read))
    return low == high or high > 8 or high - low == 1
