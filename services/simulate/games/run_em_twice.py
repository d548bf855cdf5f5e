"""Run'em Twice: two antes, two cards a spot and a cross of five, three times play or fold."""

from itertools import pairwise
from typing import Final

from services.simulate.chance import Chance
from services.simulate.games.script import Manners, Posting, main_bet, rank, to_settle, wish
from services.simulate.round import Dues, Round, Where
from services.simulate.seats import SIDE_CENTS, Seat
from services.simulate.shoe import Shoe

CROSS: Final = ("LEFT", "RIGHT", "TOP", "BOTTOM", "CENTER")
STEPS: Final = (
    ("FIRST_RUN", ("LEFT", "RIGHT")),
    ("SECOND_RUN", ("TOP", "BOTTOM")),
    ("CENTER", ("CENTER",)),
)
"""What is bet at each step, and what is turned over after it."""

WAGERS: Final = (
    "FIRST_ANTE",
    "SECOND_ANTE",
    "FIRST_RUN",
    "SECOND_RUN",
    "CENTER",
    "FIVE_CARD_BONUS",
    "ULTIMATE_PAIRS",
)


class RunEmTwice:
    """Rounds of Run'em Twice."""

    game = "RUN_EM_TWICE"
    prefix = "RT"
    decks = 1
    one_deck_a_round = True
    round_units = 6

    def post(self, rng: Chance) -> Posting:
        """One of the five Ultimate Pairs tables."""
        return Posting({"ultimate_pairs": rng.choice("12345")})

    def play(self, play: Round, shoe: Shoe, manners: Manners) -> None:
        """Antes and side bets, the deal, three decisions a spot with the reveals between."""
        for seat in play.seats:
            self._bet_before_the_deal(play, seat)
        if not self._deal(play, shoe, manners):
            play.void("MISDEAL", "wrong number of cards")
            return
        play.read_late()
        out: set[int] = set()
        seen: list[str] = []
        for wager, places in STEPS:
            for seat in play.seats:
                if seat.spot not in out and not self._stays(play, seat, wager, seen):
                    out.add(seat.spot)
            play.reveal(*places)
            seen += [card for place in places for card in play.notes["cross"][place]]

    def order(self, play: Round, dues: Dues) -> list[Where]:
        """From the highest spot down, as the cards are uncovered; the rule asks for no order."""
        return sorted(to_settle(dues), key=lambda at: (-at.spot, WAGERS.index(at.wager)))

    def _bet_before_the_deal(self, play: Round, seat: Seat) -> None:
        rng = play.rng
        for wager in WAGERS[:2]:
            play.bet(seat, main_bet(seat.spot, wager), seat.unit_cents)
        for wager in WAGERS[5:]:
            if rng.random() < seat.side_chance:
                cents = play.limits.capped(rng.choice(SIDE_CENTS))
                play.bet(seat, main_bet(seat.spot, wager), cents)

    def _deal(self, play: Round, shoe: Shoe, manners: Manners) -> bool:
        """Deal; False where it became a misdeal and was broken off."""
        spots = [seat.spot for seat in play.seats]
        if manners.cards_together:
            rotation = [(spot, index) for spot in spots for index in (0, 1)]
        else:
            rotation = [(spot, index) for index in (0, 1) for spot in spots]
        cross = list(play.wishes.cards.get(("CROSS", 0), CROSS))
        if ("CROSS", 0) not in play.wishes.cards:
            play.rng.shuffle(cross)
        stop = play.rng.randrange(len(rotation) + 4) if play.misdeals() else -1
        dealt: dict[str, list[str]] = {}
        places: list[tuple[str, int | None, int]] = [
            *(("PLAYER", spot, index) for spot, index in rotation),
            *((place, None, 0) for place in cross),
        ]
        for number, (place, spot, index) in enumerate(places):
            card = shoe.draw(wish(play, place, spot, index))
            play.deal(place, spot, card)
            dealt.setdefault(place if spot is None else f"{spot}", []).append(card)
            if number == stop:
                return False
        play.notes["cross"] = dealt
        return True

    def _stays(self, play: Round, seat: Seat, wager: str, seen: list[str]) -> bool:
        """Play and bet, or fold; which of bet and word comes first is a matter of habit."""
        rng = play.rng
        worth = _worth([*play.notes["cross"][f"{seat.spot}"], *seen])
        if worth == 0 and rng.random() < seat.patience:
            play.decide(seat.spot, "FOLD")
            return False
        ante = seat.unit_cents
        times_two = rng.choice((2, 2, 2, 3, 4)) if worth < 2 else rng.choice((2, 4, 6, 6))
        cents = max(ante, play.limits.capped(ante * times_two // 100 // 2 * 100))
        word_first = rng.random() < 0.5
        if word_first:
            play.decide(seat.spot, "PLAY")
        play.bet(seat, main_bet(seat.spot, wager), cents)
        if not word_first:
            play.decide(seat.spot, "PLAY")
        return True


def _worth(cards: list[str]) -> int:
    """A player's rough eye: 2 for a good pair or better, 1 for something to hope for, else 0."""
    ranks = sorted(map(rank, cards))
    pairs = [low for low, high in pairwise(ranks) if low == high]
    if pairs and (max(pairs) > 10 or len(pairs) > 1):
        return 2
    suits = [card[1] for card in cards]
    flush_hope = max(map(suits.count, suits)) == len(cards)
    return int(bool(pairs) or ranks[-1] > 11 or flush_hope)
