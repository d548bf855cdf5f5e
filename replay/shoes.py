"""Decks and shoes: how many copies of each card came out of the one a round was dealt from.

Source: Run'em Twice, opening clause (one standard deck); 20:18:16:15.23(1) (one deck);
20:18:16:15.08(1), (3), (19) (six decks, burned cards, cut card). Copies are counted by what was
loaded. In single-deck games every round is a deck of its own, with the cards burned since its shoe
was loaded; a Shootout shoe runs on from round to round, whatever became of the rounds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from replay.arrays import equal_to, first_of_run
from replay.corrections import Corrected
from replay.docket import Docket
from replay.events import NO_INDEX, Bools, Int64s, Uint8s
from replay.findings import FindingCode
from replay.rulebook.loader import Rulebook
from replay.shoe_loads import Shoes
from replay.state import TableStates
from replay.stream import Lifecycle
from replay.vocabulary import CARD_NAMES, EventKind, Game
from replay.words import card_word

Counts = npt.NDArray[np.int32]
"""Copies of cards; 32 bits hold those of as many rounds as a table may ever deal."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Seen:
    """Cards seen in the deck or shoe of each of R rounds, up to the end of the round.

    Columns are of all A rounds of the stretch: shapes (A,) and (A, 52).
    """

    counts: Counts
    """Copies seen."""
    decks: Int64s
    """Decks loaded, or the rule's number where nothing was."""
    past_cut: Bools
    """Opened after its shoe's cut card was reached."""
    too_many: Bools
    """Cards of which a round deals a copy too many."""
    places: Int64s
    """(R,) which of all rounds these are."""

    def of_rounds(self, places: Int64s) -> Seen:
        """The same for some of the rounds."""
        return replace(self, places=self.places[places])

    def guilty(self) -> Bools:
        """Rounds that deal a copy too many of any card: (R,)."""
        if not self.too_many.any():  # nearly always
            return np.zeros(len(self.places), np.bool_)
        guilty: Bools = np.any(self.too_many[self.places], axis=1)
        return guilty

    def left(self, place: int) -> Int64s:
        """Copies of each card that may still be in the deck or shoe of a round: (52,)."""
        at = self.places[place]
        remaining: Int64s = np.maximum(self.decks[at] - self.counts[at], 0)
        return remaining


def see_cards(
    lifecycle: Lifecycle,
    corrections: Corrected,
    states: TableStates,
    rulebook: Rulebook,
    docket: Docket,
) -> Seen:
    """Count what each round's deck or shoe has shown, and carry the shoes on in `states`."""
    events, rounds = lifecycle.events, lifecycle.rounds
    shoes = Shoes.of(lifecycle, states)
    _judge_loads(lifecycle, shoes.loads, rulebook, docket)
    of_round = shoes.of_rows(rounds.open_row)
    cuts = _rows_in_place(lifecycle, EventKind.CUT_CARD_REACHED)
    shoes.reach_cut(shoes.of_rows(cuts).tolist(), events.seq[cuts].tolist())
    game = np.array([int(opening.game) for opening in lifecycle.openings] + [0])[rounds.opening]
    runs_on = equal_to(game, Game.TEXAS_SHOOTOUT)
    kinds = lifecycle.events.kind * lifecycle.in_place
    cards = np.flatnonzero(equal_to(kinds, EventKind.CARD_DEALT) & (corrections.card < 52))
    codes = corrections.card.take(cards)
    dealt = _counted(lifecycle.round_of_row.take(cards), codes, len(of_round))
    burned = _burned(lifecycle, corrections, shoes, of_round)
    counts, copies = _run_on(shoes, of_round, dealt, runs_on, burned)
    loaded_decks, cut_seq = shoes.decks()[of_round], shoes.cut_seqs(of_round)
    shoes.carry(copies)
    rule_decks = _rule_decks(lifecycle, rulebook)[game]
    decks = np.where(loaded_decks > 0, loaded_decks, rule_decks)
    too_many = counts > decks.astype(np.int32)[:, None]
    if too_many.any():
        too_many &= dealt > 0
    if len(burned.rows) and too_many.any():
        over = np.where(runs_on[:, None], counts - decks[:, None], 0)
        _excuse_belated(lifecycle, too_many, over, burned, (cards, codes))
    return Seen(
        counts=counts,
        decks=decks,
        past_cut=(cut_seq > 0) & (cut_seq < events.seq[rounds.open_row]),
        too_many=too_many,
        places=np.arange(len(of_round), dtype=np.int64),
    )


