"""What judging found, stored: only what is not as it was, and every change of a finding as such.

Verdicts are collected as columns while the events still stream, since nothing can be written in
between, and held against what the history has when the last part was judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from replay.events import EventColumns
from replay.findings import Finding, FindingCode
from replay.verdict import RoundColumns, RoundStatus, Verdict
from replay.vocabulary import Game
from services.arrow import array_of
from services.history.head import digest_sums
from services.history.schema import CHANGE_ID, FINDING_DIGEST, ROUND_DIGEST, word_of
from services.history.scopes import Scope, Within
from services.history.store import History

SET_CODES: Final = (FindingCode.DECK_ORDER_REPEATED, FindingCode.PAYTABLE_MISMATCH)
"""Findings that no stretch holds by itself: compared by their ids, not by where they lie."""


FEW_ROUNDS: Final = 2_000
"""Rounds of a transaction that are held against others one by one."""


FEW_FINDINGS: Final = 1_000
"""The same of findings."""


@dataclass(frozen=True, slots=True)
class DealtRound:
    """A round that came, went or changed, and the order of its cards."""

    table_id: str
    round_id: str
    deck_high: int | None
    deck_low: int | None


class VerdictWriter:
    """Takes the verdicts on parts of tables' streams, then stores what is new in them."""

    def __init__(self, history: History) -> None:
        assert history.transaction_no is not None, "verdicts are stored within a transaction"
        self._history = history
        self._findings: list[pa.Table] = []
        self._rounds: list[pa.Table] = []
        self._within = Within(())
        self._dealt: list[DealtRound] | None = None

    def add(self, events: EventColumns, verdict: Verdict) -> None:
        """What one stretch came to; `events` are that stretch's, for their look-ups."""
        self.add_findings(verdict.findings)
        if len(verdict.rounds.table):
            self._rounds.append(_round_rows(events, verdict.rounds))

    def add_findings(self, findings: Iterable[Finding]) -> None:
        """Findings that no stretch holds by itself."""
        listed = list(findings)
        if listed:
            self._findings.append(finding_rows(listed))

    def store_rounds(self, scopes: Sequence[Scope], first_no: int = 0) -> list[DealtRound] | None:
        """Have the rounds within the scopes be those that were added; which were, or are, new.

        None: so many that all of their tables are meant. No round within the scopes begins with an
        event below `first_no`.
        """
        history = self._history
        self._within = Within.of(history, scopes)
        count = sum(map(len, self._rounds))
        where = f"opened_no >= {first_no} AND {self._within.condition('rounds', 'opened_seq')}"
        if count <= FEW_ROUNDS:
            self._dealt = self._store_few_rounds(where)
            return self._dealt
        held = f"SELECT count(*) FROM rounds WHERE {where}"  # noqa: S608 (numbers and constants)
        if not history.count(held, self._within.values):
            for rows in self._rounds:
                history.insert("rounds", rows, _ROUND, f"{ROUND_DIGEST} AS digest, *")
            return None
        history.run("CREATE OR REPLACE TEMP TABLE come AS SELECT * FROM rounds LIMIT 0")
        for rows in self._rounds:
            history.insert("come", rows, _ROUND, f"{ROUND_DIGEST} AS digest, *")
        gone = history.rows(_FORGET_ROUNDS.format(where=where), self._within.values)
        come = history.rows(_KEEP_ROUNDS, [first_no])
        return [DealtRound(*row) for row in (*gone, *come)]

    def _store_few_rounds(self, where: str) -> list[DealtRound]:
        """The same by comparing them here."""
        history = self._history
        held = history.rows(_HELD_ROUNDS.format(where=where), self._within.values)
        fresh = None
        if self._rounds:  # sums of 64 bits beside larger ones are brought to one type
            fresh = pa.concat_tables(self._rounds, promote_options="permissive")
        judged = [] if fresh is None else [tuple(row.values()) for row in fresh.to_pylist()]
        gone, kept = set(held) - set(judged), set(held)
        new = [row for row, each in enumerate(judged) if each not in kept]
        if gone:
            numbers = sorted(row[_OPENED_NO] for row in gone)
            history.run(_FORGET_FEW, [numbers[0], numbers])
        if fresh is not None and new:
            rows = fresh  # in one piece: DuckDB takes pieces of a row each one by one
            if len(new) < fresh.num_rows:
                rows = pa.concat_tables([fresh.slice(row, 1) for row in new])
            history.put(_PUT_ROUNDS, rows.combine_chunks())
        changed = [*gone, *(judged[row] for row in new)]
        return [DealtRound(row[0], row[1], *row[_OPENED_NO + 1 :]) for row in changed]

    def store_findings(self, set_ids: Sequence[str]) -> int:
        """Have the findings within the scopes be those that were added; how many changed.

        `set_ids` names findings of SET_CODES that were judged again. To be called after
        `store_rounds`.
        """
        history = self._history
        where = self._within.condition("findings", "seq")
        codes = [str(code) for code in SET_CODES]
        values = [*self._within.values, codes, list(set_ids)]
        if not self._findings and not history.rows(_ANY_HELD.format(where=where), values):
            return 0
        if self._is_as_held(_HELD_FINDINGS.format(where=where), values):
            return 0
        history.run(_HELD.format(where=where), values)
        history.run("CREATE OR REPLACE TEMP TABLE judged AS SELECT * FROM findings LIMIT 0")
        for rows in self._findings:
            history.insert("judged", rows, FINDING_PROJECTION)
        history.run(PLACED)
        history.run(_CHANGES)
        changed = history.count("SELECT count(*) FROM changes")
        if changed:
            if not history.temporary:
                entered = history.few(_JOURNAL, [history.transaction_no])
                ids = entered.column("change_id").combine_chunks()
                history.add_digests(digest_sums(entered.column("change_no").to_numpy(), ids))
                history.record(changes=changed)
            history.run(_FORGET_FINDINGS)
            history.run(_KEEP_FINDINGS)
            if not history.temporary:  # nobody is alerted by one that is gone at the end
                from services.history.alert_groups import regroup_changed

                regroup_changed(history)
        return changed

    def _is_as_held(self, held: str, values: Sequence[object]) -> bool:
        """Whether the findings are those held, and lie at rounds and days that are as they were.

        That is so of most small transactions, and costs a tenth of comparing them as rows.
        """
        index, count = self._history.index, sum(map(len, self._findings))
        if index is None or self._dealt is None or count > FEW_FINDINGS:
            return False
        judged = {row["finding_id"]: row for rows in self._findings for row in rows.to_pylist()}
        opened, dealt = index.tables_opened(), {(one.table_id, one.round_id) for one in self._dealt}
        if any(
            row["table_id"] in opened or (row["table_id"], row["round_id"]) in dealt
            for row in judged.values()
        ):
            return False
        rows = self._history.rows(held, values)
        names = tuple(_FINDING_TYPES)
        return len(rows) == count and judged == {
            row[0]: dict(zip(names, row, strict=True)) for row in rows
        }


