"""The words of the card room: what people read where programs read codes and cents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Final

from replay.findings import FindingCode
from replay.words import GAME_WORDS, WAGER_WORDS
from services.shown import shown as shown
from services.times import at_casino, moment_of

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

GAMES: Final[dict[int, str]] = {game.value: words for game, words in GAME_WORDS.items()}

WAGERS: Final = {wager.name: words for wager, words in WAGER_WORDS.items()}

CODES: Final = {
    FindingCode.UNDERPAID: ("an underpaid wager", "underpaid wagers"),
    FindingCode.OVERPAID: ("an overpaid wager", "overpaid wagers"),
    FindingCode.WAGER_UNSETTLED: ("a wager not settled", "wagers not settled"),
    FindingCode.SETTLED_WITHOUT_WAGER: (
        "a settlement without a wager",
        "settlements without a wager",
    ),
    FindingCode.MISPAY_CORRECTED: ("a mispay put right", "mispays put right"),
    FindingCode.PAYTABLE_MISMATCH: (
        "a wager paid by another paytable",
        "wagers paid by another paytable",
    ),
    FindingCode.MISDEAL_NOT_CALLED: ("a misdeal not called", "misdeals not called"),
    FindingCode.WRONGLY_VOIDED: ("a seat wrongly voided", "seats wrongly voided"),
    FindingCode.UNDETERMINED: ("a wager undetermined", "wagers undetermined"),
    FindingCode.WAGER_MISSING: ("a missing wager", "missing wagers"),
    FindingCode.WAGERS_UNEQUAL: ("unequal wagers", "unequal wagers"),
    FindingCode.WAGER_OUT_OF_RANGE: ("a wager out of range", "wagers out of range"),
    FindingCode.WAGER_OVER_LIMIT: ("a wager over the limit", "wagers over the limit"),
    FindingCode.WAGER_UNDER_MINIMUM: ("a wager under the minimum", "wagers under the minimum"),
    FindingCode.WAGER_LATE: ("a late wager", "late wagers"),
    FindingCode.WAGER_CHANGED: ("a wager taken back late", "wagers taken back late"),
    FindingCode.WAGER_NOT_OFFERED: ("a wager not offered", "wagers not offered"),
    FindingCode.TIP_WITHOUT_WAGER: ("a tip without a wager", "tips without a wager"),
    FindingCode.INVALID_AMOUNT: ("an invalid amount", "invalid amounts"),
    FindingCode.DECISION_MISSING: ("a missing decision", "missing decisions"),
    FindingCode.DECISION_OUT_OF_TURN: ("a decision out of turn", "decisions out of turn"),
    FindingCode.ACTION_AFTER_FOLD: ("an action after a fold", "actions after a fold"),
    FindingCode.ILLEGAL_SPLIT: ("an illegal split", "illegal splits"),
    FindingCode.KEPT_CARD_NOT_DEALT: ("a kept card not dealt", "kept cards not dealt"),
    FindingCode.HOUSE_WAY_MISSET: (
        "a dealer's hand not by the house way",
        "dealer's hands not by the house way",
    ),
    FindingCode.HOUSE_WAY_UNVERIFIABLE: ("no house way to hold to", "no house way to hold to"),
    FindingCode.DUPLICATE_CARD: ("a card too many", "cards too many"),
    FindingCode.BAD_CARD: ("a card that is none", "cards that are none"),
    FindingCode.DEAL_ORDER: ("a deal out of order", "deals out of order"),
    FindingCode.SETTLEMENT_ORDER: ("a settlement out of order", "settlements out of order"),
    FindingCode.DECK_ORDER_REPEATED: ("a deck order repeated", "deck orders repeated"),
    FindingCode.DECKS_WRONG: ("a wrong number of decks", "wrong numbers of decks"),
    FindingCode.SHOE_PAST_CUT: ("a round past the cut card", "rounds past the cut card"),
    FindingCode.NO_EDITION_IN_FORCE: ("no rule in force yet", "no rule in force yet"),
    FindingCode.EDITION_NOT_HELD: ("a rule's edition not held", "a rule's edition not held"),
    FindingCode.PAYTABLE_UNKNOWN: ("an unknown paytable", "unknown paytables"),
    FindingCode.SEQUENCE_GAP: ("a gap in the events", "gaps in the events"),
    FindingCode.EVENT_CONFLICT: ("a conflicting event", "conflicting events"),
    FindingCode.SUSPECTED_DUPLICATE: ("a bet perhaps told twice", "bets perhaps told twice"),
    FindingCode.EVENT_OUT_OF_PLACE: ("an event out of place", "events out of place"),
    FindingCode.ROUND_NOT_CLOSED: ("a round not closed", "rounds not closed"),
    FindingCode.ORPHAN_CORRECTION: ("a correction of nothing", "corrections of nothing"),
    FindingCode.CLOCK_SKEW: ("a clock set back", "clocks set back"),
}
"""One of it, several of it."""

SIGNS: Final = "♣♦♥♠"
SUITS: Final = str.maketrans("cdhs", SIGNS)


def count(number: int, one: str, several: str | None = None) -> str:
    """`1 table`, `2,303 wagers`."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def cards(names: Sequence[str]) -> str:
    """`Ts`, `Ah` as `T♠ A♥`; a card that was not read as `??`."""
    return " ".join(name[0] + name[1:].translate(SUITS) if name else "??" for name in names)


def clock(micros: int, zone: ZoneInfo) -> str:
    """The time of day at the casino, to the second."""
    return f"{_local(micros, zone):%H:%M:%S}"


def day_of(micros: int, zone: ZoneInfo) -> date:
    """The calendar day at the casino."""
    return _local(micros, zone).date()


def days(covered: Sequence[date]) -> str:
    """`18 April 2026`, or from the first to the last of several."""
    if not covered:
        return "no table was opened"
    first, last = covered[0], covered[-1]
    if first == last:
        return long_day(first)
    if first.year != last.year:
        return f"{long_day(first)} to {long_day(last)}"
    if first.month != last.month:
        return f"{first.day} {_MONTHS[first.month - 1]} to {long_day(last)}"
    return f"{first.day} to {long_day(last)}"


def long_day(day: date) -> str:
    """`18 April 2026`, in English whatever the locale."""
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def kinds(codes: Iterable[FindingCode], notes: Mapping[FindingCode, str]) -> str:
    """`a late wager; 3 deals out of order (note)`, in the contract's order of codes."""
    counts = Counter(codes)
    parts = []
    for code in FindingCode:
        number = counts[code]
        if number:
            one, several = CODES[code]
            plain = number == 1 or several == one
            note = f" ({notes[code]})" if notes.get(code) else ""
            parts.append((one if plain else f"{number:,} {several}") + note)
    return "; ".join(parts)


def named(name: str) -> str:
    """An id as people see it: one without letters is there all the same."""
    return shown(name) or '""'


def _local(micros: int, zone: ZoneInfo) -> datetime:
    return at_casino(moment_of(micros), zone)


_MONTHS: Final = (
    "January February March April May June July August September October November December".split()
)