def judge_copies(
    docket: Docket, lifecycle: Lifecycle, corrections: Corrected, seen: Seen, judged: Int64s
) -> Bools:
    """Enter every card of which a judged round deals a copy too many; which rounds do: (R,)."""
    too_many = seen.too_many
    guilty = seen.guilty()
    events, rounds = lifecycle.events, lifecycle.rounds
    for place in judged[guilty[judged]]:
        first, last = rounds.open_row[place], rounds.last_row[place] + 1
        opening = lifecycle.openings[rounds.opening[place]]
        number = opening.edition.citation if opening.edition else ""
        clause = f"{number}{'' if number[-1:].isdigit() else ' '}(1)"
        for card in np.flatnonzero(too_many[place]):
            rows = first + np.flatnonzero(
                equal_to(events.kind[first:last], EventKind.CARD_DEALT)
                & (corrections.card[first:last] == card)
                & (lifecycle.round_of_row[first:last] == place)
            )
            copies, decks = int(seen.counts[place, card]), int(seen.decks[place])
            docket.add_event(
                FindingCode.DUPLICATE_CARD,
                events,
                int(rows[-1]),
                message=f"{card_word(int(card))} came {copies} times from {decks} "
                f"{'deck' if decks == 1 else 'decks'}: the round is not settled",
                clause=clause,
                more_rows=[int(row) for row in rows[:-1]],
            )
            draft = docket.drafts[-1]
            draft.spot = draft.hand = draft.wager = draft.bettor = 0
            draft.own = CARD_NAMES[card]
            draft.seq = int(events.seq[rows[0]])
    return guilty


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Burned:
    """Cards that were burned and read: shapes (B,)."""

    rows: Int64s
    card: Uint8s
    shoe: Int64s
    """Number of the shoe."""
    place: Int64s
    """The round that it counts with, the first of its shoe to end after it; R: after the last."""


def _burned(
    lifecycle: Lifecycle, corrections: Corrected, shoes: Shoes, of_round: Int64s
) -> _Burned:
    rows = _rows_in_place(lifecycle, EventKind.CARD_BURNED)
    rows = rows[corrections.card[rows] < 52]
    shoe, count = shoes.of_rows(rows), len(of_round)
    place = np.full(len(rows), count, np.int64)
    if len(rows) and count:
        span = len(lifecycle.events) + 1
        ends = of_round * span + lifecycle.rounds.last_row
        order = np.argsort(ends, kind="stable")
        later = np.searchsorted(ends[order], shoe * span + rows)
        found = np.append(order, count)[later]
        place = np.where(np.append(of_round, NO_INDEX)[found] == shoe, found, count)
    return _Burned(rows, corrections.card[rows], shoe, place)


def _counted(groups: Int64s, cards: Uint8s, size: int) -> Counts:
    """Copies of each card in each group: (N,), (N,) -> (size, 52)."""
    counts = np.bincount(groups * 52 + cards, minlength=size * 52)
    return counts.reshape(size, 52).astype(np.int32)


def _run_on(
    shoes: Shoes, of_round: Int64s, dealt: Counts, runs_on: Bools, burned: _Burned
) -> tuple[Counts, dict[int, Int64s]]:
    """Copies seen of each round's shoe up to its end: (R, 52); and of shoes then, by number.

    Only few shoes have anything to run on: a single deck of which nothing was burned starts with
    each round from nothing.
    """
    carried = {number: shoes.before(place).copies for place, number in shoes.carried.items()}
    before = {number: copies for number, copies in carried.items() if copies is not None}
    has_any = np.zeros(len(shoes), np.bool_)
    has_any[[*before]] = True
    has_any[of_round[runs_on]] = has_any[burned.shoe] = True
    numbers = np.flatnonzero(has_any)
    if not len(numbers):
        return dealt, {}
    own = np.full(len(shoes), NO_INDEX, np.int64)  # number of a shoe -> place among those
    own[numbers] = np.arange(len(numbers))
    base = np.zeros((len(numbers), 52), dealt.dtype)
    for number, copies in before.items():
        base[own[number]] = copies
    rounds = np.flatnonzero(has_any[of_round])
    if (of_round[rounds[1:]] < of_round[rounds[:-1]]).any():
        rounds = rounds[np.argsort(of_round[rounds], kind="stable")]
    at = np.full(len(of_round) + 1, NO_INDEX, np.int64)
    at[rounds] = np.arange(len(rounds))
    within = burned.place < len(of_round)
    # What a round of a single deck deals does not stay seen.
    alone = np.flatnonzero(~runs_on[rounds])
    steps = dealt[rounds]
    for_now = steps[alone]
    steps[alone] = 0
    np.add.at(steps, (at[burned.place[within]], burned.card[within]), 1)
    seen = _summed(steps, own[of_round[rounds]], base)
    seen[alone] += for_now
    counts = dealt.copy()
    counts[rounds] = seen
    np.add.at(base, (own[burned.shoe[~within]], burned.card[~within]), 1)
    shown = np.flatnonzero(base.any(axis=1))
    copies = base[shown].astype(np.int64)
    return counts, dict(zip(numbers[shown].tolist(), copies, strict=True))


