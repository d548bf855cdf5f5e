"""What the events of one round say: cards as corrected, settlements as corrected, decisions."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from tests.oracle.cards import Card, parse_card
from tests.oracle.findings import BetKey, Event

NEVER: Final = 2**63  # later than any seq


@dataclass
class Shoe:
    """One loading of a deck or shoe; the same id loaded again is another one."""

    shoe_id: str | None
    decks: int | None  # None: no loading is known, so the rule's number is assumed
    seq: int
    burned: list[Event] = field(default_factory=list)
    cut_seq: int | None = None


@dataclass
class Dealt:
    """One card of a round; `card` is None while it is not read."""

    seq: int
    place: str
    spot: int | None
    card: Card | None
    event_id: str


@dataclass
class Settlement:
    """One WagerSettled, as it was and as it stands after corrections."""

    seq: int
    key: BetKey
    outcome: str
    paid: int
    first_outcome: str
    first_paid: int
    event_ids: tuple[str, ...]


@dataclass
class Round:
    """The events of one round in the order of seq, and how it ended."""

    table_id: str
    round_id: str
    seq: int
    opening: Event
    shoe: Shoe
    opened: bool = True  # False: its opening may lie in a gap
    held: bool = False
    ended_by: str | None = None  # CLOSED, VOIDED, or OTHER (the next round, the table's closing)
    end_seq: int = NEVER
    events: list[Event] = field(default_factory=list)
    card_corrections: dict[str, Event] = field(default_factory=dict)  # the last of each card
    card_corrections_within: list[Event] = field(default_factory=list)  # orphans among them
    payout_corrections: dict[str, Event] = field(default_factory=dict)
    dealt: list[Dealt] = field(default_factory=list)
    duplicates: list[Card] = field(default_factory=list)
    unseen: Counter[Card] = field(default_factory=Counter)

    @property
    def game(self) -> str:
        """Give the game of the table's opening."""
        return str(self.opening["game"])

    def of_type(self, *kinds: str) -> list[Event]:
        """Give the round's events of these types."""
        return [event for event in self.events if event["type"] in kinds]

    def first_card_seq(self) -> int:
        """Give the seq of the first card dealt."""
        return min((card.seq for card in self.dealt), default=NEVER)

    def reveal_seq(self, *places: str) -> int:
        """Give the seq of the first reveal of any of the places."""
        return min(
            (e["seq"] for e in self.of_type("CardsRevealed") if set(places) & set(e["places"])),
            default=NEVER,
        )

    def at_spot(self, spot: int | None, place: str = "PLAYER") -> list[Dealt]:
        """Give the cards of a spot, or of a place that has no spots, as dealt."""
        return [
            card
            for card in self.dealt
            if card.place == place and (place != "PLAYER" or card.spot == spot)
        ]

    def spots_dealt(self) -> list[int]:
        """Give the spots that got cards."""
        return sorted({c.spot for c in self.dealt if c.place == "PLAYER" and c.spot is not None})

    def decisions(self, spot: int | None, *kinds: str) -> list[Event]:
        """Give a spot's (or with None the dealer's) decisions of these kinds."""
        return [
            event
            for event in self.of_type("DecisionMade")
            if event["spot"] == spot and event["decision"] in kinds
        ]

    def settlements(self) -> list[Settlement]:
        """Give the settlements in order, each with its last correction applied."""
        result = []
        for event in self.of_type("WagerSettled"):
            key = (event["spot"], event["hand"], event["wager"], event["bettor"])
            fixed = self.payout_corrections.get(event["event_id"])
            last: Any = fixed or event
            ids = (event["event_id"], *([fixed["event_id"]] if fixed else []))
            result.append(
                Settlement(
                    event["seq"],
                    key,
                    last["outcome"],
                    last["paid_cents"],
                    event["outcome"],
                    event["paid_cents"],
                    ids,
                )
            )
        return result


def cards_named(event: Event) -> list[Card]:
    """Give the cards that a decision names, without those that are none."""
    return [card for text in event["cards"] if (card := parse_card(text)) is not None]


def read_cards(round_: Round) -> None:
    """Fill in `dealt`: corrections first, then what decisions name of the unread cards."""
    round_.dealt = []
    for event in round_.of_type("CardDealt"):
        text = event["card"]
        fixed = round_.card_corrections.get(event["event_id"])
        if fixed is not None:
            # ambiguous: a correction that is itself no card leaves the card not read
            text = fixed["card"]
        card = None if text is None else parse_card(text)
        round_.dealt.append(
            Dealt(event["seq"], event["place"], event["spot"], card, event["event_id"])
        )
    from tests.oracle.shootout_hands import counts  # it rests on this module

    # ambiguous: the choice that counts is the better evidence, so it comes first.
    made = [event for event in round_.of_type("DecisionMade") if event["cards"]]
    for event in sorted(made, key=lambda event: not counts(round_, event)):
        if event["decision"] in ("KEEP", "SPLIT"):
            _read_off(round_, event)


def _read_off(round_: Round, event: Event) -> None:
    """Read a named card off the unread ones, where it must be among them.

    ambiguous: only KEEP and SPLIT name cards; each is evidence, also one that a later decision
    replaced; where more cards are missing than are unread, none can be read off; which of several
    unread cards it was is not known, and the first is taken.
    """
    held = round_.at_spot(event["spot"], "DEALER" if event["spot"] is None else "PLAYER")
    if round_.game != "TEXAS_SHOOTOUT" or (event["spot"] is None and event["decision"] != "KEEP"):
        return
    wanted = 4 if event["decision"] == "SPLIT" else 2
    named = Counter(cards_named(event))
    missing = list((named - Counter(c.card for c in held if c.card is not None)).elements())
    unread = [dealt for dealt in held if dealt.card is None]
    if len(event["cards"]) != wanted or len(missing) > len(unread):
        return
    for dealt, card in zip(unread, sorted(missing), strict=False):
        dealt.card = card
