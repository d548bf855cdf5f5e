"""A history made again of its sealed days: the rows as they were, and what follows from them.

Events keep their numbers and transactions, transactions their times, changes of findings their ids,
so that what was known when is known again. What was not sealed is not there: a transaction is then
entered with what there is of it, and the chain goes over that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import pyarrow as pa

from services.history.deciding import find_redelivered, find_unstanding
from services.history.head import FIRST_CHAIN, chained
from services.history.marks import keep_marks
from services.history.parquet import read
from services.history.recorded import COUNTED
from services.history.sealed.anchors import DAY_SEALED
from services.history.sealed.folder import SealedFolder
from services.history.sealed.manifest import Manifest
from services.history.store import History
from services.history.verify import TRANSACTIONS_AT_ONCE, sums_of

Told = Callable[[int, int], None]
"""Told how many bytes of how many are read."""


def restore(
    history: History,
    folder: SealedFolder,
    manifests: tuple[Manifest, ...],
    *,
    goes_on: bool,
    told: Told = lambda done, total: None,
) -> None:
    """Fill an empty history with what was sealed; nothing is concluded of it yet.

    `goes_on`: it will be sealed into the same folder, and so remembers what lies there.
    """
    last = manifests[-1]
    history.run("UPDATE settings SET value = ? WHERE name = 'history_id'", [last.history_id])
    history.require(last.made_with)
    history.run(_TRANSACTIONS)
    total = sum(file.size_bytes for manifest in manifests for file in manifest.files)
    done = 0
    for manifest in manifests:
        for table in dict.fromkeys(file.table for file in manifest.files):
            files = manifest.files_of(table)
            rows = read(history, table, [folder.path / file.path for file in files])
            history.run(_TAKES[table].format(rows=rows))
            done += sum(file.size_bytes for file in files)
            told(done, total)
    if not goes_on:
        history.run("DELETE FROM records WHERE kind = ?", [DAY_SEALED])
    for position in last.positions:
        history.run(
            "INSERT INTO positions VALUES (?, ?, ?, ?)",
            [position.topic, position.topic_id, position.partition, position.next_offset],
        )
    _decide(history)
    history.run(_FINDINGS)
    _enter_transactions(history)


def mark(history: History) -> None:
    """Within the transaction that concludes: openings, and what corrections name, as it was."""
    keep_marks(history, 1)
    history.run(_RESOLVED_IN)


def _decide(history: History) -> None:
    """What stands by those that are there: the first of two contents may not be sealed yet."""
    find_redelivered(history, 1)
    find_unstanding(history, 1)
    history.run(_STANDING)


def _enter_transactions(history: History) -> None:
    """Each with what there is of it, under its number and time, and the chain over all."""
    chain = FIRST_CHAIN
    last = history.count("SELECT coalesce(max(transaction_no), 0) FROM sealed_transactions")
    for first in range(1, last + 1, TRANSACTIONS_AT_ONCE):
        within = [first, min(last, first + TRANSACTIONS_AT_ONCE - 1)]
        sums, entered = sums_of(history, within), history.table(_ENTERED, within * 6)
        chains = []
        for row in entered.select(["transaction_no", "micros", *COUNTED]).to_pylist():
            number, micros, *counts = row.values()
            chain = chained(chain, sums[number - first], number, micros, *counts)
            chains.append(chain)
        rows = entered.append_column("chain", pa.array(chains, pa.string()))
        history.insert("transactions", rows, _TYPED)


_TRANSACTIONS: Final = (
    "CREATE OR REPLACE TEMP TABLE sealed_transactions AS FROM transactions LIMIT 0"
)

_INSERT: Final = "INSERT INTO {table} {{rows}}"

_TAKES: Final[Mapping[str, str]] = {
    "events": _INSERT.format(table="events") + " ORDER BY event_no",
    "finding_changes": _INSERT.format(table="finding_changes") + " ORDER BY change_no",
    "transactions": "INSERT INTO sealed_transactions {rows}",
    # A letter that was sealed again is as it was last.
    "dead_letters": "MERGE INTO dead_letters USING ({rows}) AS fresh "
    "ON dead_letters.letter_no = fresh.letter_no "
    "WHEN MATCHED THEN UPDATE SET redriven_in = fresh.redriven_in "
    "WHEN NOT MATCHED THEN INSERT",
    **{
        table: _INSERT.format(table=table)
        for table in ("records", "sources", "writer_schemas", "registry_schemas")
    },
}
"""What becomes of the rows of each table."""

_STANDING: Final = """
UPDATE events SET standing = NOT standing
WHERE standing = (event_no IN (SELECT event_no FROM unstanding))
"""

_FINDINGS: Final = """
INSERT INTO findings
SELECT * EXCLUDE (change_no, transaction_no, change, change_id)
FROM finding_changes
QUALIFY change_no = max(change_no) OVER (PARTITION BY finding_id) AND change <> 'WITHDRAWN'
ORDER BY change_no
"""

_RESOLVED_IN: Final = """
UPDATE corrections SET resolved_in = greatest(corrections.transaction_no, target.transaction_no)
FROM events AS target
WHERE target.event_no = corrections.target_no
"""


def _count(table: str, condition: str = "true") -> str:
    return (
        f"SELECT transaction_no, count(*) AS number FROM {table} "  # noqa: S608 (constants only)
        f"WHERE transaction_no BETWEEN ? AND ? AND {condition} GROUP BY transaction_no"
    )


_ENTERED: Final = f"""
SELECT transaction_no, epoch_us(committed_at) AS micros, committed_at,
       coalesce(event.number, 0) AS events, redelivered,
       coalesce(conflict.number, 0) AS conflicts, coalesce(letter.number, 0) AS dead_letters,
       coalesce(change.number, 0) AS changes, coalesce(record.number, 0) AS records,
       findings, rounds, last_event_no
FROM (FROM sealed_transactions WHERE transaction_no BETWEEN ? AND ?)
LEFT JOIN ({_count("events")}) AS event USING (transaction_no)
LEFT JOIN ({_count("events", "NOT standing")}) AS conflict USING (transaction_no)
LEFT JOIN ({_count("dead_letters")}) AS letter USING (transaction_no)
LEFT JOIN ({_count("finding_changes")}) AS change USING (transaction_no)
LEFT JOIN ({_count("records")}) AS record USING (transaction_no)
ORDER BY transaction_no
"""  # noqa: S608 (constants only)

_TYPED: Final = (
    f"transaction_no, committed_at, {', '.join(COUNTED)}, findings, rounds, last_event_no, "
    "chain::UUID AS chain"
)
