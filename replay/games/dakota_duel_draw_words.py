"""Dakota Duel Draw: why a bet is due what it is, in clause, readings and words."""

from __future__ import annotations

from replay.bets import Argument
from replay.cards import Cards
from replay.fold import Slot
from replay.games import dakota_duel_draw as rule
from replay.ranking import describe
from replay.rulebook.loader import Rulebook
from replay.rulebook.model import Line, Paytable
from replay.vocabulary import Bettor, Wager
from replay.words import bet_words, card_words

HANDS = {
    Wager.HAND_1_PLAY: "hand 1",
    Wager.HAND_2_ANTE: "hand 2",
    Wager.BIG_8: "best five of",
    Wager.POCKET_PAIR: "dealt",
}
_CLAUSES = {Wager.BIG_8: "(12)", Wager.POCKET_PAIR: "(11)"}
_READINGS = {Wager.BIG_8: ("DD-BIG-8",), Wager.POCKET_PAIR: ("DD-BONUS",)}


def argue(
    rulebook: Rulebook,
    slot: Slot,
    cards: Cards,
    paytable: Paytable | None,
    *,
    folded: bool,
    played: bool,
) -> Argument:
    """Argue one bet: `cards` (8,) in the order of the rule's places, `paytable` as posted."""
    _, wager, bettor = slot
    name = bet_words(wager, 1, bettor)

    def because(clause: str, words: str, *readings: str) -> Argument:
        return Argument(rulebook.cite(rule.GAME, clause), f"{name}: {words}", readings)

    if slot[0] != 1 or wager not in rule.PLACES_OF:
        return Argument(rulebook.cite(rule.GAME, "").strip(), f"{name} is no bet of this game")
    if wager == Wager.POCKET_PAIR and bettor == Bettor.DEALER:
        return because("(9)", "a tip earns none", "DD-TIP-BONUS")
    if wager == Wager.POCKET_PAIR and not played:
        return because("(9)", "hand 1 was not played", "DD-BONUS")
    if wager == Wager.HAND_2_ANTE and folded:
        readings = ("DD-TIP-FOLD",) if bettor == Bettor.DEALER else ()
        return because("(7)", "the spot folded and forfeits it", *readings)
    if paytable is None:
        return because(_CLAUSES[wager], "no paytable of the rule is posted")
    return _by_cards(rulebook, wager, cards, paytable, name)


def row_of(wager: Wager, cards: Cards, paytable: Paytable) -> Line | None:
    """The paytable line that decides one bet on read cards (8,); None where none does."""
    number = int(rule.wager_lines(cards[:, None], wager, paytable)[0])
    return paytable.lines[number] if number >= 0 else None


def _by_cards(
    rulebook: Rulebook, wager: Wager, cards: Cards, paytable: Paytable, name: str
) -> Argument:
    held = cards[list(rule.PLACES_OF[wager])]
    words = f"{name}: {HANDS[wager]} {card_words(held)}"
    clause = paytable.clause
    readings: tuple[str, ...] = _READINGS.get(wager, ())
    if not (held >= 52).any():
        line = row_of(wager, cards, paytable)
        if wager != Wager.POCKET_PAIR:
            words += f", {describe(int(rule.wager_ranks(cards[:, None], wager)[0]))}"
        words += _line_words(wager, line)
        if line is not None:
            clause, readings = line.clause, readings + line.readings
    if wager in _CLAUSES:
        words += f" (paytable {paytable.id})"
    return Argument(rulebook.cite(rule.GAME, clause), words, readings)


def _line_words(wager: Wager, line: Line | None) -> str:
    if line is None:
        return ": no pair" if wager == Wager.POCKET_PAIR else ": no line pays it"
    if line.result == "na":
        return f": {line.words}, N/A"
    if line.result != "pays":
        return f": {line.words}, {line.result}"
    if wager == Wager.POCKET_PAIR:
        return f": {line.words}, {line.to_one}x the hand 1 play"
    return f": {line.words}, {line.to_one} to 1"
