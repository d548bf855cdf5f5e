"""A typed round as the events of a table: the deal in its rotation, each step in its place.

Nothing in it is of chance or of the clock: the same round, at the same place, gives the same bytes.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from replay.rulebook.loader import Rulebook
from replay.vocabulary import Decision, Game, Outcome, Place, Wager
from services.settle.games import RUNS
from services.settle.typed import Bet, Choice, Paid, TypedRound
from services.times import utc_text

_NAMESPACE: Final = uuid.UUID("6f0c1b62-6a38-5b0e-9c39-0b6c3a5d2e11")
SPOTS_MIN: Final = 6
"""Betting positions of a table, unless a seat beyond is typed."""


@dataclass(slots=True, kw_only=True)
class Scribe:
    """Writes events one after the other."""

    table_id: str
    round_id: str
    first_seq: int
    at: datetime
    recorded_by: str | None
    rows: list[dict[str, Any]] = field(default_factory=list)

    def send(self, kind: str, *, of_round: bool = True, **fields: Any) -> None:
        """One event, a second after the last."""
        number = len(self.rows)
        row: dict[str, Any] = {
            "type": kind,
            "event_id": "",
            "table_id": self.table_id,
            "seq": self.first_seq + number,
            "occurred_at": utc_text(self.at + timedelta(seconds=number)),
            "recorded_by": self.recorded_by,
            **({"round_id": self.round_id} if of_round else {}),
            **fields,
        }
        row["event_id"] = str(uuid.uuid5(_NAMESPACE, json.dumps(row, sort_keys=True)))
        self.rows.append(row)

    def bet(self, bet: Bet) -> None:
        """Chips put down."""
        self.send(
            "WagerPlaced",
            spot=bet.spot,
            hand=bet.hand,
            wager=bet.wager.name,
            bettor=bet.bettor.name,
            amount_cents=bet.cents,
            player_id=None,
        )

    def deal(self, place: Place, spot: int, card: str | None) -> None:
        """One card."""
        at = spot if place is Place.PLAYER else None
        self.send("CardDealt", place=place.name, spot=at, card=card, face_up=False)

    def reveal(self, *places: Place) -> None:
        """Cards turned over."""
        self.send("CardsRevealed", places=[place.name for place in places])

    def choose(self, choice: Choice) -> None:
        """A decision."""
        self.send(
            "DecisionMade",
            spot=choice.spot,
            hand=1,
            decision=choice.decision.name,
            cards=list(choice.cards),
        )

    def settle(self, paid: Paid) -> None:
        """What the table did with a bet."""
        bet = paid.bet
        self.send(
            "WagerSettled",
            spot=bet.spot,
            hand=bet.hand,
            wager=bet.wager.name,
            bettor=bet.bettor.name,
            outcome=paid.outcome.name,
            paid_cents=bet.cents if paid.outcome is Outcome.WIN else 0,
        )


def write_round(typed: TypedRound, scribe: Scribe, rulebook: Rulebook) -> list[dict[str, Any]]:
    """The events of a typed round, from the table's opening to the round's end."""
    form, spots = typed.form, typed.spots()
    posted = {str(rulebook.posted_key(wager)): id for wager, id in typed.paytables.items()}
    scribe.send(
        "TableOpened",
        of_round=False,
        game=form.game.name,
        gaming_day=typed.gaming_day.isoformat(),
        currency="USD",
        spots=max(SPOTS_MIN, *spots),
        paytables=dict(sorted(posted.items())),
        minimum_cents=None,
        maximum_cents=None,
        house_way=typed.house_way,
    )
    shoe_id = f"{scribe.round_id}-shoe"
    scribe.send("ShoeLoaded", of_round=False, shoe_id=shoe_id, decks=form.decks)
    scribe.send("RoundOpened", dealer_id=None, shoe_id=shoe_id)
    _STEPS[form.game](typed, scribe)
    for paid in typed.paid:
        scribe.settle(paid)
    scribe.send("RoundClosed")
    return scribe.rows


def _run_em_twice(typed: TypedRound, scribe: Scribe) -> None:
    for bet in typed.bets:
        if bet.wager not in RUNS:
            scribe.bet(bet)
    _deal_seats(typed, scribe)
    for place, _ in typed.form.common:
        scribe.deal(place, 0, typed.cards[place, 0][0])
    choices = {spot: _steps_of(typed, spot) for spot in typed.spots()}
    reveals = ((Place.LEFT, Place.RIGHT), (Place.TOP, Place.BOTTOM), (Place.CENTER,))
    for step, places in enumerate(reveals):
        for spot in typed.spots():
            if choices[spot][step] is not None:
                scribe.choose(Choice(spot, choices[spot][step] or Decision.PLAY))
            for bet in typed.bets:
                if (bet.spot, bet.wager) == (spot, RUNS[step]):
                    scribe.bet(bet)
        scribe.reveal(*places)


def _steps_of(typed: TypedRound, spot: int) -> list[Decision | None]:
    """What a seat decided at each of the three steps, None where nothing says so.

    A bet says that the step was played. A typed `PLAY` is of the next step that none is known of;
    so is a `FOLD`, which comes after every bet that was made.
    """
    bets = {bet.wager for bet in typed.bets if bet.spot == spot}
    found: list[Decision | None] = [Decision.PLAY if run in bets else None for run in RUNS]
    typed_here = [choice.decision for choice in typed.choices if choice.spot == spot]
    for number, decision in enumerate(typed_here):
        if number >= len(RUNS):
            break
        if decision is Decision.PLAY:
            found[number] = Decision.PLAY
        else:
            open_steps = [step for step in range(number, len(RUNS)) if found[step] is None]
            found[open_steps[0] if open_steps else number] = Decision.FOLD
            break
    return found


def _dakota_duel_draw(typed: TypedRound, scribe: Scribe) -> None:
    for bet in typed.bets:
        if bet.wager is not Wager.HAND_1_PLAY:
            scribe.bet(bet)
    for turn in range(3):
        for place in (Place.HAND_2, Place.HAND_1):
            scribe.deal(place, 0, typed.cards[place, 0][turn])
        if turn < typed.form.seat_cards:
            for spot in typed.spots():
                scribe.deal(Place.PLAYER, spot, typed.cards[Place.PLAYER, spot][turn])
    for spot in typed.spots():
        _play_or_fold(typed, scribe, spot)
    scribe.reveal(Place.HAND_1, Place.HAND_2)


def _play_or_fold(typed: TypedRound, scribe: Scribe, spot: int) -> None:
    """What a seat chose; where only its bet was typed, the bet says that it played."""
    bets = [bet for bet in typed.bets if bet.spot == spot]
    plays = [bet for bet in bets if bet.wager is Wager.HAND_1_PLAY]
    choices = [choice for choice in typed.choices if choice.spot == spot]
    if plays and not choices and any(bet.wager is Wager.HAND_2_ANTE for bet in bets):
        choices = [Choice(spot, Decision.PLAY)]
    for choice in choices:
        scribe.choose(choice)
    for bet in plays:
        scribe.bet(bet)


def _texas_shootout(typed: TypedRound, scribe: Scribe) -> None:
    for bet in typed.bets:
        if bet.hand == 1:
            scribe.bet(bet)
    _deal_seats(typed, scribe)
    for card in typed.cards[Place.DEALER, 0]:
        scribe.deal(Place.DEALER, 0, card)
    for spot in typed.spots():
        _choose(typed, scribe, spot)
        for bet in typed.bets:
            if (bet.spot, bet.hand) == (spot, 2):
                scribe.bet(bet)
    scribe.reveal(Place.DEALER)
    _choose(typed, scribe, None)
    for card in typed.cards[Place.FLOP, 0]:
        scribe.deal(Place.FLOP, 0, card)


def _choose(typed: TypedRound, scribe: Scribe, spot: int | None) -> None:
    for choice in typed.choices:
        if choice.spot == spot:
            scribe.choose(choice)


def _deal_seats(typed: TypedRound, scribe: Scribe) -> None:
    for spot, card in _in_rotation(typed):
        scribe.deal(Place.PLAYER, spot, card)


def _in_rotation(typed: TypedRound) -> Iterator[tuple[int, str | None]]:
    """A spot's cards together, clockwise: in the order in which they are typed."""
    for spot in typed.spots():
        for card in typed.cards[Place.PLAYER, spot]:
            yield spot, card


_STEPS: Final = {
    Game.RUN_EM_TWICE: _run_em_twice,
    Game.DAKOTA_DUEL_DRAW: _dakota_duel_draw,
    Game.TEXAS_SHOOTOUT: _texas_shootout,
}
