"""A round as a person types it: lines read, checked, and refused with what would do.

A line is a word and what a flag of that name takes: `bet 1 FIRST_ANTE 10`, `cards left 4s`,
`decision 2 FOLD`, `paytable ULTIMATE_PAIRS=4`, `paid 1 CENTER WIN 60`. What follows a `#` is a
comment.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from typing import Final, NoReturn

from replay.vocabulary import CARD_CODES, CARD_NAMES, Bettor, Decision, Outcome, Place, Wager
from services.errors import BadArgumentError
from services.settle.games import GameForm

SPOT_MAX: Final = 30
DOLLARS_MAX: Final = 10_000_000
UNREAD: Final = "??"

_AMOUNT: Final = re.compile(r"\$?([0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.([0-9]{1,2}))?")
_SIGNS: Final = str.maketrans("♣♦♥♠", "cdhs")
_CARD_HELP: Final = "write rank then suit, as Ah, Td or 10d; ?? for a card that was not read"


@dataclass(frozen=True, slots=True)
class Bet:
    """Chips on one bet."""

    spot: int
    wager: Wager
    cents: int
    hand: int = 1
    bettor: Bettor = Bettor.PLAYER


@dataclass(frozen=True, slots=True)
class Choice:
    """What a seat, or the dealer (spot None), chose."""

    spot: int | None
    decision: Decision
    cards: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Paid:
    """What the table is said to have done with one bet."""

    bet: Bet
    outcome: Outcome


@dataclass(slots=True, kw_only=True)
class TypedRound:
    """One round, its fields checked one by one and the cards against each other."""

    form: GameForm
    gaming_day: date
    paytables: dict[Wager, str] = field(default_factory=dict)
    bets: list[Bet] = field(default_factory=list)
    cards: dict[tuple[Place, int], list[str | None]] = field(default_factory=dict)
    """(place, spot or 0) -> names in the order typed; None: not read."""
    choices: list[Choice] = field(default_factory=list)
    paid: list[Paid] = field(default_factory=list)
    house_way: str | None = None

    def spots(self) -> list[int]:
        """Every seat that has chips or cards."""
        with_cards = {spot for place, spot in self.cards if place is Place.PLAYER}
        return sorted(with_cards | {bet.spot for bet in self.bets})

    def add(self, word: str, text: str) -> None:
        """Take one line: `word` is the name of a flag, `text` its value.

        Raises:
            BadArgumentError: it does not do; the message says what would.
        """
        tokens = text.split()
        if word == "bet":
            self.bets.append(self._bet(text, tokens))
        elif word == "cards":
            self._add_cards(text, tokens)
        elif word == "decision":
            self.choices.append(self._choice(text, tokens))
        else:
            self.paid.append(self._paid(text, tokens))

    def add_cards(self, place: Place, spot: int, names: list[str | None], said: str) -> None:
        """Lay cards at a place.

        Raises:
            BadArgumentError: too many for the place, or one that was used up already.
        """
        held = self.cards.get((place, spot), [])
        wanted = self.wanted(place)
        if len(held) + len(names) > wanted:
            _refuse(said, f"{where(place, spot)} takes {_cards(wanted)}", "leave out the rest")
        used = Counter(name for cards in self.cards.values() for name in cards if name)
        for name in names:
            if name is None:
                continue
            used[name] += 1
            if used[name] > self.form.decks:
                lies = [key for key, cards in self.cards.items() if name in cards]
                at = f", at {where(*lies[0])}" if lies else ""
                _refuse(said, f"{name} is used already{at}", "check both places")
        self.cards[place, spot] = [*held, *names]

    def wanted(self, place: Place) -> int:
        """How many cards lie at a place of this game; 0: it has no such place."""
        return self.form.seat_cards if place is Place.PLAYER else dict(self.form.common)[place]

    def check_whole(self) -> None:
        """Refuse a round that lacks a card, so that no slip of the hand looks like a misdeal.

        Raises:
            BadArgumentError: no bet at all, or a place with too few cards.
        """
        if not self.bets:
            raise BadArgumentError(
                "nobody has a bet", next_step=f'for instance --bet "1 {self.form.wagers[0].name} 5"'
            )
        places = [(Place.PLAYER, spot) for spot in self.spots()]
        for place, spot in places + [(place, 0) for place, _ in self.form.common]:
            lacking = self.wanted(place) - len(self.cards.get((place, spot), []))
            if lacking:
                raise BadArgumentError(
                    f"{where(place, spot)}: {_cards(lacking)} lacking",
                    next_step=f'give them with --cards "{_typed(place, spot)} '
                    f'{" ".join([UNREAD] * lacking)}" (?? stands for a card that was not read)',
                )

    def _bet(self, said: str, tokens: list[str]) -> Bet:
        said = f"--bet {said}"
        hand, bettor, tokens = self._whose(said, tokens)
        if len(tokens) != 3:
            _refuse(said, "is not SEAT WAGER DOLLARS", f'as "1 {self.form.wagers[0].name} 10"')
        wager = self._wager(said, tokens[1])
        return Bet(spot_of(said, tokens[0]), wager, cents_of(said, tokens[2]), hand, bettor)

    def _whose(self, said: str, tokens: list[str]) -> tuple[int, Bettor, list[str]]:
        """What follows the amount: `tip`, `hand 2`."""
        words = [token.lower() for token in tokens]
        hand, bettor = 1, Bettor.PLAYER
        if words[-1:] == ["tip"]:
            if not self.form.tips:
                _refuse(said, "no tips are bet in this game", "leave the word tip out")
            bettor, tokens = Bettor.DEALER, tokens[:-1]
        if words[-2:] in (["hand", "1"], ["hand", "2"]) and self.form.two_hands:
            hand, tokens = int(words[-1]), tokens[:-2]
        return hand, bettor, tokens

    def _wager(self, said: str, name: str) -> Wager:
        known = {wager.name: wager for wager in self.form.wagers}
        found = known.get(name.upper().replace("-", "_"))
        if found is None:
            _refuse(said, f"there is no wager {name} in this game", f"there is {', '.join(known)}")
        return found

    def _add_cards(self, said: str, tokens: list[str]) -> None:
        said = f"--cards {said}"
        place, spot, tokens = self._place(said, tokens)
        self.add_cards(place, spot, [card_of(said, token) for token in tokens], said)

    def _place(self, said: str, tokens: list[str]) -> tuple[Place, int, list[str]]:
        words = [token.lower() for token in tokens]
        if words[:1] == ["seat"]:
            tokens, words = tokens[1:], words[1:]
        if words and words[0].isdigit():
            return Place.PLAYER, spot_of(said, words[0]), tokens[1:]
        if words[:2] in (["hand", "1"], ["hand", "2"]):
            tokens, words = tokens[1:], [f"hand_{words[1]}"]
        named = {place.name.lower(): place for place, _ in self.form.common}
        place = named.get(words[0].replace("-", "_")) if words else None
        if place is None:
            places = ", ".join(["a seat's number", *named])
            _refuse(said, "does not begin with a place of this game", f"there is {places}")
        return place, 0, tokens[1:]

    def _choice(self, said: str, tokens: list[str]) -> Choice:
        said = f"--decision {said}"
        if len(tokens) < 2:
            _refuse(said, "is not SEAT DECISION [CARDS]", f'as "1 {self.form.decisions[0].name}"')
        known = {decision.name: decision for decision in self.form.decisions}
        decision = known.get(tokens[1].upper())
        if decision is None:
            _refuse(said, f"there is no decision {tokens[1]} here", f"there is {', '.join(known)}")
        spot = None if tokens[0].lower() == "dealer" else spot_of(said, tokens[0])
        if spot is None and Place.DEALER not in dict(self.form.common):
            _refuse(said, "the dealer decides nothing in this game", "name a seat")
        cards = tuple(card_of(said, token) or UNREAD for token in tokens[2:])
        if UNREAD in cards:
            _refuse(said, "names a card that was not read", "leave the decision's cards out")
        return Choice(spot, decision, cards)

    def _paid(self, said: str, tokens: list[str]) -> Paid:
        said = f"--paid {said}"
        hand, bettor, tokens = self._whose(said, tokens)
        outcomes = {one.name: one for one in Outcome if one is not Outcome.UNKNOWN}
        outcome = outcomes.get(tokens[2].upper()) if len(tokens) > 2 else None
        if outcome is None or len(tokens) != (4 if outcome is Outcome.WIN else 3):
            _refuse(
                said, "is not SEAT WAGER WIN DOLLARS, or LOSE, PUSH, VOID", 'as "1 CENTER LOSE"'
            )
        settled = {one.name: one for one in (*self.form.wagers, *_BONUSES)}
        wager = settled.get(tokens[1].upper().replace("-", "_"))
        if wager is None:
            _refuse(said, f"there is no wager {tokens[1]}", f"there is {', '.join(settled)}")
        cents = cents_of(said, tokens[3]) if outcome is Outcome.WIN else 0
        return Paid(Bet(spot_of(said, tokens[0]), wager, cents, hand, bettor), outcome)


_BONUSES: Final = (Wager.POCKET_PAIR, Wager.ENVY_BONUS)
WORDS: Final = ("bet", "cards", "decision", "paid", "paytable", "house-way", "gaming-day")
"""What a line of a text file may begin with."""


def lines_of(text: str, name: str) -> list[tuple[str, str]]:
    """The lines of a text file as (word, value), comments and blank lines left out.

    Raises:
        BadArgumentError: a line begins with no known word; the message names it.
    """
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].strip().lstrip("-").split(maxsplit=1)
        if not words:
            continue
        if words[0] not in WORDS or len(words) < 2:
            raise BadArgumentError(
                f"{name}, line {number}: {line.strip()!r} is no line of a typed round",
                next_step=f"begin it with one of {', '.join(WORDS)}, and what it takes",
            )
        found.append((words[0], words[1].strip().strip('"')))
    return found


def spot_of(said: str, text: str) -> int:
    """A seat's number."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= SPOT_MAX:
        _refuse(said, f"{text} is no seat", f"seats are numbered from 1 to {SPOT_MAX}")
    return int(text)


