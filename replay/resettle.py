"""Settling again: stretches of history in, verdicts out.

A verdict is a function of the stretch and of what was carried from before; any cutting of a table's
stream into stretches gives the same findings. Neither clock, locale nor unordered iteration enters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

import numpy as np

from replay.amounts import statable, unbounded
from replay.arrays import equal_to
from replay.bets import BetDocket
from replay.cards_judged import (
    SINGLE_DECK_GAMES,
    deck_orders,
    judge_bad_cards,
    judge_past_cut,
)
from replay.corrections import Corrected, corrected
from replay.docket import Docket
from replay.events import Bools, EventColumns, Int64s, Stretch, Uint8s
from replay.fold import fold, judged_rounds
from replay.games.play import GameRules, Play
from replay.judge import Sums, judge_misdeals, judge_money, statuses
from replay.payouts import Payouts, pay_out
from replay.pays import PayBook, Posted, pay_rows, weigh_pays
from replay.rulebook.loader import Rulebook
from replay.shoes import Seen, judge_copies, see_cards
from replay.state import TableState, TableStates
from replay.stream import Lifecycle, RoundEnd, trace
from replay.verdict import RoundColumns, RoundStatus, Verdict, WagerColumns
from replay.vocabulary import Game

LookOn = Callable[[Play, Payouts, Uint8s], None]
"""Told of every game's rounds as they were played again: play, payouts, (R,) `RoundStatus`."""

GAMES: Final = (Game.RUN_EM_TWICE, Game.DAKOTA_DUEL_DRAW, Game.TEXAS_SHOOTOUT)


@cache
def rules_of(game: Game) -> GameRules:
    """The rules of one game; imported when it is first played, being most of the engine."""
    if game == Game.RUN_EM_TWICE:
        from replay.games.run_em_twice_round import RunEmTwice

        return RunEmTwice()
    if game == Game.DAKOTA_DUEL_DRAW:
        from replay.games.dakota_duel_draw_round import DakotaDuelDraw

        return DakotaDuelDraw()
    assert game == Game.TEXAS_SHOOTOUT, game
    from replay.games.texas_shootout_round import TexasShootout

    return TexasShootout()


class Resettler:
    """Judges stretches of tables' streams, one after the other.

    Give the stretches of a table in the order of its stream; tables are independent.
    """

    def __init__(
        self,
        rulebook: Rulebook,
        states: TableStates | None = None,
        *,
        look_on: LookOn | None = None,
        with_wagers: bool = False,
    ) -> None:
        """Start from nothing, or from the states left by an earlier judging.

        `with_wagers`: verdicts have a row for each wager, too.
        """
        self.rulebook = rulebook
        self.with_wagers = with_wagers
        self.look_on = look_on
        self.states: TableStates = states if states is not None else {}

    def judge(self, stretch: Stretch) -> Verdict:
        """Judge one stretch and carry the states on."""
        docket = Docket(stretch.events)
        lifecycle = trace(stretch, self.states, self.rulebook, docket)
        for table_id in stretch.events.table_ids:
            self.states.setdefault(table_id, TableState())
        corrections = corrected(stretch, lifecycle.events)
        if any(opening.game == Game.TEXAS_SHOOTOUT for opening in lifecycle.openings):
            from replay.games.texas_shootout_choices import read_off

            corrections = read_off(lifecycle, corrections)
        seen = see_cards(lifecycle, corrections, self.states, self.rulebook, docket)
        judged = judged_rounds(lifecycle)
        guilty = judge_copies(docket, lifecycle, corrections, seen, np.flatnonzero(judged))
        judge_bad_cards(docket, lifecycle, judged, self.rulebook)
        judge_past_cut(docket, lifecycle, seen.past_cut, judged, self.rulebook)
        part = _Part(
            rulebook=self.rulebook,
            docket=docket,
            lifecycle=lifecycle,
            corrections=corrections,
            seen=seen,
            guilty=guilty,
            rounds=_blank_rounds(lifecycle),
            book=self._pay_book(lifecycle),
            look_on=self.look_on,
            wagers=[] if self.with_wagers else None,
        )
        for game in GAMES:
            part.judge_game(game, judged)
        self._carry(stretch, lifecycle, part.book)
        wagers = None if part.wagers is None else _joined(part.wagers)
        return Verdict(docket.findings(), part.rounds, wagers, pay_rows(part.book))

    def _pay_book(self, lifecycle: Lifecycle) -> PayBook:
        """The weighings of every opening of the stretch, those in force before it carried on."""
        book: PayBook = {}
        for (table_id, seq), opening in zip(
            lifecycle.opening_places, lifecycle.openings, strict=True
        ):
            state = self.states[table_id]
            book[table_id, seq] = (opening, state.pays if state.opening_seq == seq else {})
        return book

    def _carry(self, stretch: Stretch, lifecycle: Lifecycle, book: PayBook) -> None:
        """Leave each table's last event and opening in its state."""
        arrivals, events = stretch.events, lifecycle.events
        for table, row in enumerate(_last_rows(arrivals)):
            if row >= 0:
                self.states[arrivals.table_ids[table]].last_seq = int(arrivals.seq[row])
        for table, row in enumerate(_last_rows(events)):
            if row < 0:
                continue
            state = self.states[events.table_ids[table]]
            state.last_micros = int(events.at_micros[row])
            state.closed = bool(lifecycle.closed[row])
            number = lifecycle.opening_of_row[row]
            if number >= 0:
                place = lifecycle.opening_places[number]
                state.opening, state.opening_seq = lifecycle.openings[number], place[1]
                state.pays = book[place][1]


