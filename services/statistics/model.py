"""The statistical report as a whole, and its JSON form: version 1 of what `report` prints.

A line is about a stretch of time and about a table, a game or the whole floor. Amounts are cents of
any size, ratios hundredths of a percent; what is not known is null, and `notes` say why.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from enum import StrEnum
from typing import Final

import msgspec

VERSION: Final = 1
RULE: Final = "20:18:16:48"


class Period(StrEnum):
    """What stretch of time a line is about, in the order in which they are shown."""

    SHIFT = "SHIFT"
    DAY = "DAY"
    PERIOD = "PERIOD"  # all days asked for, where they are several
    MONTH_TO_DATE = "MONTH_TO_DATE"
    YEAR_TO_DATE = "YEAR_TO_DATE"


class NoteCode(StrEnum):
    """Why something is not known, or is to be read with care."""

    NO_OPENING_COUNT = "NO_OPENING_COUNT"
    NO_CLOSING_COUNT = "NO_CLOSING_COUNT"
    STILL_OPEN = "STILL_OPEN"
    PLAYED_UNCOUNTED = "PLAYED_UNCOUNTED"
    NOT_COUNTED_BY_SHIFT = "NOT_COUNTED_BY_SHIFT"
    MOVED_UNCOUNTED = "MOVED_UNCOUNTED"
    EVENTS_MISSING = "EVENTS_MISSING"
    ROUNDS_NOT_JUDGED = "ROUNDS_NOT_JUDGED"
    OUTSIDE_DAY = "OUTSIDE_DAY"


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the report."""

    period: Period
    first_day: date
    last_day: date
    shift: str | None
    game: str | None
    """None: all games."""
    table_id: str | None
    """None: all tables of the game, or of all games."""
    currency: str
    openings: int
    """How often tables were opened; of a shift, by how many of these it was played."""
    openings_counted: int
    """Of how many of them the win by the count is known."""
    rounds: int
    rounds_not_judged: int
    opening_tray_cents: int | None
    closing_tray_cents: int | None
    fills_cents: int
    credits_cents: int
    drop_cents: int
    """Buy-ins."""
    win_by_count_cents: int | None
    """Closing tray - opening tray + credits - fills + drop; null unless all trays were counted."""
    win_by_rounds_cents: int
    """What the players lost, as their wagers were settled."""
    difference_cents: int | None
    """By the count, less by the rounds."""
    explained_cents: int | None
    """How much of that the findings can explain, tray by tray."""
    too_much_cents: int
    """What findings say that players got too much; below, too little."""
    too_little_cents: int
    win_by_count_over_drop_bp: int | None
    """Basis points, rounded half to even; null without a drop."""
    win_by_rounds_over_drop_bp: int | None
    counted_drop_cents: int
    """Of the openings counted alone, as are the next three."""
    counted_win_by_count_cents: int
    counted_win_by_rounds_cents: int
    counted_explained_cents: int
    notes: tuple[NoteCode, ...]


COLUMNS: Final = Line.__struct_fields__
"""Keys are added at the end only: scripts hold on to the names, spreadsheets to the columns."""


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """What there is to say about one opening of a table."""

    code: NoteCode
    gaming_day: date
    table_id: str
    opened_seq: int
    message: str


class NamedShift(msgspec.Struct, frozen=True):
    """A shift, and when it begins by the casino's clock."""

    name: str
    starts: str


class Statistics(msgspec.Struct, frozen=True, kw_only=True, rename={"first": "from", "last": "to"}):
    """The report."""

    version: int = VERSION
    rule: str = RULE
    casino: str
    timezone: str
    shifts: tuple[NamedShift, ...]
    first: date | None
    """None: no table was ever opened."""
    last: date | None
    table: str | None
    game: str | None
    transaction: int
    """The last one of the history that this rests on, and when it was committed."""
    committed_at: datetime | None
    lines: tuple[Line, ...]
    notes: tuple[Note, ...]


def json_chunks(report: Statistics) -> Iterator[bytes]:
    """The JSON of the report: the same report gives the same bytes."""
    yield msgspec.json.encode(report) + b"\n"