def cents_of(said: str, text: str) -> int:
    """An amount of dollars in cents: `10`, `$62.50`, `1,000`."""
    found = _AMOUNT.fullmatch(text)
    dollars = int(found[1].replace(",", "")) if found else 0
    cents = dollars * 100 + int((found[2] or "0").ljust(2, "0")) if found else 0
    if not 0 < cents <= DOLLARS_MAX * 100:
        _refuse(said, f"{text} is no amount", "write dollars, as 10, 62.50 or $1,000")
    return cents


def card_of(said: str, text: str) -> str | None:
    """A card's name; None for `??`, a card that was not read."""
    if set(text) == {"?"}:
        return None
    name = text.translate(_SIGNS)
    code = CARD_CODES.get(name[:-1].upper() + name[-1:].lower())
    if code is None:
        _refuse(said, f"{text} is no card", _CARD_HELP)
    return CARD_NAMES[code]


def where(place: Place, spot: int) -> str:
    """`seat 2`, `flop`."""
    return f"seat {spot}" if place is Place.PLAYER else _typed(place, spot).replace("_", " ")


def _typed(place: Place, spot: int) -> str:
    return str(spot) if place is Place.PLAYER else place.name.lower()


def _cards(number: int) -> str:
    return f"{number} card{'' if number == 1 else 's'}"


def _refuse(said: str, problem: str, next_step: str) -> NoReturn:
    raise BadArgumentError(f"{said}: {problem}" if said else problem, next_step=next_step)
