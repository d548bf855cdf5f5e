"""House ways: which two of four cards the dealer of Texas Shootout keeps.

Source: 20:18:16:15.08(11), a "predetermined house-way strategy" that is the licensee's own
document; TS-HOUSE-WAY says how one is held as data. A house way is a list of kinds of two-card
hands, the best first; the dealer keeps the two cards that stand highest in it. Arrays are columns:
one hand of four cards a column, card codes as in `vocabulary.CARD_NAMES`.
"""

from dataclasses import dataclass, field
from itertools import combinations
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from replay.rulebook.reader import Fields
from replay.vocabulary import CARD_NAMES, RANKS

Cards = NDArray[np.uint8]
Flags = NDArray[np.bool_]

Kind = Literal["pair", "high-card", "both-from", "connected", "any"]
Suit = Literal["suited", "unsuited", "either"]

PLACE_NONE: Final = 255  # the place kept in a column that has a card not read

_PLACES: Final = np.array(list(combinations(range(4), 2)), dtype=np.uint8)  # (6, 2), by first dealt
_KINDS: Final[dict[str, Kind]] = {kind: kind for kind in get_args(Kind)}
_SUITS: Final[dict[str, Suit]] = {suit: suit for suit in get_args(Suit)}
_RANKS: Final = {name: rank for rank, name in enumerate(RANKS)}


@dataclass(frozen=True)
class HouseWayLine:
    """One line: a kind of two-card hand. Ranks count from the deuce, 0, to the ace, 12."""

    words: str
    kind: Kind
    suit: Suit
    from_rank: int
    to_rank: int
    lower_from_rank: int

    def names(self, high: int, low: int, suited: bool) -> bool:
        """Whether two cards of these ranks, `high` not below `low`, are of this kind."""
        if self.suit != "either" and suited != (self.suit == "suited"):
            return False
        match self.kind:
            case "pair":
                return high == low and self.from_rank <= high <= self.to_rank
            case "high-card":
                in_range = self.from_rank <= high <= self.to_rank
                return high != low and in_range and low >= self.lower_from_rank
            case "both-from":
                return low >= self.from_rank
            case "connected":
                return high - low == 1
            case "any":
                return True


@dataclass(frozen=True)
class HouseWay:
    """A checked house way: every two cards have their place in it.

    Two house ways whose files say the same are equal, wherever they were read.
    """

    name: str
    source: str
    approved_by: str
    lines: tuple[HouseWayLine, ...]
    _standing: NDArray[np.int16] = field(compare=False, repr=False)  # (52, 52), higher is better

    def choose_places(self, cards: Cards) -> Cards:
        """Which two of four cards the house way keeps, as places 0..3 in the order given.

        Shapes:  (4, N), in the order dealt -> (2, N), the earlier dealt first.
        Units:   card codes in, places out; `PLACE_NONE` twice where a card was not read.
        Errors:  none.
        Source:  20:18:16:15.08(11); TS-HOUSE-WAY: of equals the one dealt first.
        """
        standing = self._pair_standing(cards)
        places = _PLACES[standing.argmax(axis=0)].T  # the first of equals
        kept: Cards = np.where(_are_read(cards), places, np.uint8(PLACE_NONE))
        return kept

    def choose(self, cards: Cards) -> Cards:
        """The two cards that the house way keeps, of equals those dealt first.

        Shapes:  (4, N), in the order dealt -> (2, N), the earlier dealt first.
        Units:   card codes in and out; where a card was not read, 255 (not read) twice.
        Errors:  none.
        Source:  20:18:16:15.08(11), TS-HOUSE-WAY.
        """
        places = self.choose_places(cards)
        kept: Cards = np.take_along_axis(cards, np.where(places < 4, places, 0), axis=0)
        kept[places == PLACE_NONE] = 255
        return kept

    def is_right(self, cards: Cards, kept: Cards) -> Flags:
        """Whether the dealer's two cards are of those standing highest, in either order.

        Shapes:  (4, N), (2, N) -> (N,).
        Units:   card codes; False where a card was not read or a kept one was not dealt.
        Errors:  none.
        Source:  20:18:16:15.08(11); TS-HOUSE-WAY: of equals any is right.
        """
        standing = self._pair_standing(cards)
        first, second = cards[_PLACES[:, 0]], cards[_PLACES[:, 1]]
        is_kept = (first == kept[0]) & (second == kept[1]) | (first == kept[1]) & (
            second == kept[0]
        )
        right: Flags = (is_kept & (standing == standing.max(axis=0))).any(axis=0) & _are_read(cards)
        return right

    def row_of(self, card: int, other: int) -> HouseWayLine:
        """The line that two cards stand in: the first that names them."""
        high, low, suited = _shape(card, other)
        return next(line for line in self.lines if line.names(high, low, suited))

    def _pair_standing(self, cards: Cards) -> NDArray[np.int16]:
        """The standing of each of the six pairs of places, (4, N) -> (6, N)."""
        assert cards.ndim == 2
        assert cards.shape[0] == 4
        codes = np.minimum(cards, 51)  # a card not read stands anywhere; its column is masked
        standing: NDArray[np.int16] = self._standing[codes[_PLACES[:, 0]], codes[_PLACES[:, 1]]]
        return standing


