"""A table told by hand: opened, counted, chips moved, rounds that a single spot folds."""

import itertools
import json
import uuid
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from services.audit import audit

DENVER = ZoneInfo("America/Denver")
ANTE_CENTS = 10_00
BOARD = {"LEFT": "4s", "RIGHT": "6c", "TOP": "4d", "BOTTOM": "4c", "CENTER": "Ad"}
"""Three fours: the 5-card bonus pays 4 to 1 (Run'em Twice (9)(g))."""

OTHERS = [rank + suit for suit in "cdhs" for rank in "235789TJQK"]
HOLES = list(itertools.combinations(OTHERS, 2))


class Table:
    """A table of Run'em Twice; times are of Denver."""

    def __init__(self, table_id: str, day: str, at: str) -> None:
        self.table_id = table_id
        self.events: list[dict[str, Any]] = []
        self.rounds = 0
        self.at = datetime.fromisoformat(f"{day}T{at}").replace(tzinfo=DENVER)

    def wait(self, until: str) -> None:
        """Let the clock show this time: `18:30`, or `2026-04-19T01:00`."""
        text = until if "T" in until else f"{self.at.date()}T{until}"
        self.at = datetime.fromisoformat(text).replace(tzinfo=DENVER)

    def tell(self, kind: str, **fields: Any) -> dict[str, Any]:
        seq = len(self.events) + 1
        event = {
            "type": kind,
            "event_id": str(uuid.uuid5(uuid.NAMESPACE_OID, f"{self.table_id} {seq}")),
            "table_id": self.table_id,
            "seq": seq,
            "occurred_at": self.at.isoformat(),
            **fields,
        }
        self.events.append(event)
        self.at += timedelta(seconds=1)
        return event

    def open(self, day: str | date | None = None, **fields: Any) -> None:
        posted = {"spots": 6, "paytables": {"ultimate_pairs": "2"}, "currency": "USD"}
        limits = {"minimum_cents": None, "maximum_cents": None, "house_way": None}
        given = {"game": "RUN_EM_TWICE", "gaming_day": str(day or self.at.date())}
        self.tell("TableOpened", **{**posted, **limits, **given, **fields})

    def close(self) -> None:
        self.tell("TableClosed", reason=None)

    def count(self, which: str, cents: int) -> None:
        self.tell("TrayCounted", count=which, amount_cents=cents)

    def move(self, movement: str, cents: int) -> None:
        self.tell("ChipsMoved", movement=movement, amount_cents=cents)

    def fold(
        self,
        *,
        bonus_cents: int = 0,
        bonus_paid_cents: int = 0,
        ante_paid_cents: int = 0,
        unread: bool = False,
    ) -> None:
        """A round that loses both antes of $10, with a 5-card bonus if told.

        `bonus_paid_cents`: what the bonus is settled with; 4 to 1 is due. `ante_paid_cents`: the
        first ante is settled as won, with so much. `unread`: the center card was not read.
        """
        self.rounds += 1
        told = {"round_id": f"{self.table_id}-{self.rounds}"}
        bet = {**told, "spot": 1, "hand": 1, "bettor": "PLAYER"}
        self.tell("ShoeLoaded", shoe_id=f"S{self.rounds}", decks=1)
        self.tell("RoundOpened", **told, dealer_id="D-1", shoe_id=f"S{self.rounds}")
        antes = ("FIRST_ANTE", "SECOND_ANTE")
        for wager in antes:
            self.tell("WagerPlaced", **bet, wager=wager, amount_cents=ANTE_CENTS, player_id="P-1")
        if bonus_cents:
            bonus = {"wager": "FIVE_CARD_BONUS", "amount_cents": bonus_cents}
            self.tell("WagerPlaced", **bet, **bonus, player_id="P-1")
        for card in HOLES[self.rounds % len(HOLES)]:
            self.tell("CardDealt", **told, place="PLAYER", spot=1, card=card, face_up=False)
        for place, card in BOARD.items():
            read = None if unread and place == "CENTER" else card
            self.tell("CardDealt", **told, place=place, spot=None, card=read, face_up=False)
        self.tell("DecisionMade", **told, spot=1, hand=1, decision="FOLD", cards=[])
        for places in (["LEFT", "RIGHT"], ["TOP", "BOTTOM"], ["CENTER"]):
            self.tell("CardsRevealed", **told, places=places)
        for wager in antes:
            paid = ante_paid_cents if wager == "FIRST_ANTE" else 0
            self._settle(bet, wager, paid)
        if bonus_cents:
            self._settle(bet, "FIVE_CARD_BONUS", bonus_paid_cents)
        self.tell("RoundClosed", **told)

    def _settle(self, bet: dict[str, Any], wager: str, paid_cents: int) -> None:
        outcome = "WIN" if paid_cents else "LOSE"
        self.tell("WagerSettled", **bet, wager=wager, outcome=outcome, paid_cents=paid_cents)


def kept(path: Path, *tables: Table, but: Iterable[tuple[str, int]] = ()) -> Path:
    """A history of these tables, without the events named by table and number."""
    gone = set(but)
    lines = [
        json.dumps(event)
        for table in tables
        for event in table.events
        if (table.table_id, event["seq"]) not in gone
    ]
    file = path.with_suffix(".jsonl")
    file.write_text("\n".join(lines) + "\n", "utf-8")
    audit([str(file)], db=str(path))
    return path
