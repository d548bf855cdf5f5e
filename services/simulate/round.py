"""One round as it is planned: its events, and what faults need to find their way in it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias

from services.simulate.chance import Chance
from services.simulate.scribe import Event, Scribe
from services.simulate.seats import Limits, Seat, as_chips

PLAYER: Final = "PLAYER"
TIP: Final = "DEALER"


class Where(NamedTuple):
    """Which wager: `hand` 1 unless split, `bettor` a player or a tip for the dealer."""

    spot: int
    hand: int
    wager: str
    bettor: str


class Due(NamedTuple):
    """What a wager was worth by the rules, the player's net; None where it cannot be known."""

    stake_cents: int
    due_cents: int | None
    low_cents: int | None
    high_cents: int | None


Dues: TypeAlias = Mapping[Where, Due]


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a fault asks of a round before it is played."""

    cards: Mapping[tuple[str, int], list[str]] = field(default_factory=dict)
    """Cards to be dealt to (place, spot or 0), in order, as far as they are still there."""
    plain: bool = True
    """No exposed or unread cards and no misdeal of chance's own making."""
    expose: bool = False
    """A card is exposed while dealing."""
    new_shoe: bool = False
    keep_shoe: bool = False
    """Do not change the shoe, though the cut card was reached."""
    seats: tuple[Seat, ...] = ()
    """Who plays, if not those who sit there."""
    decks: int | None = None
    """Decks said to be loaded, if not the rule's number."""


@dataclass(slots=True)
class Round:
    """Events of one round, in order; `lead` is what happens at the table before it opens."""

    scribe: Scribe
    limits: Limits
    opening: Event
    """The `TableOpened` that it is settled under."""
    round_id: str
    wishes: Wishes
    seats: list[Seat]
    lead: list[Event] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    voided: bool = False
    pauses_micros: dict[str, int] = field(default_factory=dict)
    """Event id -> time since the event before, where it matters."""
    stakes: dict[Where, int] = field(default_factory=dict)
    """What counts of each wager, once it is settled; chips that go back are not in it."""
    notes: dict[str, Any] = field(default_factory=dict)
    """What a fault remembers between its steps."""
    _unread: list[tuple[str, str]] = field(default_factory=list)
    _expose_at: int = -1

    @property
    def rng(self) -> Chance:
        """The table's generator."""
        return self.scribe.rng

    # --- playing ---

    def bet(self, seat: Seat, where: Where, cents: int, *, locked: bool = False) -> None:
        """Put chips down, in parts or with second thoughts as players do."""
        for kind, part in as_chips(cents, self.limits, self.rng, locked=locked):
            self.events.append(self.scribe.chips(kind, self.round_id, where, part, seat.player_id))

    def deal(self, place: str, spot: int | None, card: str) -> None:
        """Deal a card; once in a while it is not read at first, or turned over by mistake."""
        rare = 1.0 if self.wishes.plain else self.rng.random()
        read = None if rare < 0.001 else card
        event = self.scribe.dealt(self.round_id, place, spot, read)
        self.events.append(event)
        if read is None:
            self._unread.append((event["event_id"], card))
        elif rare > 0.997 and rare < 1.0:
            self.events.append(self.scribe.exposed(self.round_id, place, spot, card))

    def read_late(self) -> None:
        """Someone reads the cards by hand that were not read when dealt."""
        for event_id, card in self._unread:
            self.events.append(self.scribe.card_corrected(self.round_id, event_id, card))
        self._unread.clear()

    def reveal(self, *places: str) -> None:
        """Turn cards over."""
        self.events.append(self.scribe.revealed(self.round_id, *places))

    def decide(self, spot: int | None, decision: str, *cards: str) -> None:
        """A spot's decision, or the dealer's."""
        self.events.append(self.scribe.decided(self.round_id, spot, decision, cards))

    def void(self, reason: str, note: str | None) -> None:
        """End the round by voiding it: stakes go back."""
        self.events.append(self.scribe.voided(self.round_id, reason, note))
        self.voided = True

    def misdeals(self) -> bool:
        """Whether chance wants this round to be a misdeal."""
        return not self.wishes.plain and self.rng.random() < 0.007

    # --- looking for things in it ---

    def rows(self, kind: str, **fields: object) -> Iterator[int]:
        """Positions of events of a kind whose fields are as given."""
        for row, event in enumerate(self.events):
            if event["type"] == kind and all(event[name] == at for name, at in fields.items()):
                yield row

    def row(self, kind: str, **fields: object) -> int | None:
        """The first such position."""
        return next(self.rows(kind, **fields), None)

    def bets(self) -> dict[Where, int]:
        """Every wager with chips and how much stands there, in the order they came down."""
        stakes: dict[Where, int] = {}
        for event in self.events:
            if event["type"] in {"WagerPlaced", "WagerRemoved"}:
                where = where_of(event)
                sign = 1 if event["type"] == "WagerPlaced" else -1
                stakes[where] = stakes.get(where, 0) + sign * event["amount_cents"]
        return stakes

    def spots_dealt(self) -> list[int]:
        """Spots with cards, in the order of spots."""
        return sorted({e["spot"] for e in self.events if e["type"] == "CardDealt" and e["spot"]})

    def cards_at(self, place: str, spot: int | None = None) -> list[str | None]:
        """The cards dealt to a place; None where not read."""
        return [self.events[row]["card"] for row in self.rows("CardDealt", place=place, spot=spot)]

    def folded(self) -> set[int]:
        """Spots that folded."""
        return {self.events[row]["spot"] for row in self.rows("DecisionMade", decision="FOLD")}

    def settlements(self) -> dict[Where, int]:
        """Every settled wager and the position of its (first) settlement."""
        found: dict[Where, int] = {}
        for row in self.rows("WagerSettled"):
            found.setdefault(where_of(self.events[row]), row)
        return found

    def draw_another(self) -> str:
        """A card more, from where the round's own came; for rounds played to take a fault."""
        drawn, cut_told, cards = self.notes["shoe after"]
        self.notes["shoe after"] = drawn + 1, cut_told, cards
        card: str = cards[drawn]
        return card

    def player_at(self, spot: int) -> str | None:
        """Who plays there."""
        return next((seat.player_id for seat in self.seats if seat.spot == spot), None)


Ask: TypeAlias = Callable[[list[Round]], list[Dues]]
"""What the rules make of rounds that were not settled yet."""


def where_of(event: Event) -> Where:
    """The wager that an event is about."""
    return Where(event["spot"], event["hand"], event["wager"], event["bettor"])


def net_of(event: Event, stake_cents: int) -> int:
    """The player's net of a settlement."""
    match event["outcome"]:
        case "WIN":
            paid: int = event["paid_cents"]
            return paid
        case "LOSE":
            return -stake_cents
        case _:
            return 0
