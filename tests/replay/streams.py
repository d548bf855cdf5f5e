"""Stretches for tests, built row by row from events in their JSON form; slow and plain."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import numpy as np

from replay.events import EventColumns, Stretch, TableOpening
from replay.findings import Finding
from replay.resettle import Resettler
from replay.rulebook.loader import Rulebook, load_rulebook
from replay.verdict import Verdict
from replay.vocabulary import (
    CARD_BAD,
    CARD_CODES,
    CARD_UNREAD,
    Bettor,
    Decision,
    EventKind,
    Game,
    Outcome,
    Place,
    VoidReason,
    Wager,
)
from replay.whole import WholeStream

Event = dict[str, Any]

_KINDS = {"".join(part.title() for part in kind.name.split("_")): kind for kind in EventKind}
_ROUND_KINDS = frozenset(range(EventKind.ROUND_OPENED, EventKind.RULING_MADE + 1))
_HAND_KINDS = {"WagerPlaced", "WagerRemoved", "WagerSettled", "DecisionMade"}
_BET_KINDS = {"WagerPlaced", "WagerRemoved", "WagerSettled"}


def stretch_of(events: list[Event]) -> Stretch:
    """One stretch of all events, which must stand each for itself; sorted by table and seq."""
    ordered = sorted(enumerate(events), key=lambda e: (e[1]["table_id"], e[1]["seq"], e[0]))
    tables = sorted({event["table_id"] for event in events})
    rounds = sorted({(e["table_id"], e["round_id"]) for e in events if e.get("round_id")})
    shoes = sorted({(e["table_id"], e["shoe_id"]) for e in events if e.get("shoe_id")})
    players = sorted({e["player_id"] for e in events if e.get("player_id")})
    dealers = sorted({e["dealer_id"] for e in events if e.get("dealer_id")})
    opened: dict[tuple[str, str], int] = {}
    numbers: dict[tuple[str, str, str, str], int] = {}
    for number, event in ordered:
        if event["type"] == "RoundOpened":
            opened.setdefault((event["table_id"], event["round_id"]), event["seq"])
        if event["type"] in ("CardDealt", "WagerSettled"):
            key = (event["type"], event["event_id"].lower(), event["table_id"], event["round_id"])
            numbers[key] = number
    look = {
        "tables": tables,
        "rounds": rounds,
        "shoes": shoes,
        "players": players,
        "dealers": dealers,
    }
    rows = [_row(event, number, look, numbers) for number, event in ordered]
    columns: dict[str, Any] = {
        name: np.array([row[name] for row in rows], kind) for name, kind in _TYPES.items()
    }
    all_events = EventColumns(
        **columns,
        table_ids=tuple(tables),
        round_ids=tuple(round_id for _, round_id in rounds),
        round_opened_seq=np.array([opened.get(key, 0) for key in rounds], np.int64),
        shoe_ids=tuple(shoe for _, shoe in shoes),
        player_ids=tuple(players),
        dealer_ids=tuple(dealers),
        openings={n: _opening(e) for n, e in ordered if e["type"] == "TableOpened"},
        bad_cards={n: _named(e) for n, e in ordered if _names_no_card(e)},
    )
    none = all_events.take(np.zeros(len(rows), np.bool_))
    return Stretch(all_events, none, np.zeros(len(tables), np.int64))


def _named(event: Event) -> str:
    return " ".join(event.get("cards") or [event.get("card") or ""])


def _names_no_card(event: Event) -> bool:
    named = [*(event.get("cards") or ()), event.get("card")]
    return any(card is not None and card not in CARD_CODES for card in named)


def judge(events: list[Event], rulebook: Rulebook | None = None) -> tuple[Verdict, list[Finding]]:
    """Judge events as one stretch; the verdict, and all findings with those of whole days."""
    resettler = Resettler(rulebook or load_rulebook(), with_wagers=True)
    stretch = stretch_of(events)
    verdict = resettler.judge(stretch)
    whole = WholeStream()
    whole.add(stretch.events, verdict)
    return verdict, verdict.findings + whole.findings(resettler.rulebook)


_TYPES = {
    "event_no": np.int64, "standing": np.bool_, "kind": np.uint8, "table": np.int32,
    "seq": np.int64, "at_micros": np.int64, "round": np.int32, "spot": np.int32, "hand": np.uint8,
    "wager": np.uint8, "bettor": np.uint8, "amount_cents": np.int64, "player": np.int32,
    "place": np.uint8, "card": np.uint8, "places": np.uint16, "decision": np.uint8,
    "kept": np.uint32, "kept_count": np.int32, "kept_bad": np.bool_, "outcome": np.uint8,
    "reason": np.uint8, "shoe": np.int32, "decks": np.int32, "corrects": np.int64,
    "dealer": np.int32,
}  # fmt: skip


def _row(
    event: Event,
    number: int,
    look: dict[str, list[Any]],
    numbers: dict[tuple[str, str, str, str], int],
) -> dict[str, Any]:
    kind, table = event["type"], event["table_id"]
    named = {"CardCorrected": "CardDealt", "PayoutCorrected": "WagerSettled"}.get(kind, "")
    target = (named, str(event.get("corrects")).lower(), table, event.get("round_id", ""))
    cards = [CARD_CODES.get(card, CARD_BAD) for card in event.get("cards") or []]
    first_four = (cards + [CARD_UNREAD] * 4)[:4]
    return {
        "event_no": number,
        "standing": True,
        "kind": _KINDS[kind],
        "table": look["tables"].index(table),
        "seq": event["seq"],
        "at_micros": _micros(event["occurred_at"]),
        "round": _find(look["rounds"], (table, event.get("round_id"))),
        "spot": event.get("spot") or 0,
        "hand": event.get("hand", 1) if kind in _HAND_KINDS else 0,
        "wager": Wager[event["wager"]] if kind in _BET_KINDS else 0,
        "bettor": Bettor[event.get("bettor", "PLAYER")] if kind in _BET_KINDS else 0,
        "amount_cents": event.get("amount_cents", event.get("paid_cents", 0)),
        "player": _find(look["players"], event.get("player_id")),
        "place": Place[event["place"]] if event.get("place") else 0,
        "card": _card(event.get("card")),
        "places": sum(1 << Place[place] for place in event.get("places") or []),
        "decision": Decision[event["decision"]] if event.get("decision") else 0,
        "kept": sum(card << 8 * place for place, card in enumerate(first_four)),
        "kept_count": len(cards),
        "kept_bad": CARD_BAD in cards,
        "outcome": Outcome[event["outcome"]] if event.get("outcome") else 0,
        "reason": VoidReason[event["reason"]] if kind == "RoundVoided" else 0,
        "shoe": _find(look["shoes"], (table, event.get("shoe_id"))),
        "decks": event.get("decks", 0),
        "corrects": numbers.get(target, -1) if named else -1,
        "dealer": _find(look["dealers"], event.get("dealer_id")),
    }


def _card(name: str | None) -> int:
    return CARD_UNREAD if name is None else CARD_CODES.get(name, CARD_BAD)


def _opening(event: Event) -> TableOpening:
    return TableOpening(
        game=Game[event["game"]],
        gaming_day=date.fromisoformat(event["gaming_day"]),
        spots=event["spots"],
        paytables=event["paytables"],
        minimum_cents=event.get("minimum_cents"),
        maximum_cents=event.get("maximum_cents"),
        house_way=event.get("house_way"),
    )


def _find(names: list[Any], name: Any) -> int:
    return names.index(name) if name in names else -1


def _micros(text: str) -> int:
    moment = datetime.fromisoformat(text)
    whole = moment - datetime.fromisoformat("1970-01-01T00:00:00+00:00")
    return (whole.days * 86_400 + whole.seconds) * 1_000_000 + whole.microseconds
