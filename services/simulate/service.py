"""The simulator as the rest of the program calls it: a floor, its faults, and a file of events."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Final

from services.errors import BadArgumentError
from services.simulate.chance import Chance, seeded
from services.simulate.dues import dues_of
from services.simulate.faults.fault import Fault, FindingRow, TableFault
from services.simulate.faults.registry import FAULT_BY_NAME, FAULTS
from services.simulate.floor import AskDues, Floor, Stand, schedule
from services.simulate.games.dakota_duel_draw import DakotaDuelDraw
from services.simulate.games.run_em_twice import RunEmTwice
from services.simulate.games.script import Script
from services.simulate.games.texas_shootout import TexasShootout
from services.simulate.scribe import Event
from services.simulate.table import Posted, Table
from services.simulate.tray import Cashier

START: Final = datetime(2026, 3, 6, 18, 0, tzinfo=timezone(timedelta(hours=-7)))
"""A Friday evening by the clock of America/Denver, which is the casino's unless it is set.

Nothing is read from a clock, so that the same seed gives the same bytes.
"""

_ENDS: Final = frozenset({"RoundClosed", "RoundVoided"})

Tell = Callable[[int, int], None]
"""Hears how much of how much is done."""

SCRIPTS: Final[tuple[type[Script], ...]] = (RunEmTwice, DakotaDuelDraw, TexasShootout)
GAMES: Final = {script.game: script for script in SCRIPTS}


@dataclass(frozen=True, slots=True)
class FaultInfo:
    """A fault as help texts show it."""

    name: str
    games: tuple[str, ...]
    codes: tuple[str, ...]
    """Codes of `findings.FindingCode` that it raises; none for what must raise nothing."""
    summary: str


@dataclass(frozen=True, slots=True)
class FloorPlan:
    """What to simulate. Tables and rounds are per game and per table; faults happen once each."""

    games: tuple[str, ...] = tuple(GAMES)
    tables: int = 1
    rounds: int = 50
    seed: int = 1
    faults: tuple[str, ...] = ()
    start: datetime = field(default=START)


class SimulatedFloor:
    """The events of a floor, and what must be found in them."""

    def __init__(self, floor: Floor, rounds: int) -> None:
        self._floor = floor
        self._rounds = rounds

    def events(self, tell: Tell | None = None) -> Iterator[Event]:
        """Every event, as dicts of the JSON-lines form, tables interleaved by time. Only once.

        `tell` hears how many rounds of how many have ended.
        """
        return self._floor.events() if tell is None else self._told(tell)

    def _told(self, tell: Tell) -> Iterator[Event]:
        ended = 0
        for event in self._floor.events():
            if event["type"] in _ENDS:
                ended += 1
                tell(min(ended, self._rounds), self._rounds)
            yield event

    def planted(self) -> list[FindingRow]:
        """What an audit must find, sorted by table and round; complete once all events were taken.

        Findings of severity info are among them; `expected_rows` leaves them out.
        """
        return sorted(
            self._floor.planted,
            key=lambda row: (
                row["table_id"],
                row["round_id"] or "",
                row["code"],
                row["spot"] or 0,
                row["hand"] or 0,
                row["wager"] or "",
                row["bettor"] or "",
            ),
        )


def games_available() -> tuple[str, ...]:
    """The games, as events name them."""
    return tuple(GAMES)


def faults_available() -> list[FaultInfo]:
    """Every fault, in the order of the finding codes."""
    return [FaultInfo(fault.name, fault.games, fault.codes, fault.summary) for fault in FAULTS]


def faults_for(games: Sequence[str]) -> tuple[str, ...]:
    """Names of every fault that can happen in one of these games."""
    return tuple(fault.name for fault in FAULTS if set(fault.games) & set(games))


def simulate_floor(plan: FloorPlan, ask_dues: AskDues = dues_of) -> SimulatedFloor:
    """A floor by its plan. The same plan gives the same events.

    Raises:
        BadArgumentError: a game or fault that there is not, or a fault of games left out.
    """
    scripts = [_script(game) for game in plan.games]
    faults = [_fault(name, plan.games) for name in plan.faults]
    tables = [
        _table(plan, script, number, seeded(plan.seed, script.prefix, number), Posted())
        for script in scripts
        for number in range(1, plan.tables + 1)
    ]
    stands = [Stand(table, plan.rounds) for table in tables]
    rng = seeded(plan.seed, "floor")
    schedule(stands, [fault for fault in faults if not isinstance(fault, TableFault)], rng)
    extra = [fault for fault in faults if isinstance(fault, TableFault)]
    for number, fault in enumerate(extra, plan.tables + 1):
        script = rng.choice([each for each in scripts if each.game in fault.games])
        stands.append(_faulty_stand(plan, script, number, fault))
    return SimulatedFloor(Floor(stands, ask_dues), sum(stand.rounds for stand in stands))


def _faulty_stand(plan: FloorPlan, script: Script, number: int, fault: TableFault) -> Stand:
    """A table of its own for a fault of a whole table."""
    rng = seeded(plan.seed, script.prefix, number)
    posted = fault.posted(script, rng, plan.start.date())
    table = _table(plan, script, number, rng, posted)
    return Stand(table, min(plan.rounds, fault.rounds), constant=fault)


def _table(plan: FloorPlan, script: Script, number: int, rng: Chance, posted: Posted) -> Table:
    """A table, whose cashier has chance of his own."""
    table_id = f"{script.prefix}-{number:02d}"
    chance = seeded(plan.seed, script.prefix, number, "cashier")
    cashier = Cashier(table_id, script.round_units, chance)
    return Table(table_id, script, rng, plan.start, posted, cashier)


def _script(game: str) -> Script:
    if game not in GAMES:
        raise BadArgumentError(
            f"no such game: {game!r}", next_step=f"choose among {', '.join(GAMES)}"
        )
    return GAMES[game]()


def _fault(name: str, games: Sequence[str]) -> Fault:
    if name not in FAULT_BY_NAME:
        raise BadArgumentError(
            f"no such fault: {name!r}", next_step=f"choose among {', '.join(FAULT_BY_NAME)}"
        )
    fault = FAULT_BY_NAME[name]
    if not set(fault.games) & set(games):
        raise BadArgumentError(
            f"{name} cannot happen in {', '.join(games)}",
            next_step=f"simulate {' or '.join(fault.games)} with it",
        )
    return fault()