def parse_house_way(fields: Fields) -> HouseWay:
    """One file of a house way.

    Errors: RulebookError for a key that is missing or strange, for two cards that no line names,
    and for a line that the lines above leave nothing for.
    """
    name = fields.text("name")
    source = fields.text("source")
    approved_by = fields.text("approved_by")
    lines = fields.tables("lines", _line)
    fields.finish()
    return HouseWay(name, source, approved_by, lines, _rank_all(fields, lines))


def _line(fields: Fields) -> HouseWayLine:
    words = fields.text("words")
    kind = fields.choice("kind", _KINDS)
    suit = fields.choice("suit", _SUITS) if fields.has("suit") else "either"
    takes = {
        "pair": ("from", "to"),
        "high-card": ("from", "to", "lower_from"),
        "both-from": ("from",),
    }
    ranks = {"from": 0, "to": len(RANKS) - 1, "lower_from": 0}
    for key in takes.get(kind, ()):
        if fields.has(key):
            ranks[key] = fields.choice(key, _RANKS)
    return HouseWayLine(words, kind, suit, ranks["from"], ranks["to"], ranks["lower_from"])


def _rank_all(fields: Fields, lines: tuple[HouseWayLine, ...]) -> NDArray[np.int16]:
    """The standing of every two cards, (52, 52): by line, higher card, lower card, suited.

    Two cards of one face are two of several decks, suited to each other.
    """
    shapes = [
        (high, low, suited)
        for high in range(len(RANKS))
        for low in range(high + 1)
        for suited in (False, True)
    ]
    row_of = {}
    for shape in shapes:
        row = next((index for index, line in enumerate(lines) if line.names(*shape)), None)
        if row is None:
            high, low, suited = shape
            raise fields.wrong(
                "lines",
                f"no line names {RANKS[high]}-{RANKS[low]} {'suited' if suited else 'unsuited'}",
                'end the list with a line of kind = "any"',
            )
        row_of[shape] = row
    for index, line in enumerate(lines):
        if index not in row_of.values():
            raise fields.wrong(
                f"lines[{index}]",
                f"nothing is left for {line.words!r}: the lines above name it all",
                "take it out, or move it up",
            )
    best_last = sorted(shapes, key=lambda shape: (-row_of[shape], *shape))
    standing_of = {shape: standing for standing, shape in enumerate(best_last)}
    codes = range(len(CARD_NAMES))
    standing = np.array(
        [[standing_of[_shape(card, other)] for other in codes] for card in codes], dtype=np.int16
    )
    standing.flags.writeable = False
    return standing


def _shape(card: int, other: int) -> tuple[int, int, bool]:
    high, low = max(card // 4, other // 4), min(card // 4, other // 4)
    return high, low, card % 4 == other % 4


def _are_read(cards: Cards) -> Flags:
    read: Flags = np.all(cards < len(CARD_NAMES), axis=0)
    return read
