"""What someone remembers of a round, read from words in any order and from flags."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from replay.findings import FindingCode
from replay.vocabulary import CARD_CODES
from services.choices import no_such
from services.errors import BadArgumentError
from services.find.times import TimeAsked, looks_like_a_time, time_of

if TYPE_CHECKING:
    from services.find.asked import FindAsked

SPOT_MAX: Final = 1_000
_AMOUNT: Final = re.compile(r"\$?\s*(\d{1,3}(?:,\d{3})+|\d{1,13})(?:\.(\d{1,2}))?\s*\$?")
_CARD: Final = re.compile(r"(10|[2-9TJQKAtjqka])([cdhsCDHS♣♦♥♠])")
_CARDS: Final = re.compile(rf"(?:{_CARD.pattern}[\s,]*)+")
_WITH_OFFSET: Final = r"\d{1,2}:[\d:.]+(?:Z|[+-]\d{2}:?\d{2})"
_SUITS: Final = str.maketrans("♣♦♥♠", "cdhs")
_SEAT: Final = re.compile(r"(?:seat|spot)\s*(\d+)", re.IGNORECASE)
_OUTCOMES: Final = {
    "WIN": "WIN won wins",
    "LOSE": "LOSE lost loses loss",
    "PUSH": "PUSH pushed push",
    "VOID": "VOID voided void",
}
OUTCOMES: Final = {
    word.lower(): outcome for outcome, words in _OUTCOMES.items() for word in words.split()
}

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the round must have; None and nothing: whatever."""

    table_id: str | None = None
    time: TimeAsked | None = None
    spot: int | None = None
    amount_cents: int | None = None
    player_id: str | None = None
    cards: tuple[int, ...] = ()
    outcome: str | None = None
    code: str | None = None

    def copies(self) -> Counter[int]:
        """How many of each card."""
        return Counter(self.cards)


def wanted_of(asked: FindAsked, tables: Sequence[str], is_player: Callable[[str], bool]) -> Wanted:
    """Flags first, then words; a history says which tables and players it knows.

    Raises:
        BadArgumentError: a word that is nothing, a value that does not do, or two of one thing.
    """
    wanted = Wanted(
        table_id=None if asked.table is None else _table("--table", asked.table, tables),
        time=None if asked.about is None else time_of("--about", asked.about),
        spot=None if asked.seat is None else _spot("--seat", asked.seat),
        amount_cents=None if asked.amount is None else amount_of("--amount", asked.amount),
        player_id=asked.player,
        cards=() if asked.cards is None else cards_of("--cards", asked.cards),
        code=None if asked.code is None else _code(asked.code),
    )
    for word in _joined(asked.words):
        wanted = _with(wanted, word, tables, is_player)
    return wanted


def _joined(words: Sequence[str]) -> list[str]:
    """Words as they belong together: `seat 3` may come as two."""
    joined: list[str] = []
    for word in " ".join(words).split():
        before = joined[-1] if joined else ""
        if before.lower() in ("seat", "spot") and word.isdigit():
            joined[-1] = f"{before} {word}"
        elif re.fullmatch(r"\d{4}-\d{2}-\d{2}", before) and re.fullmatch(_WITH_OFFSET, word):
            joined[-1] = f"{before} {word}"
        elif word.lower() in ("am", "pm") and re.fullmatch(r"\d{1,2}(:\d{2}){0,2}", before):
            joined[-1] = before + word
        elif word.lower() not in ("at", "about", "paid", "bet"):  # said, and nothing by itself
            joined.append(word)
    return joined


def _with(
    wanted: Wanted, word: str, tables: Sequence[str], is_player: Callable[[str], bool]
) -> Wanted:
    """What was wanted, and what this word says."""
    table = next((one for one in tables if one.lower() == word.lower()), None)
    if table is not None:
        return _set(wanted, word, table_id=table)
    if word.lower() in OUTCOMES:
        return _set(wanted, word, outcome=OUTCOMES[word.lower()])
    if seat := _SEAT.fullmatch(word):
        return _set(wanted, word, spot=_spot(word, seat[1]))
    if looks_like_a_time(word):
        said = time_of("time", word)
        both = wanted.time.joined(said) if wanted.time else None  # a day here, a time of day there
        return replace(wanted, time=both) if both else _set(wanted, word, time=said)
    if _CARDS.fullmatch(word) and not word.isdigit():
        return replace(wanted, cards=wanted.cards + cards_of("cards", word))
    if "$" in word:
        return _set(wanted, word, amount_cents=amount_of("amount", word))
    if word.upper() in FindingCode.__members__:
        return _set(wanted, word, code=word.upper())
    if is_player(word):
        return _set(wanted, word, player_id=word)
    raise BadArgumentError(
        f"{word}: no table, time, seat, amount, card, player or outcome",
        next_step="write 21:40, 2026-04-18, 'seat 3', '$25', 'Ac Ad', win or lose; "
        + (f"tables are {', '.join(tables[:30])}" if tables else "there is no table yet"),
    )


def _set(wanted: Wanted, word: str, **said: Any) -> Wanted:
    [(name, value)] = said.items()
    assert name in {field.name for field in fields(Wanted)}
    held = getattr(wanted, name)
    if held is not None and held != value:
        raise BadArgumentError(
            f"{word}: says another {name.removesuffix('_id').removesuffix('_cents')} than was "
            "said already",
            next_step="say it once",
        )
    return replace(wanted, **said)


def amount_of(flag: str, text: str) -> int:
    """Dollars, with cents or without: `25`, `$25`, `1,250.50`.

    Raises:
        BadArgumentError: it is no amount above zero.
    """
    said = _AMOUNT.fullmatch(text.strip())
    cents = 0
    if said:
        cents = int(said[1].replace(",", "")) * 100 + int((said[2] or "0").ljust(2, "0"))
    if not cents:
        raise BadArgumentError(
            f"{flag} {text}: is not an amount in dollars", next_step="write it as 25 or '$25.50'"
        )
    return cents


def cards_of(flag: str, text: str) -> tuple[int, ...]:
    """Cards one after the other: `Ac Ad`, `AcAd`, `10h`, `A♣`.

    Raises:
        BadArgumentError: something in it is no card, or nothing is.
    """
    named = []
    rest = text.strip()
    while rest:
        card = _CARD.match(rest)
        if card is None:
            raise BadArgumentError(
                f"{flag} {text}: {rest.split()[0]} is not a card",
                next_step="a card is a rank of 23456789TJQKA and a suit of cdhs: 'Ac Td'",
            )
        rank = "T" if card[1] == "10" else card[1].upper()
        named.append(CARD_CODES[rank + card[2].translate(_SUITS).lower()])
        rest = rest[card.end() :].lstrip(" ,\t")
    if not named:
        raise BadArgumentError(f"{flag}: names no card", next_step="write it as 'Ac Ad'")
    return tuple(named)


def _table(flag: str, table_id: str, tables: Sequence[str]) -> str:
    if table_id not in tables:
        no_such(flag, table_id, tables, what="table")
    return table_id


def _spot(flag: str, text: str) -> int:
    spot = int(text) if text.isascii() and text.isdigit() and len(text) < len(str(10**9)) else 0
    if not 1 <= spot <= SPOT_MAX:
        raise BadArgumentError(f"{flag} {text}: is not a seat; they count from 1")
    return spot


def _code(text: str) -> str:
    if text not in FindingCode.__members__:
        no_such("--code", text, FindingCode.__members__, what="code")
    return text
