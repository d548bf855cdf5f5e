"""Writes the events of one table, every field given, in the order of the event contract.

`seq` and `occurred_at` are filled in when a round is finished (`table.Table.number`).
"""

from collections.abc import Iterable
from typing import Any

from services.simulate.chance import Chance, event_id

Event = dict[str, Any]
"""One event in the form of a JSON line."""


class Scribe:
    """The devices of a table: the layout, the shoe, and now and then a hand that signs nothing."""

    def __init__(self, table_id: str, rng: Chance) -> None:
        self.table_id = table_id
        self.rng = rng
        self._layout = f"layout-{table_id}"
        self._shoe = f"shoe-{table_id}"

    def _event(self, kind: str, device: str, **fields: Any) -> Event:
        return {
            "type": kind,
            "event_id": event_id(self.rng),
            "table_id": self.table_id,
            "seq": 0,
            "occurred_at": "",
            "recorded_by": device if self.rng.getrandbits(2) else None,
            **fields,
        }

    # --- table and shoe ---

    def table_opened(self, **posted: Any) -> Event:
        """`TableOpened` with what the table posts."""
        return self._event("TableOpened", self._layout, **posted)

    def table_closed(self, reason: str | None) -> Event:
        """`TableClosed`."""
        return self._event("TableClosed", self._layout, reason=reason)

    def shoe_loaded(self, shoe_id: str, decks: int) -> Event:
        """`ShoeLoaded`."""
        return self._event("ShoeLoaded", self._layout, shoe_id=shoe_id, decks=decks)

    def burned(self, shoe_id: str, card: str | None) -> Event:
        """`CardBurned`."""
        return self._event("CardBurned", self._shoe, shoe_id=shoe_id, card=card)

    def cut_card(self, shoe_id: str) -> Event:
        """`CutCardReached`."""
        return self._event("CutCardReached", self._layout, shoe_id=shoe_id)

    def tray_counted(self, count: str, cents: int) -> Event:
        """`TrayCounted`."""
        return self._event("TrayCounted", self._layout, count=count, amount_cents=cents)

    def chips_moved(self, movement: str, cents: int) -> Event:
        """`ChipsMoved`."""
        return self._event("ChipsMoved", self._layout, movement=movement, amount_cents=cents)

    # --- round ---

    def opened(self, round_id: str, dealer_id: str | None, shoe_id: str) -> Event:
        """`RoundOpened`."""
        return self._event(
            "RoundOpened", self._layout, round_id=round_id, dealer_id=dealer_id, shoe_id=shoe_id
        )

    def chips(
        self,
        kind: str,
        round_id: str,
        where: tuple[int, int, str, str],
        cents: int,
        player_id: str | None,
    ) -> Event:
        """`WagerPlaced` or `WagerRemoved` at (spot, hand, wager, bettor)."""
        spot, hand, wager, bettor = where
        return self._event(
            kind,
            self._layout,
            round_id=round_id,
            spot=spot,
            hand=hand,
            wager=wager,
            bettor=bettor,
            amount_cents=cents,
            player_id=player_id,
        )

    def dealt(self, round_id: str, place: str, spot: int | None, card: str | None) -> Event:
        """`CardDealt`, face down."""
        return self._event(
            "CardDealt",
            self._shoe,
            round_id=round_id,
            place=place,
            spot=spot,
            card=card,
            face_up=False,
        )

    def exposed(self, round_id: str, place: str, spot: int | None, card: str) -> Event:
        """`CardExposed`."""
        return self._event(
            "CardExposed", self._shoe, round_id=round_id, place=place, spot=spot, card=card
        )

    def revealed(self, round_id: str, *places: str) -> Event:
        """`CardsRevealed`."""
        return self._event("CardsRevealed", self._shoe, round_id=round_id, places=list(places))

    def decided(
        self, round_id: str, spot: int | None, decision: str, cards: Iterable[str] = ()
    ) -> Event:
        """`DecisionMade`."""
        return self._event(
            "DecisionMade",
            self._layout,
            round_id=round_id,
            spot=spot,
            hand=1,
            decision=decision,
            cards=list(cards),
        )

    def settled(self, round_id: str, where: tuple[int, int, str, str], net_cents: int) -> Event:
        """`WagerSettled` for the player's net: above zero a win, below a loss, zero a push."""
        spot, hand, wager, bettor = where
        outcome = "WIN" if net_cents > 0 else "LOSE" if net_cents < 0 else "PUSH"
        return self._event(
            "WagerSettled",
            self._layout,
            round_id=round_id,
            spot=spot,
            hand=hand,
            wager=wager,
            bettor=bettor,
            outcome=outcome,
            paid_cents=max(net_cents, 0),
        )

    def closed(self, round_id: str) -> Event:
        """`RoundClosed`."""
        return self._event("RoundClosed", self._layout, round_id=round_id)

    def voided(self, round_id: str, reason: str, note: str | None) -> Event:
        """`RoundVoided`."""
        return self._event(
            "RoundVoided",
            self._layout,
            round_id=round_id,
            reason=reason,
            note=note,
            authorised_by="F-311",
        )

    # --- what people put right ---

    def card_corrected(self, round_id: str, corrects: str, card: str) -> Event:
        """`CardCorrected`."""
        return self._event(
            "CardCorrected",
            self._shoe,
            round_id=round_id,
            corrects=corrects,
            card=card,
            authorised_by="F-207",
            note="read by hand",
        )

    def payout_corrected(self, round_id: str, corrects: str, net_cents: int) -> Event:
        """`PayoutCorrected` to the player's net."""
        outcome = "WIN" if net_cents > 0 else "LOSE" if net_cents < 0 else "PUSH"
        return self._event(
            "PayoutCorrected",
            self._layout,
            round_id=round_id,
            corrects=corrects,
            outcome=outcome,
            paid_cents=max(net_cents, 0),
            authorised_by="F-207",
            note="paid by the wrong line",
        )

    def ruling(self, round_id: str, spot: int | None, ruling: str) -> Event:
        """`RulingMade`."""
        return self._event(
            "RulingMade",
            self._layout,
            round_id=round_id,
            spot=spot,
            ruling=ruling,
            authorised_by="F-207",
            note=None,
        )
