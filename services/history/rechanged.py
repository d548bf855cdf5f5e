"""Wagers of which another amount would be due, kept beside a history until all are there.

There may be as many as there are wagers, so they lie in a temporary table and come out in order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from services.history.store import History


@dataclass(frozen=True, slots=True)
class Rechanged:
    """Takes wagers as they are found, then gives them by table, round, spot and bet."""

    history: History

    def __post_init__(self) -> None:
        """Nothing is there yet."""
        self.history.run(_MADE)

    def add(self, rows: pa.Table) -> None:
        """Take some in."""
        self.history.insert("rechanged", rows)

    def rows(self, limit: int | None = None) -> Iterator[dict[str, Any]]:
        """Each with its table, round, bet, player and what is due; the first so many, or all.

        Nothing else may be asked of the history meanwhile.
        """
        for batch in self.history.stream(_IN_ORDER + ("" if limit is None else f" LIMIT {limit}")):
            yield from batch.to_pylist()

    def round_count(self) -> int:
        """How many rounds they are of."""
        return self.history.count(_ROUNDS)


_MADE: Final = """
CREATE OR REPLACE TEMP TABLE rechanged (
    table_id VARCHAR NOT NULL,
    opened_seq BIGINT NOT NULL,
    round_id VARCHAR NOT NULL,
    spot INTEGER NOT NULL,
    hand UTINYINT NOT NULL,
    wager VARCHAR NOT NULL,
    bettor VARCHAR NOT NULL,
    player_id VARCHAR,
    expected_cents BIGINT,
    what_if_cents BIGINT
)
"""

_IN_ORDER: Final = """
SELECT table_id, round_id, spot, hand, wager, bettor, player_id, expected_cents, what_if_cents
FROM rechanged
ORDER BY table_id, opened_seq, spot, hand, wager, bettor
"""

_ROUNDS: Final = "SELECT count(*) FROM (SELECT DISTINCT table_id, opened_seq FROM rechanged)"
