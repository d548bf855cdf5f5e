"""Findings that no stretch holds by itself, gathered over all stretches of a stream in memory.

A history gathers the same rows in its tables; what they come to is decided by the same functions.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from replay.cards_judged import DeckOrder, repeats
from replay.docket import order_key
from replay.events import EventColumns
from replay.findings import Finding
from replay.pays import mismatches
from replay.rulebook.loader import Rulebook
from replay.verdict import PayRow, RoundColumns, Verdict


@dataclass(slots=True)
class WholeStream:
    """Deck orders and pays of everything judged so far."""

    orders: list[DeckOrder] = field(default_factory=list)
    pays: dict[tuple[str, int, int, str], PayRow] = field(default_factory=dict)

    def add(self, events: EventColumns, verdict: Verdict) -> None:
        """Take what one stretch came to; later weighings of an opening replace earlier ones."""
        self.orders += deck_orders_of(events, verdict.rounds)
        for row in verdict.pays:
            self.pays[row.table_id, row.opening_seq, row.wager, row.other] = row

    def findings(self, rulebook: Rulebook) -> list[Finding]:
        """What they come to, in the contract's order."""
        found = repeats(self.orders, rulebook) + mismatches(self.pays.values(), rulebook)
        return sorted(found, key=order_key)


def deck_orders_of(events: EventColumns, rounds: RoundColumns) -> list[DeckOrder]:
    """The comparable deck orders among the rounds of a stretch."""
    return [
        DeckOrder(
            table_id=events.table_ids[rounds.table[place]],
            round_id=events.round_ids[rounds.round[place]],
            game=int(rounds.game[place]),
            opened_seq=int(rounds.opened_seq[place]),
            opened_no=int(rounds.opened_no[place]),
            digest=int(rounds.deck_order_high[place]) << 64 | int(rounds.deck_order_low[place]),
        )
        for place in np.flatnonzero(rounds.deck_order_known)
    ]