def _round_rows(events: EventColumns, rounds: RoundColumns) -> pa.Table:
    ended = rounds.ended_seq != 0
    days = rounds.gaming_day.astype("datetime64[D]")
    return pa.table(
        {
            "table_id": named(events.table_ids, rounds.table),
            "round_id": named(events.round_ids, rounds.round),
            "opened_seq": array_of(rounds.opened_seq),
            "ended_seq": array_of(rounds.ended_seq, ended),
            "opened_at": array_of(rounds.opened_micros),
            "ended_at": array_of(rounds.ended_micros, ended),
            "game": named([word_of(game) for game in Game], rounds.game),
            "gaming_day": array_of(days.astype(np.int32), ~np.isnat(days)).view(pa.date32()),
            "dealer_id": named(events.dealer_ids, rounds.dealer),
            "status": named([status.name for status in RoundStatus], rounds.status),
            "wagers": array_of(rounds.wagers),
            "staked_cents": _sums(rounds.staked_cents),
            "net_expected_cents": _sums(rounds.net_expected_cents),
            "net_actual_cents": _sums(rounds.net_actual_cents),
            "opened_no": array_of(rounds.opened_no),
            "deck_high": array_of(rounds.deck_order_high, rounds.deck_order_known),
            "deck_low": array_of(rounds.deck_order_low, rounds.deck_order_known),
        }
    )


