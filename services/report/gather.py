"""A report out of a history: of all it holds, of what some files touched, or of a selection."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Final

from replay.findings import Finding, FindingCode
from replay.vocabulary import Game
from services.report.model import (
    Report,
    ReportedDeadLetter,
    ReportedFinding,
    Summary,
    counted,
)

if TYPE_CHECKING:
    from services.history.store import History

TableDay = tuple[str, date | None]  # None: before the table's first opening


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which part of a history a report is about: everything, unless told otherwise."""

    table_days: tuple[TableDay, ...] | None = None
    sources: tuple[str, ...] | None = None
    """Whose dead letters; those name no table, so a selection by anything else has none."""
    first_day: date | None = None
    last_day: date | None = None
    table_id: str | None = None
    game: str | None = None
    code: str | None = None

    def condition(self) -> tuple[str, list[Any]]:
        """SQL over table_id, gaming_day and game, with its parameters."""
        parts: list[str] = []
        values: list[Any] = []
        if self.table_days is not None:
            parts.append("concat(table_id, chr(31), gaming_day) IN (SELECT unnest(?))")
            values.append([f"{table}\x1f{day or ''}" for table, day in self.table_days])
        for test, value in (
            ("gaming_day >= ?", self.first_day),
            ("gaming_day <= ?", self.last_day),
            ("table_id = ?", self.table_id),
            ("game = ?", self.game),
        ):
            if value is not None:
                parts.append(test)
                values.append(value)
        return " AND ".join(parts) or "true", values

    @property
    def selects(self) -> bool:
        """Whether some of what is held may be left out."""
        return self.condition()[0] != "true" or self.code is not None


_TABLE_DAYS: Final = """
WITH openings AS (
    SELECT table_id, seq, gaming_day, game FROM table_openings WHERE standing
),
mixed AS (
    SELECT DISTINCT table_id, seq >> 8 AS piece FROM openings
),
pieces AS (
    SELECT table_id, seq >> 8 AS piece, min(seq) AS seq, max(seq) AS last_seq, count(*) AS events
    FROM events GROUP BY ALL
),
parts AS (
    SELECT table_id, seq, last_seq, events FROM pieces ANTI JOIN mixed USING (table_id, piece)
    UNION ALL
    SELECT table_id, seq, seq, 1 FROM events
    SEMI JOIN mixed ON events.table_id = mixed.table_id AND events.seq >> 8 = mixed.piece
)
SELECT parts.table_id, openings.gaming_day, openings.game::VARCHAR AS game,
       sum(events)::BIGINT AS events, max(last_seq) AS last_seq
FROM parts ASOF LEFT JOIN openings
    ON parts.table_id = openings.table_id AND parts.seq >= openings.seq
GROUP BY ALL
"""
"""Streams are cut into pieces of 256 numbers, and event by event only where an opening falls."""

_SUMS: Final = {
    "rounds": "count(*)",
    "settled": "count_if(status = 'SETTLED')",
    "voided": "count_if(status = 'VOIDED')",
    "held": "count_if(status = 'HELD')",
    "not_settled": "count_if(status = 'NOT_SETTLED')",
    "wagers": "sum(wagers)",
    "staked_cents": "sum(staked_cents)",
    "player_net_expected_cents": "sum(net_expected_cents)",
    "player_net_actual_cents": "sum(net_actual_cents)",
}
"""Figures of the summary, as SQL over `rounds`."""

FINDING_COLUMNS: Final = """
    replace(finding_id::VARCHAR, '-', ''), code::VARCHAR, table_id, seq,
    round_id, spot, hand, wager, bettor, expected_cents, actual_cents,
    expected_low_cents, expected_high_cents,
    first_missing_seq, last_missing_seq, clause, readings, message
"""

_ORDER: Final = """
    table_id, seq, code::VARCHAR, coalesce(spot, 0), coalesce(hand, 0), coalesce(wager, ''),
    coalesce(bettor, ''), finding_id::VARCHAR
"""

_EVENT_IDS: Final = """
SELECT replace(finding_id::VARCHAR, '-', ''), list(event_id::VARCHAR ORDER BY ordinal)
FROM finding_events JOIN events USING (event_no)
WHERE finding_id IN (SELECT finding_id FROM findings WHERE {where})
GROUP BY finding_id
"""

_OPEN_TABLES: Final = """
SELECT table_id FROM events
WHERE standing AND kind IN ('TableOpened', 'TableClosed')
GROUP BY table_id HAVING arg_max(kind, seq) = 'TableOpened' ORDER BY table_id
"""

_UNFINISHED_AT: Final = "SELECT DISTINCT table_id FROM rounds WHERE status = 'OPEN' ORDER BY ALL"


