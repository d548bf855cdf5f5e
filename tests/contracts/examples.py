"""A row of every record as JSON has it, whole and with its required fields only."""

from typing import Any, Final

from services.decode.records import specs

Row = dict[str, Any]

ENVELOPE: Final[Row] = {
    "event_id": "792920a5-4287-4a06-b55e-6d2e08a6d2d2",
    "table_id": "DD-07",
    "seq": 17,
    "occurred_at": "2026-03-01T20:15:04.120000Z",
    "recorded_by": "pit-tablet-2",
}
ROUND: Final[Row] = ENVELOPE | {"round_id": "DD-07-000123"}
WAGER: Final[Row] = ROUND | {
    "spot": 3,
    "hand": 2,
    "wager": "BIG_8",
    "bettor": "DEALER",
    "amount_cents": 1500,
    "player_id": "P-1",
}
CORRECTED: Final = "c5cd2fe7-5c78-5075-91e8-7ea2026a89c1"
APPROVED: Final[Row] = {"authorised_by": "pit-boss", "note": "camera 4"}

WHOLE: Final[dict[str, Row]] = {
    "TableOpened": ENVELOPE
    | {
        "game": "DAKOTA_DUEL_DRAW",
        "gaming_day": "2026-03-01",
        "currency": "CAD",
        "spots": 6,
        "paytables": {"pocket_pair": "1", "big_8": "7"},
        "minimum_cents": 100,
        "maximum_cents": 100000,
        "house_way": "standard",
    },
    "TableClosed": ENVELOPE | {"reason": "end of day"},
    "ShoeLoaded": ENVELOPE | {"shoe_id": "S-1", "decks": 6},
    "CardBurned": ENVELOPE | {"shoe_id": "S-1", "card": "10h"},
    "CutCardReached": ENVELOPE | {"shoe_id": "S-1"},
    "TrayCounted": ENVELOPE | {"count": "CLOSING", "amount_cents": -5},
    "ChipsMoved": ENVELOPE | {"movement": "BUY_IN", "amount_cents": 50000},
    "RoundOpened": ROUND | {"dealer_id": "D-11", "shoe_id": "S-1"},
    "WagerPlaced": WAGER,
    "WagerRemoved": WAGER,
    "CardDealt": ROUND | {"place": "PLAYER", "spot": 3, "card": "As", "face_up": True},
    "CardExposed": ROUND | {"place": "HAND_1", "spot": None, "card": "2c"},
    "CardsRevealed": ROUND | {"places": ["HAND_1", "HAND_2"]},
    "DecisionMade": ROUND
    | {"spot": 3, "hand": 2, "decision": "SPLIT", "cards": ["10h", "Qs", "Zz", "2c", "3c"]},
    "WagerSettled": ROUND
    | {
        "spot": 3,
        "hand": 2,
        "wager": "ENVY_BONUS",
        "bettor": "DEALER",
        "outcome": "PUSH",
        "paid_cents": 2**63 - 1,
    },
    "RoundClosed": ROUND,
    "RoundVoided": ROUND | {"reason": "OTHER", **APPROVED},
    "CardCorrected": ROUND | {"corrects": CORRECTED, "card": "Kd", **APPROVED},
    "PayoutCorrected": ROUND
    | {"corrects": CORRECTED, "outcome": "WIN", "paid_cents": 0, **APPROVED},
    "RulingMade": ROUND | {"spot": 2, "ruling": "stands", **APPROVED},
}


def whole(name: str, **changed: object) -> Row:
    """A row with every field, some changed."""
    return {"type": name} | WHOLE[name] | changed


def least(name: str, **changed: object) -> Row:
    """A row with its required fields only, some changed."""
    fields = specs()[name].fields
    row = {key: value for key, value in WHOLE[name].items() if fields[key].required}
    return {"type": name} | row | changed


def without(row: Row, field: str) -> Row:
    """The row, a field left out."""
    return {key: value for key, value in row.items() if key != field}
