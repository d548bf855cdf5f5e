"""The chips of a table: what its tray comes to, and what its players buy in for.

The tray follows every bet that is taken or paid, as it was done and not as it was due, so that the
closing count says what a dealer would find there. Chips that go back by the rules went back. Buying
in has chance of its own: what is played does not depend on it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from services.simulate.chance import Chance
from services.simulate.round import Where, net_of, where_of
from services.simulate.scribe import Event, Scribe
from services.simulate.seats import Seat

LOW_CENTS: Final = 5_000_00
"""Below it the tray gets a fill, up to `FULL_CENTS`."""
FULL_CENTS: Final = 20_000_00

BUY_IN_ROUNDS: Final = (30, 40, 40, 50)
"""For how many rounds, as players usually bet, chips are bought."""
LAST_ROUNDS: Final = 20
"""With chips for fewer a player buys in again."""

PAUSES_MICROS: Final = (2_000_000, 7_000_000)
"""How long chips take to be moved: from, to."""


class Tray:
    """What lies in the tray, in cents, through the events of a table in the order of `seq`."""

    def __init__(self) -> None:
        self.cents = 0
        self.is_in_use = False
        """Between an opening count and a closing one."""
        self.nets: dict[int, int] = defaultdict(int)
        """Spot -> what was won there, in cents, since the table was first opened."""
        self._settled: dict[str, tuple[int, int]] = {}
        """Id of a settlement of the round -> its spot, and the player's net, as put right."""

    def take(self, event: Event, stakes: Mapping[Where, int]) -> None:
        """Let it happen, with what is at stake by the rules; a closing count is filled in."""
        match event["type"]:
            case "TrayCounted" if event["count"] == "CLOSING":
                event["amount_cents"] = self.cents
                self.is_in_use = False
            case "TrayCounted":
                self.cents = event["amount_cents"]
                self.is_in_use = True
            case "ChipsMoved":
                sign = 1 if event["movement"] == "FILL" else -1
                self.cents += sign * event["amount_cents"]
            case "RoundOpened":
                self._settled.clear()
            case "WagerSettled":
                net_cents = net_of(event, stakes.get(where_of(event), 0))
                self._pay(event["spot"], event["event_id"], net_cents)
            case "PayoutCorrected" if event["corrects"] in self._settled:
                # None but a win is ever put right so: no stake is asked for.
                spot, _ = self._settled[event["corrects"]]
                self._pay(spot, event["corrects"], event["paid_cents"])

    def _pay(self, spot: int, settlement: str, net_cents: int) -> None:
        _, was_cents = self._settled.get(settlement, (spot, 0))
        self._settled[settlement] = spot, net_cents
        self.cents -= net_cents - was_cents
        self.nets[spot] += net_cents - was_cents


class Cashier:
    """Writes what the players of a table buy in for, and the fill of a tray that runs low."""

    def __init__(self, table_id: str, round_units: int, rng: Chance) -> None:
        self.tray = Tray()
        self.pauses_micros: dict[str, int] = {}
        """Event id -> how long it takes: no chance of the table's own."""
        self._scribe = Scribe(table_id, rng)
        self._rng = rng
        self._round_units = round_units
        self._purses: dict[int, tuple[Seat, int]] = {}
        """Spot -> who plays there, and the chips in cents but for what was won there."""

    def serve(self, lead: list[Event], seats: Iterable[Seat]) -> list[Event]:
        """What happens before a round, with the fill and the buy-ins that it takes.

        To be called once all before it was taken by the tray.
        """
        if any(event["type"] == "TableOpened" for event in lead):
            self._purses.clear()
        had_cents = sum(e["amount_cents"] for e in lead if e.get("movement") == "BUY_IN")
        return [*self.fill(), *lead, *self._buy_ins(seats, had_cents)]

    def fill(self) -> list[Event]:
        """What a tray that runs low is filled with; nothing as long as it does not."""
        if self.tray.cents >= LOW_CENTS or not self.tray.is_in_use:
            return []
        missing_cents = FULL_CENTS - self.tray.cents
        return [self._moved("FILL", missing_cents - missing_cents % 100_00)]

    def _buy_ins(self, seats: Iterable[Seat], had_cents: int) -> list[Event]:
        """Of all who have little left, and of a newcomer, who had bought so much already."""
        bought = []
        for seat in seats:
            won_cents = self.tray.nets[seat.spot]
            who, cents = self._purses.get(seat.spot, (None, 0))
            if who is not seat:
                cents, had_cents = had_cents - won_cents, 0
            round_cents = self._round_units * seat.unit_cents
            if cents + won_cents < LAST_ROUNDS * round_cents:
                event = self._moved("BUY_IN", self._rng.choice(BUY_IN_ROUNDS) * round_cents)
                bought.append(event)
                cents += event["amount_cents"]
            self._purses[seat.spot] = seat, cents
        return bought

    def _moved(self, movement: str, cents: int) -> Event:
        event = self._scribe.chips_moved(movement, cents)
        self.pauses_micros[event["event_id"]] = self._rng.randrange(*PAUSES_MICROS)
        return event
