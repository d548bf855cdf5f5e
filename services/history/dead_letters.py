"""What could not be read, kept with its bytes; a letter from the same place is the same one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, Final

import pyarrow as pa

from services.decode.batch import DeadLetter, TopicDeadLetter
from services.history.store import History


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptLetter:
    """A dead letter as the history holds it."""

    letter_no: int
    source: str
    position: int
    last_position: int | None
    """Of a batch that is lost as a whole: its last offset."""
    error: str
    raw: bytes
    sent_at: datetime | None
    key: bytes | None
    tombstone: bool
    redriven_in: int | None
    """The transaction in which its events came in after all."""


def bury(history: History, letters: Sequence[DeadLetter]) -> int:
    """Within a transaction: keep dead letters; how many of them the history did not hold."""
    if not letters:
        return 0
    assert history.transaction_no is not None, "dead letters are kept within a transaction"
    rows = [_row(number, letter) for number, letter in enumerate(letters)]
    history.run("CREATE OR REPLACE TEMP TABLE dead AS SELECT * FROM dead_letters LIMIT 0")
    history.insert("dead", pa.Table.from_pylist(rows, schema=_SCHEMA), _typed(history))
    return history.run(_BURY)


def letters_of(
    history: History,
    *,
    after_no: int = 0,
    source: str | None = None,
    error_part: str | None = None,
    waiting_only: bool = False,
    limit: int | None = None,
) -> list[KeptLetter]:
    """Dead letters in the order of their arrival: all, or those that fit.

    `waiting_only` leaves out those whose events came in after all.
    """
    found = history.rows(
        _LETTERS + ("" if limit is None else f" LIMIT {int(limit)}"),
        [after_no, source, source, error_part, error_part, waiting_only],
    )
    return [KeptLetter(**dict(zip(KeptLetter.__slots__, row, strict=True))) for row in found]


def mark_redriven(history: History, letter_nos: Sequence[int]) -> None:
    """Within a transaction that holds their events: these letters are dead no more."""
    assert history.transaction_no is not None, "letters are marked within a transaction"
    history.run(
        "UPDATE dead_letters SET redriven_in = ? WHERE letter_no IN (SELECT unnest(?::BIGINT[]))",
        [history.transaction_no, list(letter_nos)],
    )


def _row(number: int, letter: DeadLetter) -> dict[str, Any]:
    of_topic = letter if isinstance(letter, TopicDeadLetter) else None
    return {
        "number": number,
        "source": letter.source,
        "position": letter.position,
        "error": letter.error,
        "bytes": letter.raw,
        "digest": sha256(letter.raw).hexdigest(),
        "last_position": of_topic.last_position if of_topic else None,
        "sent_micros": of_topic.sent_micros if of_topic else None,
        "key": of_topic.key if of_topic else None,
        "tombstone": of_topic.tombstone if of_topic else False,
    }


_SCHEMA: Final = pa.schema(
    [
        ("number", pa.int64()),
        ("source", pa.string()),
        ("position", pa.int64()),
        ("error", pa.string()),
        ("bytes", pa.binary()),
        ("digest", pa.string()),
        ("last_position", pa.int64()),
        ("sent_micros", pa.int64()),
        ("key", pa.binary()),
        ("tombstone", pa.bool_()),
    ]
)


def _typed(history: History) -> str:
    return (
        f'number, {history.transaction_no}, source, "position", error, bytes, digest, '
        "last_position, make_timestamptz(sent_micros), key, tombstone, NULL"
    )


# A letter that came twice in one transaction is kept as it came first.
_BURY: Final = """
INSERT INTO dead_letters
SELECT * REPLACE (
    (SELECT coalesce(max(letter_no), 0) FROM dead_letters)
    + row_number() OVER (ORDER BY letter_no) AS letter_no
)
FROM (
    SELECT * FROM dead
    QUALIFY row_number() OVER (PARTITION BY source, "position", digest ORDER BY letter_no) = 1
)
ANTI JOIN dead_letters USING (source, "position", digest)
"""

_LETTERS: Final = """
SELECT letter_no, source, "position", last_position, error, bytes, sent_at, key, tombstone,
       redriven_in
FROM dead_letters
WHERE letter_no > ?
    AND (?::VARCHAR IS NULL OR source = ?)
    AND (?::VARCHAR IS NULL OR contains(error, ?))
    AND NOT (?::BOOLEAN AND redriven_in IS NOT NULL)
ORDER BY letter_no
"""
