"""A shuffled deck or shoe that cards are drawn from."""

from typing import Final

from replay.vocabulary import CARD_NAMES
from services.simulate.chance import Chance

CUT_FROM_THE_END: Final = 52
"""Texas Shootout (3): the cut card lies "approximately one deck from the last card"."""

Snapshot = tuple[int, bool, list[str]]


class Shoe:
    """Cards in the order they will come, and how many of them came."""

    def __init__(self, shoe_id: str, decks: int, rng: Chance) -> None:
        self.shoe_id = shoe_id
        self.cards = list(CARD_NAMES) * decks
        self.drawn = 0
        self.cut_told = False
        self.is_told_whole = True
        """Every card that came was told as it was, and the number of decks too."""
        self._rng = rng
        self._cut_at = len(self.cards) - CUT_FROM_THE_END + rng.randint(-8, 8)
        rng.shuffle(self.cards)

    def draw(self, wanted: str | None = None) -> str:
        """The next card; a wanted one first, if it is still in the shoe."""
        at = self.drawn
        if wanted is not None and wanted in self.cards[at:]:
            there = self.cards.index(wanted, at)
            self.cards[at], self.cards[there] = wanted, self.cards[at]
        self.drawn += 1
        return self.cards[at]

    def comes_to_cut(self) -> bool:
        """True once: when the cut card shows after the last draw."""
        if self.cut_told or self.drawn < self._cut_at:
            return False
        self.cut_told = True
        return True

    def snapshot(self) -> Snapshot:
        """The shoe as it stands, for `restore`."""
        return self.drawn, self.cut_told, self.cards[:]

    def restore(self, snapshot: Snapshot) -> None:
        """The shoe as it stood."""
        self.drawn, self.cut_told, cards = snapshot
        self.cards = cards[:]

    def shuffle_rest(self) -> None:
        """Shuffle the cards that did not come yet."""
        rest = self.cards[self.drawn :]
        self._rng.shuffle(rest)
        self.cards[self.drawn :] = rest

    def left(self) -> list[str]:
        """The cards that did not come yet."""
        return self.cards[self.drawn :]

    def seen(self) -> list[str]:
        """The cards that came."""
        return self.cards[: self.drawn]
