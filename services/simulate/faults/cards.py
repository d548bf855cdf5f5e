"""Wrong cards: one too many of its kind, none at all, not read; decks and shoes astray."""

from collections import Counter
from typing import Final

from services.simulate.faults.fault import (
    DAKOTA,
    EVERY_GAME,
    RUN_EM_TWICE,
    SHOOTOUT,
    Fault,
    FindingRow,
    finding,
    found,
    found_at,
    pick,
    undetermined,
)
from services.simulate.round import PLAYER, Ask, Dues, Round, Wishes
from services.simulate.scribe import Event
from services.simulate.table import Table

SHARED: Final = ("LEFT", "RIGHT", "TOP", "BOTTOM", "CENTER", "HAND_1", "HAND_2", "FLOP")
"""Places of cards that no spot holds alone."""


def shared_cards(play: Round) -> list[Event]:
    """The community cards, or the flop."""
    return [play.events[row] for row in play.rows("CardDealt") if _place(play, row) in SHARED]


def _place(play: Round, row: int) -> str:
    place: str = play.events[row]["place"]
    return place


class DuplicateCard(Fault):
    """A deck with one card too many of a kind."""

    name = "duplicate-card"
    games = EVERY_GAME
    codes = ("DUPLICATE_CARD",)
    summary = "one copy more of a card than the deck or shoe holds"

    def prepare(self, table: Table) -> Wishes | None:
        """In Shootout a shoe whose cards are known so far, and one of them is all gone."""
        shoe = table.shoe
        if table.script.one_deck_a_round:
            return Wishes()
        if shoe is None or shoe.cut_told or not shoe.is_told_whole:
            return None
        return Wishes() if all_gone(shoe.seen()[1:], 6) else None

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """Make a community card one whose copies are all out."""
        is_shootout = play.opening["game"] == SHOOTOUT
        drawn, _, cards = play.notes["shoe after"]
        seen = cards[1:drawn] if is_shootout else cards[:drawn]  # the burned card was not read
        event = pick(play, shared_cards(play))
        gone = all_gone(seen, 6 if is_shootout else 1)
        card = pick(play, [card for card in gone if card != event["card"]])
        if card is None:
            return None
        event["card"] = card
        return [found("DUPLICATE_CARD", play)]


def all_gone(cards: list[str], copies: int) -> list[str]:
    """Cards of which all copies are among these."""
    return sorted(card for card, count in Counter(cards).items() if count == copies)


class BadCard(Fault):
    """A reader that makes no sense of a card which does not matter."""

    name = "bad-card"
    games = EVERY_GAME
    codes = ("BAD_CARD",)
    summary = "a card that is none, where it decides nothing"

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """Spoil a folded or discarded card; refuse where a due hangs on it."""
        rows = list(play.rows("CardDealt", place="PLAYER"))
        if play.opening["game"] == SHOOTOUT:
            fitting = [row for row in rows if self._is_discard(play, play.events[row])]
        else:
            fitting = [row for row in rows if play.events[row]["spot"] in play.folded()]
        row = pick(play, fitting)
        if row is None:
            return None
        event = play.events[row]
        event["card"] = play.rng.choice(("1s", "Xx", "Jx", "0h"))
        after = ask([play])[0]
        if any(due.due_cents is None for due in after.values()):
            return None
        return [found_at("BAD_CARD", event)]

    def _is_discard(self, play: Round, event: Event) -> bool:
        row = play.row("DecisionMade", spot=event["spot"], decision="KEEP")
        return row is not None and event["card"] not in play.events[row]["cards"]


class UnreadCard(Fault):
    """A reader that misses a card on which wagers hang."""

    name = "unread-card"
    games = EVERY_GAME
    codes = ("UNDETERMINED",)
    summary = "a community or flop card that decides wagers is not read"

    def prepare(self, table: Table) -> Wishes:
        """A shoe of the round's own: what may be due depends on every card seen before."""
        return Wishes(new_shoe=True)

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """Lose one reading, settle as the card was."""
        event = pick(play, shared_cards(play))
        event["card"] = None
        return undetermined(play, ask([play])[0]) or None


