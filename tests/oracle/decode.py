"""Strict decoding: JSON lines to events as typed, and dead letters for what does not fit.

An event as typed is a dict with every field of its record: defaults filled in, ids in lower case,
times as microseconds, `10h` as `Th`. Two events are one content when these dicts are equal.
"""

import gzip
import json
import re
from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any, Final

from tests.oracle.findings import Event

GAMES: Final = ("RUN_EM_TWICE", "DAKOTA_DUEL_DRAW", "TEXAS_SHOOTOUT")
WAGERS: Final = (
    *("FIRST_ANTE", "SECOND_ANTE", "FIRST_RUN", "SECOND_RUN", "CENTER"),
    *("FIVE_CARD_BONUS", "ULTIMATE_PAIRS", "BIG_8", "HAND_2_ANTE", "HAND_1_PLAY"),
    *("PRIMARY", "SHOOTOUT_BONUS", "POCKET_PAIR", "ENVY_BONUS"),
)
PLACES: Final = (
    *("PLAYER", "DEALER", "LEFT", "RIGHT", "TOP", "BOTTOM", "CENTER"),
    *("HAND_1", "HAND_2", "FLOP"),
)
UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
TIME: Final = re.compile(
    r"(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?([Zz]|[+-]\d{2}:?\d{2})", re.ASCII
)
EPOCH: Final = datetime(1970, 1, 1, tzinfo=timezone.utc)  # noqa: UP017  plain and unmistakable


class DeadLetterError(ValueError):
    """Something that is no event; the message names the cause."""


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise DeadLetterError(f"{value!r} is no string")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise DeadLetterError("half a surrogate pair is no text") from error
    return value


def _whole(bits: int, low: int | None = None) -> Callable[[Any], int]:
    least = -(2 ** (bits - 1)) if low is None else low

    def read(value: Any) -> int:
        if type(value) is not int:  # a bool is an int to Python, and no amount
            raise DeadLetterError(f"{value!r} is no whole number")
        if not least <= value < 2 ** (bits - 1):
            raise DeadLetterError(f"{value} is out of range")
        return value

    return read


