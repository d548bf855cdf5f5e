"""Events as columns: what the engine reads.

A batch holds the events of one or more tables, sorted by (table, seq, arrival), each table's part
being a stretch of its stream without holes of the caller's making. One row an event; where a kind
of event has no such field the column holds its "absent" value, given below.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import date
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Int64s = npt.NDArray[np.int64]
Int32s = npt.NDArray[np.int32]
Uint8s = npt.NDArray[np.uint8]
Uint16s = npt.NDArray[np.uint16]
Uint32s = npt.NDArray[np.uint32]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int32] | npt.NDArray[np.int64]

NO_INDEX: Final = -1
"""Absent round, shoe, player or corrected event."""


@dataclass(frozen=True, slots=True)
class TableOpening:
    """What a `TableOpened` said, beside its row of columns.

    Money in cents. `paytables` maps the posted key (`big_8`) to the posted id (`7`).
    """

    game: int
    gaming_day: date
    spots: int
    paytables: dict[str, str]
    minimum_cents: int | None
    maximum_cents: int | None
    house_way: str | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class EventColumns:
    """N events in order; every array has shape (N,).

    Like all classes of arrays it cannot be compared or shown as a whole: whoever loads it need not
    wait until Python has written how.
    """

    event_no: Int64s
    """Number that the history gave the event at its arrival: names it in findings."""
    standing: Bools
    """False for the later of two conflicting contents: kept and counted, never judged."""
    kind: Uint8s
    table: Int32s
    """Index into `table_ids`, ascending."""
    seq: Int64s
    at_micros: Int64s
    """`occurred_at`, microseconds since 1970 UTC."""
    round: Int32s
    """Index into `round_ids`; one index a (table, round_id). NO_INDEX: the event has none."""
    spot: Int32s
    """0: none."""
    hand: Uint8s
    """1 or 2; 0 where the event has no such field."""
    wager: Uint8s
    bettor: Uint8s
    amount_cents: Int64s
    """`amount_cents`, or `paid_cents` of a settlement or payout correction; else 0."""
    player: Int32s
    """Index into `player_ids`; NO_INDEX: not named."""
    place: Uint8s
    card: Uint8s
    """0..51, CARD_BAD or CARD_UNREAD (also where the event has no card)."""
    places: Uint16s
    """`CardsRevealed`: bit 1 << Place for each place named."""
    decision: Uint8s
    kept: Uint32s
    """Cards that a decision names: four bytes, the first card lowest, CARD_UNREAD where none."""
    kept_count: Int32s
    """How many cards a decision names (may be over four)."""
    kept_bad: Bools
    """A card that a decision names is none."""
    outcome: Uint8s
    reason: Uint8s
    shoe: Int32s
    """Index into `shoe_ids`; one index a (table, shoe_id)."""
    decks: Int32s
    corrects: Int64s
    """Corrections: `event_no` of the `CardDealt` (card) or `WagerSettled` (payout) of the same
    table and round that it names, if that stands; else NO_INDEX."""
    dealer: Int32s
    """`RoundOpened`: index into `dealer_ids`; NO_INDEX: not named."""

    table_ids: tuple[str, ...]
    round_ids: tuple[str, ...]
    round_opened_seq: Int64s
    """For each of `round_ids`: `seq` at which it became a round, 0 where it never did: of its first
    standing `RoundOpened` anywhere in what is known of the table, or, where an earlier stretch took
    it for a round whose opening may lie in a gap, of its first event there."""
    shoe_ids: tuple[str, ...]
    player_ids: tuple[str, ...]
    dealer_ids: tuple[str, ...]
    openings: dict[int, TableOpening]
    """`event_no` of each `TableOpened` row -> what it said."""
    bad_cards: Mapping[int, str] = field(default_factory=dict)
    """`event_no` of each event that names something which is no card -> what it names."""

    def __len__(self) -> int:
        """N, the number of events."""
        return len(self.kind)

    def bounds(self) -> Int64s:
        """Rows of table t lie from `[t]` to before `[t + 1]`: (T + 1,)."""
        tables = np.arange(len(self.table_ids) + 1, dtype=self.table.dtype)
        bounds: Int64s = np.searchsorted(self.table, tables)
        return bounds

    def at(self, name: str, rows: Int64s) -> Any:
        """A column at a few rows: of columns not looked at yet only those are copied."""
        return getattr(self, name).take(rows)

    def take(self, rows: Int64s | Bools) -> EventColumns:
        """The chosen rows (a mask, or row numbers) with the same look-ups, each when it is needed.

        Which columns are looked at depends on the games: most of a copy would never be read.
        """
        numbers = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        return ColumnsTaken.of(self, numbers.astype(np.int64, copy=False), {})

    def having(self, **columns: Any) -> EventColumns:
        """The same rows with other columns or look-ups in place of some."""
        return ColumnsTaken.of(self, None, columns)


class ColumnsTaken(EventColumns):
    """Rows of other columns, each column copied when it is first looked at."""

    __slots__ = ("_rows", "_ways", "_whole")
    _whole: EventColumns
    _rows: Int64s | None
    """None: all of them."""
    _ways: list[tuple[EventColumns, Int64s | None]]
    """Columns that these rows are rows of, the nearest first, and which rows of each."""

    @classmethod
    def of(
        cls, whole: EventColumns, rows: Int64s | None, columns: Mapping[str, Any]
    ) -> EventColumns:
        """Rows of `whole`, and these columns as they are."""
        taken = object.__new__(cls)
        start = {"_whole": whole, "_rows": rows, "_ways": [(whole, rows)]}
        for name, value in {**start, **columns}.items():
            object.__setattr__(taken, name, value)
        return taken

    def __getattr__(self, name: str) -> Any:
        """A column that was not looked at before."""
        if name not in _NAMES:
            raise AttributeError(name)
        if name in _LOOKUPS:
            value = getattr(self._whole, name)
        else:
            whole, rows = self._way_to(name)
            value = getattr(whole, name)
            value = value if rows is None else value.take(rows)
        object.__setattr__(self, name, value)
        return value

    def at(self, name: str, rows: Int64s) -> Any:
        """A column at a few rows: of columns not looked at yet only those are copied."""
        if _has(self, name):
            return getattr(self, name).take(rows)
        whole, of = self._way_to(name)
        return whole.at(name, rows if of is None else of.take(rows))

    def _way_to(self, name: str) -> tuple[EventColumns, Int64s | None]:
        """The nearest columns that have this one already, or have it of themselves."""
        for step in range(_STEPS_MAX):
            whole, rows = self._ways[step]
            if not isinstance(whole, ColumnsTaken) or _has(whole, name):
                return whole, rows
            if step + 1 == len(self._ways):
                self._ways.append((whole._whole, _rows_of_rows(whole._rows, rows)))
        return self._ways[-1]


_STEPS_MAX: Final = 8
"""Rows of rows of rows: nobody goes on for so long."""


def _has(columns: EventColumns, name: str) -> bool:
    """Whether a column was looked at already."""
    try:
        object.__getattribute__(columns, name)
    except AttributeError:
        return False
    return True


def _rows_of_rows(of: Int64s | None, rows: Int64s | None) -> Int64s | None:
    """Rows of some rows, as rows of the whole."""
    if of is None or rows is None:
        return of if rows is None else rows
    return of.take(rows)


_NAMES: Final = frozenset(each.name for each in fields(EventColumns))

_LOOKUPS: Final = frozenset(
    {
        "table_ids",
        "round_ids",
        "round_opened_seq",
        "shoe_ids",
        "player_ids",
        "dealer_ids",
        "openings",
        "bad_cards",
    }
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Stretch:
    """A part of the stream that can be judged by itself, given the state before it.

    Every table's part ends either at the end of what is known of that table, or just before the
    first `RoundOpened` of a round: no round is ever cut in two.
    """

    events: EventColumns
    later_corrections: EventColumns
    """`CardCorrected` and `PayoutCorrected` rows that lie after the stretch and name one of its
    events; same look-ups as `events`."""
    next_seq: Int64s
    """For each of `events.table_ids`: `seq` of the `RoundOpened` (or earliest row sharing its
    `seq`) that the next stretch begins with; 0 where the stream ends with this stretch."""
    released: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    """By table: missing numbers, first and last, that a person released: they hold no round."""
