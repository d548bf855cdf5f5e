"""Findings computed again, held against those that a history keeps.

Computed ones come as rows, as many as there are, and lie beside the history in temporary tables of
the connection; nothing is written to the history itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pyarrow as pa

from services.history.digests import digest_of_rows
from services.history.schema import PRINTED_FINDING, spelled
from services.history.store import History
from services.history.verdicts import FINDING_PROJECTION, PLACED

Selection = tuple[str, Sequence[object]]
"""SQL over table_id, gaming_day and game, and its parameters."""


@dataclass(slots=True)
class Recomputed:
    """Takes computed findings, then tells in what they differ from those kept."""

    history: History
    selection: Selection
    """Which findings are looked at, of both."""
    _begun: bool = field(default=False, init=False)

    def add(self, rows: pa.Table) -> None:
        """Take findings, as `finding_rows` gives them."""
        self._begin()
        self.history.insert("judged", rows, FINDING_PROJECTION)

    def compare(self) -> None:
        """Once all were taken."""
        self._begin()
        where, values = self.selection
        history = self.history
        history.run(PLACED)
        history.run(_CHOSEN.format(where=where), [*values, *values])
        history.run(_SHOWN_EVENTS)
        history.run(_COMPARED)

    def digest(self) -> str:
        """Of the computed ones, as `findings_digest` does it for those kept."""
        return digest_of_rows(self.history.stream(_DIGESTS))

    def difference_count(self) -> int:
        """How many there are."""
        return self.history.count(_COUNT)

    def differences(self, columns: str) -> Iterator[tuple[Any, ...]]:
        """`kept` or `computed`, the ids of its events, and these columns of each finding.

        By finding, the kept one first. Nothing else may be asked of the history meanwhile.
        """
        for batch in self.history.stream(_DIFFERENCES.format(columns=columns)):
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)

    def _begin(self) -> None:
        if not self._begun:
            self.history.run("CREATE OR REPLACE TEMP TABLE judged AS FROM findings LIMIT 0")
            self._begun = True


_CHOSEN: Final = """
CREATE OR REPLACE TEMP TABLE chosen AS
SELECT row_number() OVER () AS number, *
FROM (
    SELECT 'kept' AS side, * FROM findings WHERE {where}
    UNION ALL
    SELECT 'computed' AS side, * FROM placed WHERE {where}
)
"""

_SHOWN_EVENTS: Final = """
CREATE OR REPLACE TEMP TABLE shown_events AS
SELECT event_no, event_id
FROM events
SEMI JOIN (SELECT DISTINCT unnest(event_nos) AS event_no FROM chosen) USING (event_no)
"""

_COMPARED: Final = f"""
CREATE OR REPLACE TEMP TABLE compared AS
WITH listed AS (
    SELECT number, unnest(range(1, len(event_nos) + 1)) AS ordinal, unnest(event_nos) AS event_no
    FROM chosen
),
shown AS (
    SELECT number,
           string_agg(coalesce(event_id::VARCHAR, '?'), ',' ORDER BY ordinal) AS ids,
           list(event_id::VARCHAR ORDER BY ordinal) AS event_ids
    FROM listed
    LEFT JOIN shown_events USING (event_no)
    GROUP BY number
),
spelled AS (
    SELECT side, sha256(concat({spelled(PRINTED_FINDING)}, ids)) AS row_digest,
           coalesce(event_ids, []) AS event_ids, chosen.*
    FROM chosen
    LEFT JOIN shown USING (number)
)
SELECT *, row_number() OVER (PARTITION BY side, finding_id, row_digest) AS copy
FROM spelled
"""  # noqa: S608 (constants only)

_DIGESTS: Final = """
SELECT row_digest FROM compared WHERE side = 'computed' ORDER BY finding_id, row_digest
"""

_DIFFERING: Final = """
FROM compared AS one
WHERE NOT EXISTS (
    FROM compared AS other
    WHERE one.side <> other.side AND one.finding_id = other.finding_id
        AND one.row_digest = other.row_digest AND one.copy = other.copy
)
"""

_COUNT: Final = f"SELECT count(*) {_DIFFERING}"

_DIFFERENCES: Final = f"""
SELECT side, event_ids, {{columns}}
{_DIFFERING}
ORDER BY finding_id, side DESC, row_digest
"""
