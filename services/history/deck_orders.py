"""Rounds of a table that deal the same cards in the same order, found over the rows of rounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from replay.cards_judged import DeckOrder, repeats
from replay.docket import finding_id_of
from replay.findings import Finding, FindingCode
from replay.rulebook.loader import Rulebook
from services.history.store import History
from services.history.verdicts import DealtRound


def repeats_of(
    history: History, dealt: Sequence[DealtRound], rulebook: Rulebook
) -> tuple[list[Finding], list[str]]:
    """What the deck orders of these rounds come to, and the ids of all they might have come to."""
    orders = {
        (each.table_id, each.deck_high, each.deck_low)
        for each in dealt
        if each.deck_high is not None
    }
    rounds = {(each.table_id, each.round_id) for each in dealt}
    found: list[DeckOrder] = []
    # Of every round, not of every order: two rounds of this transaction may have the same.
    highs = [each.deck_high for each in dealt if each.deck_high is not None]
    if highs and (history.index is None or history.index.decks_met(highs)):
        met = map(_order_of, history.rows(_SAME_DECKS, [highs]))
        found = [order for order in met if (order.table_id, *_halves(order)) in orders]
    rounds |= {(order.table_id, order.round_id) for order in found}
    ids = [finding_id_of((FindingCode.DECK_ORDER_REPEATED, *each)) for each in sorted(rounds)]
    return repeats(found, rulebook), ids


def repeats_at(
    history: History, tables: Sequence[str], rulebook: Rulebook
) -> tuple[list[Finding], list[str]]:
    """What all deck orders of the tables come to, and the ids of all that they came to before."""
    rows = history.rows(_REPEATED, [list(tables)])
    ids = [str(finding_id) for (finding_id,) in history.rows(_FOUND, [list(tables)])]
    return repeats(map(_order_of, rows), rulebook), ids


def _order_of(row: tuple[Any, ...]) -> DeckOrder:
    table_id, round_id, game, opened_seq, opened_no, high, low = row
    return DeckOrder(
        table_id=table_id,
        round_id=round_id,
        game=game,
        opened_seq=opened_seq,
        opened_no=opened_no,
        digest=high << 64 | low,
    )


def _halves(order: DeckOrder) -> tuple[int, int]:
    return order.digest >> 64, order.digest & 0xFFFF_FFFF_FFFF_FFFF


_COLUMNS: Final = "table_id, round_id, enum_code(game), opened_seq, opened_no, deck_high, deck_low"

_SAME_DECKS: Final = (
    f"SELECT {_COLUMNS} FROM rounds "  # noqa: S608 (constants only)
    "WHERE deck_high IN (SELECT unnest(?::UBIGINT[]))"
)

_REPEATED: Final = f"""
SELECT {_COLUMNS}
FROM rounds
SEMI JOIN (
    SELECT table_id, deck_high, deck_low
    FROM rounds
    WHERE deck_high IS NOT NULL AND table_id IN (SELECT unnest(?::VARCHAR[]))
    GROUP BY ALL
    HAVING count(*) > 1
) AS repeated USING (table_id, deck_high, deck_low)
"""  # noqa: S608 (constants only)

_FOUND: Final = """
SELECT replace(finding_id::VARCHAR, '-', '')
FROM findings
WHERE code = 'DECK_ORDER_REPEATED' AND table_id IN (SELECT unnest(?::VARCHAR[]))
"""
