"""Rounds as the history has them: which began where, and what names them elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Final, NamedTuple

from replay.stream import ANY_TIME_KINDS
from services.history.store import History


class RoundPlace(NamedTuple):
    """That a round began, where, and under which opening."""

    round_id: str
    opened_seq: int
    game: int
    gaming_day: date | None


def lost_rounds(history: History, tables: Sequence[str]) -> dict[str, dict[str, int]]:
    """By table, rounds whose opening was lost in a gap and the `seq` of their first event."""
    found: dict[str, dict[str, int]] = {}
    for table_id, round_id, opened_seq in history.rows(_LOST, [list(tables)]):
        found.setdefault(table_id, {})[round_id] = opened_seq
    return found


def rounds_within(
    history: History, table_id: str, after_seq: int, upto_seq: int
) -> set[RoundPlace]:
    """Rounds that are held to begin in a part of a table's stream."""
    return {RoundPlace(*row) for row in history.rows(_WITHIN, [table_id, after_seq, upto_seq])}


def places_naming(
    history: History, table_id: str, rounds: Iterable[str], after_seq: int
) -> list[int]:
    """Places after a `seq` at which the history has one of these rounds, or a finding on it."""
    named = sorted(set(rounds))
    if not named:
        return []
    found = history.rows(_NAMING, [table_id, after_seq, named, table_id, after_seq, named])
    return [seq for (seq,) in found]


def openings_named_before(history: History, tables: Sequence[str]) -> dict[str, set[int]]:
    """By table, `seq` of openings whose round an event of this transaction names before them.

    Such a round may be taken for one that opened in a gap, and then it does not begin there.
    """
    found: dict[str, set[int]] = {}
    if tables:
        values = [history.transaction_no, list(tables), list(map(int, ANY_TIME_KINDS))]
        for table_id, seq in history.rows(_NAMED_BEFORE, values):
            found.setdefault(table_id, set()).add(seq)
    return found


_LOST: Final = """
SELECT table_id, round_id, opened_seq
FROM rounds
ANTI JOIN round_openings ON rounds.opened_no = round_openings.event_no
WHERE status = 'HELD' AND table_id IN (SELECT unnest(?::VARCHAR[]))
"""

_NAMED_BEFORE: Final = """
SELECT DISTINCT opened.table_id, opened.seq
FROM events
JOIN round_openings AS opened
    ON opened.table_id = events.table_id AND opened.round_id = events.round_id
    AND opened.seq > events.seq
WHERE events.transaction_no = ? AND standing AND events.table_id IN (SELECT unnest(?::VARCHAR[]))
    AND NOT list_contains(?, enum_code(kind))
"""

_WITHIN: Final = """
SELECT round_id, opened_seq, enum_code(game), gaming_day
FROM rounds
WHERE table_id = ? AND opened_seq > ? AND opened_seq <= ?
"""

_NAMING: Final = """
SELECT seq FROM findings
WHERE table_id = ? AND seq > ? AND round_id IN (SELECT unnest(?::VARCHAR[]))
UNION
SELECT opened_seq FROM rounds
WHERE table_id = ? AND opened_seq > ? AND round_id IN (SELECT unnest(?::VARCHAR[]))
"""
