"""Texas Shootout: why a bet is due what it is, in clause, readings and words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from replay.bets import Argument, Hand
from replay.cards import Cards
from replay.games import texas_shootout as rule
from replay.ranking import best_five_cards, describe
from replay.rulebook.loader import Rulebook
from replay.rulebook.model import Line, Paytable
from replay.vocabulary import Wager
from replay.words import bet_words, card_words, money


@dataclass(frozen=True, slots=True)
class Scene:
    """What one bet rests on; codes of 52 and above were not read, or are not known to be kept."""

    kept: Cards
    """(2,) of the bet's hand."""
    flop: Cards
    """(5,)."""
    dealer: Cards
    """(2,) as the dealer's hand is settled."""
    paytable: Paytable | None
    """Of the bonus, as posted."""
    bonus_cents: int
    """Bonus wager of the bet's hand."""
    others: Sequence[tuple[int, int, Cards]]
    """For an envy bonus: (spot, hand, kept) of every hand that counts."""


def argue(rulebook: Rulebook, wager: Wager, hand: int, scene: Scene) -> Argument:
    """Argue one bet of a hand."""
    name = bet_words(wager, hand)
    if wager == Wager.PRIMARY:
        return _primary(rulebook, name, hand, scene)
    if wager == Wager.SHOOTOUT_BONUS:
        return _bonus(rulebook, name, hand, scene)
    if wager == Wager.ENVY_BONUS:
        return _envy(rulebook, name, scene)
    return Argument(rulebook.cite(rule.GAME, "").strip(), f"{name} is no bet of this game")


def row_of(rulebook: Rulebook, wager: Wager, scene: Scene) -> Line | None:
    """The paytable line that decides one bet on read cards; None where none does."""
    if wager != Wager.SHOOTOUT_BONUS or scene.paytable is None:
        return None
    return _line(
        rule.bonus_lines(rule.hand_ranks(*_columns(scene.kept, scene.flop)), scene.paytable),
        scene.paytable,
    )


def _primary(rulebook: Rulebook, name: str, hand: int, scene: Scene) -> Argument:
    words = (
        f"{name}: {_hand_words(scene.kept, scene.flop)} against the dealer's "
        f"{_hand_words(scene.dealer, scene.flop)}, flop {card_words(scene.flop)}"
    )
    readings: tuple[str, ...] = ("TS-TIES",)
    if all(map(_is_read, (scene.kept, scene.dealer, scene.flop))):
        mine, theirs = (
            int(rule.hand_ranks(*_columns(two, scene.flop))[0])
            for two in (scene.kept, scene.dealer)
        )
        result = "higher, paid even money" if mine > theirs else "lower, it loses"
        words += f": {'equal, a tie loses' if mine == theirs else result}"
    hands = tuple(
        Hand(whose, (*two.tolist(), *scene.flop.tolist()))
        for whose, two in ((_own(hand), scene.kept), ("the dealer", scene.dealer))
    )
    clause = rulebook.cite(rule.GAME, "(15)")
    return Argument(clause, words, (*readings, "TS-HOUSE-WAY"), hands)


def _bonus(rulebook: Rulebook, name: str, hand: int, scene: Scene) -> Argument:
    clause = rulebook.cite(rule.GAME, "(16)")
    words = f"{name}: {_hand_words(scene.kept, scene.flop)}, flop {card_words(scene.flop)}"
    if scene.paytable is None:
        return Argument(clause, f"{words}; no paytable of the rule is posted")
    words += f", paytable {scene.paytable.id}"
    if not (_is_read(scene.kept) and _is_read(scene.flop)):
        return Argument(clause, words, ("TS-SPLIT",), _held(hand, scene), None, scene.paytable.id)
    line = row_of(rulebook, Wager.SHOOTOUT_BONUS, scene)
    words += f": {line.words}, {line.to_one} to 1" if line else ": no line pays it"
    readings = line.readings if line else ()
    return Argument(clause, words, readings, _held(hand, scene, line), line, scene.paytable.id)


def _envy(rulebook: Rulebook, name: str, scene: Scene) -> Argument:
    readings: tuple[str, ...] = ("TS-ENVY", "TS-ENVY-OWN", "TS-ENVY-MIN")
    clause = rulebook.cite(rule.GAME, "(17)")
    if not rule.envy_qualifies(np.array([scene.bonus_cents]))[0]:
        least = money(rule.ENVY_WAGER_CENTS_MIN)
        stake = f"a bonus wager of {money(scene.bonus_cents)}" if scene.bonus_cents else "none"
        words = f"{name}: needs a bonus wager of {least} on this hand, there is {stake}"
        return Argument(clause, words, readings)
    table, parts, hands = rule.envy_paytable(rulebook), [], []
    two = np.array([kept for *_, kept in scene.others], np.uint8).reshape(-1, 2).T
    read = np.all(two < 52, axis=0) & _is_read(scene.flop)
    flops = np.repeat(scene.flop[:, None], len(read), axis=1)
    numbers = np.full(len(read), -1, np.int32)
    numbers[read] = rule.bonus_lines(rule.hand_ranks(two[:, read], flops[:, read]), table)
    for at, (spot, hand, kept) in enumerate(scene.others):
        who = f"seat {spot}{' hand 2' if hand == 2 else ''}"
        line = _line(numbers[at:], table)
        hands.append(Hand(who, (*kept.tolist(), *scene.flop.tolist()), line))
        if not read[at]:
            parts.append(f"{who} not known")
        if line:
            parts.append(f"{who} {_hand_words(kept, scene.flop)}, {money(line.cents or 0)}")
            readings += tuple(each for each in line.readings if each not in readings)
    words = f"{name}: {'; '.join(parts) if parts else 'no other hand holds a line of it'}"
    lines = [hand.line for hand in hands if hand.line is not None]
    only = lines[0] if len(lines) == 1 else None  # of several the hands tell
    words += f", flop {card_words(scene.flop)}"
    return Argument(clause, words, readings, tuple(hands), only)


def _own(hand: int) -> str:
    """The name of a seat's hand."""
    return "hand" if hand == 1 else "hand 2"


def _held(hand: int, scene: Scene, line: Line | None = None) -> tuple[Hand, ...]:
    """The hand of a bet, with the line of its paytable."""
    return (Hand(_own(hand), (*scene.kept.tolist(), *scene.flop.tolist()), line),)


def _hand_words(two: Cards, flop: Cards) -> str:
    if not (_is_read(two) and _is_read(flop)):
        return card_words(two)
    cards = np.concatenate(_columns(two, flop))
    rank = int(rule.hand_ranks(*_columns(two, flop))[0])
    return f"{card_words(two)} ({describe(rank)}: {card_words(best_five_cards(cards)[:, 0])})"


def _columns(two: Cards, flop: Cards) -> tuple[Cards, Cards]:
    return two[:, None], flop[:, None]


def _is_read(cards: Cards) -> bool:
    return bool((cards < 52).all())


def _line(numbers: np.ndarray, table: Paytable) -> Line | None:
    number = int(numbers[0])
    return table.lines[number] if number >= 0 else None
