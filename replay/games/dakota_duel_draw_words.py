"""Dakota Duel Draw: why a bet is due what it is, in clause, readings and words."""

from __future__ import annotations

from replay.bets import Argument, Hand
from replay.cards import Cards, rank_of
from replay.fold import Slot
from replay.games import dakota_duel_draw as rule
from replay.ranking import describe, plural
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
NAMES = {**HANDS, Wager.BIG_8: "big 8"}
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
        return because("(7)", "the seat folded and forfeits it", *readings)
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
    line = None
    if not (held >= 52).any():
        line = row_of(wager, cards, paytable)
        if wager != Wager.POCKET_PAIR:
            words += f", {describe(int(rule.wager_ranks(cards[:, None], wager)[0]))}"
        else:
            words += f", {_pair_words(held)}"
        words += _line_words(wager, line)
        if line is not None:
            clause, readings = line.clause, readings + line.readings
    posted = paytable.id if wager in _CLAUSES else ""
    if posted:
        words += f" (paytable {posted})"
    hands = (Hand(NAMES[wager], tuple(held.tolist()), line),)
    return Argument(rulebook.cite(rule.GAME, clause), words, readings, hands, line, posted)


def _pair_words(held: Cards) -> str:
    """What two cards are for the pocket pair bonus, in the words of the card room."""
    first, second = rank_of(held).tolist()
    return f"pair of {plural(first)}" if first == second else "no pair"


def _line_words(wager: Wager, line: Line | None) -> str:
    if line is None:
        return "" if wager == Wager.POCKET_PAIR else ": no line pays it"
    if wager == Wager.POCKET_PAIR:
        return ": N/A" if line.result == "na" else f": {line.to_one}x the hand 1 play"
    if line.result != "pays":
        return f": {line.words}, {line.result}"
    return f": {line.words}, {line.to_one} to 1"
