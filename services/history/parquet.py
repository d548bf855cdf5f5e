"""Stored tables in Parquet and back: the few types that Parquet does not have or does not keep."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from services.history.store import History

WIDE: Final = frozenset({"HUGEINT", "UHUGEINT"})
"""Whole numbers of 128 bits: Parquet would make floating ones of them."""


def stored(history: History, table: str) -> str:
    """SQL for the columns of a table as they are written to Parquet."""
    return ", ".join(
        f'"{name}"::DECIMAL(38, 0) AS "{name}"' if type_ in WIDE else f'"{name}"'
        for name, type_ in _columns(history, table)
    )


def read(history: History, table: str, files: Iterable[Path]) -> str:
    """SQL that selects the rows of a table from its files, with the types of the stored table."""
    columns = ", ".join(
        f'"{name}"::{type_} AS "{name}"' for name, type_ in _columns(history, table)
    )
    return f"SELECT {columns} FROM {scan(files)}"  # noqa: S608 (our own words and files)


def scan(files: Iterable[Path]) -> str:
    """SQL for the rows of files as they are: what their folders are called is not part of them."""
    listed = ", ".join(text(str(path)) for path in files)
    return f"read_parquet([{listed}], hive_partitioning = false)"


def text(value: str) -> str:
    """SQL for a text."""
    return "'" + value.replace("'", "''") + "'"


def _columns(history: History, table: str) -> list[tuple[str, str]]:
    return [(name, type_) for name, type_ in history.rows(_COLUMNS, [table])]


_COLUMNS: Final = """
SELECT column_name, data_type FROM duckdb_columns()
WHERE database_name = current_database() AND table_name = ?
ORDER BY column_index
"""
