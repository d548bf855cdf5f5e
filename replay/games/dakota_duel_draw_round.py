"""Dakota Duel Draw: a folded round played again, from the chips to what is due.

Source: 20:18:16:15.23(1) to (12), whose clauses `dakota_duel_draw` carries out; readings `DD-*`.
Array convention as in `replay.fold`; money in cents, net to the player.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from replay.arrays import NEVER
from replay.bets import BetDocket
from replay.cards import Cards
from replay.chips import Chips, lay_out
from replay.docket import Docket
from replay.events import Bools, Int64s
from replay.fold import Folded
from replay.games import dakota_duel_draw as rule
from replay.games.dakota_duel_draw_choices import Choices, choose, judge_choices
from replay.games.dakota_duel_draw_dues import Settler
from replay.games.dakota_duel_draw_procedure import (
    judge_deal,
    judge_settlement_order,
    judge_voids,
    judge_wagers,
)
from replay.games.play import Play
from replay.games.posted import seats_posting, stakeless_slots
from replay.layout import community_cards, first_deal_seq, seat_cards
from replay.rulebook.loader import Rulebook
from replay.shoes import Seen
from replay.vocabulary import Bettor, Game, Place, Wager
from replay.wagers import judge_chips, judge_limits


@dataclass(frozen=True, slots=True)
class DakotaDuelDraw:
    """The game as the engine calls it."""

    game = Game.DAKOTA_DUEL_DRAW
    slots = rule.SLOTS

    def play(self, folded: Folded, rulebook: Rulebook, seen: Seen, docket: Docket) -> Play:
        """Lay out the chips, settle every bet, and enter the findings of the game's procedure."""
        seats = seat_cards(folded, rule.SPOT_CARDS)
        choices = choose(folded, seats.last_seq)
        offered = _offered(folded)
        chips, play_back = _chips(folded, choices, offered)
        in_play = (seats.count > 0) | np.any(chips.stands > 0, axis=1)
        right = rule.number_is_right(folded, in_play)
        guilty = seen.guilty()
        bets = BetDocket(docket, folded)
        judge_chips(bets, chips, offered, rulebook, self.game)
        judge_limits(bets, chips, rulebook, self.game)
        judge_wagers(bets, chips, choices, play_back, rulebook)
        with_ante = chips.stands[:, folded.slot(Wager.HAND_2_ANTE)] > 0
        judge_choices(bets, choices, with_ante, rulebook.cite(self.game, "(7)"))
        judge_deal(bets, in_play, right, rulebook)
        judge_settlement_order(bets, chips, choices, rulebook)
        settler = Settler(
            folded=folded,
            rulebook=rulebook,
            cards=_cards(folded, seats.cards),
            chips=chips,
            has_folded=choices.has_folded,
            seen=seen,
            settles=(right & ~guilty)[folded.seat_round],
        )
        dues = settler.dues()
        judge_voids(bets, dues, in_play, right, guilty, rulebook)
        return Play(
            folded=folded,
            chips=chips,
            offered=offered,
            dues=dues,
            stakeless=stakeless_slots(folded),
            earned_by=_earned_by(folded, chips),
            count_right=right,
            in_play=in_play,
            misdeal_clause=rulebook.cite(self.game, "(5)"),
            misdeal_readings=("DD-COUNT", "ALL-MISDEAL"),
            misdeal_due=0,
            other_dues=settler.other_dues,
            unheld_readings=("DD-BIG-8-ONLY",),
            argue=settler.argue,
        )


def _cards(folded: Folded, two: Cards) -> Cards:
    """The eight cards of every seat, in the order of the rule's places: (8, P)."""
    three = [
        community_cards(folded, place, rule.COMMUNITY_CARDS).cards[:, folded.seat_round]
        for place in (Place.HAND_1, Place.HAND_2)
    ]
    return np.vstack([two, *three])


def _offered(folded: Folded) -> Bools:
    """Bets that may be placed, big 8 only where its paytable is posted: (P, K). (2), (3)."""
    offered = np.zeros((folded.seat_count, len(folded.slots)), np.bool_, order="F")
    posted = seats_posting(folded, Wager.BIG_8)
    for slot, (_, wager, _) in enumerate(folded.slots[: folded.own_slots]):
        offered[:, slot] = posted if wager == Wager.BIG_8 else wager in rule.WAGERS
    return offered


def _moments(folded: Folded, choices: Choices) -> Int64s:
    """`seq` before which the chips of each bet may come and go: (P, K)."""
    moments = np.full((folded.seat_count, len(folded.slots)), NEVER, np.int64, order="F")
    first_card = first_deal_seq(folded)[folded.seat_round]
    for slot, (_, wager, _) in enumerate(folded.slots):
        if wager == Wager.HAND_1_PLAY:
            moments[:, slot] = choices.reveal_seq
        elif wager in rule.WAGERS:
            moments[:, slot] = first_card
    return moments


def _chips(folded: Folded, choices: Choices, offered: Bools) -> tuple[Chips, Bools]:
    """The chips, and (P,) seats whose bet on hand 1 goes back for want of an ante."""
    moments = _moments(folded, choices)
    chips = lay_out(folded, moments, choices.fold_seq, offered)
    play = folded.slot(Wager.HAND_1_PLAY)
    no_ante = rule.play_goes_back(chips.stands[:, folded.slot(Wager.HAND_2_ANTE)])
    # Chips that lay there in time were bet on hand 1, whenever they were taken back afterwards.
    play_back = no_ante & ((chips.stands[:, play] > 0) | (chips.back[:, play] > 0))
    goes_back = np.zeros_like(offered)
    goes_back[:, play] = no_ante & chips.placed[:, play]
    if goes_back.any():
        chips = lay_out(folded, moments, choices.fold_seq, offered, goes_back=goes_back)
    return chips, play_back


def _earned_by(folded: Folded, chips: Chips) -> Int64s:
    """For the pocket pair bonus the stake on hand 1 that earned it: (P, K). (9)."""
    earned = np.zeros_like(chips.stands)
    play = folded.slot(Wager.HAND_1_PLAY, 1, Bettor.PLAYER)
    earned[:, folded.slot(Wager.POCKET_PAIR)] = chips.stands[:, play]
    return earned
