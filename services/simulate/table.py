"""A table through its evenings: what it posts, who sits there, its shoe, its clock, its numbers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from services.simulate.chance import Chance
from services.simulate.games.script import Manners, Script
from services.simulate.round import Dues, Round, Where, Wishes
from services.simulate.scribe import Event, Scribe
from services.simulate.seats import Limits, Seats
from services.simulate.shoe import Shoe
from services.simulate.tray import Cashier

ROUNDS_A_DAY: Final = 400  # about nine hours; a table is closed and opened again for the next day
LEGAL_MAXIMUM_CENTS: Final = 1_000_00  # each bet, since 2012
MINIMUMS_CENTS: Final = (1_00, 2_00, 3_00, 5_00, 5_00, 10_00)
MAXIMUMS_CENTS: Final = (300_00, 500_00, 500_00, 1_000_00, None)

SECOND: Final = 1_000_000
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

SLOW_MICROS: Final = {
    "TrayCounted": 40 * SECOND,
    "TableClosed": 30 * SECOND,
    "ChipsMoved": 5 * SECOND,
    "RoundOpened": 2 * SECOND,
}
"""What takes longer than a card or a chip."""


@dataclass(frozen=True, slots=True)
class Posted:
    """What a table says at its opening, as far as a fault wants it otherwise; None: as usual."""

    gaming_day: date | None = None
    paytables: dict[str, str] | None = None
    house_way: str | None = None
    no_house_way: bool = False
    asked: Mapping[str, Any] = field(default_factory=dict)
    """What the table settles by in truth: fields of the opening, of paytables those that differ."""


class Table:
    """One table of a game, from its opening on. Its chance is its own, and the cashier's."""

    def __init__(
        self,
        table_id: str,
        script: Script,
        rng: Chance,
        start: datetime,
        posted: Posted,
        cashier: Cashier,
    ) -> None:
        self.table_id = table_id
        self.script = script
        self.rng = rng
        self.scribe = Scribe(table_id, rng)
        self.rounds_planned = 0
        minimum, maximum = rng.choice(MINIMUMS_CENTS), rng.choice(MAXIMUMS_CENTS)
        self.limits = Limits(minimum, maximum or LEGAL_MAXIMUM_CENTS)
        self._posted_maximum = maximum
        self._posting = script.post(rng)
        self._posted = posted
        self._manners = Manners(rng.random() < 0.5, rng.random() < 0.5)
        self._spots = rng.choice((5, 6, 6, 7))
        self._seats = Seats(self._spots, self.limits, rng)
        self._dealer_id: str | None = None
        self._start = start + timedelta(microseconds=rng.randrange(600 * SECOND))
        self._day = 0
        self._micros = 0
        self._seq = 0
        self._shoes = 0
        self._shoe: Shoe | None = None
        self._opens_micros: dict[str, int] = {}
        self.cashier = cashier
        self._lead = self._open()
        self.remembered: Round | None = None

    @property
    def shoe(self) -> Shoe | None:
        """The shoe in use; None before the first."""
        return self._shoe

    @property
    def opening(self) -> Event:
        """The `TableOpened` in force."""
        return self._opening

    def spots_taken(self) -> list[int]:
        """Spots with a player, in their order."""
        return [seat.spot for seat in self._seats]

    def remember(self, play: Round) -> None:
        """Keep the last round that was dealt whole and read, for a deck that comes again."""
        cards = [event["card"] for event in play.events if event["type"] == "CardDealt"]
        if not play.voided and None not in cards:
            self.remembered = play

    # --- planning ---

    def next_lead(self) -> list[Event]:
        """What happens at the table before its next round: to be called once a round."""
        lead, self._lead = self._lead, []
        if self.rounds_planned and self.rounds_planned % ROUNDS_A_DAY == 0:
            lead += self._close()
            self._day += 1
            lead += self._open()
        if self.rounds_planned % 20 == 0:
            self._dealer_id = f"D-{self.rng.randrange(1000, 10_000)}"
        bought_in_cents = self._seats.move()
        if bought_in_cents and self.rng.random() < 0.5:
            lead.append(self.scribe.chips_moved("BUY_IN", bought_in_cents))
        elif self.rng.random() < 0.01:
            movement = self.rng.choice(("FILL", "FILL", "CREDIT"))
            lead.append(self.scribe.chips_moved(movement, self.rng.randrange(2, 41) * 100_00))
        self.rounds_planned += 1
        return lead

    def play(self, lead: list[Event], wishes: Wishes) -> Round:
        """Play a round up to its settlement; may be done over for the same `lead`."""
        round_id = f"{self.table_id}-{self.rounds_planned:06d}"
        play = Round(
            self.scribe,
            self.limits,
            self._asked_opening,
            round_id,
            wishes,
            list(wishes.seats or self._seats),
            [*lead],
        )
        shoe = self._shoe_for(play)
        play.events.append(self.scribe.opened(round_id, self._dealer_id, shoe.shoe_id))
        play.notes["shoe"] = shoe
        self.script.play(play, shoe, self._manners)
        return play

    def settle(self, play: Round, dues: Dues) -> None:
        """Settle a round as it is due, in the prescribed order, and close it."""
        if play.voided:
            return
        play.stakes = {where: due.stake_cents for where, due in dues.items()}
        order = self.script.order(play, dues)
        first: list[Event] = []
        folded = play.folded() if play.notes.get("folds first") else set()
        for where in order:
            due_cents = dues[where].due_cents
            assert due_cents is not None
            event = self.scribe.settled(play.round_id, where, due_cents)
            is_early = where.spot in folded and where.wager == "HAND_2_ANTE"
            (first if is_early else play.events).append(event)
        reveal = play.row("CardsRevealed")
        if first and reveal is not None:
            play.events[reveal:reveal] = first[::-1]
        if self.rng.random() < 0.003:
            spot = self.rng.choice(play.seats).spot
            ruling = self.scribe.ruling(play.round_id, spot, "complaint heard, payout stands")
            play.events.append(ruling)
        play.events.append(self.scribe.closed(play.round_id))

    def close(self) -> list[Event]:
        """The end of the last gaming day."""
        return [*self.cashier.fill(), *self._close()]

    def _close(self) -> list[Event]:
        """The end of a gaming day; its count is filled in once all before it is numbered."""
        reason = "end of gaming day" if self.rng.random() < 0.7 else None
        return [
            self.scribe.tray_counted("CLOSING", 0),
            self.scribe.table_closed(reason),
        ]

    def _open(self) -> list[Event]:
        posted, day = self._posted, self._start + timedelta(days=self._day)
        house_way = posted.house_way or self._posting.house_way
        self._opening = self.scribe.table_opened(
            game=self.script.game,
            gaming_day=(posted.gaming_day or day.date()).isoformat(),
            currency="USD",
            spots=self._spots,
            paytables={**self._posting.paytables, **(posted.paytables or {})},
            minimum_cents=self.limits.minimum_cents,
            maximum_cents=self._posted_maximum,
            house_way=None if posted.no_house_way else house_way,
        )
        opens_micros = (day - EPOCH) // timedelta(microseconds=1)
        self._asked_opening = {**self._opening, **posted.asked}
        self._asked_opening["paytables"] = {
            **self._opening["paytables"],
            **posted.asked.get("paytables", {}),
        }
        self._opens_micros[self._opening["event_id"]] = opens_micros
        opening_count = self.rng.randrange(20_000, 50_000) * 1_00
        return [self._opening, self.scribe.tray_counted("OPENING", opening_count)]

    def _shoe_for(self, play: Round) -> Shoe:
        """The shoe of a round: a new deck each time, or a new shoe once the cut card came."""
        shoe, wishes = self._shoe, play.wishes
        is_over = shoe is None or (shoe.cut_told and not wishes.keep_shoe)
        if shoe is not None and not (self.script.one_deck_a_round or is_over or wishes.new_shoe):
            return shoe
        shoe_id = f"{self.table_id}-S{self._shoes + 1:05d}"
        shoe = Shoe(shoe_id, self.script.decks, self.rng)
        play.lead.append(self.scribe.shoe_loaded(shoe_id, wishes.decks or self.script.decks))
        if not self.script.one_deck_a_round:
            burned = shoe.draw()
            seen = burned if self.rng.random() < 0.3 else None
            play.lead.append(self.scribe.burned(shoe_id, seen))
        return shoe

    def take(self, play: Round) -> None:
        """Make a played round the one that happened: its shoe is now the table's."""
        shoe: Shoe = play.notes["shoe"]
        if shoe is not self._shoe:
            self._shoe = shoe
            self._shoes += 1

    # --- numbering ---

    def number(
        self,
        events: list[Event],
        pauses_micros: Mapping[str, int],
        stakes: Mapping[Where, int],
    ) -> None:
        """Give events their `seq` and their time, and a closing count its amount."""
        rng, cashier = self.rng, self.cashier
        for event in events:
            kind = event["type"]
            if kind == "TableOpened":
                self._micros = max(self._micros + SECOND, self._opens_micros.pop(event["event_id"]))
            else:
                event_id = event["event_id"]
                pause = pauses_micros.get(event_id, cashier.pauses_micros.pop(event_id, None))
                if pause is None:
                    pause = 220_000 + int(rng.random() * 1_700_000) + SLOW_MICROS.get(kind, 0)
                self._micros += pause
            self._seq += 1
            event["seq"] = self._seq
            event["occurred_at"] = timestamp(self._micros)
            cashier.tray.take(event, stakes)


def timestamp(micros: int) -> str:
    """Microseconds since 1970 UTC as the contract writes times."""
    moment = EPOCH + timedelta(microseconds=micros)
    return moment.isoformat(timespec="microseconds")[:26] + "Z"


def micros_of(text: str) -> int:
    """What `timestamp` wrote, back as a number."""
    return (datetime.fromisoformat(text) - EPOCH) // timedelta(microseconds=1)
