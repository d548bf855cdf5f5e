"""One round as JSON and CSV: version 1 of what `round` and `settle` print.

Everything that decides a wager stands in its row: the cards, the line of the paytable in the rule's
words, its odds, the stake and the clause. Keys are added at the end of their object only.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from replay.bets import Hand
from replay.explain import ExplainedWager, best_of, words_of
from replay.rulebook.model import Line
from replay.vocabulary import CARD_NAMES, Wager
from services.csv_rows import csv_cell, csv_row
from services.report.model import finding_object
from services.report.unjudged import unjudged_wagers

if TYPE_CHECKING:
    from services.rounds import RoundReport

VERSION: Final = 1

WAGER_KEYS: Final = (
    "spot",
    "hand",
    "wager",
    "bettor",
    "stake_cents",
    "expected_cents",
    "expected_low_cents",
    "expected_high_cents",
    "actual_cents",
    "clause",
    "row",
    "readings",
)
"""The contract's keys; what follows them in the JSON is for whoever reckons after us."""


def round_json(report: RoundReport) -> bytes:
    """The JSON object, one line."""
    return json.dumps(round_object(report), ensure_ascii=False).encode() + b"\n"


def round_object(report: RoundReport) -> dict[str, Any]:
    """Every key, null where it does not apply."""
    return {
        "version": VERSION,
        "table_id": report.table_id,
        "round_id": report.round_id,
        "game": report.game.name,
        "wagers": [wager_object(wager) for wager in wagers_of(report)],
        "findings": [finding_object(row) for row in report.findings],
        "timeline": list(report.timeline),
        "status": "not_opened" if report.status is None else report.status.name.lower(),
        "why": report.why or None,
        "gaming_day": report.gaming_day.isoformat() if report.gaming_day else None,
        "dealer_id": report.dealer_id,
        "opened_at": report.opened_at,
        "ended_at": report.ended_at,
        "paytables": dict(report.paytables),
        "cards": [
            {"place": place, "spot": spot or None, "card": card or None}
            for place, spot, card in cards_lying(report)
        ],
    }


def wagers_of(report: RoundReport) -> tuple[ExplainedWager, ...]:
    """The round's wagers, by seat; of a round that is not judged with nothing due."""
    return report.explained.wagers if report.explained else unjudged_wagers(report.timeline)


def cards_lying(report: RoundReport) -> list[tuple[str, int, str]]:
    """(place, spot or 0, card or "") of every card dealt, corrected where it was."""
    if report.explained is not None:
        return [
            (card.place.name, card.spot, _name(card.code) or "") for card in report.explained.cards
        ]
    corrected = {
        event["corrects"]: event["card"]
        for event in report.timeline
        if event["type"] == "CardCorrected"
    }
    return [
        (event["place"], event["spot"] or 0, corrected.get(event["event_id"], event["card"]) or "")
        for event in report.timeline
        if event["type"] == "CardDealt"
    ]


def wager_object(wager: ExplainedWager) -> dict[str, Any]:
    """One wager, with what decides it."""
    argument = wager.argument
    decides = deciding_hand(wager)
    return {
        "spot": wager.spot,
        "hand": wager.hand,
        "wager": wager.wager.name,
        "bettor": wager.bettor.name,
        "stake_cents": wager.stake_cents,
        "expected_cents": wager.expected_cents,
        "expected_low_cents": wager.expected_low_cents,
        "expected_high_cents": wager.expected_high_cents,
        "actual_cents": wager.actual_cents,
        "clause": argument.clause,
        "row": argument.line.words if argument.line else None,
        "readings": list(argument.readings),
        "odds": odds_of(wager),
        "paytable": argument.paytable or None,
        "cards": None if decides is None else _names(best_of(decides) or decides.cards),
        "hands": [_hand_object(hand) for hand in argument.hands],
        "by_cards_cents": wager.by_cards_cents,
        "why": argument.words,
    }


def deciding_hand(wager: ExplainedWager) -> Hand | None:
    """The hand by which a wager is paid: of the center's two the better; none of many for envy."""
    hands = wager.argument.hands
    if wager.wager == Wager.CENTER:
        return next((hand for hand in hands if hand.line == wager.argument.line), None)
    if wager.wager == Wager.ENVY_BONUS and len(hands) != 1:
        return next((hand for hand in hands if hand.line and wager.argument.line), None)
    return hands[0] if hands else None


def odds_of(wager: ExplainedWager) -> Any:
    """`[x, 1]` for x to 1, "push", "lose", "na" as the rulebook writes a pay; None: none known."""
    if wager.argument.line is not None:
        return line_odds(wager.argument.line)
    by_cards, stake = wager.by_cards_cents, wager.stake_cents
    if by_cards is None or not stake or wager.wager in (Wager.POCKET_PAIR, Wager.ENVY_BONUS):
        return None
    if by_cards > 0:
        return [by_cards // stake, 1]
    return "lose" if by_cards < 0 else None


def line_odds(line: Line) -> Any:
    """What a line of a paytable does, as the rulebook writes it."""
    if line.result != "pays":
        return line.result
    return {"cents": line.cents} if line.to_one is None else [line.to_one, 1]


def round_csv(report: RoundReport) -> Iterator[bytes]:
    """A header and a row a wager, columns named and ordered as the contract's keys."""
    yield csv_row(WAGER_KEYS)
    for wager in wagers_of(report):
        values = wager_object(wager)
        cells = (values[key] for key in WAGER_KEYS)
        yield csv_row(map(csv_cell, cells))


def _hand_object(hand: Hand) -> dict[str, Any]:
    best = best_of(hand)
    return {
        "whose": hand.whose,
        "cards": _names(hand.cards),
        "best": _names(best) if best else None,
        "words": words_of(hand) or None,
        "row": hand.line.words if hand.line else None,
        "odds": line_odds(hand.line) if hand.line else None,
    }


def _names(codes: tuple[int, ...]) -> list[str | None]:
    return [_name(code) for code in codes]


def _name(code: int) -> str | None:
    return CARD_NAMES[code] if code < len(CARD_NAMES) else None
