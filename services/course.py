"""One table's way through what must be judged again: from a kept state on, as far as need be.

Judging goes from place to place. It may stop at one where nothing later changed and the state is
what was kept there: everything that follows is as it was.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from replay.rulebook.loader import Rulebook
from replay.state import TableState, dump, load
from replay.verdict import PayRow
from services.history.live_index import Key, TableKept
from services.history.pay_rows import Openings
from services.history.places import ROUNDS_BETWEEN, Snapshot
from services.history.reading import Range
from services.history.scopes import Scope


@dataclass(slots=True)
class Course:
    """A table while it is judged again."""

    table_id: str
    places: list[Snapshot]
    """Kept ones in order, first the beginning."""
    changed: list[int]
    """`seq` of places at which the stream is not what it was, ascending; those still ahead."""
    state: str = ""
    """At the place that judging goes on from; empty: nothing came before."""
    scopes: list[Scope] = field(default_factory=list)
    openings: list[Openings] = field(default_factory=list)
    done: bool = False
    rounds: int = 0
    """Judged since the last place."""
    loaded: bool = False
    """A shoe that runs on was loaded since the last place."""
    _at: int = 0
    _from_seq: int = 0
    _from_opening: int = 0
    _gone: list[tuple[str, int]] = field(default_factory=list)
    _states: dict[int, str] = field(default_factory=dict)
    """By `seq`, of places that are new or hold another state than they did."""
    _least_no: dict[int, int] = field(default_factory=dict)
    """By `seq` of a place, the lowest number among the events from there to the next."""

    def place(self) -> Snapshot:
        """Where judging goes on from."""
        return self.places[self._at]

    def next_place(self) -> Snapshot | None:
        """Where it may stop next; None: at the end of the stream."""
        return self.places[self._at + 1] if self._at + 1 < len(self.places) else None

    def first_place(self) -> Snapshot:
        """The last place before everything that changed and is still ahead."""
        return self.places[bisect_right([each.seq for each in self.places], self.changed[0]) - 1]

    def goes_on(self) -> bool:
        """Whether everything that changed lies behind the last place."""
        return self.changed[0] >= self.places[-1].seq

    def forget(self, seqs: Collection[int]) -> None:
        """Before it begins: places that are none any more."""
        self._gone += [(self.table_id, place.seq) for place in self.places if place.seq in seqs]
        self.places = [place for place in self.places if place.seq not in seqs]

    def begin(self, state: str) -> None:
        """Go on from the last place before what changed, with the state kept there."""
        place = self.first_place()
        self._at, self.state = self.places.index(place), state
        self._from_seq, self._from_opening = place.last_seq, self._opening_seq()
        self.rounds, self.loaded = 0, False

    def range(self) -> Range:
        """What is to be judged next."""
        place, until = self.place(), self.next_place()
        return Range(
            self.table_id, place.seq, 0 if until is None else until.seq, place.first_event_no
        )

    def before(self, rulebook: Rulebook) -> TableState | None:
        """The state at the place that judging goes on from, an object of its own."""
        return load(self.state, rulebook) if self.state else None

    def saw(self, least_no: int) -> None:
        """Events from the last place on had no lower number than this."""
        seq = self.place().seq
        self._least_no[seq] = min(self._least_no.get(seq, least_no), least_no)

    def cut(self, seq: int, state: TableState, *, latest: bool) -> None:
        """Judging came to a place that is not kept yet: between two others, or the latest."""
        self.state = dump(state)
        previous = self.place()
        rounds = self.rounds + (0 if previous.kept else previous.rounds)
        opened = state.opening_seq >= previous.seq
        place = Snapshot(
            table_id=self.table_id,
            seq=seq,
            last_seq=state.last_seq,
            kept=not latest or opened or self.loaded or rounds >= ROUNDS_BETWEEN,
            rounds=rounds,
        )
        self._at += 1
        self.places.insert(self._at, place)
        self._states[seq] = self.state
        if not previous.kept:
            self._drop(self._at - 1)
        self.rounds, self.loaded = 0, False

    def reach(self, state: TableState, held: str) -> bool:
        """Judging came to the next place; whether the state held there is what it is now."""
        self.state = dump(state)
        self._at += 1
        place = self.place()
        self.changed = [seq for seq in self.changed if seq >= place.seq]
        self.rounds, self.loaded = 0, False
        if self.state == held:
            return True
        self.places[self._at] = replace(place, last_seq=state.last_seq)
        self._states[place.seq] = self.state
        return False

    def stop_or_skip(self) -> bool:
        """At a place where all is as it was: end here, or go on where something changed later.

        Whether judging goes on from another place, whose state is then needed.
        """
        place = self.place()
        if self.changed and self.first_place().seq == place.seq:
            return False
        self.scopes.append(Scope(self.table_id, self._from_seq, place.last_seq))
        stop = self._opening_seq()
        self.openings.append(Openings(self.table_id, self._from_opening, stop))
        self.done = not self.changed
        return not self.done

    def end(self) -> None:
        """The end of the stream was judged."""
        self.scopes.append(Scope(self.table_id, self._from_seq))
        self.openings.append(Openings(self.table_id, self._from_opening))
        self.changed, self.done = [], True

    def kept(self) -> tuple[list[tuple[str, int]], list[tuple[Snapshot, str]]]:
        """Places to be forgotten, and places to be kept with their states."""
        least = _NO_LIMIT
        for number in range(len(self.places) - 1, 0, -1):
            place = self.places[number]
            if not place.first_event_no:  # a new one
                least = min(least, self._least_no.get(place.seq, _NO_LIMIT))
                self.places[number] = replace(place, first_event_no=least)
            least = min(least, self.places[number].first_event_no)
        fresh = [(each, self._states[each.seq]) for each in self.places if each.seq in self._states]
        return [*self._gone, *((self.table_id, place.seq) for place, _ in fresh)], fresh

    def as_kept(self, pays: Mapping[Key, PayRow]) -> TableKept | None:
        """After `kept`: what is kept of the table; None where the last state was not looked at."""
        last = self.places[-1]
        state = self.state if self._at == len(self.places) - 1 else self._states.get(last.seq)
        if state is None:
            return None
        first = min(each.from_seq for each in self.openings)
        return TableKept(self.table_id, self.places, state, first, pays)

    def _drop(self, number: int) -> None:
        place = self.places.pop(number)
        self._at -= 1
        self._gone.append((self.table_id, place.seq))
        self._states.pop(place.seq, None)
        if place.seq in self._least_no:
            seq, least_no = self.places[number - 1].seq, self._least_no[place.seq]
            self._least_no[seq] = min(self._least_no.get(seq, least_no), least_no)

    def _opening_seq(self) -> int:
        return int(json.loads(self.state)["opening_seq"]) if self.state else 0


_NO_LIMIT: Final = 2**63 - 1


def course_of(table_id: str, places: Sequence[Snapshot], changed: int | Sequence[int]) -> Course:
    """The way of a table from the lowest place at which it changed."""
    seqs = [changed] if isinstance(changed, int) else sorted(changed)
    assert seqs, "a table that did not change is not judged"
    return Course(table_id, list(places), seqs)
