"""When the events of tables came: which numbers of arrival hold which part of whose stream.

Events lie in a history as they arrived, at each table nearly in the order of its numbers. Who wants
them in that order need not sort them all: they are read in runs of arrival, and only what came late
(after a later number of its table lay in an earlier run) is fetched beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from services.history.store import History

RUN_EVENTS: Final = 122_880
"""Numbers of arrival in a run: as many as DuckDB keeps together, and can pass over together."""


class Met(msgspec.Struct, frozen=True, array_like=True):
    """What a run has of one table."""

    run: int
    """Its number: those of its events begin with it times `Arrival.run_events`."""
    table_id: str
    low_seq: int
    high_seq: int
    count: int


class Arrival(msgspec.Struct, frozen=True):
    """Where the events of some tables lie, by run and table."""

    met: tuple[Met, ...]
    shared: frozenset[int] = frozenset()
    """Runs in which events of other tables lie, too."""
    run_events: int = RUN_EVENTS
    """So many numbers of arrival are a run."""

    def counts(self) -> dict[str, int]:
        """How many events each table has."""
        counts: dict[str, int] = {}
        for each in self.met:
            counts[each.table_id] = counts.get(each.table_id, 0) + each.count
        return counts

    def of_tables(self, table_ids: Sequence[str]) -> Arrival:
        """The part of it that is about some of the tables."""
        chosen = set(table_ids)
        own = tuple(each for each in self.met if each.table_id in chosen)
        others = {each.run for each in self.met if each.table_id not in chosen}
        runs = {each.run for each in own}
        return Arrival(own, frozenset(runs & (others | self.shared)), self.run_events)

    def shares(self, count: int, ahead: int = 0) -> list[Arrival]:
        """The tables in at most so many lots of about as many events each.

        The first has about `ahead` more than each other. Tables that came about the same time are
        in one lot, as far as that goes.
        """
        counts = self.counts()
        began: dict[str, int] = {}
        for each in self.met:
            began.setdefault(each.table_id, each.run)
        total, taken = sum(counts.values()), 0
        first = (total + (count - 1) * ahead) // count
        others = max(1, total - first)
        lots: list[list[str]] = [[] for _ in range(count)]
        for table_id in sorted(counts, key=lambda table_id: (began[table_id], table_id)):
            beyond = taken + counts[table_id] // 2 - first
            lots[0 if beyond < 0 else 1 + beyond * (count - 1) // others].append(table_id)
            taken += counts[table_id]
        return [self.of_tables(lot) for lot in lots if lot]


@dataclass(frozen=True, slots=True)
class Step:
    """Runs that are read in one go."""

    first_no: int
    last_no: int
    shared: bool
    """Other tables have events there, too."""
    high_seq: Mapping[str, int]
    """Of each table that has events there, the highest number that came by then."""
    late: Mapping[str, int]
    """Of tables of which something came late there: the highest number that came before."""
    ends: frozenset[str]
    """Tables of which nothing comes after."""


def arrival_of(
    history: History, table_ids: Sequence[str] | None = None, run_events: int = RUN_EVENTS
) -> Arrival:
    """Where the events of the tables (None: all) lie."""
    where, values = "", list[object]([run_events])
    if table_ids is not None:
        where = "WHERE table_id IN (SELECT unnest(?::VARCHAR[]))"
        values.append(list(table_ids))
    met = tuple(Met(*row) for row in history.rows(_MET.format(where=where), values))
    shared = frozenset() if table_ids is None else frozenset(each.run for each in met)
    return Arrival(met, shared, run_events)


def steps_of(arrival: Arrival, rows: int) -> Iterator[Step]:
    """Runs in their order, taken together to steps of about so many events."""
    last_run: dict[str, int] = {}
    for each in arrival.met:
        last_run[each.table_id] = each.run
    high: dict[str, int] = {}
    for group in _groups(arrival, rows):
        before, late = dict(high), {}
        for each in group:
            if each.table_id in before and each.low_seq <= before[each.table_id]:
                late[each.table_id] = before[each.table_id]
            high[each.table_id] = max(high.get(each.table_id, 0), each.high_seq)
        here = {each.table_id for each in group}
        first, last = group[0].run, group[-1].run
        runs = {each.run for each in group}
        yield Step(
            first_no=first * arrival.run_events,
            last_no=(last + 1) * arrival.run_events - 1,
            shared=len(runs) <= last - first or not arrival.shared.isdisjoint(runs),
            high_seq={table_id: high[table_id] for table_id in here},
            late=late,
            ends=frozenset(table_id for table_id in here if last_run[table_id] <= last),
        )


def _groups(arrival: Arrival, rows: int) -> Iterator[list[Met]]:
    group: list[Met] = []
    count = 0
    for each in arrival.met:
        if group and each.run != group[-1].run and count >= rows:
            yield group
            group, count = [], 0
        group.append(each)
        count += each.count
    if group:
        yield group


_MET: Final = """
SELECT event_no // ? AS run, table_id, min(seq), max(seq), count(*)
FROM events
{where}
GROUP BY ALL
ORDER BY ALL
"""