def gather(history: History, scope: Scope, *, with_scenes: bool = False) -> Report:
    """The report of what the history holds in that scope."""
    where, values = scope.condition()
    table_days = _rows(
        history,
        f"SELECT * FROM ({_TABLE_DAYS}) WHERE {where} ORDER BY table_id, last_seq",  # noqa: S608
        values,
    )
    findings = _findings(history, scope)
    letters = _dead_letters(history, scope)
    tables = {row[0] for row in table_days}
    open_tables = {table_id for (table_id,) in _rows(history, _OPEN_TABLES)}
    unfinished_at = {table_id for (table_id,) in _rows(history, _UNFINISHED_AT)}
    scenes = {}
    if with_scenes and findings:
        from services.report.scenes import scenes_of
        from services.report.table import SHOWN_MAX

        scenes = scenes_of(history, [row.finding for row in findings[:SHOWN_MAX]])
    [sums] = _rows(
        history,
        f"SELECT {', '.join(_SUMS.values())} FROM rounds WHERE {where}",  # noqa: S608
        values,
    )
    return Report(
        summary=Summary(
            events=sum(row[3] for row in table_days),
            dead_letters=len(letters),
            tables=len(tables),
            **{name: int(value or 0) for name, value in zip(_SUMS, sums, strict=True)},
            findings=counted(row.finding for row in findings),
        ),
        findings=findings,
        dead_letters=letters,
        games={table_id: Game[game].value for table_id, _, game, *_ in table_days if game},
        days=tuple(sorted({day for _, day, *_ in table_days if day is not None})),
        open_tables=tuple(sorted(open_tables & tables)),
        unfinished_at=tuple(sorted(unfinished_at & tables)),
        scenes=scenes,
    )


def tables_held(history: History) -> list[str]:
    """Every table that the history has events of."""
    return [row[0] for row in _rows(history, "SELECT DISTINCT table_id FROM events ORDER BY ALL")]


def findings_of_round(
    history: History, table_id: str, round_id: str
) -> tuple[ReportedFinding, ...]:
    """The findings that name a round, in the contract's order."""
    return _reported(history, "table_id = ? AND round_id = ?", [table_id, round_id])


def gaps_between(
    history: History, table_id: str, first_seq: int, last_seq: int
) -> list[tuple[int, int]]:
    """Gaps of a table that begin at or just before one `seq` and end before another, or after it.

    A round is held for a gap that touches it.
    """
    return [
        (first, last)
        for first, last in _rows(
            history,
            "SELECT first_missing_seq, last_missing_seq FROM findings WHERE table_id = ? "
            "AND code = 'SEQUENCE_GAP' AND last_missing_seq >= ? AND first_missing_seq <= ? "
            "ORDER BY ALL",
            [table_id, first_seq - 1, last_seq + 1],
        )
    ]


def _findings(history: History, scope: Scope) -> tuple[ReportedFinding, ...]:
    where, values = scope.condition()
    if scope.code is not None:
        where, values = f"{where} AND code = ?", [*values, scope.code]
    return _reported(history, where, values)


def _reported(history: History, where: str, values: list[Any]) -> tuple[ReportedFinding, ...]:
    rows = _rows(
        history,
        f"SELECT {FINDING_COLUMNS} FROM findings WHERE {where} ORDER BY {_ORDER}",  # noqa: S608
        values,
    )
    event_ids = dict(_rows(history, _EVENT_IDS.format(where=where), values)) if rows else {}
    return tuple(ReportedFinding(finding_of(row), tuple(event_ids.get(row[0], ()))) for row in rows)


def finding_of(row: tuple[Any, ...]) -> Finding:
    """A finding out of its FINDING_COLUMNS."""
    return Finding(
        finding_id=row[0],
        code=FindingCode(row[1]),
        table_id=row[2],
        seq=row[3],
        round_id=row[4],
        spot=row[5],
        hand=row[6],
        wager=row[7],
        bettor=row[8],
        expected_cents=row[9],
        actual_cents=row[10],
        expected_low_cents=row[11],
        expected_high_cents=row[12],
        first_missing_seq=row[13],
        last_missing_seq=row[14],
        clause=row[15],
        readings=tuple(row[16]),
        message=row[17],
    )


def _dead_letters(history: History, scope: Scope) -> tuple[ReportedDeadLetter, ...]:
    """Those of the files asked about, else all there are; none where a selection was made."""
    where, values = "true", []
    if scope.sources is not None:
        where, values = "source IN (SELECT unnest(?))", [list(scope.sources)]
    elif scope.selects:
        return ()
    rows = _rows(
        history,
        "SELECT DISTINCT source, position, error FROM dead_letters "  # noqa: S608
        f"WHERE redriven_in IS NULL AND {where} ORDER BY ALL",
        values,
    )
    return tuple(ReportedDeadLetter(*row) for row in rows)


def _rows(history: History, sql: str, values: list[Any] | None = None) -> list[tuple[Any, ...]]:
    return history.rows(sql, values or ())