class DealOrder(Fault):
    """Cards go to the wrong place first."""

    name = "deal-order"
    games = EVERY_GAME
    codes = ("DEAL_ORDER",)
    summary = "two cards are dealt out of rotation"

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """Let the first card of the community, or of the dealer, come one card too soon."""
        place = {"RT": CROSS, "DD": ("HAND_1",), "TS": ("DEALER",)}[play.round_id[:2]]
        row = next(row for row in play.rows("CardDealt") if _place(play, row) in place)
        events = play.events
        if events[row - 1]["type"] != "CardDealt":
            return None
        events[row - 1], events[row] = events[row], events[row - 1]
        return [found("DEAL_ORDER", play)]


CROSS: Final = SHARED[:5]


class SettlementOrder(Fault):
    """Wagers are paid and taken in the wrong order."""

    name = "settlement-order"
    games = (DAKOTA, SHOOTOUT)
    codes = ("SETTLEMENT_ORDER",)
    summary = "two wagers of a spot are settled in the wrong order"

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """Settle the hand 2 ante after the big 8, or the primary after its bonus."""
        first, last = {
            DAKOTA: ("HAND_2_ANTE", "BIG_8"),
            SHOOTOUT: ("PRIMARY", "SHOOTOUT_BONUS"),
        }[play.opening["game"]]
        settlements = play.settlements()
        spots = [
            (row, settlements[where._replace(wager=last)])
            for where, row in settlements.items()
            if where.wager == first
            and where.bettor == PLAYER
            and where.spot not in play.folded()
            and where._replace(wager=last) in settlements
        ]
        chosen = pick(play, spots)
        if chosen is None:
            return None
        one, other = chosen
        events = play.events
        events[one], events[other] = events[other], events[one]
        return [found("SETTLEMENT_ORDER", play)]


class DeckRepeated(Fault):
    """A cooler: the deck of an earlier round comes again, card for card."""

    name = "deck-repeated"
    games = (RUN_EM_TWICE, DAKOTA)
    codes = ("DECK_ORDER_REPEATED",)
    summary = "the same cards in the same order as an earlier round of the table"

    def prepare(self, table: Table) -> Wishes | None:
        """The seats and cards of an earlier round."""
        earlier = table.remembered
        if earlier is None:
            return None
        cards: dict[tuple[str, int], list[str]] = {}
        cross: list[str] = []
        for row in earlier.rows("CardDealt"):
            event = earlier.events[row]
            cards.setdefault((event["place"], event["spot"] or 0), []).append(event["card"])
            if event["place"] in CROSS:
                cross.append(event["place"])
        if cross:
            cards["CROSS", 0] = cross
        return Wishes(cards, seats=tuple(earlier.seats))

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """The round."""
        return [found("DECK_ORDER_REPEATED", play)]


class TwoDecks(Fault):
    """The wrong number of decks is loaded."""

    name = "two-decks"
    games = EVERY_GAME
    codes = ("DECKS_WRONG",)
    summary = "two decks, or a shoe of eight, are loaded"

    def prepare(self, table: Table) -> Wishes:
        """Load another number of decks."""
        return Wishes(decks=8 if table.script.game == SHOOTOUT else 2, new_shoe=True)

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """The loading."""
        return [finding("DECKS_WRONG", play.scribe.table_id, None)]


class PastCut(Fault):
    """One round too many from an old shoe."""

    name = "past-cut"
    games = (SHOOTOUT,)
    codes = ("SHOE_PAST_CUT",)
    summary = "a round is opened after its shoe's cut card was reached"

    def prepare(self, table: Table) -> Wishes | None:
        """Keep the shoe, if its cut card is out and enough cards are left."""
        shoe = table.shoe
        needed = 4 * (len(table.spots_taken()) + 1) + 5
        if shoe is None or not shoe.cut_told or len(shoe.left()) < needed:
            return None
        return Wishes(keep_shoe=True)

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """The round."""
        return [found("SHOE_PAST_CUT", play)]
