"""What judging found, stored: findings, the events that show them, and a row a round.

Verdicts of a table are replaced as a whole. They are collected as columns while the events still
stream, since nothing can be written in between, and stored when the last stretch was judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
import pyarrow as pa

from replay.events import EventColumns
from replay.findings import Finding
from replay.verdict import RoundColumns, RoundStatus, Verdict
from replay.vocabulary import Game
from services.history.schema import FINDING_DIGEST, ROUND_DIGEST, word_of
from services.history.store import History


class VerdictWriter:
    """Takes the verdicts on all stretches of some tables (None: all), then stores them."""

    def __init__(self, history: History, tables: Sequence[str] | None = None) -> None:
        assert history.transaction_no is not None, "verdicts are stored within a transaction"
        self._history = history
        self._tables = None if tables is None else list(tables)
        self._findings: list[pa.Table] = []
        self._events: list[pa.Table] = []
        self._rounds: list[pa.Table] = []

    def add(self, events: EventColumns, verdict: Verdict) -> None:
        """What one stretch came to; `events` are that stretch's, for their look-ups."""
        self.add_findings(verdict.findings)
        if len(verdict.rounds.table):
            self._rounds.append(_round_rows(events, verdict.rounds))

    def add_findings(self, findings: Iterable[Finding]) -> None:
        """Findings that no stretch holds by itself."""
        listed = list(findings)
        if listed:
            self._findings.append(_finding_rows(listed))
            self._events.append(_finding_event_rows(listed))

    def store(self) -> None:
        """Replace the verdicts on the tables by what was added."""
        history = self._history
        for statement in (_FORGET_EVENTS, _FORGET_FINDINGS, _FORGET_ROUNDS):
            if self._tables is None:
                history.run(statement.format(chosen=""))
            else:
                history.run(statement.format(chosen=_CHOSEN), [self._tables])
        for rows in self._rounds:
            history.insert("rounds", rows, _ROUND, f"{ROUND_DIGEST} AS digest, *")
        for rows in self._events:
            history.insert("finding_events", rows, "finding_id::UUID, ordinal, event_no")
        history.run("CREATE OR REPLACE TEMP TABLE judged AS SELECT * FROM findings LIMIT 0")
        for rows in self._findings:
            history.insert("judged", rows, _FINDING)
        history.run(_STORE_FINDINGS)
        history.run("DROP TABLE judged")
        history.run(
            "UPDATE transactions SET findings = (SELECT count(*) FROM findings), "
            "rounds = (SELECT count(*) FROM rounds) WHERE transaction_no = ?",
            [history.transaction_no],
        )


def _round_rows(events: EventColumns, rounds: RoundColumns) -> pa.Table:
    tables = pa.array(events.table_ids, pa.string())
    round_ids = pa.array(events.round_ids, pa.string())
    dealers = pa.array(events.dealer_ids, pa.string())
    ended = rounds.ended_seq != 0
    days = rounds.gaming_day.astype("datetime64[D]")
    return pa.table(
        {
            "table_id": tables.take(pa.array(rounds.table)),
            "round_id": round_ids.take(pa.array(rounds.round)),
            "opened_seq": rounds.opened_seq,
            "ended_seq": pa.array(rounds.ended_seq, mask=~ended),
            "opened_at": rounds.opened_micros,
            "ended_at": pa.array(rounds.ended_micros, mask=~ended),
            "game": _words([word_of(game) for game in Game], rounds.game),
            "gaming_day": pa.array(days, pa.date32(), mask=np.isnat(days)),
            "dealer_id": dealers.take(pa.array(rounds.dealer, mask=rounds.dealer < 0)),
            "status": _words([status.name for status in RoundStatus], rounds.status),
            "wagers": rounds.wagers,
            "staked_cents": rounds.staked_cents,
            "net_expected_cents": rounds.net_expected_cents,
            "net_actual_cents": rounds.net_actual_cents,
        }
    )


