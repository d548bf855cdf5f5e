"""A round asked for, one field after the other, by whoever sits at a terminal.

A wrong answer is said to be wrong and asked for again; what a game does not need is not asked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from replay.rulebook.loader import Rulebook
from replay.vocabulary import Bettor, Decision, Game, Place, Wager
from replay.words import bet_words, money
from services.errors import BadArgumentError
from services.settle.games import HOUSE_WAY, RUNS
from services.settle.typed import (
    UNREAD,
    Bet,
    Choice,
    TypedRound,
    card_of,
    cents_of,
    spot_of,
    where,
)

Prompt = Callable[[str], str]
"""Shows a question, gives the answer without its newline."""
Say = Callable[[str], None]
T = TypeVar("T")

FOLD: Final = "fold"


class Dialogue:
    """Asks for what a typed round still lacks."""

    def __init__(self, typed: TypedRound, rulebook: Rulebook, prompt: Prompt, say: Say) -> None:
        """Fill in `typed`, question by question."""
        self._typed = typed
        self._rulebook = rulebook
        self._prompt = prompt
        self._say = say

    def run(self) -> None:
        """Every question of the game, in the order of play."""
        spots = self._asked("seats in play, as 1 2 5: ", self._spots)
        steps = {
            Game.RUN_EM_TWICE: self._run_em_twice,
            Game.DAKOTA_DUEL_DRAW: self._dakota_duel_draw,
            Game.TEXAS_SHOOTOUT: self._texas_shootout,
        }
        steps[self._typed.form.game](spots)

    def _run_em_twice(self, spots: list[int]) -> None:
        self._posted(Wager.ULTIMATE_PAIRS)
        for spot in spots:
            first = self._bet(spot, Wager.FIRST_ANTE)
            self._bet(spot, Wager.SECOND_ANTE, usual=first)
            self._bet(spot, Wager.FIVE_CARD_BONUS, optional=True)
            if Wager.ULTIMATE_PAIRS in self._typed.paytables:
                self._bet(spot, Wager.ULTIMATE_PAIRS, optional=True)
        self._cards_of(spots)
        staying = spots
        for run in RUNS:
            staying = [spot for spot in staying if self._bet_or_fold(spot, run)]
        self._common()

    def _dakota_duel_draw(self, spots: list[int]) -> None:
        antes: dict[int, int | None] = {}
        while not self._typed.bets:
            if antes:
                self._say("  nobody has a bet; somebody must play")
            for spot in spots:
                self._bet(spot, Wager.BIG_8, optional=True)
                antes[spot] = self._bet(spot, Wager.HAND_2_ANTE, optional=True)
                self._tips(spot)
        if any(bet.wager is Wager.BIG_8 for bet in self._typed.bets):
            self._posted(Wager.BIG_8)
        self._cards_of(spots)
        played = [
            spot
            for spot in spots
            if antes[spot] and self._bet_or_fold(spot, Wager.HAND_1_PLAY, usual=antes[spot])
        ]
        if any(self._may_be_pair(spot) for spot in played):
            self._posted(Wager.POCKET_PAIR)
        self._common()

    def _texas_shootout(self, spots: list[int]) -> None:
        for spot in spots:
            self._bet(spot, Wager.PRIMARY)
            self._bet(spot, Wager.SHOOTOUT_BONUS, optional=True)
        if any(bet.wager is Wager.SHOOTOUT_BONUS for bet in self._typed.bets):
            self._posted(Wager.SHOOTOUT_BONUS)
        self._cards_of(spots)
        for spot in spots:
            self._keep(spot)
        self._cards(Place.DEALER, 0)
        self._dealer_keeps()
        self._cards(Place.FLOP, 0)

    def _asked(self, question: str, read: Callable[[str], T]) -> T:
        """Ask until the answer does."""
        while True:
            answer = self._prompt(question).strip()  # whoever ends the dialogue, ends it here
            try:
                return read(answer)
            except BadArgumentError as error:
                hint = f"; {error.next_step}" if error.next_step else ""
                self._say(f"  {error.message}{hint}")

    def _spots(self, answer: str) -> list[int]:
        spots = sorted({spot_of("", text) for text in answer.replace(",", " ").split()})
        if not spots:
            raise BadArgumentError("no seat named", next_step="somebody must play")
        return spots

    def _posted(self, wager: Wager) -> None:
        """Which paytable the table posts."""
        if wager in self._typed.paytables:
            return
        known = [table.id for table in self._rulebook.paytables(self._typed.form.game, wager)]
        listed = ", ".join(known)

        def read(answer: str) -> str:
            if answer and answer not in known:
                raise BadArgumentError(f"no paytable {answer}", next_step=f"there is {listed}")
            return answer

        chosen = self._asked(f"paytable of {bet_words(wager)}, {listed} (empty: none): ", read)
        if chosen:
            self._typed.paytables[wager] = chosen

    def _bet(
        self,
        spot: int,
        wager: Wager,
        *,
        hand: int = 1,
        usual: int | None = None,
        optional: bool = False,
    ) -> int | None:
        """A bet in dollars; an empty answer is the usual amount, or none where it is optional."""
        hint = f" [{_dollars(usual)}]" if usual else " (empty: none)" if optional else ""

        def read(answer: str) -> int | None:
            if not answer and (usual or optional):
                return None if optional and not usual else usual
            return cents_of("", answer)

        cents = self._asked(f"seat {spot}  {bet_words(wager, hand)} ${hint}: ", read)
        if cents:
            self._typed.bets.append(Bet(spot, wager, cents, hand))
        return cents

    def _bet_or_fold(self, spot: int, wager: Wager, *, usual: int | None = None) -> bool:
        """A bet that keeps a seat in the round, or its fold; whether it stays."""
        hint = f"[{_dollars(usual)}]" if usual else ""

        def read(answer: str) -> int | None:
            if answer.lower() in (FOLD, "f"):
                return None
            return usual if usual and not answer else cents_of("", answer)

        question = f"seat {spot}  {bet_words(wager)} $, or {FOLD} {hint}".rstrip()
        cents = self._asked(f"{question}: ", read)
        if cents is None:
            self._typed.choices.append(Choice(spot, Decision.FOLD))
            return False
        self._typed.choices.append(Choice(spot, Decision.PLAY))
        self._typed.bets.append(Bet(spot, wager, cents))
        return True

    def _tips(self, spot: int) -> None:
        """Tips for the dealer, each on a wager."""

        def read(answer: str) -> bool:
            if answer:
                self._typed.add("bet", f"{spot} {answer} tip")
            return bool(answer)

        while self._asked(f"seat {spot}  tip for the dealer, as BIG_8 5 (empty: none): ", read):
            pass

    def _cards_of(self, spots: list[int]) -> None:
        for spot in spots:
            self._cards(Place.PLAYER, spot)

    def _common(self) -> None:
        for place, _ in self._typed.form.common:
            self._cards(place, 0)

    def _cards(self, place: Place, spot: int) -> None:
        """All cards of a place at once."""
        wanted = self._typed.wanted(place)

        def read(answer: str) -> None:
            names = [card_of("", text) for text in answer.split()]
            if len(names) != wanted:
                raise BadArgumentError(
                    f"{len(names)} named, {wanted} lie there",
                    next_step=f"{UNREAD} stands for a card that was not read",
                )
            self._typed.add_cards(place, spot, names, "")

        self._asked(f"{where(place, spot)}  {wanted} card{'s' if wanted > 1 else ''}: ", read)

    def _may_be_pair(self, spot: int) -> bool:
        one, other = self._typed.cards[Place.PLAYER, spot]
        return one is None or other is None or one[0] == other[0]

    def _keep(self, spot: int) -> None:
        """Two cards kept, or all four split into two hands."""
        held = self._typed.cards[Place.PLAYER, spot]
        primary = self._stake(spot, Wager.PRIMARY)
        bonus = self._stake(spot, Wager.SHOOTOUT_BONUS)
        cards = self._asked(
            f"seat {spot}  keeps two cards, or all four split, hand 1 first (empty: not known): ",
            lambda answer: self._kept(answer, held, (2, 4)),
        )
        if not cards:
            return
        decision = Decision.KEEP if len(cards) == 2 else Decision.SPLIT
        self._typed.choices.append(Choice(spot, decision, cards))
        if decision is Decision.SPLIT:
            self._bet(spot, Wager.PRIMARY, hand=2, usual=primary)
            if bonus:
                self._bet(spot, Wager.SHOOTOUT_BONUS, hand=2, optional=True)

    def _dealer_keeps(self) -> None:
        way = self._typed.house_way or HOUSE_WAY
        cards = self._asked(
            f"dealer  keeps two cards (empty: by the house way {way}): ",
            lambda answer: self._kept(answer, self._typed.cards[Place.DEALER, 0], (2,)),
        )
        if cards:
            self._typed.choices.append(Choice(None, Decision.KEEP, cards))

    def _kept(
        self, answer: str, held: list[str | None], counts: tuple[int, ...]
    ) -> tuple[str, ...]:
        cards = tuple(name for text in answer.split() if (name := card_of("", text)))
        if cards and len(cards) not in counts:
            raise BadArgumentError(f"{len(cards)} cards named", next_step="name them all, read")
        left = list(held)
        for card in cards:
            if card in left:
                left.remove(card)
            elif None in left:
                left.remove(None)
            else:
                raise BadArgumentError(f"{card} was not dealt there")
        return cards

    def _stake(self, spot: int, wager: Wager) -> int:
        return sum(
            bet.cents
            for bet in self._typed.bets
            if (bet.spot, bet.wager, bet.bettor) == (spot, wager, Bettor.PLAYER)
        )


def _dollars(cents: int | None) -> str:
    return money(cents or 0).removeprefix("$")
