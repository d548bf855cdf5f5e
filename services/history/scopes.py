"""Which part of tables' streams was judged: what is held of it is compared with what was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import pyarrow as pa

from services.history.store import History

TO_THE_END: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Scope:
    """What lies after one `seq` of a table, up to and including another."""

    table_id: str
    after_seq: int
    upto_seq: int = TO_THE_END


def set_scopes(history: History, scopes: Sequence[Scope]) -> None:
    """Make the temporary table that the condition `WITHIN` is about."""
    history.run(
        "CREATE OR REPLACE TEMP TABLE scopes (table_id VARCHAR, after_seq BIGINT, upto_seq BIGINT)"
    )
    rows = pa.table(
        {
            "table_id": pa.array([scope.table_id for scope in scopes], pa.string()),
            "after_seq": pa.array([scope.after_seq for scope in scopes], pa.int64()),
            "upto_seq": pa.array([scope.upto_seq for scope in scopes], pa.int64()),
        }
    )
    history.insert("scopes", rows)


def within(table: str, seq: str) -> str:
    """SQL condition: a row of that table lies in a scope by that column."""
    return (
        f"EXISTS (FROM scopes WHERE scopes.table_id = {table}.table_id "
        f"AND {table}.{seq} > scopes.after_seq AND {table}.{seq} <= scopes.upto_seq)"
    )
