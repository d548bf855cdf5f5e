"""Findings about chips that every game shares: late, changed, not offered, beyond the limits.

Source: findings contract, section Wagers. Shapes (P, K), one cell a bet; money in cents.
"""

from __future__ import annotations

import numpy as np

from replay.bets import Argument, BetDocket
from replay.chips import Chips
from replay.events import Bools, Int64s
from replay.findings import FindingCode
from replay.fold import Folded
from replay.openings import LIMIT_SOURCE
from replay.rulebook.loader import Rulebook
from replay.vocabulary import Bettor, Game, Wager
from replay.words import bet_words, money

MINIMUM_WAGERS = (
    Wager.FIRST_ANTE,
    Wager.SECOND_ANTE,
    Wager.BIG_8,
    Wager.HAND_2_ANTE,
    Wager.PRIMARY,
)
"""Bets that a posted minimum binds, where they are the player's own."""


def wager_clause(rulebook: Rulebook, game: Game, wager: Wager) -> str:
    """The clause by which a game has a wager; the rule's number alone where it has none."""
    for entry in rulebook.wagers(game):
        if entry.wager == wager:
            return rulebook.cite(game, entry.clause)
    return rulebook.cite(game, "").strip()


def judge_chips(
    bets: BetDocket, chips: Chips, offered: Bools, rulebook: Rulebook, game: Game
) -> None:
    """Enter what is wrong with the chips of every bet, whatever the game."""
    folded = bets.folded
    clauses = [wager_clause(rulebook, game, wager) for _, wager, _ in folded.slots]
    for code, marked, readings, why in (
        (
            FindingCode.WAGER_LATE,
            chips.late_rows,
            ("ALL-LATE",),
            "placed after its moment: {} back",
        ),
        (
            FindingCode.WAGER_CHANGED,
            chips.changed_rows,
            (),
            "taken back after its moment: {} counts",
        ),
        (FindingCode.INVALID_AMOUNT, chips.invalid_rows, (), "of an invalid amount ({}): no wager"),
    ):
        for seat, slot, rows in _by_bet(folded, marked):
            hand, wager, bettor = folded.slots[slot]
            cents = sum(int(folded.events.amount_cents[row]) for row in rows)
            chip_words = {
                FindingCode.WAGER_LATE: f"{money(cents)} goes",
                FindingCode.WAGER_CHANGED: f"{money(cents)} still",
            }.get(code, money(cents))
            words = f"{bet_words(wager, hand, bettor)} {why.format(chip_words)}"
            bets.on_bet(code, seat, slot, Argument(clauses[slot], words, readings), rows=rows)
    for row in chips.folded_rows:
        slot, cents = int(folded.slot_of[row]), int(folded.events.amount_cents[row])
        words = f"{bets.bets_of([int(row)])} of {money(cents)} placed after its fold: it goes back"
        bets.on_event(FindingCode.ACTION_AFTER_FOLD, int(row), Argument(clauses[slot], words))
    _judge_offer(bets, chips, offered, clauses)


def judge_limits(bets: BetDocket, chips: Chips, rulebook: Rulebook, game: Game) -> None:
    """Enter bets above the posted or legal maximum, and below the posted minimum."""
    folded = bets.folded
    no_limit = np.iinfo(np.int64).max
    highest = folded.per_round(
        [no_limit if o.maximum_cents is None else o.maximum_cents for o in folded.openings]
    )[folded.seat_round]
    for seat, slot in _cells(chips.stands > highest[:, None]):
        hand, wager, bettor = folded.slots[slot]
        words = (
            f"{bet_words(wager, hand, bettor)} of {money(int(chips.stands[seat, slot]))} is above "
            f"the maximum of {money(int(highest[seat]))}: settled on the amount that stands"
        )
        argument = Argument(LIMIT_SOURCE, words)
        rows = bets.chip_rows(seat, slot)
        bets.on_bet(FindingCode.WAGER_OVER_LIMIT, seat, slot, argument, rows=rows)
    lowest = folded.per_round([o.said.minimum_cents or 0 for o in folded.openings])
    lowest = lowest[folded.seat_round]
    bound = [
        wager in MINIMUM_WAGERS and bettor == Bettor.PLAYER for _, wager, bettor in folded.slots
    ]
    short = (chips.stands > 0) & (chips.stands < lowest[:, None]) & np.array(bound, np.bool_)
    for seat, slot in _cells(short):
        hand, wager, bettor = folded.slots[slot]
        words = (
            f"{bet_words(wager, hand, bettor)} of {money(int(chips.stands[seat, slot]))} is below "
            f"the posted minimum of {money(int(lowest[seat]))}: settled on the amount that stands"
        )
        argument = Argument(wager_clause(rulebook, game, wager), words)
        rows = bets.chip_rows(seat, slot)
        bets.on_bet(FindingCode.WAGER_UNDER_MINIMUM, seat, slot, argument, rows=rows)


def missing_wager(
    bets: BetDocket, chips: Chips, required: Bools, slot: int, argument: Argument
) -> None:
    """Enter a required bet that was never placed: `required` (P,).

    Chips that were placed, but too late, are a late wager and not a missing one.
    """
    lacking = required & (chips.stands[:, slot] == 0) & ~chips.missed[:, slot]
    for seat in np.flatnonzero(lacking):
        first = [bets.first_of_seat(int(seat))]
        bets.on_bet(FindingCode.WAGER_MISSING, int(seat), slot, argument, rows=first)


def unequal_wagers(
    bets: BetDocket, chips: Chips, first: int, second: int, argument: Argument
) -> None:
    """Enter the later of two bets that must be equal and are not."""
    both = (chips.stands[:, first] > 0) & (chips.stands[:, second] > 0)
    differ = both & (chips.stands[:, first] != chips.stands[:, second])
    for seat in np.flatnonzero(differ):
        one, other = (money(int(chips.stands[seat, slot])) for slot in (first, second))
        words = f"{argument.words}: {one} and {other}, settled on the amounts that stand"
        bets.on_bet(
            FindingCode.WAGERS_UNEQUAL,
            int(seat),
            second,
            Argument(argument.clause, words, argument.readings),
            rows=bets.chip_rows(int(seat), second),
        )


def _judge_offer(bets: BetDocket, chips: Chips, offered: Bools, clauses: list[str]) -> None:
    for seat, slot in _cells(chips.missed & ~offered):
        hand, wager, bettor = bets.folded.slots[slot]
        words = f"{bet_words(wager, hand, bettor)} is not offered here: its stake goes back"
        readings = ("ALL-TIP",) if bettor == Bettor.DEALER else ()
        argument = Argument(clauses[slot], words, readings)
        rows = bets.chip_rows(seat, slot)
        bets.on_bet(FindingCode.WAGER_NOT_OFFERED, seat, slot, argument, rows=rows)


def _cells(mask: Bools) -> list[tuple[int, int]]:
    if not mask.any():  # nearly always
        return []
    return [(int(seat), int(slot)) for seat, slot in zip(*np.nonzero(mask), strict=True)]


def _by_bet(folded: Folded, rows: Int64s) -> list[tuple[int, int, list[int]]]:
    groups: dict[tuple[int, int], list[int]] = {}
    for row in rows:
        key = (int(folded.seat_of[row]), int(folded.slot_of[row]))
        groups.setdefault(key, []).append(int(row))
    return [(seat, slot, group) for (seat, slot), group in groups.items()]
