"""Gaps that hold rounds, and how a named person releases one. No timer ever does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from services.errors import BadArgumentError
from services.history.alert_groups import regroup_gaps
from services.history.errors import NoSuchGapError
from services.history.lookups import released_of
from services.history.records import GAP_RELEASED, enter
from services.judging import judge

if TYPE_CHECKING:
    from replay.rulebook.loader import Rulebook
    from services.history.store import History

NAMED_MAX: Final = 30


@dataclass(frozen=True, slots=True)
class OpenGap:
    """Numbers that are missing at a table and were not released."""

    table_id: str
    first_missing_seq: int
    last_missing_seq: int
    rounds: tuple[str, ...]
    """Rounds that are held for it, in order."""


def open_gaps(history: History, table_id: str | None = None) -> list[OpenGap]:
    """Every gap that nobody released, by table and place, whether or not it holds rounds."""
    released = released_of(history)
    held: dict[tuple[str, int], list[str]] = {}
    for table, first, round_id in history.rows(_HELD, [table_id, table_id]):
        held.setdefault((table, first), []).append(round_id)
    return [
        OpenGap(table, first, last, tuple(held.get((table, first), ())))
        for table, first, last in history.rows(_GAPS, [table_id, table_id])
        if not _covers(released.get(table, ()), first, last)
    ]


def release_gap(
    history: History,
    rulebook: Rulebook,
    table_id: str,
    seq: int,
    *,
    by: str,
    why: str,
    before_commit: Callable[[], None] | None = None,
) -> OpenGap:
    """Release the gap that `seq` lies in, and judge what it held: a transaction of its own.

    Raises:
        BadArgumentError: nobody is named, or no reason.
        NoSuchGapError: no such number is missing, or it was released before.
    """
    for flag, text in (("--by", by), ("--why", why)):
        if not text.strip():
            raise BadArgumentError(f"{flag}: says nothing", next_step="a release names who and why")
    gaps = open_gaps(history, table_id)
    found = [gap for gap in gaps if gap.first_missing_seq <= seq <= gap.last_missing_seq]
    if not found:
        raise _no_such_gap(table_id, seq, gaps)
    [gap] = found
    fields = {
        "first_missing_seq": gap.first_missing_seq,
        "last_missing_seq": gap.last_missing_seq,
        "why": why,
    }
    with history.transaction(before_commit=before_commit):
        enter(history, GAP_RELEASED, by=by, table_id=table_id, fields=fields)
        judge(history, rulebook, {table_id: gap.first_missing_seq})
        regroup_gaps(history, table_id)
    return gap


def _covers(released: tuple[tuple[int, int], ...], first: int, last: int) -> bool:
    for start, end in sorted(released):
        if start <= first <= end:
            first = end + 1
    return first > last


def _no_such_gap(table_id: str, seq: int, gaps: list[OpenGap]) -> NoSuchGapError:
    listed = ", ".join(
        f"{gap.first_missing_seq} to {gap.last_missing_seq}" for gap in gaps[:NAMED_MAX]
    )
    return NoSuchGapError(
        f"{table_id}: number {seq} is not in a gap that is open",
        next_step=f"open there: {listed}" if listed else "no gap is open at this table",
    )


_GAPS: Final = """
SELECT table_id, first_missing_seq, last_missing_seq
FROM findings
WHERE code = 'SEQUENCE_GAP' AND (?::VARCHAR IS NULL OR table_id = ?)
ORDER BY table_id, first_missing_seq
"""

# A round is held for the gaps within it; one whose opening was lost, for the last gap before it.
_HELD: Final = f"""
WITH gaps AS ({_GAPS}),
spans AS (
    SELECT table_id, round_id, opened_seq, status,
           coalesce(ended_seq, lead(opened_seq) OVER later, {2**63 - 1}) AS until_seq
    FROM rounds
    WHERE table_id IN (SELECT table_id FROM gaps)
    WINDOW later AS (PARTITION BY table_id ORDER BY opened_seq)
),
held AS (FROM spans WHERE status = 'HELD'),
within AS (
    SELECT held.table_id, first_missing_seq, round_id, opened_seq
    FROM held JOIN gaps ON gaps.table_id = held.table_id
        AND first_missing_seq > opened_seq AND first_missing_seq < until_seq
),
lost AS (
    SELECT held.table_id, first_missing_seq, round_id, opened_seq
    FROM (FROM held ANTI JOIN within USING (table_id, opened_seq)) AS held
    ASOF JOIN gaps ON gaps.table_id = held.table_id AND held.opened_seq > first_missing_seq
)
SELECT table_id, first_missing_seq, round_id
FROM (FROM within UNION ALL FROM lost)
ORDER BY table_id, first_missing_seq, opened_seq
"""  # noqa: S608 (constants only)
