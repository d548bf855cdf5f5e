"""Findings about cards that every game shares: no card at all, deck orders that come again.

Source: findings contract, section Cards and procedure.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from replay.arrays import first_of_run
from replay.docket import Docket, finding_id_of
from replay.events import Bools, EventColumns
from replay.findings import Finding, FindingCode
from replay.games.play import Play
from replay.rulebook.loader import Rulebook
from replay.stream import Lifecycle
from replay.vocabulary import CARD_BAD, EventKind, Game
from replay.words import event_name

Uint64s = npt.NDArray[np.uint64]

SINGLE_DECK_GAMES: Final = (Game.RUN_EM_TWICE, Game.DAKOTA_DUEL_DRAW)
_DIGEST_SEED: Final = 20181612
"""Seed of the fixed weights of deck order digests: another one would change stored digests."""
_CARDS_MAX: Final = 512
_SHOWN_MAX: Final = 40  # letters of what was named instead of a card


def judge_bad_cards(
    docket: Docket, lifecycle: Lifecycle, judged: Bools, rulebook: Rulebook
) -> None:
    """Enter every event that names something which is no card, in judged rounds or outside rounds.

    Shapes:  judged (R,). A correction that does not lie within its round, or names none, is told
             where it lies, whatever became of the round.
    """
    events = lifecycle.events
    rows = np.flatnonzero((events.card == CARD_BAD) | events.kept_bad)
    known = np.concatenate([judged, [True]])  # the last: outside rounds
    in_place = lifecycle.in_place[rows]
    alone = (events.kind[rows] == EventKind.CARD_CORRECTED) & ~in_place
    for row in rows[alone | (in_place & known[lifecycle.round_of_row[rows]])]:
        place = lifecycle.opening_of_row[row]
        clause = ""
        if place >= 0:
            clause = rulebook.cite(lifecycle.openings[place].game, "(1)")
        docket.add_event(
            FindingCode.BAD_CARD,
            events,
            int(row),
            message=_bad_card_words(events, int(row)),
            clause=clause or "event contract 1",
        )


def _bad_card_words(events: EventColumns, row: int) -> str:
    name = event_name(int(events.kind[row]))
    text = events.bad_cards.get(int(events.event_no[row]), "")
    said = f"{text[:_SHOWN_MAX]!r}{' and more' if len(text) > _SHOWN_MAX else ''}"
    if events.kind[row] == EventKind.DECISION_MADE:
        return (
            f"{name} names {said}, and not all of it is a card: what is none is taken as not read"
        )
    return f"{name} names {said}, which is no card: taken as not read"


def deck_orders(play: Play) -> tuple[Uint64s, Bools]:
    """128-bit digest of each round's cards in order, (2, R), and whether it can be compared (R,).

    It can where the right number of cards lies and all of them are read. The digest is a sum of
    the cards by fixed random 64-bit weights, one a position, modulo 2^64, twice over: two different
    orders meet with a probability of 2^-128.
    """
    folded = play.folded
    round_of = folded.column("round_of", EventKind.CARD_DEALT)
    card = folded.column("card", EventKind.CARD_DEALT)
    sums = np.zeros((2, folded.round_count), np.uint64)
    read = np.ones(folded.round_count, np.bool_)
    if not len(card):
        return sums, read & play.count_right
    turn = np.arange(len(card)) - folded.first_of_kind(EventKind.CARD_DEALT).take(round_of)
    turn = np.minimum(turn, _CARDS_MAX - 1)
    number = card.astype(np.uint64) + np.uint64(1)
    begins = np.flatnonzero(first_of_run(round_of))
    dealt = round_of.take(begins)
    for half in range(2):
        weighed = _order_weights()[half].take(turn)
        weighed *= number
        sums[half, dealt] = np.add.reduceat(weighed, begins)
    read[round_of[np.flatnonzero(card >= 52)]] = False
    return sums, read & play.count_right


@lru_cache(maxsize=1)
def _order_weights() -> Uint64s:
    """(2, _CARDS_MAX) random numbers by SplitMix64, which is always the same.

    NumPy's own generators may change with a version, and take long to import.
    """
    count = 2 * _CARDS_MAX
    state = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    state += np.uint64(_DIGEST_SEED)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    state ^= state >> np.uint64(31)
    return state.reshape(2, _CARDS_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckOrder:
    """The deck order of one round, to be held against those of the table's other rounds."""

    table_id: str
    round_id: str
    game: int
    opened_seq: int
    opened_no: int
    digest: int


def repeats(orders: Iterable[DeckOrder], rulebook: Rulebook) -> list[Finding]:
    """Rounds that deal the same cards in the same order as an earlier round of their table.

    `orders` must be all that there are of each (table, digest) among them.
    """
    first: dict[tuple[str, int], DeckOrder] = {}
    found = []
    for order in sorted(orders, key=lambda each: (each.table_id, each.opened_seq)):
        earlier = first.setdefault((order.table_id, order.digest), order)
        if earlier is order:
            continue
        place = (FindingCode.DECK_ORDER_REPEATED, order.table_id, order.round_id)
        found.append(
            Finding(
                code=FindingCode.DECK_ORDER_REPEATED,
                finding_id=finding_id_of(place),
                table_id=order.table_id,
                seq=order.opened_seq,
                round_id=order.round_id,
                clause=rulebook.cite(Game(order.game), "(1)"),
                event_nos=(earlier.opened_no, order.opened_no),
                message=f"the same cards in the same order as round {earlier.round_id} of this "
                "table",
            )
        )
    return found


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
