"""Findings as CSV: a row a finding, columns named and ordered as the keys of the JSON.

Several readings or event ids stand in one cell, a space between them. Dead letters are no findings
and have no rows; the command names them on standard error.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Any

from services.report.model import FINDING_KEYS, Report, finding_object


def csv_chunks(report: Report) -> Iterator[bytes]:
    """Header and rows, UTF-8, one line a row unless a text holds a line break."""
    yield csv_line(FINDING_KEYS)
    for row in report.findings:
        yield csv_line(csv_cell(value) for value in finding_object(row).values())


def csv_line(cells: Iterable[Any]) -> bytes:
    """One row."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue().encode("utf-8", "backslashreplace")


def csv_cell(value: Any) -> Any:
    """A value as it stands in a cell."""
    return " ".join(value) if isinstance(value, list) else value
