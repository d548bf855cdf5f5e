"""What a search found: rounds as the contract has them, and as people are told of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from zoneinfo import ZoneInfo

from services.errors import BadArgumentError
from services.find.search import Hit, search
from services.find.wanted import Wanted, wanted_of
from services.history.store import History
from services.report.gather import tables_held
from services.times import moment_of, utc_text

if TYPE_CHECKING:
    from services.find.asked import FindAsked

VERSION: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundRound:
    """A round, with how many findings it has besides info ones."""

    table_id: str
    round_id: str
    game: str | None
    opened_micros: int
    closed_micros: int | None
    findings: int
    seats: int = 0
    told: str = ""
    """What of it was asked for, in words; only for people."""


@dataclass(frozen=True, slots=True)
class Found:
    """The rounds, the likeliest first."""

    rounds: tuple[FoundRound, ...]


def found_of(history: History, asked: FindAsked, zone: ZoneInfo) -> Found:
    """Search a history for what was asked.

    Raises:
        BadArgumentError: something asked is nothing that can be looked for.
    """

    def is_player(word: str) -> bool:
        return bool(history.rows("SELECT 1 FROM events WHERE player_id = ? LIMIT 1", [word]))

    try:
        wanted = wanted_of(asked, _tables(history), is_player)
    except BadArgumentError:  # a table may have no round and no opening, and be one all the same
        wanted = wanted_of(asked, tables_held(history), is_player)
    hits = search(history, wanted, zone, asked.limit)
    counts = _finding_counts(history, hits)
    return Found(
        tuple(
            _round(history, hit, counts.get((hit.table_id, hit.round_id), 0), wanted, asked.told)
            for hit in hits
        )
    )


def _tables(history: History) -> list[str]:
    """Tables that were opened or had a round: found without reading all events."""
    rows = history.rows(
        "SELECT table_id FROM table_openings UNION SELECT table_id FROM rounds ORDER BY ALL"
    )
    return [table_id for (table_id,) in rows]


def _round(history: History, hit: Hit, findings: int, wanted: Wanted, told: bool) -> FoundRound:
    seats, words = 0, ""
    if told:
        from services.find.told import told_of

        seats, words = told_of(history, hit, wanted)
    return FoundRound(
        table_id=hit.table_id,
        round_id=hit.round_id,
        game=None if hit.game == "UNKNOWN" else hit.game,
        opened_micros=hit.opened_micros,
        closed_micros=hit.ended_micros,
        findings=findings,
        seats=seats,
        told=words,
    )


def _finding_counts(history: History, hits: list[Hit]) -> dict[tuple[str, str], int]:
    rows = history.rows(
        "SELECT table_id, round_id, count(*) FROM findings WHERE severity <> 'info' "
        "AND round_id IN (SELECT unnest(?::VARCHAR[])) GROUP BY ALL",
        [[hit.round_id for hit in hits]],
    )
    return {(table_id, round_id): count for table_id, round_id, count in rows}


def round_objects(found: Found) -> list[dict[str, Any]]:
    """Each round with the keys of the contract."""
    return [
        {
            "table_id": row.table_id,
            "round_id": row.round_id,
            "game": row.game,
            "opened_at": _time(row.opened_micros),
            "closed_at": None if row.closed_micros is None else _time(row.closed_micros),
            "findings": row.findings,
        }
        for row in found.rounds
    ]


def found_json(found: Found) -> bytes:
    """The object of the contract, on a line."""
    said = {"version": VERSION, "rounds": round_objects(found)}
    return json.dumps(said, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


def _time(micros: int) -> str:
    return utc_text(moment_of(micros))
