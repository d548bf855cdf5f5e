"""The events of a round as people read them: one line each, seats and dollars."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from replay.vocabulary import Wager
from replay.words import WAGER_WORDS, money
from services.report.words import cards
from services.times import at_casino

Event = Mapping[str, Any]

TURNS: Final = frozenset(
    "RoundOpened CardExposed CardsRevealed DecisionMade RoundClosed RoundVoided CardCorrected"
    " PayoutCorrected RulingMade".split()
)
"""What a short timeline keeps: the bets, cards and settlements are told above it."""


def local_time(occurred_at: str, zone: ZoneInfo) -> datetime:
    """A time of an event at the casino."""
    return at_casino(datetime.fromisoformat(occurred_at), zone)


def event_words(event: Event) -> str:
    """What happened."""
    return _WORDS[event["type"]](event)


def bet_name(wager: str, hand: int, bettor: str) -> str:
    """`hand 2 primary`, `big 8 tip`."""
    words = WAGER_WORDS[Wager[wager]]
    first = "hand 2 " if hand == 2 else ""
    return f"{first}{words}{' tip' if bettor == 'DEALER' else ''}"


def _bet(event: Event) -> str:
    return bet_name(event["wager"], event["hand"], event["bettor"])


def _placed(event: Event) -> str:
    player = f" ({event['player_id']})" if event["player_id"] else ""
    return f"seat {event['spot']} bets {money(event['amount_cents'])}, {_bet(event)}{player}"


def _dealt(event: Event) -> str:
    where = _where(event["place"], event["spot"])
    return f"{cards([event['card'] or ''])} to {where}{', face up' if event['face_up'] else ''}"


def _exposed(event: Event) -> str:
    return f"{cards([event['card'] or ''])} at {_where(event['place'], event['spot'])} exposed"


def _where(place: str, spot: int | None) -> str:
    return f"seat {spot}" if place == "PLAYER" else _place(place)


def _place(place: str) -> str:
    return place.lower().replace("_", " ")


def _decided(event: Event) -> str:
    who = "the dealer" if event["spot"] is None else f"seat {event['spot']}"
    hand = " on hand 2" if event["hand"] == 2 else ""
    named = f" {cards(event['cards'])}" if event["cards"] else ""
    return f"{who} {_DECISIONS[event['decision']]}{named}{hand}"


_DECISIONS: Final = {"PLAY": "plays", "FOLD": "folds", "KEEP": "keeps", "SPLIT": "splits"}


def _settled(event: Event) -> str:
    paid = f" {money(event['paid_cents'])}" if event["paid_cents"] else ""
    return f"seat {event['spot']} {_bet(event)}: {event['outcome'].lower()}{paid}"


def _voided(event: Event) -> str:
    return f"the round is voided: {event['reason'].lower().replace('_', ' ')}{_note(event)}"


def _note(event: Event) -> str:
    by = f", by {event['authorised_by']}" if event.get("authorised_by") else ""
    return f"{by}{': ' + event['note'] if event.get('note') else ''}"


def _payout_corrected(event: Event) -> str:
    paid = f" {money(event['paid_cents'])}" if event["paid_cents"] else ""
    return f"a settlement is corrected to {event['outcome'].lower()}{paid}{_note(event)}"


_WORDS: Final[dict[str, Callable[[Event], str]]] = {
    "RoundOpened": lambda event: (
        f"round opened{' by dealer ' + event['dealer_id'] if event['dealer_id'] else ''}"
    ),
    "WagerPlaced": _placed,
    "WagerRemoved": lambda event: (
        f"seat {event['spot']} takes back {money(event['amount_cents'])}, {_bet(event)}"
    ),
    "CardDealt": _dealt,
    "CardExposed": _exposed,
    "CardsRevealed": lambda event: "turned over: " + ", ".join(map(_place, event["places"])),
    "DecisionMade": _decided,
    "WagerSettled": _settled,
    "RoundClosed": lambda event: "round closed",
    "RoundVoided": _voided,
    "CardCorrected": lambda event: f"a card is corrected to {cards([event['card']])}{_note(event)}",
    "PayoutCorrected": _payout_corrected,
    "RulingMade": lambda event: f"ruling: {event['ruling']}{_note(event)}",
}
