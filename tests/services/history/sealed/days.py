"""Histories of some gaming days, sealing them, and reading them with nothing but DuckDB."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import duckdb

from services.history.sealed.days import GamingDays
from services.history.sealed.folder import folder_of
from services.history.sealed.manifest import Manifest
from services.history.sealed.write import OF_GAMES
from services.history.store import History
from services.sealing import seal_all
from services.settings import Settings
from tests.services.history.build import Event, append, evening, opened
from tests.services.history.test_verdicts import finding, judge

FIRST, SECOND, THIRD = date(2026, 3, 1), date(2026, 3, 2), date(2026, 3, 3)
LATER = datetime(2026, 3, 20, 12, tzinfo=UTC)
DENVER = GamingDays(ZoneInfo("America/Denver"), time(6))


def days_of(table: str, *days: date, rounds: int = 2, game: int = 1) -> list[Event]:
    """A table's stream over some gaming days, opened once on each."""
    events: list[Event] = []
    for day in days:
        part = evening(table, rounds, first_seq=len(events) + 1)
        part[0] = opened(table, len(events) + 1, day, game=game)
        events += part
    return events


def grown(path: Path, *portions: Sequence[Event]) -> Path:
    """A history with a transaction for each portion, and a finding at the first event of each."""
    with History.open(path) as history:
        for events in portions:
            append(history, events)
        rows = history.rows("SELECT event_no, table_id, seq FROM events ORDER BY event_no")
        judge(history, [finding(no, table, seq, event_nos=(no,)) for no, table, seq in rows[::7]])
    return path


def sealed(path: Path, now: datetime = LATER, until: date | None = None) -> list[Manifest]:
    """Seal what is over; the manifests of it."""
    with History.open(path) as history:
        done = seal_all(history, Settings(), until=until, clock=lambda: now)
        return [each.manifest for each in done]


def read(path: Path, select: str, table: str = "events") -> list[tuple[Any, ...]]:
    """Rows that plain DuckDB reads; in `select`, `sealed` stands for the files of a table."""
    games = "game=*/" if table in OF_GAMES else ""
    files = f"{folder_of(path).path}/gaming_day=*/{games}{table}-*.parquet"
    with duckdb.connect() as connection:
        return connection.execute(f"WITH sealed AS (FROM '{files}') {select}").fetchall()


def places(path: Path) -> list[tuple[Any, ...]]:
    """Of every sealed event its gaming day and game, its table and number."""
    select = "SELECT gaming_day, game, table_id, seq FROM sealed ORDER BY ALL"
    return read(path, select)
