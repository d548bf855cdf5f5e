"""What a history has that is not sealed yet, by gaming day.

An event is sealed if it lies in a part of its table's stream that a manifest names, and came before
that was written. What is left is looked at once, by table and opening; everything else follows from
those few rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Final

import pyarrow as pa

from services.history.sealed.days import GamingDays
from services.history.sealed.folder import Chain
from services.history.sealed.manifest import Manifest
from services.history.store import History

LAST_SEQ: Final = 2**63 - 1
"""Of a stream that has no end yet."""

NO_GAME: Final = "UNKNOWN"
"""Of a table that never opened."""


@dataclass(frozen=True, slots=True)
class Span:
    """Events of a part of a table's stream that came up to one of them, ends included."""

    table_id: str
    from_seq: int
    to_seq: int
    upto_event: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsealed:
    """Events of one opening (or of a table that never opened), of one source, not sealed yet."""

    table_id: str
    game: str
    day: date
    from_seq: int
    to_seq: int
    events: int
    first_seq: int
    last_seq: int
    first_event: int
    last_event: int
    source_no: int
    first_position: int
    first_transaction: int
    last_transaction: int


@dataclass(slots=True)
class PendingDay:
    """What a gaming day has to be sealed."""

    day: date
    events: list[Unsealed] = field(default_factory=list)
    first_transaction: int = 2**31 - 1
    last_transaction: int = 0
    """In which the first and the last of it came."""

    def came(self, first: int, last: int) -> None:
        """Something of it came in these transactions."""
        self.first_transaction = min(self.first_transaction, first)
        self.last_transaction = max(self.last_transaction, last)


@dataclass(frozen=True, slots=True)
class Pending:
    """All that is not sealed, of days that are over and of others."""

    unsealed: tuple[Unsealed, ...]
    days: tuple[PendingDay, ...]
    """Days that have something, in order; those that are not over too."""

    def rest(self, sealed: Iterable[date]) -> list[Unsealed]:
        """What is left unsealed once these days are sealed."""
        gone = set(sealed)
        return [each for each in self.unsealed if each.day not in gone]


def spans_of(manifests: Iterable[Manifest], *, from_event: int = 0) -> list[Span]:
    """What is sealed, leaving out what says nothing of events from a number on."""
    return [
        Span(
            table.table_id,
            table.from_seq,
            LAST_SEQ if table.to_seq is None else table.to_seq,
            manifest.upto.event,
        )
        for manifest in manifests
        if manifest.upto.event >= from_event
        for table in manifest.tables
    ]


def unsealed_from(chain: Chain) -> int:
    """No event with a lower number is unsealed."""
    return chain.manifests[-1].unsealed_from if chain.manifests else 0


def changes_upto(manifests: Iterable[Manifest]) -> dict[date, int]:
    """For each sealed day the last change of a finding that was there when it was sealed."""
    return {manifest.gaming_day: manifest.upto.change for manifest in manifests}


def changes_of(manifests: Sequence[Manifest], day: date) -> str:
    """SQL from `FROM` on for the changes of findings that a day seals next.

    A finding of no day goes with whatever day is sealed next.
    """
    upto = changes_upto(manifests).get(day, 0)
    any_upto = manifests[-1].upto.change if manifests else 0
    return (
        f"FROM finding_changes WHERE (gaming_day = '{day.isoformat()}' AND change_no > {upto} "
        f"OR gaming_day IS NULL AND change_no > {any_upto})"
    )


def pending(history: History, chain: Chain, days: GamingDays) -> Pending:
    """Look at a history, as it is or as one snapshot."""
    first = unsealed_from(chain)
    put_spans(history, "sealed_spans", spans_of(chain.manifests, from_event=first))
    put_ranges(history)
    unsealed = _unsealed(history.rows(_UNSEALED, [first]), days)
    found: dict[date, PendingDay] = {}
    for each in unsealed:
        day = found.setdefault(each.day, PendingDay(each.day))
        day.events.append(each)
        day.came(each.first_transaction, each.last_transaction)
    upto = changes_upto(chain.manifests)
    for gaming_day, *came in history.rows(_CHANGED, [list(upto), list(upto.values())]):
        found.setdefault(gaming_day, PendingDay(gaming_day)).came(*came)
    return Pending(tuple(unsealed), tuple(found[day] for day in sorted(found)))


