"""Findings as CSV: a row a finding, columns named and ordered as the keys of the JSON.

Several readings or event ids stand in one cell, a space between them. Dead letters are no findings
and have no rows; the command names them on standard error.
"""

from __future__ import annotations

from collections.abc import Iterator

from services.csv_rows import csv_cell, csv_row
from services.report.model import FINDING_KEYS, Report, finding_object


def csv_chunks(report: Report) -> Iterator[bytes]:
    """Header and rows, UTF-8, one line a row unless a text holds a line break."""
    yield csv_row(FINDING_KEYS)
    for row in report.findings:
        yield csv_row(csv_cell(value) for value in finding_object(row).values())