def _sums(cents: npt.NDArray[Any]) -> pa.Array:
    """Money that may be more than 64 bits hold, see `replay.amounts`."""
    if cents.dtype == np.object_:
        return pa.array(cents.tolist(), pa.decimal128(38, 0))
    return array_of(cents)


def named(names: Sequence[str], numbers: npt.NDArray[Any]) -> pa.Array:
    """Names by their numbers; null for numbers below 0."""
    listed = [*names, None]  # -1 picks the last
    return pa.array([listed[number] for number in numbers.tolist()], pa.string())


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
    "event_nos": pa.list_(pa.int64()),
}


def finding_rows(findings: list[Finding]) -> pa.Table:
    """Findings as rows that `FINDING_PROJECTION` takes."""
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


_ROUND: Final = """
table_id, round_id, opened_seq, ended_seq, make_timestamptz(opened_at) AS opened_at,
make_timestamptz(ended_at) AS ended_at, game::game_word AS game, gaming_day, dealer_id,
status::round_status AS status, wagers, staked_cents, net_expected_cents, net_actual_cents,
opened_no, deck_high, deck_low
"""

_DEALT: Final = ("table_id", "round_id", "deck_high", "deck_low")

_SAME_ROUND: Final = """
one.table_id = other.table_id AND one.opened_seq = other.opened_seq AND one.digest = other.digest
"""

_FORGET_ROUNDS: Final = f"""
DELETE FROM rounds
WHERE {{where}} AND NOT EXISTS (
    FROM come AS other
    WHERE rounds.table_id = other.table_id AND rounds.opened_seq = other.opened_seq
        AND rounds.digest = other.digest
)
RETURNING {", ".join(_DEALT)}
"""  # noqa: S608 (constants only)

_KEEP_ROUNDS: Final = f"""
INSERT INTO rounds
FROM come AS one
WHERE NOT EXISTS (FROM rounds AS other WHERE opened_no >= ? AND {_SAME_ROUND})
RETURNING {", ".join(_DEALT)}
"""

_OPENED_NO: Final = 14
"""Place of `opened_no` among the columns of `_round_rows`; the deck's follow it."""

_HELD_ROUNDS: Final = """
SELECT table_id, round_id, opened_seq, ended_seq, epoch_us(opened_at), epoch_us(ended_at),
       game::VARCHAR, gaming_day, dealer_id, status::VARCHAR, wagers, staked_cents,
       net_expected_cents, net_actual_cents, opened_no, deck_high, deck_low
FROM rounds
WHERE {where}
"""

_FORGET_FEW: Final = """
DELETE FROM rounds WHERE opened_no >= ? AND opened_no IN (SELECT unnest(?::BIGINT[]))
"""

_PUT_ROUNDS: Final = f"""
INSERT INTO rounds SELECT {ROUND_DIGEST} AS digest, * FROM (SELECT {_ROUND} FROM arriving)
"""  # noqa: S608 (constants only)

FINDING_PROJECTION: Final = """
NULL, finding_id::UUID, code::finding_code, severity::finding_severity, table_id, seq, round_id,
spot, hand, wager, bettor, expected_cents, actual_cents, expected_low_cents, expected_high_cents,
first_missing_seq, last_missing_seq, clause, readings, message, NULL, NULL, NULL, event_nos
"""

