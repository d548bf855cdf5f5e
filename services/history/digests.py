"""One digest over all events, one over all current findings.

Each is SHA-256 over what every row contributes, in the order of the contract; rows stream, so
memory is bounded. They depend on the contents alone: not on carrier, arrival, batches or threads.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Final

import numpy as np
import pyarrow as pa

from services.history.schema import PRINTED_FINDING, digest_of_event, spelled
from services.history.store import History

_BATCH_ROWS: Final = 100_000


def events_digest(history: History) -> str:
    """Over the events kept, by table, `seq` and arrival: 16 bytes each, and whether it stands.

    Whether it stands is there for two contents under one id at different places: which of them came
    first shows in nothing else. Behind the events follow the gaps that were released.
    """
    running = sha256()
    events = _EVENTS.format(digest=digest_of_event(stored=history.stores_digests))
    for batch in history.stream(events, batch_rows=_BATCH_ROWS):
        if batch.num_rows:
            digest = np.frombuffer(
                batch.column("digest").buffers()[1],
                dtype=np.uint8,
                offset=16 * batch.column("digest").offset,
                count=16 * batch.num_rows,
            ).reshape(-1, 16)
            standing = batch.column("standing").to_numpy(zero_copy_only=False).reshape(-1, 1)
            running.update(np.hstack([digest, standing]).tobytes())
    for release in history.rows(_RELEASES):
        running.update(repr(release).encode())
    return running.hexdigest()


_RELEASES: Final = """
SELECT DISTINCT table_id, first_missing_seq, last_missing_seq FROM releases ORDER BY ALL
"""


_EVENTS: Final = """
SELECT {digest} AS digest, standing::UTINYINT AS standing
FROM events
ORDER BY table_id, seq, event_no
"""


def findings_digest(history: History) -> str:
    """Over the current findings by `finding_id`: all that is printed of them but the message."""
    return digest_of_rows(history.stream(_FINDINGS, batch_rows=_BATCH_ROWS))


def digest_of_rows(batches: Iterable[pa.RecordBatch]) -> str:
    """Over the column `row_digest`, hexadecimal, in the order in which the rows come."""
    running = sha256()
    for batch in batches:
        for row in batch.column("row_digest").to_pylist():
            running.update(bytes.fromhex(row))
    return running.hexdigest()


_FINDINGS: Final = f"""
WITH shown AS (
    SELECT finding_id, string_agg(coalesce(event_id::VARCHAR, '?'), ',' ORDER BY ordinal) AS ids
    FROM finding_events
    LEFT JOIN events USING (event_no)
    GROUP BY finding_id
)
SELECT sha256(concat({spelled(PRINTED_FINDING)}, ids)) AS row_digest
FROM findings
LEFT JOIN shown USING (finding_id)
ORDER BY finding_id
"""  # noqa: S608 (constants only)
