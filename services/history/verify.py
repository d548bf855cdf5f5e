"""Is a history whole: every event as it was recorded, every conflict decided as it must be.

Problems are results, a row each; only a file that cannot be read at all is an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt

from services.errors import UnusableHistoryError
from services.history.alert_checks import ALERT_CHECKS
from services.history.deciding import find_redelivered, find_unstanding
from services.history.head import FIRST_CHAIN, chained, digest_parts, head_path
from services.history.marks import REPEATED
from services.history.problems import PROBLEMS_MAX, Problem, as_far_as_read, cause_of
from services.history.recorded import COUNTED
from services.history.schema import (
    CHANGE_ID,
    DIGEST,
    FINDING_DIGEST,
    RECORD_DIGEST,
    ROUND_DIGEST,
)
from services.history.store import History

TRANSACTIONS_AT_ONCE: Final = 500_000
"""Of which the sums are in memory: a year of a floor has millions of transactions."""


def problems_of(history: History) -> Iterator[Problem]:
    """Every problem, in the order of the checks."""
    yield from as_far_as_read(history, lambda: _problems_of_head(history))
    yield from _damaged(history)
    lost = list(as_far_as_read(history, lambda: _find_doubled(history)))
    yield from lost
    for what, message, sql in (
        _CHECKS if history.temporary else (_CONTENT_CHECK, *_CHECKS, *_KEPT_CHECKS)
    ):
        if not lost or not any(name in sql for name in ("unstanding", "redelivered")):
            check = partial(_problems_by, history, what, message, sql)
            yield from as_far_as_read(history, check)


def _damaged(history: History) -> Iterator[Problem]:
    """Tables of which not every row can be read, whatever else is looked at."""
    for (name,) in history.rows(_TABLES):
        try:
            history.rows(f"SELECT max(hash(row)) FROM {name} AS row")  # noqa: S608 (our own words)
        except UnusableHistoryError as error:
            what = {"events": "event", "findings": "finding"}.get(name, "journal")
            yield Problem(what, f"table {name}", f"not all of it can be read: {cause_of(error)}")


_TABLES: Final = "SELECT table_name FROM duckdb_tables() WHERE NOT temporary ORDER BY table_name"


def _find_doubled(history: History) -> Iterator[Problem]:
    """Make the tables that the checks look into."""
    find_redelivered(history, first_no=1)
    find_unstanding(history, first_no=1)
    yield from ()


def _problems_by(history: History, what: str, message: str, sql: str) -> Iterator[Problem]:
    found = history.rows(f"SELECT * FROM ({sql}) ORDER BY ALL LIMIT {PROBLEMS_MAX}")  # noqa: S608
    for (where,) in found:
        yield Problem(what, where, message)


def _problems_of_head(history: History) -> Iterator[Problem]:
    """Transactions that are lost, or whose events are not those that were committed."""
    if history.temporary:
        return  # has none
    if history.head.problem:
        yield Problem("head", head_path(history.path).name, history.head.problem)
    before = FIRST_CHAIN
    [(last,)] = history.rows("SELECT coalesce(max(transaction_no), 0) FROM transactions")
    for first in range(1, last + 1, TRANSACTIONS_AT_ONCE):
        within = [first, min(last, first + TRANSACTIONS_AT_ONCE - 1)]
        sums = sums_of(history, within)
        for number, *counts, chain in history.rows(_CHAINS, within):
            if chained(before, sums[number - first], number, *counts) != chain:
                yield Problem(
                    "head",
                    f"transaction {number}",
                    "what it brought, or its place in the chain, is not what was committed",
                )
            before = chain


def sums_of(history: History, within: list[int]) -> npt.NDArray[np.uint64]:
    """(N, 2): what the digests of each of these transactions add up to."""
    first, last = within
    sums = np.zeros((last - first + 1, 2), np.uint64)
    for batch in history.stream(_DIGESTS, within * 3):
        number = batch.column("transaction_no").to_numpy()
        parts = digest_parts(batch.column("number").to_numpy(), batch.column("digest"))
        starts = np.flatnonzero(np.diff(number, prepend=-1))
        np.add.at(sums, number[starts] - first, np.add.reduceat(parts, starts, axis=0))
    return sums


_DIGESTS: Final = """
SELECT transaction_no, event_no AS number, digest
FROM events WHERE transaction_no BETWEEN ? AND ?
UNION ALL
SELECT transaction_no, change_no, change_id
FROM finding_changes WHERE transaction_no BETWEEN ? AND ?
UNION ALL
SELECT transaction_no, record_no, digest
FROM records WHERE transaction_no BETWEEN ? AND ?
"""
_CHAINS: Final = f"""
SELECT transaction_no, epoch_us(committed_at), {", ".join(COUNTED)},
       replace(chain::VARCHAR, '-', '')
FROM transactions
WHERE transaction_no BETWEEN ? AND ?
ORDER BY transaction_no
"""  # noqa: S608 (constants only)

_PLACE: Final = "concat(table_id, ' seq ', seq, ' event ', event_id)"

_OF_TRANSACTIONS: Final = """
    SELECT concat('transaction ', transaction_no)
    FROM transactions
    LEFT JOIN ({counted}) AS counted USING (transaction_no)
    WHERE {column} <> coalesce(counted.number, 0)
