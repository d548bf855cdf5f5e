"""A replay, start to end: settle again what is asked about, on all cores, and hold it side by side.

Nothing is written to the history. What comes of it lies beside it for as long as one looks at it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from msgspec.structs import replace

from services.audit import made_with, rulebook_for
from services.errors import UnusableHistoryError
from services.held import check_table, failures_told
from services.history.arrival import arrival_of
from services.history.frozen import FrozenHistory
from services.history.idle import let_go
from services.history.reading import STRETCH_ROWS
from services.history.rechanged import Rechanged
from services.history.recomputed import Recomputed
from services.processes import cores_available, keep_memory
from services.replaying.asked import OtherRules
from services.replaying.crew import Crew
from services.replaying.lot import Lot, Told, settled_again, unpacked
from services.replaying.money import Money
from services.replaying.worker import MEMORY_MB
from services.report.gather import Scope
from services.rounds import READING
from services.settings import Settings

if TYPE_CHECKING:
    from services.history.sql.source import SqlSource

HELD_MB: Final = 8
"""What DuckDB keeps of what it read before judging begins."""

EVENTS_A_PROCESS_MIN: Final = 250_000
"""A process that settles fewer takes longer to start than it saves, and starts so much later."""


class Watcher(Protocol):
    """Someone who is told how far a replay has come."""

    def judging(self, judged: int, total: int) -> None:
        """So many events of all are settled again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayAsked:
    """What is to be settled again, and by what."""

    taken: Scope = field(default_factory=Scope)
    """Which rounds; table, game and days only."""
    other: OtherRules = field(default_factory=OtherRules)
    """Nothing: the history is checked."""
    cores: int | None = None
    """None: all there are."""
    rows: int = STRETCH_ROWS
    """About so many events are judged at a time."""


@dataclass(frozen=True, slots=True)
class Checked:
    """Whether the findings kept are those computed."""

    rounds: int
    digest: str
    """Of the findings computed."""
    difference_count: int
    findings: Recomputed

    @property
    def same(self) -> bool:
        """They are."""
        return not self.difference_count


@dataclass(frozen=True, slots=True)
class WhatIf:
    """What other rules would change."""

    rounds: int
    money: Money
    wagers: Rechanged


@contextmanager
def replayed(
    source: SqlSource, asked: ReplayAsked, settings: Settings, watcher: Watcher | None = None
) -> Iterator[Checked | WhatIf]:
    """What a replay comes to, for as long as one looks at it.

    Raises:
        PitproofError: the history cannot be read or was made by house ways that are not at hand, or
            something is asked for that there is not.
    """
    cores = asked.cores or cores_available()
    with FrozenHistory.over(source, threads=cores) as history, failures_told(history.path):
        if asked.taken.table_id is not None:
            check_table(history, asked.taken.table_id)
        lot = _whole(history, asked, settings)
        with closing(_told(source, lot, cores, watcher)) as told:
            if lot.other is None:
                result: Checked | WhatIf = _checked(history, asked.taken, told)
            else:
                result = _what_if(history, told)
        yield result


def _whole(history: FrozenHistory, asked: ReplayAsked, settings: Settings) -> Lot:
    """All that is asked about, in one lot."""
    readings = readings_of(history)
    rulebook = rulebook_for(readings, settings.house_ways)
    _check_made(history, made_with(rulebook, settings.house_ways)["house ways"])
    if asked.other:
        asked.other.check(history, rulebook)
    arrival = arrival_of(history, _tables(history, asked.taken))
    let_go(history, HELD_MB)  # memory is for those who judge
    return Lot(
        arrival=arrival,
        taken=asked.taken,
        readings=readings,
        house_ways=None if settings.house_ways is None else str(settings.house_ways),
        other=asked.other if asked.other else None,
        rows=asked.rows,
    )


def readings_of(history: FrozenHistory) -> dict[str, str]:
    """The readings that a history was made with, by id."""
    rows = history.rows("SELECT name, value FROM settings WHERE starts_with(name, ?)", [READING])
    return {name.removeprefix(READING): value for name, value in rows}


def _check_made(history: FrozenHistory, house_ways: str) -> None:
    for (made,) in history.rows("SELECT value FROM settings WHERE name = 'house ways'"):
        if made != house_ways:
            raise UnusableHistoryError(
                f"{history.path}: made with house ways {made}, not {house_ways}",
                next_step="set house_ways to the folder that it was made with; another house way "
                "of a table is tried out with --house-way TABLE=NAME",
            )


def _tables(history: FrozenHistory, taken: Scope) -> list[str] | None:
    """Tables that may have a round that is taken; None: all."""
    where, values = taken.condition()
    if where == "true":
        return None
    if (taken.first_day, taken.last_day, taken.game) == (None, None, None):
        return [str(taken.table_id)]
    rows = history.rows(_OPENED.format(where=where), values)
    return [table_id for (table_id,) in rows]


_OPENED: Final = "SELECT DISTINCT table_id FROM table_openings WHERE {where} ORDER BY ALL"


def _told(
    source: SqlSource, whole: Lot, cores: int, watcher: Watcher | None
) -> Generator[Told, None, None]:
    """What settling again comes to, here or in processes side by side."""
    total, done = sum(whole.arrival.counts().values()), 0
    count = max(1, min(cores, total // EVENTS_A_PROCESS_MIN))
    lots = [
        replace(whole, arrival=share) for share in whole.arrival.shares(count, EVENTS_A_PROCESS_MIN)
    ]
    for told in _side_by_side(source, lots) if lots else ():
        done += told.events
        if watcher is not None:
            watcher.judging(done, total)
        yield told


def _side_by_side(source: SqlSource, lots: list[Lot]) -> Iterator[Told]:
    """What comes of all, the first of which is settled by this process."""
    with Crew(source) as crew, closing(_here(source, lots[0])) as here:
        yield from crew.work(lots[1:], here)


def _here(source: SqlSource, lot: Lot) -> Generator[Told, None, None]:
    keep_memory()
    with FrozenHistory.over(source, memory_mb=MEMORY_MB, threads=1) as reading:
        yield from settled_again(reading, lot)


def _checked(history: FrozenHistory, taken: Scope, told: Iterator[Told]) -> Checked:
    findings, rounds = Recomputed(history, taken.condition()), 0
    for each in told:
        rounds += each.rounds
        if each.findings:
            findings.add(unpacked(each.findings))
    findings.compare()
    return Checked(rounds, findings.digest(), findings.difference_count(), findings)


def _what_if(history: FrozenHistory, told: Iterator[Told]) -> WhatIf:
    wagers, money, rounds = Rechanged(history), Money(), 0
    for each in told:
        rounds += each.rounds
        if each.changed:
            wagers.add(unpacked(each.changed))
        if each.money:
            money.add(Money.unpacked(each.money))
    return WhatIf(rounds, money, wagers)
