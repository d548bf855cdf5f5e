"""Judging what changed: the one way, for a year of files as for what came in the last second.

Every table that changed is judged again from the last kept state before the change, until a kept
state turns out to be what it was, or to the end. What comes of it is held against what the history
has: only the difference is stored, and entered as raised, changed or withdrawn. Judging leaves
nothing behind: the part after a table's last `RoundOpened` is judged with a copy of the state.
A temporary history keeps no states: its tables are judged from their beginning to their end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pyarrow as pa

from replay.events import EventColumns, Stretch
from replay.resettle import Resettler
from replay.state import TableStates
from replay.verdict import PayRow, Verdict
from replay.vocabulary import EventKind, Game
from services.course import Course, course_of
from services.history.arrival import arrival_of
from services.history.deck_orders import repeats_at, repeats_of
from services.history.in_order import stretches_in_order
from services.history.live_index import Key
from services.history.looked_up import LookUps
from services.history.pay_rows import mismatches_of, replace_pays
from services.history.reading import STRETCH_ROWS, Part, parts
from services.history.rounds import (
    RoundPlace,
    openings_named_before,
    places_naming,
    rounds_within,
)
from services.history.snapshots import forget_states, keep_states, snapshots_of, states_at
from services.history.store import History
from services.history.verdicts import VerdictWriter

if TYPE_CHECKING:
    from replay.resettle import LookOn
    from replay.rulebook.loader import Rulebook


class Watcher(Protocol):
    """Someone who is told how far judging has come."""

    def judging(self, judged: int, total: int) -> None:
        """So many events of about so many are done."""


def judge(
    history: History,
    rulebook: Rulebook,
    changed: Mapping[str, int | Sequence[int]],
    *,
    watcher: Watcher | None = None,
    look_on: LookOn | None = None,
    rows: int = STRETCH_ROWS,
) -> int:
    """Within the transaction that changed them: judge tables again; how many findings changed.

    `changed` has the lowest `seq` at which a table's stream is not what it was, or that and
    others (`Journal.changed`). About `rows` events are judged at a time.
    """
    assert history.transaction_no is not None, "verdicts are stored within a transaction"
    if not changed:
        return 0
    session = _Session(history, rulebook, sorted(changed), watcher, look_on, rows)
    session.begin(changed)
    if history.temporary:
        session.go_through()
    while courses := [course for course in session.courses.values() if not course.done]:
        session.go_on(courses)
    session.judge_tails()
    return session.store()


@dataclass(slots=True)
class _Session:
    history: History
    rulebook: Rulebook
    tables: Sequence[str]
    watcher: Watcher | None
    look_on: LookOn | None
    rows: int
    courses: dict[str, Course] = field(default_factory=dict)
    judged: int = 0
    total: int = 0
    _look_ups: LookUps = field(init=False)
    _verdicts: VerdictWriter = field(init=False)
    _pays: dict[Key, PayRow] = field(default_factory=dict)
    _tails: list[tuple[str, pa.Table]] = field(default_factory=list)
    _first_no: int = 2**63 - 1

    def begin(self, changed: Mapping[str, int | Sequence[int]]) -> None:
        """Find where each table's judging begins, and what must be known for it."""
        history = self.history
        places = snapshots_of(history, self.tables)
        for table_id in self.tables:
            self.courses[table_id] = course_of(table_id, places[table_id], changed[table_id])
        late = [name for name, course in self.courses.items() if not course.goes_on()]
        for table_id, seqs in openings_named_before(history, late).items():
            self.courses[table_id].forget(seqs)
        self._resume(list(self.courses.values()))
        self._look_ups = LookUps(history, self.tables)
        self._verdicts = VerdictWriter(history)
        if self.watcher is not None:
            self.total = history.count(
                "SELECT count(*) FROM events WHERE table_id IN (SELECT unnest(?::VARCHAR[]))",
                [list(self.tables)],
            )

    def go_through(self) -> None:
        """Judge every course from its beginning to its end, where no state is kept on the way."""
        arrival, self._first_no = arrival_of(self.history, self.tables), 0
        resettler = Resettler(self.rulebook, look_on=self.look_on)
        in_order = stretches_in_order(
            self.history, arrival, self._look_ups, rows=self.rows, reads_ahead=True
        )
        with closing(in_order) as stretches:
            for stretch in stretches:
                self._judge(resettler, stretch)
        for course in self.courses.values():
            assert not course.place().seq, "a temporary history keeps no state"
            course.end()

    def go_on(self, courses: Sequence[Course]) -> None:
        """Judge every course up to its next place, or to the end of its stream."""
        history, rulebook = self.history, self.rulebook
        nexts = {course.table_id: course.next_place() for course in courses}
        held = states_at(history, [place for place in nexts.values() if place is not None])
        before = {course.table_id: course.before(rulebook) for course in courses}
        resettler = Resettler(
            rulebook,
            {name: state for name, state in before.items() if state is not None},
            look_on=self.look_on,
        )
        segments = {
            course.table_id: (course.place().last_seq, course.place()) for course in courses
        }
        found: dict[str, set[RoundPlace]] = {course.table_id: set() for course in courses}
        ranges = [course.range() for course in courses]
        self._first_no = min([self._first_no, *(each.first_event_no for each in ranges)])
        for part in parts(history, ranges, self._look_ups, rows=self.rows):
            if part.rows.num_rows:
                stretch = self._look_ups.stretch(part)
                verdict = self._judge(resettler, stretch)
                self._note(stretch.events, verdict, found)
            for table_id, seq in part.next_seq.items():
                until = nexts[table_id]
                if until is None or seq != until.seq:
                    self._cut(self.courses[table_id], seq, part, resettler.states)
        resumed = []
        for course in courses:
            place = nexts[course.table_id]
            if place is None:
                course.end()
                continue
            self._mark_later(course, segments[course.table_id][0], found[course.table_id])
            same = course.reach(resettler.states[course.table_id], held[course.table_id, place.seq])
            if same and course.stop_or_skip():
                resumed.append(course)
        self._resume(resumed)

    def judge_tails(self) -> None:
        """Judge what lies from each table's last place on; the states that it leaves are lost."""
        tails, count = sorted(self._tails, key=lambda tail: tail[0]), 0
        chosen: list[tuple[str, pa.Table]] = []
        for number, tail in enumerate(tails):
            chosen.append(tail)
            count += tail[1].num_rows
            if count < self.rows and number + 1 < len(tails):
                continue
            states = {name: self.courses[name].before(self.rulebook) for name, _ in chosen}
            known = {name: state for name, state in states.items() if state is not None}
            resettler = Resettler(self.rulebook, known, look_on=self.look_on)
            part = Part(pa.concat_tables([rows for _, rows in chosen]), {})
            self._judge(resettler, self._look_ups.stretch(part))
            chosen, count = [], 0

    def store(self) -> int:
        """Keep what is new: rounds, pays, states and findings; how many findings changed."""
        history, rulebook = self.history, self.rulebook
        courses = self.courses.values()
        scopes = [scope for course in courses for scope in course.scopes]
        dealt = self._verdicts.store_rounds(scopes, self._first_no)
        openings = [each for course in courses for each in course.openings]
        pays = replace_pays(history, self._pays, openings)
        if dealt is None:
            repeated, repeated_ids = repeats_at(history, self.tables, rulebook)
        else:
            repeated, repeated_ids = repeats_of(history, dealt, rulebook)
        mismatched, mismatched_ids = mismatches_of(history, pays.touched, rulebook)
        self._verdicts.add_findings([*repeated, *mismatched])
        changed = self._verdicts.store_findings([*repeated_ids, *mismatched_ids])
        if not history.temporary:
            kept = [course.kept() for course in courses]
            forget_states(history, [each for gone, _ in kept for each in gone])
            keep_states(history, [each for _, fresh in kept for each in fresh])
        if history.index is not None:
            for course in courses:
                kept_of_table = course.as_kept(pays.held[course.table_id])
                history.index.keep(course.table_id, kept_of_table)
        return changed

    def _resume(self, courses: Sequence[Course]) -> None:
        """Have courses go on from the last place before what changed."""
        states = states_at(self.history, [course.first_place() for course in courses])
        for course in courses:
            place = course.first_place()
            course.begin(states.get((place.table_id, place.seq), ""))

    def _judge(self, resettler: Resettler, stretch: Stretch) -> Verdict:
        verdict = resettler.judge(stretch)
        self._look_ups.judged(stretch.events, verdict)
        self._verdicts.add(stretch.events, verdict)
        for row in verdict.pays:
            self._pays[row.table_id, row.opening_seq, row.wager, row.other] = row
        self.judged += len(stretch.events)
        if self.watcher is not None:
            self.watcher.judging(min(self.judged, self.total), self.total)
        return verdict

    def _note(
        self, events: EventColumns, verdict: Verdict, found: Mapping[str, set[RoundPlace]]
    ) -> None:
        """What a course must know of the rows and rounds that were judged for it."""
        rounds = verdict.rounds
        counts = np.bincount(rounds.table, minlength=len(events.table_ids))
        begins = np.searchsorted(events.table, np.arange(len(events.table_ids)))
        least = np.minimum.reduceat(events.event_no, begins)
        shoes = np.zeros(len(events.table_ids), np.bool_)
        shoes[events.table[events.kind == EventKind.SHOE_LOADED]] = True
        for table, table_id in enumerate(events.table_ids):
            course = self.courses[table_id]
            course.saw(int(least[table]))
            course.rounds += int(counts[table])
            course.loaded |= bool(shoes[table])
            if course.next_place() is not None:
                found[table_id].update(_round_places(events, verdict, table))

    def _cut(self, course: Course, seq: int, part: Part, states: TableStates) -> None:
        """A place that is not kept: where a part ends, or before a tail."""
        tail = part.tails.get(course.table_id)
        state = states.get(course.table_id)  # None: nothing was judged yet, all is tail
        if state is not None and course.place().seq != seq:
            runs_on = state.opening is not None and state.opening.game == Game.TEXAS_SHOOTOUT
            course.loaded &= runs_on
            course.cut(seq, state, latest=tail is not None)
        if tail is not None:
            course.saw(int(tail.column("event_no").to_numpy().min()))
            self._tails.append((course.table_id, tail))

    def _mark_later(self, course: Course, after_seq: int, found: set[RoundPlace]) -> None:
        """Have everything judged that names a round which is not the round that it was."""
        place = course.next_place()
        assert place is not None
        held = rounds_within(self.history, course.table_id, after_seq, place.last_seq)
        named = {each.round_id for each in held ^ found}
        later = places_naming(self.history, course.table_id, named, place.last_seq)
        course.changed = sorted({*course.changed, *later})


def _round_places(events: EventColumns, verdict: Verdict, table: int) -> Iterable[RoundPlace]:
    rounds = verdict.rounds
    rows = np.flatnonzero(rounds.table == table)
    days = rounds.gaming_day[rows].astype("datetime64[D]").tolist()
    for row, day in zip(rows.tolist(), days, strict=True):
        round_id = events.round_ids[rounds.round[row]]
        yield RoundPlace(round_id, int(rounds.opened_seq[row]), int(rounds.game[row]), day)