@dataclass(slots=True, kw_only=True)
class _Part:
    """One stretch while its games are judged."""

    rulebook: Rulebook
    docket: Docket
    lifecycle: Lifecycle
    corrections: Corrected
    seen: Seen
    guilty: Bools
    rounds: RoundColumns
    book: PayBook
    look_on: LookOn | None
    wagers: list[WagerColumns] | None
    """None: nobody wants them."""

    def judge_game(self, game: Game, judged: Bools) -> None:
        """Judge the rounds of one game."""
        lifecycle = self.lifecycle
        games = np.array([int(opening.game) for opening in lifecycle.openings] + [0])
        places = np.flatnonzero(judged & (equal_to(games[lifecycle.rounds.opening], game)))
        if not len(places):
            return
        rules = rules_of(game)
        folded = fold(lifecycle, self.corrections, places, rules.slots)
        play = rules.play(folded, self.rulebook, self.seen.of_rounds(places), self.docket)
        payouts = pay_out(folded, play.chips.takes(), play.stakeless)
        status = statuses(play, payouts, self.guilty[places])
        bets = BetDocket(self.docket, folded)
        sums = judge_money(play, payouts, status, bets)
        judge_misdeals(play, payouts, self.guilty[places], bets)
        posted = Posted(game, self.rulebook, lifecycle.opening_places, self.book)
        weigh_pays(play, payouts, status, posted)
        if self.look_on is not None:
            self.look_on(play, payouts, status)
        self._enter(play, places, status, sums, single_deck=game in SINGLE_DECK_GAMES)
        if self.wagers is not None:
            self.wagers.append(_wager_columns(play, payouts))

    def _enter(
        self, play: Play, places: Int64s, status: Uint8s, sums: Sums, *, single_deck: bool
    ) -> None:
        rounds = self.rounds
        rounds.status[places] = status
        rounds.wagers[places] = sums.wagers
        self.rounds = rounds = replace(
            rounds,
            staked_cents=_entered(rounds.staked_cents, places, sums.staked),
            net_expected_cents=_entered(rounds.net_expected_cents, places, sums.expected),
            net_actual_cents=_entered(rounds.net_actual_cents, places, sums.actual),
        )
        if single_deck:
            orders, known = deck_orders(play)
            rounds.deck_order_known[places] = known
            rounds.deck_order_high[places], rounds.deck_order_low[places] = orders


def _last_rows(events: EventColumns) -> list[int]:
    """Row of the last event of each table, -1 where it has none."""
    bounds = events.bounds()
    rows: list[int] = np.where(bounds[1:] > bounds[:-1], bounds[1:] - 1, -1).tolist()
    return rows


