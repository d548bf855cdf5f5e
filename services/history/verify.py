"""Is a history whole: every event as it was recorded, every conflict decided as it must be.

Problems are results, a row each; only a file that cannot be read at all is an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np

from services.history.deciding import find_redelivered, find_unstanding
from services.history.digests import events_digest, findings_digest
from services.history.head import FIRST_CHAIN, chained, digest_sums, head_path
from services.history.schema import DIGEST, FINDING_DIGEST, ROUND_DIGEST
from services.history.store import History

VERSION: Final = 1

PROBLEMS_MAX: Final = 1_000
"""Of each check: who changed a million rows learns nothing from a million lines."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in the history that is not as it was written."""

    what: str
    """`event`, `finding`, `journal` or `head`."""
    where: str
    message: str


def verify(history: History) -> dict[str, Any]:
    """The object that `pitproof verify` prints."""
    problems = list(problems_of(history))
    return {
        "version": VERSION,
        "ok": not problems,
        "events": history.count("SELECT count(*) FROM events"),
        "events_digest": events_digest(history),
        "findings": history.count("SELECT count(*) FROM findings"),
        "findings_digest": findings_digest(history),
        "problems": [asdict(problem) for problem in problems],
    }


def problems_of(history: History) -> Iterator[Problem]:
    """Every problem, in the order of the checks."""
    yield from _problems_of_head(history)
    find_redelivered(history, first_no=1)
    find_unstanding(history, first_no=1)
    for what, message, sql in _CHECKS:
        found = history.rows(f"SELECT * FROM ({sql}) ORDER BY ALL LIMIT {PROBLEMS_MAX}")  # noqa: S608
        for (where,) in found:
            yield Problem(what, where, message)


def _problems_of_head(history: History) -> Iterator[Problem]:
    """Transactions that are lost, or whose events are not those that were committed."""
    if history.temporary:
        return  # has none
    if history.head.problem:
        yield Problem("head", head_path(history.path).name, history.head.problem)
    sums: dict[int, Any] = {}
    for batch in history.stream(_DIGESTS):
        numbers = batch.column("transaction_no").to_numpy()
        event_no, digests = batch.column("event_no").to_numpy(), batch.column("digest")
        starts = np.flatnonzero(np.diff(numbers, prepend=-1)).tolist()
        for start, end in pairwise([*starts, len(numbers)]):
            part = digest_sums(event_no[start:end], digests.slice(start, end - start))
            number = int(numbers[start])
            sums[number] = sums.get(number, np.zeros(2, np.uint64)) + part
    before = FIRST_CHAIN
    for number, *counts, chain in history.rows(_CHAINS):
        found = chained(before, sums.get(number, np.zeros(2, np.uint64)), number, *counts)
        if found != chain:
            yield Problem(
                "head",
                f"transaction {number}",
                "its events, or its place in the chain, are not those that were committed",
            )
        before = chain


_DIGESTS: Final = "SELECT transaction_no, event_no, digest FROM events"
_CHAINS: Final = """
SELECT transaction_no, events, redelivered, conflicts, dead_letters,
       replace(chain::VARCHAR, '-', '')
FROM transactions
ORDER BY transaction_no
"""

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


_CHECKS: Final = (
    (
        "event",
        "its content is not the one that was recorded",
        f"SELECT {_PLACE} FROM events WHERE digest IS DISTINCT FROM {DIGEST}",  # noqa: S608
    ),
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
