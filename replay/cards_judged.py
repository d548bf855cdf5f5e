"""Findings about cards that every game shares: no card at all, deck orders that come again.

Source: findings contract, section Cards and procedure.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from replay.arrays import position_in_group
from replay.bets import Argument, BetDocket
from replay.docket import Docket
from replay.events import Bools, Int64s
from replay.findings import FindingCode
from replay.games.play import Play
from replay.rulebook.loader import Rulebook
from replay.state import TableStates
from replay.stream import Lifecycle
from replay.vocabulary import CARD_BAD, EventKind, Game

SINGLE_DECK_GAMES: Final = (Game.RUN_EM_TWICE, Game.DAKOTA_DUEL_DRAW)
_DIGEST_SEED: Final = 20181612
"""Seed of the fixed weights of deck order digests: another one would change stored digests."""
_CARDS_MAX: Final = 512


def judge_bad_cards(
    docket: Docket, lifecycle: Lifecycle, judged: Bools, rulebook: Rulebook
) -> None:
    """Enter every event that names something which is no card, in judged rounds or outside rounds.

    Shapes:  judged (R,). A late correction is told where it lies, its round being judged before.
    """
    events = lifecycle.events
    bad = (events.card == CARD_BAD) | events.kept_bad
    known = np.concatenate([judged, [True]])  # the last: outside rounds, or of an earlier round
    late = np.isin(events.kind, (EventKind.CARD_CORRECTED,))
    rows = np.flatnonzero(bad & known[lifecycle.round_of_row] & (lifecycle.in_place | late))
    for row in rows:
        place = lifecycle.opening_of_row[row]
        clause = ""
        if place >= 0:
            clause = rulebook.cite(lifecycle.openings[place].game, "(1)")
        docket.add_event(
            FindingCode.BAD_CARD,
            events,
            int(row),
            message="the event names something that is no card: taken as not read",
            clause=clause or "event contract 1",
        )


def judge_deck_orders(
    play: Play, lifecycle: Lifecycle, states: TableStates, bets: BetDocket
) -> None:
    """Enter rounds that deal the same cards in the same order as an earlier round of the table.

    Rounds with the right number of cards, all of them read; voided ones included.
    """
    folded = play.folded
    orders, read = _deck_orders(play)
    fit = np.flatnonzero(read & play.count_right)
    rounds = lifecycle.rounds
    for place in fit:
        index = int(rounds.index[folded.round_place[place]])
        round_id = folded.events.round_ids[index]
        table_id = folded.events.table_ids[rounds.table[folded.round_place[place]]]
        known = states[table_id].deck_orders
        digest = (int(orders[0, place]) << 64) | int(orders[1, place])
        earlier = known.setdefault(digest, (round_id, 0))
        if earlier[0] == round_id:
            continue
        rows = bets.round_rows(int(place))
        dealt = rows[folded.events.kind[rows] == EventKind.CARD_DEALT]
        words = f"the same cards in the same order as round {earlier[0]} of this table"
        clause = play.misdeal_clause
        bets.on_round(
            FindingCode.DECK_ORDER_REPEATED, int(place), Argument(clause, words), rows=dealt
        )


def _deck_orders(play: Play) -> tuple[np.ndarray, Bools]:
    """128-bit digest of each round's cards in order, as two rows (2, R); and whether all are read.

    A sum of cards by fixed random 64-bit weights, one a position, modulo 2^64, twice over: two
    different orders meet with a probability of 2^-128.
    """
    folded = play.folded
    rows = folded.rows(EventKind.CARD_DEALT)
    round_of = folded.round_of[rows]
    turn: Int64s = np.minimum(position_in_group(round_of, folded.round_count), _CARDS_MAX - 1)
    weights = np.random.default_rng(_DIGEST_SEED).integers(
        0, 2**64, size=(2, _CARDS_MAX), dtype=np.uint64
    )
    cards = folded.card[rows].astype(np.uint64) + np.uint64(1)
    sums = np.zeros((2, folded.round_count), np.uint64)
    for half in range(2):
        np.add.at(sums[half], round_of, cards * weights[half, turn])
    read = np.ones(folded.round_count, np.bool_)
    read[round_of[folded.card[rows] >= 52]] = False
    return sums, read


def judge_past_cut(
    docket: Docket, lifecycle: Lifecycle, past_cut: Bools, judged: Bools, rulebook: Rulebook
) -> None:
    """Enter Shootout rounds that opened after their shoe's cut card was reached: (R,) masks."""
    rounds, events = lifecycle.rounds, lifecycle.events
    for place in np.flatnonzero(past_cut & judged):
        game = lifecycle.openings[rounds.opening[place]].game
        if game != Game.TEXAS_SHOOTOUT:
            continue
        docket.add_event(
            FindingCode.SHOE_PAST_CUT,
            events,
            int(rounds.open_row[place]),
            message="the round opened after the cut card of its shoe was reached",
            clause=rulebook.cite(game, "(19)"),
        )
        docket.drafts[-1].own = 0
