"""A tape of events for tests: numbered, timed and named by itself."""

from __future__ import annotations

import uuid
from typing import Any

from tests.replay.streams import Event

_START_SECOND = 20 * 3600


class Tape:
    """Events of one table, in order; `send` adds one and returns it."""

    def __init__(self, table_id: str, game: str, gaming_day: str = "2026-03-01", **opening: Any):
        self.table_id = table_id
        self.events: list[Event] = []
        self.round_id: str | None = None
        self.gaming_day = gaming_day
        said = {"spots": 6, "paytables": {}, "minimum_cents": 100, "maximum_cents": 100_000}
        said |= {"game": game, "gaming_day": gaming_day, "currency": "USD", "house_way": None}
        self.send("TableOpened", **(said | opening))

    def send(self, kind: str, **fields: Any) -> Event:
        seq = len(self.events) + 1
        second = _START_SECOND + 2 * seq
        clock = f"{second // 3600 % 24:02d}:{second // 60 % 60:02d}:{second % 60:02d}.000000Z"
        event: Event = {
            "type": kind,
            "event_id": str(uuid.uuid5(uuid.NAMESPACE_OID, f"{self.table_id}/{seq}")),
            "table_id": self.table_id,
            "seq": seq,
            "occurred_at": f"{self.gaming_day}T{clock}",
            "recorded_by": None,
        }
        if self.round_id is not None and kind not in _TABLE_KINDS:
            event["round_id"] = self.round_id
        event.update(fields)
        self.events.append(event)
        return event

    def open_round(self, number: int = 1, decks: int = 1) -> None:
        shoe_id = f"{self.table_id}-S{number:04d}"
        self.send("ShoeLoaded", shoe_id=shoe_id, decks=decks)
        self.round_id = f"{self.table_id}-{number:06d}"
        self.send("RoundOpened", dealer_id="D-11", shoe_id=shoe_id)

    def bet(self, spot: int, wager: str, cents: int, **more: Any) -> Event:
        return self.send(
            "WagerPlaced", **(_BET | {"spot": spot, "wager": wager, "amount_cents": cents} | more)
        )

    def take_back(self, spot: int, wager: str, cents: int, **more: Any) -> Event:
        return self.send(
            "WagerRemoved", **(_BET | {"spot": spot, "wager": wager, "amount_cents": cents} | more)
        )

    def deal(self, place: str, cards: str, spot: int | None = None) -> None:
        for card in cards.split():
            read = None if card == "??" else card
            self.send("CardDealt", place=place, spot=spot, card=read, face_up=False)

    def decide(self, spot: int | None, decision: str, cards: str = "") -> Event:
        return self.send("DecisionMade", spot=spot, hand=1, decision=decision, cards=cards.split())

    def reveal(self, *places: str) -> Event:
        return self.send("CardsRevealed", places=list(places))

    def settle(self, spot: int, wager: str, outcome: str, paid: int = 0, **more: Any) -> Event:
        fields = {"spot": spot, "hand": 1, "wager": wager, "bettor": "PLAYER"}
        return self.send(
            "WagerSettled", **(fields | {"outcome": outcome, "paid_cents": paid} | more)
        )

    def settle_net(self, spot: int, wager: str, net: int, **more: Any) -> Event:
        outcome = "WIN" if net > 0 else "LOSE" if net < 0 else "PUSH"
        return self.settle(spot, wager, outcome, max(net, 0), **more)

    def close_round(self) -> None:
        self.send("RoundClosed")
        self.round_id = None


_BET = {"hand": 1, "bettor": "PLAYER", "player_id": None}
_TABLE_KINDS = {
    "TableOpened",
    "TableClosed",
    "ShoeLoaded",
    "CardBurned",
    "CutCardReached",
    "TrayCounted",
    "ChipsMoved",
}
