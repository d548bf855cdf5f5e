"""The floor: tables side by side, rounds played and settled in batches, faults put in their place.

Ordinary rounds are planned some dozens a table at a time and what is due is asked for all of them
at once. A round that takes a fault is played over and over until the fault fits it.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heapreplace
from typing import Final, TypeAlias

from services.simulate.chance import Chance
from services.simulate.faults.fault import Fault, FindingRow, TableFault
from services.simulate.round import Dues, Round, Wishes
from services.simulate.scribe import Event
from services.simulate.table import Table

ROUNDS_A_BATCH: Final = (
    256  # over all tables, since asking costs about the same for one as for many
)
EVENTS_AHEAD_MIN: Final = 200  # below it, a table plans on: keeps what is held in memory small
TRIES: Final = (8, 32, 128, 512)  # rounds played for one fault, in growing handfuls
ROUNDS_EXTRA_MAX: Final = 200  # beyond what was asked for, to find room for a fault

USUAL: Final = Wishes(plain=False)

AskDues: TypeAlias = Callable[[Sequence[Sequence[Event]]], Sequence[Dues]]


@dataclass(slots=True)
class Stand:
    """A table on the floor, and what is to happen there."""

    table: Table
    rounds: int
    faults: deque[tuple[int, Fault]] = field(default_factory=deque)
    """(number of the round, fault), by number."""
    constant: TableFault | None = None
    """A fault of the whole table, which has a hand in each of its rounds."""
    ahead: deque[Event] = field(default_factory=deque)
    closed: bool = False

    def fault_now(self) -> Fault | None:
        """The fault that the next round is to take."""
        if self.faults and self.faults[0][0] <= self.table.rounds_planned + 1:
            return self.faults[0][1]
        return None

    def is_over(self) -> bool:
        """All rounds were played and all faults planted."""
        if self.table.rounds_planned < self.rounds or self.faults:
            return False
        return self.constant is None or self.constant.is_done()


class Floor:
    """Tables and their faults. `planted` is complete once every event was taken."""

    def __init__(self, stands: list[Stand], ask_dues: AskDues) -> None:
        self.planted: list[FindingRow] = []
        self._stands = stands
        self._ask_dues = ask_dues

    def events(self) -> Iterator[Event]:
        """Every event of the floor, tables interleaved by their clocks, `seq` in order at each."""
        self._plan_ahead()
        heads = [
            (stand.ahead[0]["occurred_at"], at)
            for at, stand in enumerate(self._stands)
            if stand.ahead
        ]
        heapify(heads)
        while heads:
            at = heads[0][1]
            stand = self._stands[at]
            yield stand.ahead.popleft()
            while not stand.ahead and not stand.closed:
                self._plan_ahead()
            if stand.ahead:
                heapreplace(heads, (stand.ahead[0]["occurred_at"], at))
            else:
                heappop(heads)

    # --- batches ---

    def _plan_ahead(self) -> None:
        """Let every table play on that is about to run dry."""
        short = [
            stand
            for stand in self._stands
            if not stand.closed and len(stand.ahead) < EVENTS_AHEAD_MIN
        ]
        each = max(1, ROUNDS_A_BATCH // max(1, len(short)))
        batch = [(stand, play) for stand in short for play in self._ordinary_rounds(stand, each)]
        dues = self.ask([play for _, play in batch])
        for (stand, play), due in zip(batch, dues, strict=True):
            stand.table.settle(play, due)
            if stand.constant is not None and not play.voided:
                self.planted += stand.constant.settle(play, due, self.ask) or []
            self._send(stand, play, None)
        for stand in short:
            if stand.fault_now() is not None:
                self._plant(stand)
            if stand.is_over():
                self._close(stand)

    def _ordinary_rounds(self, stand: Stand, count: int) -> list[Round]:
        plays: list[Round] = []
        while len(plays) < count and not stand.is_over() and stand.fault_now() is None:
            wishes = stand.constant.wishes(stand.table) if stand.constant else USUAL
            play = stand.table.play(stand.table.next_lead(), wishes)
            stand.table.take(play)
            plays.append(play)
            stand.table.remember(play)
        return plays

    def ask(self, plays: list[Round]) -> list[Dues]:
        """What is due in rounds that were played and not settled; nothing where voided."""
        asked = [play for play in plays if not play.voided]
        answers = iter(self._ask_dues([as_asked(play) for play in asked]))
        nothing: Dues = {}
        return [nothing if play.voided else next(answers) for play in plays]

    # --- faults ---

    def _plant(self, stand: Stand) -> None:
        """Play the next round with its fault; without it, where it cannot fit there."""
        number, fault = stand.faults.popleft()
        table = stand.table
        lead = table.next_lead()
        wishes = fault.prepare(table)
        found = None if wishes is None else self._fitting(stand, fault, lead, wishes)
        if found is None:
            late = table.rounds_planned - stand.rounds
            assert late < ROUNDS_EXTRA_MAX, f"{fault.name} found no round at {table.table_id}"
            stand.faults.appendleft((number + 1, fault))
            play = table.play(lead, Wishes())
            table.take(play)
            table.remember(play)
            table.settle(play, self.ask([play])[0])
            self._send(stand, play, None)
            return
        play, rows = found
        play.notes["shoe"].is_told_whole = False
        self.planted += rows
        self._send(stand, play, fault)

    def _fitting(
        self, stand: Stand, fault: Fault, lead: list[Event], wishes: Wishes
    ) -> tuple[Round, list[FindingRow]] | None:
        """Play the round until the fault fits; the round with the fault in it, settled."""
        table = stand.table
        shoe = table.shoe
        before = shoe.snapshot() if shoe is not None else None
        for tries in TRIES:
            plays: list[Round] = []
            for _ in range(tries):
                if shoe is not None and before is not None:
                    shoe.restore(before)
                    shoe.shuffle_rest()
                play = table.play(lead, wishes)
                play.notes["shoe after"] = play.notes["shoe"].snapshot()
                if fault.alter(play):
                    plays.append(play)
            for play, dues in zip(plays, self.ask(plays), strict=True):
                table.settle(play, dues)
                rows = fault.settle(play, dues, self.ask)
                if rows is not None:
                    play.notes["shoe"].restore(play.notes["shoe after"])
                    table.take(play)
                    return play, rows
        if shoe is not None and before is not None:
            shoe.restore(before)
        return None

    # --- sending ---

    def _send(self, stand: Stand, play: Round, fault: Fault | None) -> None:
        play.lead = stand.table.cashier.serve(play.lead, play.seats)
        events = play.lead + play.events
        stand.table.number(events, play.pauses_micros, play.stakes)
        if fault is not None:
            events, rows = fault.disturb(play, events)
            self.planted += rows
        stand.ahead += events

    def _close(self, stand: Stand) -> None:
        if stand.constant is not None:
            self.planted += stand.constant.opened(stand.table)
            self.planted += stand.constant.ended(stand.table)
        events = stand.table.close()
        stand.table.number(events, {}, {})
        stand.ahead += events
        stand.closed = True


def as_asked(play: Round) -> list[Event]:
    """A round as the engine is asked about it: its opening, its events, its end.

    A round not settled yet is ended by closing the table: were it closed itself, every wager in it
    would be a finding, argued at length for nobody.
    """
    events = [play.opening, *(e for e in play.lead if e["type"] in SHOE_EVENTS), *play.events]
    if events[-1]["type"] != "RoundClosed":
        events.append(play.scribe.table_closed(None))
    return events


SHOE_EVENTS: Final = frozenset({"ShoeLoaded", "CardBurned"})


def schedule(stands: list[Stand], faults: list[Fault], rng: Chance) -> None:
    """Give every fault a round of its own, at a table of a game that it applies to."""
    free = {
        stand.table.table_id: rng.sample(range(1, stand.rounds + 1), stand.rounds)
        for stand in stands
    }
    taken: dict[str, list[tuple[int, Fault]]] = {table_id: [] for table_id in free}
    for fault in faults:
        fitting = [stand for stand in stands if stand.table.script.game in fault.games]
        room = [stand for stand in fitting if free[stand.table.table_id]] or fitting
        stand = rng.choice(room)
        table_id = stand.table.table_id
        number = free[table_id].pop() if free[table_id] else stand.rounds + len(taken[table_id])
        taken[table_id].append((number, fault))
    for stand in stands:
        stand.faults.extend(sorted(taken[stand.table.table_id], key=lambda each: each[0]))