"""


def _count_check(column: str, table: str, condition: str = "true") -> str:
    counted = (
        f"SELECT transaction_no, count(*) AS number FROM {table} "  # noqa: S608 (constants only)
        f"WHERE {condition} GROUP BY transaction_no"
    )
    return _OF_TRANSACTIONS.format(counted=counted, column=column)


_CONTENT_CHECK: Final = (
    "event",
    "its content is not the one that was recorded",
    f"SELECT {_PLACE} FROM events WHERE digest IS DISTINCT FROM {DIGEST}",  # noqa: S608
)

_CHECKS: Final = (
    (
        "journal",
        "events were removed from, or added to, those that the transaction recorded",
        _count_check("events", "events"),
    ),
    (
        "journal",
        "other conflicts than the transaction recorded",
        _count_check("conflicts", "events", "NOT standing"),
    ),
    (
        "journal",
        "dead letters were removed or added",
        _count_check("dead_letters", "dead_letters"),
    ),
    (
        "journal",
        "records of its own were removed or added",
        _count_check("records", "records"),
    ),
    (
        "journal",
        "the record is not the one that was entered",
        f"SELECT concat('record ', record_no) FROM records "  # noqa: S608
        f"WHERE digest IS DISTINCT FROM {RECORD_DIGEST}",
    ),
    (
        "journal",
        "changes of findings were removed or added",
        _count_check("changes", "finding_changes"),
    ),
    (
        "journal",
        "the change of a finding is not the one that was recorded",
        "SELECT concat('change ', change_no) FROM finding_changes "  # noqa: S608
        f"WHERE digest IS DISTINCT FROM {FINDING_DIGEST} OR change_id IS DISTINCT FROM {CHANGE_ID}",
    ),
    (
        "journal",
        "an event of a transaction that is not recorded",
        f"SELECT {_PLACE} FROM events ANTI JOIN transactions USING (transaction_no)",  # noqa: S608
    ),
    (
        "journal",
        "the same number for two events",
        "SELECT concat('event number ', event_no) FROM events GROUP BY event_no "
        "HAVING count(*) > 1",
    ),
    (
        "journal",
        "the same event twice",
        f"SELECT {_PLACE} FROM events SEMI JOIN redelivered USING (event_no)",  # noqa: S608
    ),
    (
        "journal",
        "whether it stands is not as its arrival has it",
        f"SELECT {_PLACE} FROM events "  # noqa: S608 (constants only)
        "WHERE standing = (event_no IN (SELECT event_no FROM unstanding))",
    ),
    (
        "journal",
        "the bytes of the dead letter are not those that were recorded",
        "SELECT concat(source, ' position ', position) FROM dead_letters "
        "WHERE digest IS DISTINCT FROM sha256(bytes)",
    ),
    (
        "journal",
        "the round's result is not the one that was recorded",
        "SELECT concat(table_id, ' round ', round_id) FROM rounds "  # noqa: S608 (constants only)
        f"WHERE digest IS DISTINCT FROM {ROUND_DIGEST}",
    ),
    (
        "journal",
        "rounds were removed or added since",
        "SELECT concat('transaction ', transaction_no) FROM transactions "
        "WHERE transaction_no = (SELECT max(transaction_no) FROM transactions) "
        "AND rounds <> (SELECT count(*) FROM rounds)",
    ),
    *(
        (
            "journal",
            f"what is repeated of it in {table} is not what it says, is missing, or was added",
            "SELECT DISTINCT concat('event number ', event_no) FROM ("  # noqa: S608
            f"{kept} EXCEPT ALL {said} "
            f"UNION ALL ({said} EXCEPT ALL {kept}))",
        )
        for table, kept, said in REPEATED
    ),
    (
        "finding",
        "it is not the one that was recorded",
        "SELECT concat(table_id, ' finding ', replace(finding_id::VARCHAR, '-', '')) "  # noqa: S608
        f"FROM findings WHERE digest IS DISTINCT FROM {FINDING_DIGEST}",
    ),
    (
        "finding",
        "the same finding twice",
        "SELECT concat('finding ', replace(finding_id::VARCHAR, '-', '')) FROM findings "
        "GROUP BY finding_id HAVING count(*) > 1",
    ),
    (
        "finding",
        "an event that shows it is not in the history, or it is no finding",
        "SELECT DISTINCT concat('finding ', replace(finding_id::VARCHAR, '-', '')) "
        "FROM finding_events LEFT JOIN events USING (event_no) LEFT JOIN findings "
        "USING (finding_id) WHERE events.event_no IS NULL OR findings.code IS NULL",
    ),
    (
        "finding",
        "findings were removed or added since",
        "SELECT concat('transaction ', transaction_no) FROM transactions "
        "WHERE transaction_no = (SELECT max(transaction_no) FROM transactions) "
        "AND findings <> (SELECT count(*) FROM findings)",
    ),
)
"""What is wrong, why, and the query for the places of it."""

_KEPT_CHECKS: Final = (
    (
        "finding",
        "the journal of its changes says otherwise",
        "SELECT concat('finding ', replace(finding_id::VARCHAR, '-', '')) "
        "FROM (SELECT finding_id, arg_max(digest, change_no) AS digest, "
        "arg_max(change, change_no) AS change FROM finding_changes GROUP BY finding_id "
        ") AS last FULL JOIN findings USING (finding_id) WHERE "
        "if(change = 'WITHDRAWN', NULL, last.digest) IS DISTINCT FROM findings.digest",
    ),
    *ALERT_CHECKS,
)
"""Of a history that keeps a journal of its findings, and alerts: a temporary one has neither."""