_HELD_WHERE: Final = """
FROM findings
WHERE ({where} AND NOT list_contains(?, code::VARCHAR))
    OR finding_id IN (SELECT unnest(?::UUID[]))
"""
_HELD_FINDINGS: Final = (
    """
SELECT replace(finding_id::VARCHAR, '-', ''), code::VARCHAR, severity::VARCHAR, table_id, seq,
       round_id, spot, hand, wager, bettor, expected_cents, actual_cents, expected_low_cents,
       expected_high_cents, first_missing_seq, last_missing_seq, clause, readings, message,
       event_nos
"""
    + _HELD_WHERE
)
_HELD: Final = "CREATE OR REPLACE TEMP TABLE held AS SELECT finding_id, digest " + _HELD_WHERE
_ANY_HELD: Final = "SELECT 1 " + _HELD_WHERE + " LIMIT 1"

# A finding belongs to the gaming day of its round, if that had begun; else to its table's day at
# that place.
PLACED: Final = f"""
CREATE OR REPLACE TEMP TABLE placed AS
WITH days_of_rounds AS (
    SELECT table_id, round_id, arg_min(game, opened_seq) AS game,
           arg_min(gaming_day, opened_seq) AS gaming_day,
           arg_min_null(dealer_id, opened_seq) AS dealer_id, min(opened_seq) AS opened_seq
    FROM rounds
    SEMI JOIN judged USING (table_id, round_id)
    GROUP BY table_id, round_id
),
openings AS (FROM table_openings WHERE standing),
found AS (
    SELECT judged.* EXCLUDE (game, gaming_day, dealer_id, event_nos),
           if(days_of_rounds.opened_seq IS NULL, openings.game, days_of_rounds.game) AS game,
           if(days_of_rounds.opened_seq IS NULL, openings.gaming_day, days_of_rounds.gaming_day)
               AS gaming_day,
           days_of_rounds.dealer_id, judged.event_nos
    FROM judged
    LEFT JOIN days_of_rounds
        ON judged.table_id = days_of_rounds.table_id AND judged.round_id = days_of_rounds.round_id
        AND days_of_rounds.opened_seq <= judged.seq
    ASOF LEFT JOIN openings
        ON judged.table_id = openings.table_id AND judged.seq >= openings.seq
)
SELECT * REPLACE ({FINDING_DIGEST} AS digest) FROM found
"""  # noqa: S608 (constants only)

_CHANGES: Final = """
CREATE OR REPLACE TEMP TABLE changes AS
SELECT if(held.finding_id IS NULL, 'RAISED', 'CHANGED')::change_word AS change, placed.*
FROM placed
LEFT JOIN held USING (finding_id)
WHERE placed.digest IS DISTINCT FROM held.digest
UNION ALL
SELECT 'WITHDRAWN'::change_word AS change, findings.*
FROM findings
SEMI JOIN held USING (finding_id)
ANTI JOIN placed USING (finding_id)
"""

_JOURNAL: Final = f"""
INSERT INTO finding_changes
WITH numbered AS (
    SELECT (SELECT coalesce(max(change_no), 0) FROM finding_changes)
               + row_number() OVER (ORDER BY table_id, seq, code::VARCHAR, finding_id)
               AS change_no,
           ?::INTEGER AS transaction_no,
           *
    FROM changes
)
SELECT change_no, transaction_no, change, {CHANGE_ID} AS change_id,
       * EXCLUDE (change_no, transaction_no, change)
FROM numbered
ORDER BY change_no
RETURNING change_no, change_id
"""  # noqa: S608 (constants only)

_FORGET_FINDINGS: Final = """
DELETE FROM findings
WHERE finding_id IN (SELECT finding_id FROM changes WHERE change <> 'RAISED')
"""

_KEEP_FINDINGS: Final = """
INSERT INTO findings SELECT * EXCLUDE (change) FROM changes WHERE change <> 'WITHDRAWN'
"""