def _words(words: list[str], codes: np.ndarray) -> pa.Array:
    return pa.array(words, pa.string()).take(pa.array(codes))


_FINDING_TYPES: Final = {
    "finding_id": pa.string(),
    "code": pa.string(),
    "severity": pa.string(),
    "table_id": pa.string(),
    "seq": pa.int64(),
    "round_id": pa.string(),
    "spot": pa.int32(),
    "hand": pa.int32(),
    "wager": pa.string(),
    "bettor": pa.string(),
    "expected_cents": pa.int64(),
    "actual_cents": pa.int64(),
    "expected_low_cents": pa.int64(),
    "expected_high_cents": pa.int64(),
    "first_missing_seq": pa.int64(),
    "last_missing_seq": pa.int64(),
    "clause": pa.string(),
    "readings": pa.list_(pa.string()),
    "message": pa.string(),
}


def _finding_rows(findings: list[Finding]) -> pa.Table:
    return pa.table(
        {
            name: pa.array(
                [
                    list(value) if isinstance(value := getattr(finding, name), tuple) else value
                    for finding in findings
                ],
                type_,
            )
            for name, type_ in _FINDING_TYPES.items()
        }
    )


def _finding_event_rows(findings: list[Finding]) -> pa.Table:
    shown = [
        (finding.finding_id, ordinal, event_no)
        for finding in findings
        for ordinal, event_no in enumerate(finding.event_nos, start=1)
    ]
    return pa.table(
        {
            "finding_id": pa.array([row[0] for row in shown], pa.string()),
            "ordinal": pa.array([row[1] for row in shown], pa.int32()),
            "event_no": pa.array([row[2] for row in shown], pa.int64()),
        }
    )


_CHOSEN: Final = "WHERE table_id IN (SELECT unnest(?::VARCHAR[]))"

_FORGET_EVENTS: Final = """
DELETE FROM finding_events
WHERE finding_id IN (SELECT finding_id FROM findings {chosen})
"""
_FORGET_FINDINGS: Final = "DELETE FROM findings {chosen}"
_FORGET_ROUNDS: Final = "DELETE FROM rounds {chosen}"

_ROUND: Final = """
table_id, round_id, opened_seq, ended_seq, make_timestamptz(opened_at) AS opened_at,
make_timestamptz(ended_at) AS ended_at, game::game_word AS game, gaming_day, dealer_id,
status::round_status AS status, wagers, staked_cents, net_expected_cents, net_actual_cents
"""

_FINDING: Final = """
NULL, finding_id::UUID, code::finding_code, severity::finding_severity, table_id, seq, round_id,
spot, hand, wager, bettor, expected_cents, actual_cents, expected_low_cents, expected_high_cents,
first_missing_seq, last_missing_seq, clause, readings, message, NULL, NULL
"""

# A finding belongs to the gaming day of its round; without one, to its table's day at that place.
_STORE_FINDINGS: Final = f"""
INSERT INTO findings
WITH openings AS (
    SELECT table_id, seq, game, gaming_day FROM events WHERE kind = 'TableOpened' AND standing
),
days_of_rounds AS (
    SELECT table_id, round_id, arg_min(game, opened_seq) AS game,
           arg_min(gaming_day, opened_seq) AS gaming_day, true AS known
    FROM rounds
    GROUP BY table_id, round_id
),
placed AS (
    SELECT judged.* EXCLUDE (game, gaming_day),
           if(known, days_of_rounds.game, openings.game) AS game,
           if(known, days_of_rounds.gaming_day, openings.gaming_day) AS gaming_day
    FROM judged
    LEFT JOIN days_of_rounds
        ON judged.table_id = days_of_rounds.table_id AND judged.round_id = days_of_rounds.round_id
    ASOF LEFT JOIN openings
        ON judged.table_id = openings.table_id AND judged.seq >= openings.seq
)
SELECT * REPLACE ({FINDING_DIGEST} AS digest)
FROM placed
"""  # noqa: S608 (constants only)
