"""What repeats parts of the events so that it is found without reading them, kept as they come.

Openings of tables and rounds, and corrections with the events that they name: small beside the
events. And the places at which a transaction changed the streams of tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from replay.vocabulary import EventKind
from services.history.live_index import Arrived, LiveIndex
from services.history.snapshots import least_numbers
from services.history.store import History

Changed = Mapping[str, Sequence[int]]
"""Table -> `seq` of places at which its stream is not what it was, ascending, the lowest among
them; of those between two kept states one is enough."""


def keep_marks(history: History, first_no: int) -> list[tuple[str, int]]:
    """Mark what arrived from `first_no` on; the places that corrections change elsewhere.

    To be called when it is decided what stands.
    """
    history.run(_KEEP_TABLE_OPENINGS, [first_no])
    history.run(_KEEP_ROUND_OPENINGS, [first_no])
    new = history.run(_CORRECTIONS, [first_no])
    if not history.count(_WAITING):
        return []
    return _resolved(history, None if new else first_no)


def keep_new_marks(
    history: History, first_no: int, new: Arrived, index: LiveIndex
) -> list[tuple[str, int]]:
    """The same for few events, looking for what corrections name where it should be."""
    if new.of_kind(EventKind.TABLE_OPENED):
        history.run(_KEEP_TABLE_OPENINGS, [first_no])
    if new.of_kind(EventKind.ROUND_OPENED):
        history.run(_KEEP_ROUND_OPENINGS, [first_no])
    changed: list[tuple[str, int]] = []
    if history.count(_WAITING):
        changed += _resolved(history, first_no)
    corrections = [row for kind in _CORRECTING for row in new.of_kind(kind)]
    if not corrections:
        return changed
    history.run(_CORRECTIONS, [first_no])
    rounds = [(new.table_ids[row], str(new.round_ids[row])) for row in corrections]
    _, seqs = index.openings(rounds)
    opened = [(table_id, int(seq)) for (table_id, _), seq in zip(rounds, seqs, strict=True)]
    changed += _resolved(history, min(least_numbers(history, opened)))
    if history.count(_WAITING + " AND event_no >= ?", [first_no]):
        changed += _resolved(history, None)
    return changed


def _resolved(history: History, from_no: int | None) -> list[tuple[str, int]]:
    """Find what waiting corrections name among events (None: all); the places of both."""
    if from_no is None:
        history.run(_RESOLVED)
    else:
        history.run(_RESOLVED + " AND target.event_no >= ?", [from_no])
    found = history.rows(_PLACES)
    if found:
        history.run(_RESOLVE, [history.transaction_no])
    return [(table_id, seq) for table_id, *seqs in found for seq in seqs]


def changed_places(
    history: History, first_no: int, more: Iterable[tuple[str, int]] = ()
) -> Changed:
    """Where the events that arrived from `first_no` on, and `more` places, change the streams."""
    kept = history.rows("SELECT 1 FROM table_states LIMIT 1")
    found = history.rows(_CHANGED if kept else _LOWEST, [first_no])
    return gathered([*found, *more])


def gathered(places: Iterable[tuple[str, int]]) -> Changed:
    """Places (table, `seq`) by table."""
    found: dict[str, set[int]] = {}
    for table_id, seq in places:
        found.setdefault(table_id, set()).add(seq)
    return {table_id: sorted(seqs) for table_id, seqs in sorted(found.items())}


TABLE_OPENINGS: Final = """
SELECT event_no, transaction_no, standing, table_id, seq, game, gaming_day, spots, paytables,
       minimum_cents, maximum_cents, house_way
FROM events
WHERE kind = 'TableOpened'
"""
"""What `table_openings` repeats of the events."""

ROUND_OPENINGS: Final = """
SELECT event_no, transaction_no, table_id, seq, round_id
FROM events
WHERE kind = 'RoundOpened' AND standing
"""
"""What `round_openings` repeats of the events."""

_KEEP_TABLE_OPENINGS: Final = f"INSERT INTO table_openings {TABLE_OPENINGS} AND event_no >= ?"
_KEEP_ROUND_OPENINGS: Final = f"INSERT INTO round_openings {ROUND_OPENINGS} AND event_no >= ?"

_CORRECTION: Final = (
    "event_no, transaction_no, standing, kind, table_id, seq, round_id, occurred_at, card_code, "
    "outcome, paid_cents, corrects"
)
_CORRECTING_KINDS: Final = "kind IN ('CardCorrected', 'PayoutCorrected')"
_CORRECTIONS: Final = f"""
INSERT INTO corrections
SELECT {_CORRECTION}, NULL, NULL, NULL
FROM events
WHERE event_no >= ? AND {_CORRECTING_KINDS}
"""  # noqa: S608 (constants only)

REPEATED: Final = (
    ("table_openings", "FROM table_openings", TABLE_OPENINGS),
    ("round_openings", "FROM round_openings", ROUND_OPENINGS),
    (
        "corrections",
        f"SELECT {_CORRECTION} FROM corrections",  # noqa: S608 (constants only)
        f"SELECT {_CORRECTION} FROM events WHERE {_CORRECTING_KINDS}",  # noqa: S608
    ),
)
"""Tables that repeat what events say, what they have of it, and what the events say."""

# A correction names by event_id: of the contents under that id the one that stands is meant.
_RESOLVED: Final = """
CREATE OR REPLACE TEMP TABLE resolved AS
SELECT correction.event_no, correction.table_id, correction.seq,
       target.event_no AS target_no, target.seq AS target_seq
FROM (FROM corrections WHERE target_no IS NULL) AS correction
JOIN events AS target
    ON target.event_id = correction.corrects
    AND target.table_id = correction.table_id
    AND target.round_id = correction.round_id
WHERE target.standing
    AND target.kind = CASE correction.kind
        WHEN 'CardCorrected' THEN 'CardDealt'::kind_word ELSE 'WagerSettled'::kind_word END
"""

_WAITING: Final = "SELECT count(*) FROM corrections WHERE target_no IS NULL"

_CORRECTING: Final = (EventKind.CARD_CORRECTED, EventKind.PAYOUT_CORRECTED)

_PLACES: Final = "SELECT table_id, seq, target_seq FROM resolved"

_RESOLVE: Final = """
UPDATE corrections SET target_no = resolved.target_no, target_seq = resolved.target_seq,
    resolved_in = ?
FROM resolved
WHERE corrections.event_no = resolved.event_no
"""

_LOWEST: Final = """
SELECT table_id, min(seq) FROM events WHERE event_no >= ? GROUP BY table_id
"""

# One place for each part of a stream between two kept states is enough to have it judged again.
_CHANGED: Final = """
SELECT arrived.table_id, min(arrived.seq)
FROM (SELECT table_id, seq FROM events WHERE event_no >= ?) AS arrived
ASOF LEFT JOIN table_states AS kept
    ON arrived.table_id = kept.table_id AND arrived.seq >= kept.seq
GROUP BY arrived.table_id, kept.seq
"""