def _unsealed(rows: Sequence[tuple[Any, ...]], days: GamingDays) -> list[Unsealed]:
    # A table that never opened has no gaming day but that of its own clock, at its first event.
    strays: dict[str, datetime] = {}
    for table_id, day, first_at, *_ in rows:
        if day is None:
            strays[table_id] = min(first_at, strays.get(table_id, first_at))
    return [
        Unsealed(
            table_id=table_id,
            game=NO_GAME if game is None else game,
            day=days.of(strays[table_id]) if day is None else day,
            from_seq=0 if day is None else from_seq,
            to_seq=LAST_SEQ if day is None else to_seq,
            **dict(zip(_COUNTED, counted, strict=True)),
        )
        for table_id, day, _, game, from_seq, to_seq, *counted in rows
    ]


def committed_at(history: History, transaction_no: int) -> datetime:
    """When a transaction was committed."""
    sql = "SELECT committed_at FROM transactions WHERE transaction_no = ?"
    [(at,)] = history.rows(sql, [transaction_no])
    assert isinstance(at, datetime)
    return at


def put_spans(history: History, name: str, spans: Sequence[Span]) -> None:
    """Make a temporary table of spans."""
    history.run(f"CREATE OR REPLACE TEMP TABLE {name} ({_SPAN_COLUMNS})")
    columns = {
        "table_id": pa.array([each.table_id for each in spans], pa.string()),
        "from_seq": pa.array([each.from_seq for each in spans], pa.int64()),
        "to_seq": pa.array([each.to_seq for each in spans], pa.int64()),
        "upto_event": pa.array([each.upto_event for each in spans], pa.int64()),
    }
    history.insert(name, pa.table(columns))


def put_ranges(history: History) -> None:
    """Make the temporary table `ranges`: the part of a table's stream that each opening begins.

    What came before a table's first opening goes with it.
    """
    history.run(_RANGES)


def inside(spans: str) -> str:
    """SQL after `FROM events` for those that lie in any of the spans of a temporary table."""
    return f"SEMI {_JOIN.format(spans=spans)}"


def outside(spans: str) -> str:
    """SQL after `FROM events` for those that lie in none of the spans of a temporary table."""
    return f"ANTI {_JOIN.format(spans=spans)}"


_JOIN: Final = (
    "JOIN {spans} ON {spans}.table_id = events.table_id "
    "AND events.seq BETWEEN {spans}.from_seq AND {spans}.to_seq "
    "AND events.event_no <= {spans}.upto_event"
)


_SPAN_COLUMNS: Final = "table_id VARCHAR, from_seq BIGINT, to_seq BIGINT, upto_event BIGINT"

_RANGES: Final = f"""
CREATE OR REPLACE TEMP TABLE ranges AS
SELECT table_id, if(row_number() OVER by_table = 1, 0, seq) AS from_seq,
       coalesce(lead(seq) OVER by_table - 1, {LAST_SEQ}) AS to_seq,
       game::VARCHAR AS game, gaming_day
FROM table_openings
WHERE standing
WINDOW by_table AS (PARTITION BY table_id ORDER BY seq)
"""  # noqa: S608 (numbers only)

_COUNTED: Final = {
    "events": "count(*)",
    "first_seq": "min(unsealed.seq)",
    "last_seq": "max(unsealed.seq)",
    "first_event": "min(event_no)",
    "last_event": "max(event_no)",
    "source_no": "source_no",
    "first_position": 'min("position")',
    "first_transaction": "min(transaction_no)",
    "last_transaction": "max(transaction_no)",
}

_UNSEALED: Final = f"""
WITH unsealed AS (
    SELECT table_id, seq, event_no, source_no, "position", occurred_at, transaction_no
    FROM events {outside("sealed_spans")}
    WHERE event_no >= ?
)
SELECT unsealed.table_id, gaming_day, min(occurred_at), game, from_seq, to_seq,
       {", ".join(_COUNTED.values())}
FROM unsealed
LEFT JOIN ranges ON unsealed.table_id = ranges.table_id
    AND unsealed.seq BETWEEN ranges.from_seq AND ranges.to_seq
GROUP BY unsealed.table_id, gaming_day, game, from_seq, to_seq, source_no
ORDER BY unsealed.table_id, from_seq, source_no
"""  # noqa: S608 (constants only)

_CHANGED: Final = """
SELECT changes.gaming_day, min(transaction_no), max(transaction_no)
FROM finding_changes AS changes
LEFT JOIN (SELECT unnest(?::DATE[]) AS gaming_day, unnest(?::BIGINT[]) AS change_no) AS sealed
    ON changes.gaming_day = sealed.gaming_day
WHERE changes.gaming_day IS NOT NULL AND changes.change_no > coalesce(sealed.change_no, 0)
GROUP BY changes.gaming_day
"""
