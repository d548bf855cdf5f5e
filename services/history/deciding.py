"""What arrived before and what is in conflict: by sets over all events, or only where it may be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from services.history.live_index import ARRIVED, Arrived, arrived
from services.history.schema import digest_of_event
from services.history.snapshots import least_numbers
from services.history.store import History


def arrived_since(history: History, first_no: int) -> Arrived:
    """What has a number from `first_no` on."""
    return arrived(history.few(ARRIVED, [first_no]))


def find_suspects(
    history: History, first_no: int, new: Arrived, ids: Sequence[int], places: Sequence[int]
) -> None:
    """Make the temporary tables `redelivered` and `unstanding` out of rows that may be in them.

    `ids` are rows whose id may have come before, `places` rows whose (table, `seq`) may be taken.
    """
    rows = sorted({*ids, *places})
    from_no = min(least_numbers(history, [(new.table_ids[row], int(new.seq[row])) for row in rows]))
    names = [row[0] for row in history.rows(_IDS, [first_no, [int(new.event_no[r]) for r in ids]])]
    history.run(_SAME_SUSPECT.format(from_no=from_no), [names])
    if history.count("SELECT count(DISTINCT event_id) FROM same_id") < len(set(names)):
        history.run(_SAME_SUSPECT.format(from_no=0), [names])  # it came first at another place
    history.run(_REDELIVERED)
    asked = [[new.table_ids[row] for row in places], [int(new.seq[row]) for row in places]]
    history.run(_UNSTANDING_SUSPECT.format(from_no=from_no), asked)


def find_redelivered(history: History, first_no: int) -> None:
    """Make the temporary table `redelivered`: what arrived from `first_no` on, known before."""
    _among_arrived(history, _SAME_ID, _ARRIVED_ID, first_no)
    history.run(_REDELIVERED)


def find_unstanding(history: History, first_no: int) -> None:
    """Make the temporary table `unstanding`: later ones of an id or place that came again.

    To be called after `find_redelivered`.
    """
    _among_arrived(history, _UNSTANDING, _ARRIVED_PLACE, first_no)


def _among_arrived(history: History, sql: str, arrived: str, first_no: int) -> None:
    digest = digest_of_event(stored=history.stores_digests)
    if first_no == 1:
        history.run(sql.format(arrived="", digest=digest))
    else:
        history.run(sql.format(arrived=arrived, digest=digest), [first_no])


_ARRIVED_ID: Final = """
    SEMI JOIN (SELECT event_id FROM events WHERE event_no >= ?) AS arrived USING (event_id)"""

_SAME_ID: Final = """
CREATE OR REPLACE TEMP TABLE same_id AS
SELECT event_no, event_id, table_id, seq, {digest} AS digest
FROM events
SEMI JOIN (
    SELECT event_id
    FROM events {arrived}
    GROUP BY event_id
    HAVING count(*) > 1
) AS doubled USING (event_id)
"""

_REDELIVERED: Final = """
CREATE OR REPLACE TEMP TABLE redelivered AS
SELECT event_no, table_id, seq
FROM same_id
QUALIFY event_no > min(event_no) OVER (PARTITION BY event_id, digest)
"""

_ARRIVED_PLACE: Final = """
    SEMI JOIN (SELECT table_id, seq FROM events WHERE event_no >= ?) AS arrived
        USING (table_id, seq)"""

# The first to arrive of an id is never a redelivery, so the order of the two sets does not matter.
_UNSTANDING: Final = """
CREATE OR REPLACE TEMP TABLE unstanding AS
SELECT event_no
FROM same_id
ANTI JOIN redelivered USING (event_no)
QUALIFY event_no > min(event_no) OVER (PARTITION BY event_id)
UNION
SELECT event_no
FROM events
SEMI JOIN (
    SELECT table_id, seq
    FROM events {arrived}
    GROUP BY table_id, seq
    HAVING count(*) > 1
) AS doubled USING (table_id, seq)
QUALIFY event_no > min(event_no) OVER (PARTITION BY table_id, seq)
"""

_IDS: Final = """
SELECT DISTINCT event_id::VARCHAR FROM events
WHERE event_no >= ? AND event_no IN (SELECT unnest(?::BIGINT[]))
"""

_SAME_SUSPECT: Final = """
CREATE OR REPLACE TEMP TABLE same_id AS
SELECT event_no, event_id, table_id, seq, digest
FROM events
WHERE event_no >= {from_no} AND event_id IN (SELECT unnest(?::UUID[]))
QUALIFY count(*) OVER (PARTITION BY event_id) > 1
"""

_UNSTANDING_SUSPECT: Final = """
CREATE OR REPLACE TEMP TABLE unstanding AS
SELECT event_no
FROM same_id
ANTI JOIN redelivered USING (event_no)
QUALIFY event_no > min(event_no) OVER (PARTITION BY event_id)
UNION
SELECT event_no
FROM events
SEMI JOIN (SELECT unnest(?::VARCHAR[]) AS table_id, unnest(?::BIGINT[]) AS seq) AS suspect
    USING (table_id, seq)
WHERE event_no >= {from_no} AND event_no NOT IN (SELECT event_no FROM redelivered)
QUALIFY event_no > min(event_no) OVER (PARTITION BY table_id, seq)
"""
