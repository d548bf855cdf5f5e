"""Which deck or shoe an event speaks of: the one it names, as last loaded, else the last loaded.

Source: event contract (`ShoeLoaded`, `shoe_id`); section Cards and procedure of the findings
contract. A stretch has S shoes, one a load: those carried from before, those loaded here, and those
that events name though nobody loaded them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from replay.arrays import equal_to
from replay.events import NO_INDEX, Int64s
from replay.state import ShoeState, TableState, TableStates
from replay.stream import Lifecycle
from replay.vocabulary import EventKind

SHOES_KEPT: Final = 16
"""Shoes of a table, those loaded last, that may still be named: about what is loaded in a day of
six decks. Of those that nobody loaded, so many are carried on besides."""


def load_rows(lifecycle: Lifecycle) -> Int64s:
    """Rows of the `ShoeLoaded` that are in place."""
    events = lifecycle.events
    rows = np.flatnonzero(equal_to(events.kind, EventKind.SHOE_LOADED))
    loads: Int64s = rows[lifecycle.in_place[rows]]
    return loads


@dataclass(slots=True)
class Shoes:
    """The shoes of a stretch, numbered: first those carried, then those loaded, then made up."""

    lifecycle: Lifecycle
    states: TableStates
    carried: dict[tuple[int, str], int]
    """(table, name) -> number."""
    loads: Int64s
    """Rows of `ShoeLoaded`."""
    bounds: Int64s
    """(T + 1,) rows of each table begin there."""
    made_up: dict[tuple[int, str], int] = field(default_factory=dict)
    """(table, name) -> number."""
    cut_seq: dict[int, int] = field(default_factory=dict)
    """Number -> `seq` of its `CutCardReached`, where that was reached."""
    walked: dict[int, tuple[int, dict[str, int]]] = field(default_factory=dict)
    """Table -> a place among the loads, and what `_known` gives there."""

    @staticmethod
    def of(lifecycle: Lifecycle, states: TableStates) -> Shoes:
        """Those carried and those loaded."""
        carried: dict[tuple[int, str], int] = {}
        for table, table_id in enumerate(lifecycle.events.table_ids):
            state = states.get(table_id)
            for name in state.shoes if state else ():
                carried[table, name] = len(carried)
        bounds = lifecycle.events.bounds()
        shoes = Shoes(lifecycle, states, carried, load_rows(lifecycle), bounds)
        for place, number in carried.items():
            cut_seq = shoes.before(place).cut_seq
            if cut_seq:
                shoes.cut_seq[number] = cut_seq
        return shoes

    def __len__(self) -> int:
        """S, how many there are."""
        return len(self.carried) + len(self.loads) + len(self.made_up)

    def before(self, place: tuple[int, str]) -> ShoeState:
        """A carried shoe, (table, name), as it stood before the stretch."""
        table, name = place
        return self.states[self.lifecycle.events.table_ids[table]].shoes[name]

    def of_rows(self, rows: Int64s) -> Int64s:
        """The number of the shoe that each row speaks of."""
        events = self.lifecycle.events
        latest = np.searchsorted(self.loads, rows, "right") - 1
        load = np.append(self.loads, NO_INDEX)[latest]
        named = events.at("shoe", rows)
        plain = latest >= 0
        plain[plain] = events.table[load[plain]] == events.table[rows[plain]]
        plain &= (named == NO_INDEX) | (named == events.at("shoe", load))
        numbers: Int64s = len(self.carried) + latest
        for at in np.flatnonzero(~plain).tolist():
            name = events.shoe_ids[named[at]] if named[at] != NO_INDEX else None
            numbers[at] = self._looked_up(int(rows[at]), name)
        return numbers

    def decks(self) -> Int64s:
        """Decks of each shoe as loaded; 0: never loaded: (S,)."""
        before = [self.before(place).decks for place in self.carried]
        loaded = self.lifecycle.events.at("decks", self.loads)
        never = np.zeros(len(self.made_up), np.int64)
        return np.concatenate([np.array(before, np.int64), loaded, never])

    def reach_cut(self, numbers: Iterable[int], seqs: Iterable[int]) -> None:
        """The cut cards of shoes were reached, in order of the stream: the first one counts."""
        for number, seq in zip(numbers, seqs, strict=True):
            self.cut_seq.setdefault(number, seq)

    def cut_seqs(self, numbers: Int64s) -> Int64s:
        """`seq` at which the cut card of each of these shoes was reached, 0 where it was not."""
        seqs = np.zeros(len(self) + 1, np.int64)
        for number, seq in self.cut_seq.items():
            seqs[number] = seq
        reached: Int64s = seqs[numbers]
        return reached

    def carry(self, copies: dict[int, Int64s]) -> None:
        """Leave each table's shoes, as they stand now, in the states.

        `copies` has those (52,) of which any card was seen, by number.
        """
        events, decks = self.lifecycle.events, self.decks().tolist()
        for table, names in self._last_by_table().items():
            state = self.states.setdefault(events.table_ids[table], TableState())
            state.shoes = {
                name: ShoeState(decks[number], copies.get(number), self.cut_seq.get(number, 0))
                for name, number in names.items()
            }
        own = events.table[self.loads]
        for at in np.flatnonzero(np.append(own[1:] != own[:-1], True)[: len(own)]).tolist():
            state = self.states[events.table_ids[own[at]]]
            state.current_shoe = self._name_of_load(at)

    def _looked_up(self, row: int, name: str | None) -> int:
        """Rarely needed: a shoe loaded before the last one, in an earlier stretch, or never."""
        events, table = self.lifecycle.events, int(self.lifecycle.events.table[row])
        if name is None:
            state = self.states.get(events.table_ids[table])
            name = state.current_shoe if state else ""
        known, place = self._known(table, row), (table, name)
        if name in known:
            return known[name]
        if place in self.carried and not self.before(place).decks:
            return self.carried[place]
        return self.made_up.setdefault(place, len(self))

    def _known(self, table: int, row: int) -> dict[str, int]:
        """The last few shoes that a table loaded before a row, the last one last: name -> number.

        The same wherever the stretch begins.
        """
        first, end = np.searchsorted(self.loads, [self.bounds[table], row]).tolist()
        at, known = self.walked.get(table, (int(end) + 1, self._loaded_before(table)))
        if at > end:
            at, known = first, self._loaded_before(table)
        for load in range(at, end):
            name = self._name_of_load(load)
            known.pop(name, None)
            known[name] = len(self.carried) + load
            if len(known) > SHOES_KEPT:
                del known[next(iter(known))]
        self.walked[table] = end, known
        return known

    def _loaded_before(self, table: int) -> dict[str, int]:
        state = self.states.get(self.lifecycle.events.table_ids[table])
        shoes = state.shoes if state else {}
        return {name: self.carried[table, name] for name, shoe in shoes.items() if shoe.decks}

    def _name_of_load(self, at: int) -> str:
        events = self.lifecycle.events
        name: str = events.shoe_ids[int(events.at("shoe", self.loads[at : at + 1])[0])]
        return name

    def _last_by_table(self) -> dict[int, dict[str, int]]:
        """Of each table the last few shoes by name, the last loaded last: name -> number."""
        events, first = self.lifecycle.events, len(self.carried)
        found: dict[int, dict[str, int]] = {}
        for (table, name), number in self.carried.items():
            found.setdefault(table, {})[name] = number
        bounds = np.searchsorted(self.loads, self.bounds).tolist()
        shoes = events.at("shoe", self.loads).tolist()
        for table in range(len(events.table_ids)):
            last: dict[int, int] = {}  # the last first
            for at in range(bounds[table + 1] - 1, bounds[table] - 1, -1):
                last.setdefault(shoes[at], first + at)
                if len(last) == SHOES_KEPT:
                    break
            for shoe, number in reversed(last.items()):
                names = found.setdefault(table, {})
                names.pop(events.shoe_ids[shoe], None)
                names[events.shoe_ids[shoe]] = number
        for (table, name), number in self.made_up.items():
            found.setdefault(table, {}).setdefault(name, number)  # or it was loaded since
        decks = self.decks().tolist()
        kept = {}
        for table, names in found.items():
            never = [(name, number) for name, number in names.items() if not decks[number]]
            loaded = [(name, number) for name, number in names.items() if decks[number]]
            kept[table] = dict(never[-SHOES_KEPT:] + loaded[-SHOES_KEPT:])
        return kept