def _one_of(*symbols: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if _text(value) not in symbols:
            raise DeadLetterError(f"{value!r} is no known symbol")
        return str(value)

    return read


def _or_null(inner: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else inner(value)


def _list_of(inner: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def read(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise DeadLetterError(f"{value!r} is no list")
        return tuple(inner(item) for item in value)

    return read


def _event_id(value: Any) -> str:
    lowered = _text(value).lower()
    if not UUID.fullmatch(lowered):
        raise DeadLetterError(f"{value!r} is no event id")
    return lowered


def _hand(value: Any) -> int:
    if _whole(32)(value) not in (1, 2):
        raise DeadLetterError(f"hand {value} is neither 1 nor 2")
    return int(value)


def _card(value: Any) -> str:
    """Keep any text: a bad card is a finding. Only `10` is brought to its one form."""
    text = _text(value)
    return "T" + text[2] if len(text) == 3 and text[:2] == "10" else text


def _day(value: Any) -> date:
    text = _text(value)
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text, re.ASCII):
        raise DeadLetterError(f"{value!r} is no date")
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise DeadLetterError(f"{value!r} is no date") from error


def _time(value: Any) -> int:
    """Read a time with an offset as microseconds since 1970."""
    match = TIME.fullmatch(_text(value))
    if match is None:
        raise DeadLetterError(f"{value!r} is no time with an offset")
    day, clock, fraction, offset = match.groups()
    try:
        local = datetime.fromisoformat(f"{day}T{clock}+00:00")
    except ValueError as error:
        raise DeadLetterError(f"{value!r} is no time") from error
    east = 0
    if offset not in "Zz":
        hours, minutes = int(offset[1:3]), int(offset[-2:])
        if hours > 23 or minutes > 59:
            raise DeadLetterError(f"{value!r} has no such offset")
        east = (hours * 60 + minutes) * (-1 if offset[0] == "-" else 1)
    whole = (local - EPOCH) // timedelta(seconds=1) - east * 60
    return whole * 1_000_000 + int((fraction or "").ljust(6, "0") or "0")


def _paytables(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise DeadLetterError(f"{value!r} is no map")
    return {_text(key): _text(item) for key, item in value.items()}


_REQUIRED: Final = object()
Field = tuple[Callable[[Any], Any], Any]  # how it is read, and its default


def _required(**readers: Callable[[Any], Any]) -> dict[str, Field]:
    return {name: (reader, _REQUIRED) for name, reader in readers.items()}


def _note(value: Any) -> Any:
    return _or_null(_text)(value)


# A field may be left out only where the contract states its default; null is no default by itself.
_ENVELOPE: Final[dict[str, Field]] = {
    **_required(event_id=_event_id, table_id=_text, seq=_whole(64, 1), occurred_at=_time),
    "recorded_by": (_note, None),
}
_SPOT: Final = _whole(32, 1)
_ROUND: Final = _required(round_id=_text)
_BET: Final[dict[str, Field]] = {
    **_required(spot=_SPOT, wager=_one_of(*WAGERS)),
    "hand": (_hand, 1),
    "bettor": (_one_of("PLAYER", "DEALER"), "PLAYER"),
}
_OUTCOME: Final = _required(
    outcome=_one_of("WIN", "LOSE", "PUSH", "VOID"), paid_cents=_whole(64, 0)
)
_CHIPS: Final = {**_ROUND, **_BET, **_required(amount_cents=_whole(64), player_id=_note)}
_RULED: Final = _required(authorised_by=_text, note=_note)

RECORDS: Final[dict[str, dict[str, Field]]] = {
    "TableOpened": {
        **_required(game=_one_of(*GAMES), gaming_day=_day, spots=_SPOT, paytables=_paytables),
        **_required(minimum_cents=_or_null(_whole(64)), maximum_cents=_or_null(_whole(64))),
        **_required(house_way=_note),
        "currency": (_text, "USD"),
    },
    "TableClosed": _required(reason=_note),
    "ShoeLoaded": _required(shoe_id=_text, decks=_SPOT),
    "CardBurned": _required(shoe_id=_text, card=_or_null(_card)),
    "CutCardReached": _required(shoe_id=_text),
    "TrayCounted": _required(count=_one_of("OPENING", "CLOSING"), amount_cents=_whole(64)),
    "ChipsMoved": _required(movement=_one_of("FILL", "CREDIT", "BUY_IN"), amount_cents=_whole(64)),
    "RoundOpened": {**_ROUND, **_required(dealer_id=_note, shoe_id=_note)},
    "WagerPlaced": _CHIPS,
    "WagerRemoved": _CHIPS,
    "CardDealt": {
        **_ROUND,
        **_required(place=_one_of(*PLACES), spot=_or_null(_SPOT), card=_or_null(_card)),
        "face_up": (lambda value: _flag(value), False),
    },
    "CardExposed": {
        **_ROUND,
        **_required(place=_one_of(*PLACES), spot=_or_null(_SPOT), card=_or_null(_card)),
    },
    "CardsRevealed": {**_ROUND, **_required(places=_list_of(_one_of(*PLACES)))},
    "DecisionMade": {
        **_ROUND,
        **_required(spot=_or_null(_SPOT), decision=_one_of("PLAY", "FOLD", "KEEP", "SPLIT")),
        "hand": (_hand, 1),
        "cards": (_list_of(_card), ()),
    },
    "WagerSettled": {**_ROUND, **_BET, **_OUTCOME},
    "RoundClosed": _ROUND,
    "RoundVoided": {
        **_ROUND,
        **_required(reason=_one_of("MISDEAL", "DEFECTIVE_DECK", "EQUIPMENT", "OTHER")),
        **_required(note=_note, authorised_by=_note),
    },
    "CardCorrected": {**_ROUND, **_required(corrects=_event_id, card=_card), **_RULED},
    "PayoutCorrected": {**_ROUND, **_required(corrects=_event_id), **_OUTCOME, **_RULED},
    "RulingMade": {**_ROUND, **_required(spot=_or_null(_SPOT), ruling=_text), **_RULED},
}


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise DeadLetterError(f"{value!r} is neither true nor false")
    return value


def decode_event(raw: Any) -> Event:
    """Bring one JSON object to its typed form, or raise DeadLetterError."""
    if not isinstance(raw, dict):
        raise DeadLetterError("no JSON object")
    kind = raw.get("type")
    if not isinstance(kind, str) or kind not in RECORDS:
        raise DeadLetterError(f"{kind!r} is no record")
    fields = {**_ENVELOPE, **RECORDS[kind]}
    unknown = sorted(str(name) for name in raw if name != "type" and name not in fields)
    if unknown:
        raise DeadLetterError(f"unknown field {unknown[0]}")
    event: Event = {"type": kind}
    for name, (reader, default) in fields.items():
        if name in raw:
            try:
                event[name] = reader(raw[name])
            except DeadLetterError as error:
                raise DeadLetterError(f"{name}: {error}") from error
        elif default is _REQUIRED:
            raise DeadLetterError(f"field {name} is missing")
        else:
            event[name] = default
    return event


def _no_constant(text: str) -> Any:
    raise DeadLetterError(f"{text} is no JSON")


def decode_line(line: bytes) -> Event:
    """Decode one line of a file."""
    try:
        raw = json.loads(line.decode("utf-8"), parse_constant=_no_constant)
    except DeadLetterError:
        raise
    except (ValueError, RecursionError) as error:
        raise DeadLetterError(f"no JSON: {error}") from error
    return decode_event(raw)


def read_file(path: Path) -> tuple[list[Event], list[dict[str, Any]]]:
    """Read a file of JSON lines; blank lines are passed over but counted in the positions."""
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    events: list[Event] = []
    dead: list[dict[str, Any]] = []
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            events.append(decode_line(line))
        except DeadLetterError as error:
            dead.append({"source": path.name, "position": number, "error": str(error)})
    return events, dead
