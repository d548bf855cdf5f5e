"""The history's own records: what people, or the service itself, did to it, entered once for good.

A gap released, a day sealed, an alert cleared: no event says it, and nothing follows it from the
events, so it is kept as it was done: what, of which table, when, by whom, and whatever else belongs
to it as JSON. Records are under the chain of the transactions, are sealed and are rebuilt with it;
a new kind is a new word and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from services.history.head import digest_sums
from services.history.schema import RECORD_DIGEST
from services.history.store import History

GAP_RELEASED: Final = "gap_released"
"""Numbers that are missing hold no round any more; fields as the view `releases` has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One of them, as it is held."""

    record_no: int
    """From 1, in the order in which they were entered."""
    transaction_no: int
    kind: str
    table_id: str | None
    """None: it is of no one table."""
    at: datetime
    by: str
    fields: Mapping[str, Any]


def enter(
    history: History,
    kind: str,
    *,
    by: str,
    fields: Mapping[str, Any],
    table_id: str | None = None,
    at: datetime | None = None,
) -> int:
    """Within a transaction: enter a record; its number. `at` is now unless told."""
    number = history.transaction_no
    assert number is not None, "a record is entered within a transaction"
    record_no = history.count("SELECT coalesce(max(record_no), 0) + 1 FROM records")
    text = json.dumps(fields, ensure_ascii=False, sort_keys=True)
    values = [record_no, number, kind, table_id, at or datetime.now(UTC), by, text]
    entered = history.few(_ENTER, values)
    numbers = entered.column("record_no").to_numpy()
    history.add_digests(digest_sums(numbers, entered.column("digest").combine_chunks()))
    history.record(records=1)
    return record_no


def records_of(history: History, kind: str, *, after_no: int = 0) -> list[Record]:
    """All of a kind after a number, in order."""
    return [
        Record(
            record_no=record_no,
            transaction_no=transaction_no,
            kind=kind,
            table_id=table_id,
            at=at,
            by=by,
            fields=json.loads(text),
        )
        for record_no, transaction_no, table_id, at, by, text in history.rows(
            _OF_KIND, [kind, after_no]
        )
    ]


_ENTER: Final = f"""
INSERT INTO records
SELECT {RECORD_DIGEST} AS digest, *
FROM (
    SELECT ?::BIGINT AS record_no, ?::INTEGER AS transaction_no, ?::VARCHAR AS kind,
           ?::VARCHAR AS table_id, ?::TIMESTAMPTZ AS "at", ?::VARCHAR AS "by",
           ?::VARCHAR AS fields
)
RETURNING record_no, digest
"""  # noqa: S608 (constants only)

_OF_KIND: Final = """
SELECT record_no, transaction_no, table_id, "at", "by", fields
FROM records
WHERE kind = ? AND record_no > ?
ORDER BY record_no
"""
