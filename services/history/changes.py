"""The journal of verdicts: what was raised, changed or withdrawn, in order, and what is published.

It is written with the verdicts themselves, so whoever publishes reads it after the commit, as often
as need be: the same change always has the same `change_id`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from replay.findings import Finding, FindingCode
from services.history.store import History

RAISED: Final = "RAISED"
CHANGED: Final = "CHANGED"
WITHDRAWN: Final = "WITHDRAWN"


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingChange:
    """One change, with the finding as it then was (withdrawn: as it was last)."""

    change_no: int
    transaction_no: int
    change: str
    change_id: str
    """36 characters; never the same for two changes."""
    finding: Finding
    game: str | None
    gaming_day: date | None
    event_ids: tuple[str, ...]
    """Ids of `finding.event_nos`, in their order, as far as the history has them."""

    @property
    def words(self) -> str:
        """On one line: `RAISED OVERPAID DD-07 DD-07-000015 seat 2: ` and the argument."""
        finding = self.finding
        seat = None if finding.spot is None else f"seat {finding.spot}"
        places = (finding.table_id, finding.round_id, seat)
        return " ".join((self.change, finding.code, *filter(None, places))) + f": {finding.message}"


def changes_after(history: History, change_no: int, *, limit: int = 1_000) -> list[FindingChange]:
    """The next changes after a number, in order.

    One made again of sealed days has holes in its numbers: what was not sealed is not there.
    """
    found = _changes(history, _AFTER, [change_no, change_no + limit], limit)
    if found:
        return found
    [(following,)] = history.rows(_FOLLOWING, [change_no])
    if following is None:
        return []
    return _changes(history, _AFTER, [following - 1, following - 1 + limit], limit)


def latest_changes(history: History, tables: list[str]) -> dict[str, FindingChange]:
    """The last change of every finding of some tables, withdrawn ones too, by finding."""
    found = _changes(history, _LATEST, [tables], None)
    return {change.finding.finding_id: change for change in found}


def last_change_no(history: History) -> int:
    """Number of the last change; 0: there is none."""
    return history.count("SELECT coalesce(max(change_no), 0) FROM finding_changes")


def changes_within(history: History) -> dict[str, int]:
    """How many findings this transaction raised, changed and withdrew, by code and change.

    `{"UNDERPAID RAISED": 2}`, in the order of these names.
    """
    return dict(history.rows(_WITHIN, [history.transaction_no]))


def published_up_to(history: History, topic: str) -> int:
    """Number up to which all was published to a topic (changes, or dead letters); 0: nothing."""
    return history.count("SELECT coalesce(max(up_to), 0) FROM published WHERE topic = ?", [topic])


def mark_published(history: History, topic: str, up_to: int) -> None:
    """Within a transaction: all up to that number is known to have arrived at the topic."""
    assert history.transaction_no is not None, "what was published is marked in a transaction"
    if not history.run(
        "UPDATE published SET up_to = greatest(up_to, ?) WHERE topic = ?", [up_to, topic]
    ):
        history.run("INSERT INTO published VALUES (?, ?)", [topic, up_to])


_FINDING: Final = """
    replace(finding_id::VARCHAR, '-', ''), code::VARCHAR, table_id, seq, round_id, spot, hand,
    wager, bettor, expected_cents, actual_cents, expected_low_cents, expected_high_cents,
    first_missing_seq, last_missing_seq, clause, readings, message, event_nos
"""

_COLUMNS: Final = (
    f"SELECT change_no, transaction_no, change::VARCHAR, change_id::VARCHAR, "  # noqa: S608
    f"game::VARCHAR, gaming_day, {_FINDING} FROM finding_changes "
)
_AFTER: Final = _COLUMNS + "WHERE change_no > ? AND change_no <= ? ORDER BY change_no"
_FOLLOWING: Final = """
SELECT min(change_no) FROM finding_changes WHERE change_no > ?
"""
_WITHIN: Final = """
SELECT concat(code, ' ', change), count(*) FROM finding_changes
WHERE transaction_no = ?
GROUP BY ALL
ORDER BY ALL
"""
_LATEST: Final = (
    _COLUMNS + "WHERE table_id IN (SELECT unnest(?::VARCHAR[])) "
    "QUALIFY change_no = max(change_no) OVER (PARTITION BY finding_id) ORDER BY change_no"
)


def _changes(
    history: History, sql: str, parameters: list[object], limit: int | None
) -> list[FindingChange]:
    rows = history.rows(sql, parameters)[:limit]
    numbers = sorted({number for row in rows for number in row[-1]})
    ids = _event_ids(history, numbers)
    return [_change(row, ids) for row in rows]


def _event_ids(history: History, numbers: list[int]) -> dict[int, str]:
    if not numbers:
        return {}
    return dict(
        history.rows(
            "SELECT event_no, event_id::VARCHAR FROM events WHERE event_no BETWEEN ? AND ? "
            "AND event_no IN (SELECT unnest(?::BIGINT[]))",
            [numbers[0], numbers[-1], numbers],
        )
    )


def _change(row: tuple[Any, ...], ids: dict[int, str]) -> FindingChange:
    number, transaction_no, change, change_id, game, gaming_day, *told = row
    finding = Finding(
        finding_id=told[0],
        code=FindingCode(told[1]),
        table_id=told[2],
        seq=told[3],
        round_id=told[4],
        spot=told[5],
        hand=told[6],
        wager=told[7],
        bettor=told[8],
        expected_cents=told[9],
        actual_cents=told[10],
        expected_low_cents=told[11],
        expected_high_cents=told[12],
        first_missing_seq=told[13],
        last_missing_seq=told[14],
        clause=told[15],
        readings=tuple(told[16]),
        message=told[17],
        event_nos=tuple(told[18]),
    )
    return FindingChange(
        change_no=number,
        transaction_no=transaction_no,
        change=change,
        change_id=change_id,
        finding=finding,
        game=game,
        gaming_day=gaming_day,
        event_ids=tuple(ids[number] for number in finding.event_nos if number in ids),
    )
