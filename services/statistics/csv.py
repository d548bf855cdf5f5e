"""The lines of the statistical report as CSV, columns named and ordered as the keys of the JSON."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from services.csv_rows import csv_cell, csv_row
from services.statistics.model import COLUMNS, Statistics


def csv_chunks(report: Statistics) -> Iterator[bytes]:
    """Header and rows, UTF-8. Several notes stand in one cell, a space between them."""
    yield csv_row(COLUMNS)
    for line in report.lines:
        yield csv_row(map(csv_cell, msgspec.to_builtins(line).values()))
