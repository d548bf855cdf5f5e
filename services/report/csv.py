"""Findings as CSV: a row a finding, columns named and ordered as the keys of the JSON.

Several readings or event ids stand in one cell, a space between them. Dead letters are no findings
and have no rows; the command names them on standard error.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

from services.report.model import FINDING_KEYS, Report, finding_object


def csv_chunks(report: Report) -> Iterator[bytes]:
    """Header and rows, UTF-8, one line a row unless a text holds a line break."""
    yield _line(FINDING_KEYS)
    for row in report.findings:
        yield _line(_cell(value) for value in finding_object(row).values())


def _line(cells: Any) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue().encode("utf-8", "backslashreplace")


def _cell(value: Any) -> Any:
    return " ".join(value) if isinstance(value, list) else value
