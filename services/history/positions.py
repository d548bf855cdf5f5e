"""Where every partition of a topic goes on: kept with the events, moved on only from where it was.

What Kafka holds is for lag tools and fencing; a consumer goes on from here alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from services.history.errors import PositionMovedError
from services.history.store import History


@dataclass(frozen=True, slots=True)
class Position:
    """The next record of a partition."""

    topic: str
    topic_id: str
    """Tells a topic from another of that name made later; empty where the broker names none."""
    partition: int
    next_offset: int


def positions_of(history: History, topic: str) -> dict[int, Position]:
    """All that the history holds of a topic, by partition."""
    return {
        partition: Position(topic, topic_id, partition, next_offset)
        for topic_id, partition, next_offset in history.rows(
            "SELECT topic_id, partition_no, next_offset FROM positions WHERE topic = ?", [topic]
        )
    }


def begin_at(history: History, position: Position) -> None:
    """Within a transaction: take a partition on that the history never had."""
    assert history.transaction_no is not None, "a position is written within a transaction"
    held = positions_of(history, position.topic).get(position.partition)
    if held is not None:
        raise PositionMovedError(position.topic, position.partition, None, held.next_offset)
    history.run(
        "INSERT INTO positions VALUES (?, ?, ?, ?)",
        [position.topic, position.topic_id, position.partition, position.next_offset],
    )


def move_on(history: History, topic: str, moves: dict[int, tuple[int, int]]) -> None:
    """Within the transaction of the events: each partition from what was read to what is next.

    Raises:
        PositionMovedError: a partition is not where this reader believes; roll back.
    """
    assert history.transaction_no is not None, "a position is written within a transaction"
    if not moves:
        return
    ordered = sorted(moves.items())
    partitions = [partition for partition, _ in ordered]
    expected, next_offsets = zip(*(move for _, move in ordered), strict=True)
    rows = history.rows(_MOVE, [partitions, list(expected), list(next_offsets), topic])
    moved = {partition for (partition,) in rows}
    for partition, (before, _) in ordered:
        if partition not in moved:
            held = positions_of(history, topic).get(partition)
            at = None if held is None else held.next_offset
            raise PositionMovedError(topic, partition, before, at)


_MOVE: Final = """
UPDATE positions SET next_offset = move.next_offset
FROM (
    SELECT unnest(?::INTEGER[]) AS partition_no, unnest(?::BIGINT[]) AS expected,
           unnest(?::BIGINT[]) AS next_offset
) AS move
WHERE topic = ? AND positions.partition_no = move.partition_no
    AND positions.next_offset = move.expected
RETURNING positions.partition_no
"""