def _summed(steps: Counts, shoe: Int64s, base: Counts) -> Counts:
    """Running sums of each shoe's rounds, which lie together: (R, 52); `base` is carried on.

    Shapes:  shoe (R,), into the rows of base (S, 52).
    """
    if not len(shoe):
        return steps
    starts = np.flatnonzero(first_of_run(shoe))
    lengths = np.diff(np.append(starts, len(shoe)))
    steps[starts] += base[shoe[starts]]
    total = np.cumsum(steps, axis=0, dtype=steps.dtype)  # may run over, and comes back by this:
    total -= np.repeat(total[starts] - steps[starts], lengths, axis=0)
    base[shoe[starts]] = total[starts + lengths - 1]
    return total


def _excuse_belated(
    lifecycle: Lifecycle,
    too_many: Bools,
    over: Int64s,
    burned: _Burned,
    dealt: tuple[Int64s, Uint8s],
) -> None:
    """Clear `too_many` where a card burned after the round's last copy of it is the one too many.

    Shapes:  over (R, 52), copies beyond those loaded, 0 of decks that do not run on; dealt, rows
             and cards of those dealt.
    """
    rows, cards = dealt
    with_burns = np.zeros(len(too_many), np.bool_)
    with_burns[burned.place[burned.place < len(too_many)]] = True
    for place, card in zip(*np.nonzero(too_many & (over > 0) & with_burns[:, None]), strict=True):
        first, last = lifecycle.rounds.open_row[place], lifecycle.rounds.last_row[place]
        begin, end = np.searchsorted(rows, [first, last + 1])
        same = (cards[begin:end] == card) & (lifecycle.round_of_row[rows[begin:end]] == place)
        latest = rows[begin:end][same][-1]
        belated = (burned.place == place) & (burned.card == card) & (burned.rows > latest)
        too_many[place, card] = over[place, card] > np.count_nonzero(belated)


def _rows_in_place(lifecycle: Lifecycle, kind: EventKind) -> Int64s:
    rows = np.flatnonzero(equal_to(lifecycle.events.kind, kind))
    in_place: Int64s = rows[lifecycle.in_place[rows]]
    return in_place


def _rule_decks(lifecycle: Lifecycle, rulebook: Rulebook) -> Int64s:
    """By game, how many decks its rule says are in play; 0 for games that no table here deals."""
    dealt = {opening.game for opening in lifecycle.openings}
    return np.array([rulebook.decks(game) if game in dealt else 0 for game in Game], np.int64)


def _judge_loads(lifecycle: Lifecycle, rows: Int64s, rulebook: Rulebook, docket: Docket) -> None:
    events = lifecycle.events
    games = np.array([int(each.game) for each in lifecycle.openings] + [0])
    held = np.array([each.held for each in lifecycle.openings] + [False])
    opening = lifecycle.opening_of_row[rows]
    rule_decks = _rule_decks(lifecycle, rulebook)
    loaded = events.at("decks", rows)
    wrong = held[opening] & (loaded != rule_decks[games[opening]])
    for row, decks in zip(rows[wrong], loaded[wrong].tolist(), strict=True):
        game = lifecycle.openings[lifecycle.opening_of_row[row]].game
        rule = rulebook.decks(game)
        docket.add_event(
            FindingCode.DECKS_WRONG,
            events,
            int(row),
            message=f"{decks} {'deck' if decks == 1 else 'decks'} loaded, the rule says {rule}: "
            "copies are counted by what was loaded",
            clause=rulebook.cite(game, "(1)"),
        )
