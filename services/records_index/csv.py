"""The index of computer records as CSV: a row a column of each record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from services.csv_rows import csv_row
from services.records_index.model import RecordsIndex

COLUMNS: Final = ("kind", "record", "from", "to", "rows", "digest", "column", "type", "meaning")


def csv_chunks(index: RecordsIndex) -> Iterator[bytes]:
    """Header and rows, UTF-8; what is said of a record stands in each of its rows."""
    yield csv_row(COLUMNS)
    for record in index.records:
        days = (record.first_day, record.last_day)
        said = (record.kind.value, record.name, *days, record.rows, record.digest)
        for column in record.columns:
            yield csv_row((*said, column.name, column.type, column.meaning))