def _entered(cents: Int64s, places: Int64s, sums: Int64s) -> Int64s:
    """The rounds' sums with those of some; of any size, where 64 bits do not hold one of them."""
    column = cents if statable(sums).all() else unbounded(cents)
    column[places] = sums
    return column


def _blank_rounds(lifecycle: Lifecycle) -> RoundColumns:
    """A row for every round, not settled unless a game says otherwise."""
    rounds, events = lifecycle.rounds, lifecycle.events
    count = len(rounds.index)
    status = np.full(count, RoundStatus.NOT_SETTLED, np.uint8)
    status[equal_to(rounds.end, RoundEnd.VOIDED)] = RoundStatus.VOIDED
    status[rounds.held] = RoundStatus.HELD
    status[equal_to(rounds.end, RoundEnd.OPEN)] = RoundStatus.OPEN  # counts among the rounds only
    ended = rounds.end_row >= 0
    days = np.array(
        [opening.said.gaming_day for opening in lifecycle.openings] + [None], "datetime64[D]"
    )
    games = np.array([int(opening.game) for opening in lifecycle.openings] + [0], np.uint8)
    zeros = [np.zeros(count, np.int64) for _ in range(3)]
    return RoundColumns(
        table=rounds.table,
        round=rounds.index,
        opened_seq=events.seq[rounds.open_row],
        ended_seq=np.where(ended, events.seq[rounds.end_row], 0) if count else zeros[0],
        opened_micros=events.at_micros[rounds.open_row],
        ended_micros=np.where(ended, events.at_micros[rounds.end_row], 0) if count else zeros[0],
        game=games[rounds.opening],
        gaming_day=days[rounds.opening],
        dealer=events.at("dealer", rounds.open_row),
        status=status,
        wagers=np.zeros(count, np.int32),
        staked_cents=zeros[0].copy(),
        net_expected_cents=zeros[1],
        net_actual_cents=zeros[2],
        deck_order_known=np.zeros(count, np.bool_),
        deck_order_high=np.zeros(count, np.uint64),
        deck_order_low=np.zeros(count, np.uint64),
        opened_no=events.event_no[rounds.open_row],
    )


def _wager_columns(play: Play, payouts: Payouts) -> WagerColumns:
    """Bets with standing chips, a settlement, or a bonus due."""
    folded, dues = play.folded, play.dues
    stakeless_due = play.stakeless & (~dues.known | (dues.cents != 0))
    seat, slot = np.nonzero((play.chips.stands > 0) | payouts.settled | stakeless_due)
    codes = np.array([[h, int(w), int(b)] for h, w, b in folded.slots], np.int64).reshape(-1, 3)
    first = folded.starts[folded.seat_round[seat]]
    stands = play.chips.stands[seat, slot]
    takes_part = (stands > 0) | play.stakeless[slot]
    return WagerColumns(
        table=folded.events.table[first],
        round=folded.events.round[first],
        spot=folded.seat_spot[seat].astype(np.int32),
        hand=codes[slot, 0].astype(np.uint8),
        wager=codes[slot, 1].astype(np.uint8),
        bettor=codes[slot, 2].astype(np.uint8),
        stake_cents=np.where(play.stakeless[slot], play.earned_by[seat, slot], stands),
        due_cents=np.where(takes_part, dues.cents[seat, slot], 0),
        due_known=(dues.known & ~dues.unjudged)[seat, slot] | ~takes_part,
        low_cents=dues.low[seat, slot],
        high_cents=dues.high[seat, slot],
        bounded=dues.bounded[seat, slot],
        settled=payouts.settled[seat, slot],
        actual_cents=payouts.net[seat, slot],
        line=dues.line[seat, slot],
    )


def _joined(parts: list[WagerColumns]) -> WagerColumns:
    names = WagerColumns.__dataclass_fields__
    if not parts:
        empty = {name: np.zeros(0, np.int64) for name in names}
        return WagerColumns(**empty)  # type: ignore[arg-type]
    return WagerColumns(
        **{name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    )
