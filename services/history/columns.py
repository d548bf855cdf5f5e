"""Stored events as the engine's columns: what is asked of DuckDB, and what becomes of the answer.

DuckDB hands out numbers without nulls, so that each column is a NumPy view of the Arrow buffer;
names come as text and are numbered here, for one stretch at a time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pyarrow as pa

from replay.events import NO_INDEX, EventColumns, Int32s, Int64s, TableOpening
from replay.vocabulary import CARD_BAD, CARD_UNREAD, EventKind
from services.arrow import numbered
from services.history.lookups import KEPT_NONE, LiveRoundOpenings, RoundOpenings, Targets


def _code(name: str) -> str:
    return f'coalesce(enum_code("{name}"), 0)::UTINYINT AS "{name}"'


EVENT_COLUMNS: Final = ", ".join(
    [
        "event_no",
        "standing::UTINYINT AS standing",
        _code("kind"),
        "table_id",
        "seq",
        "epoch_us(occurred_at) AS at_micros",
        "round_id",
        "coalesce(spot, 0) AS spot",
        "coalesce(hand, 0)::UTINYINT AS hand",
        _code("wager"),
        _code("bettor"),
        "coalesce(amount_cents, paid_cents, 0) AS amount_cents",
        "player_id",
        _code("place"),
        f"coalesce(card_code, {CARD_UNREAD})::UTINYINT AS card",
        "CASE WHEN places IS NULL THEN 0 ELSE coalesce(list_bit_or(list_transform("
        "places, lambda p: 1::USMALLINT << enum_code(p))), 0) END::USMALLINT AS places",
        _code("decision"),
        f"coalesce(kept, {KEPT_NONE})::UINTEGER AS kept",
        "coalesce(kept_count, 0) AS kept_count",
        "coalesce(kept_bad, false)::UTINYINT AS kept_bad",
        _code("outcome"),
        _code("reason"),
        "shoe_id",
        "coalesce(decks, 0) AS decks",
        "dealer_id",
        f"CASE WHEN card_code = {CARD_BAD} THEN card WHEN kept_bad THEN array_to_string(cards, ' ')"
        " END AS bad_card",
    ]
)
"""SQL that selects from `events` what `event_columns` takes."""


def event_columns(
    rows: pa.Table,
    openings: Mapping[int, TableOpening],
    round_openings: RoundOpenings | LiveRoundOpenings,
    targets: Targets,
) -> EventColumns:
    """Rows of EVENT_COLUMNS, sorted by (table, seq, arrival), as the engine's columns."""
    rows = rows.combine_chunks()
    event_no, kind = _numbers(rows, "event_no"), _numbers(rows, "kind")
    table, table_ids = _numbered(rows, "table_id")
    round_, round_ids, round_table = _numbered_at_tables(rows, "round_id", table)
    shoe, shoe_ids, _ = _numbered_at_tables(rows, "shoe_id", table)
    player, player_ids = _numbered(rows, "player_id")
    dealer, dealer_ids = _numbered(rows, "dealer_id")
    opened = event_no[kind == EventKind.TABLE_OPENED].tolist()
    same_names = {
        name: _numbers(rows, name)
        for name in (
            *("seq", "at_micros", "spot", "hand", "wager", "bettor", "amount_cents", "place"),
            *("card", "places", "decision", "kept", "kept_count", "outcome", "reason", "decks"),
        )
    }
    standing = _numbers(rows, "standing").view(np.bool_)
    begun = np.flatnonzero((kind == EventKind.ROUND_OPENED) & standing)[::-1]
    opened_seq = np.zeros(len(round_ids), dtype=np.int64)
    opened_seq[round_[begun]] = same_names["seq"][begun]  # the first of a round is written last
    return EventColumns(
        event_no=event_no,
        standing=standing,
        kind=kind,
        table=table,
        round=round_,
        player=player,
        kept_bad=_numbers(rows, "kept_bad").view(np.bool_),
        shoe=shoe,
        corrects=targets.of(event_no, kind),
        dealer=dealer,
        table_ids=table_ids,
        round_ids=round_ids,
        round_opened_seq=round_openings.first_seq(opened_seq, round_table, round_ids, table_ids),
        shoe_ids=shoe_ids,
        player_ids=player_ids,
        dealer_ids=dealer_ids,
        openings={number: openings[number] for number in opened},
        bad_cards=_bad_cards(rows, event_no),
        **same_names,
    )


def _bad_cards(rows: pa.Table, event_no: Int64s) -> dict[int, str]:
    """What was named instead of a card, which is rare."""
    named = rows.column("bad_card")
    if named.null_count == len(named):
        return {}
    texts = enumerate(named.to_pylist())
    return {int(event_no[row]): text for row, text in texts if text is not None}


def _numbers(rows: pa.Table, name: str) -> Any:
    """A column without nulls as a view of its Arrow buffer."""
    column = rows.column(name)
    assert column.null_count == 0, name
    if column.num_chunks == 0:
        return np.empty(0, dtype=column.type.to_pandas_dtype())
    return column.chunk(0).to_numpy(zero_copy_only=True)


def _numbered(rows: pa.Table, name: str) -> tuple[Int32s, tuple[str, ...]]:
    """Names as numbers in the order of their first appearance; NO_INDEX for null."""
    column = rows.column(name)
    if column.num_chunks == 0:
        return np.empty(0, dtype=np.int32), ()
    numbers, names = numbered(column.chunk(0))
    return numbers, tuple(names)


def _numbered_at_tables(
    rows: pa.Table, name: str, table: Int32s
) -> tuple[Int32s, tuple[str, ...], Int32s]:
    """Names that are unique at their table only: one number a (table, name); the table of each."""
    numbers, names = _numbered(rows, name)
    named = np.flatnonzero(numbers != NO_INDEX)
    own_table = np.zeros(len(names), dtype=np.int32)
    own_table[numbers[named]] = table[named]
    if np.array_equal(own_table[numbers[named]], table[named]):
        return numbers, names, own_table  # nearly always: no name is at two tables of a stretch
    pair = table[named].astype(np.int64) * len(names) + numbers[named]
    pairs, renumbered = np.unique(pair, return_inverse=True)
    numbers = numbers.copy()
    numbers[named] = renumbered
    own_table = (pairs // len(names)).astype(np.int32)
    return numbers, tuple(names[number] for number in (pairs % len(names)).tolist()), own_table
