"""Which part of tables' streams was judged: what is held of it is compared with what was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import pyarrow as pa

from services.history.store import History

TO_THE_END: Final = 2**63 - 1

FEW: Final = 64
"""So few scopes are lists in the statement, which cost less than a table of them."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What lies after one `seq` of a table, up to and including another."""

    table_id: str
    after_seq: int
    upto_seq: int = TO_THE_END


@dataclass(frozen=True, slots=True)
class Within:
    """SQL condition that a row of some table lies in one of the scopes."""

    scopes: Sequence[Scope]

    @classmethod
    def of(cls, history: History, scopes: Sequence[Scope]) -> Within:
        """For these scopes; many are kept in the temporary table `scopes`."""
        if len(scopes) > FEW:
            history.run(_TABLE)
            columns = {
                "table_id": pa.array([scope.table_id for scope in scopes], pa.string()),
                "after_seq": pa.array([scope.after_seq for scope in scopes], pa.int64()),
                "upto_seq": pa.array([scope.upto_seq for scope in scopes], pa.int64()),
            }
            history.insert("scopes", pa.table(columns))
        return cls(scopes)

    def condition(self, table: str, seq: str) -> str:
        """By the columns `table_id` and `seq` of that table."""
        scopes = "scopes" if len(self.scopes) > FEW else _LISTED
        return (
            f"EXISTS (FROM {scopes} WHERE scopes.table_id = {table}.table_id "
            f"AND {table}.{seq} > scopes.after_seq AND {table}.{seq} <= scopes.upto_seq)"
        )

    @property
    def values(self) -> list[object]:
        """Its parameters."""
        if len(self.scopes) > FEW:
            return []
        return [
            [scope.table_id for scope in self.scopes],
            [scope.after_seq for scope in self.scopes],
            [scope.upto_seq for scope in self.scopes],
        ]


_LISTED: Final = (
    "(SELECT unnest(?::VARCHAR[]) AS table_id, unnest(?::BIGINT[]) AS after_seq, "
    "unnest(?::BIGINT[]) AS upto_seq) AS scopes"
)

_TABLE: Final = (
    "CREATE OR REPLACE TEMP TABLE scopes (table_id VARCHAR, after_seq BIGINT, upto_seq BIGINT)"
)
