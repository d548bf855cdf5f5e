"""The lines of the statistical report as CSV, columns named and ordered as the keys of the JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from services.statistics.model import COLUMNS, Statistics


def csv_chunks(report: Statistics) -> Iterator[bytes]:
    """Header and rows, UTF-8. Several notes stand in one cell, a space between them."""
    yield csv_row(COLUMNS)
    for line in report.lines:
        yield csv_row(_cell(value) for value in msgspec.to_builtins(line).values())


def csv_row(cells: Iterable[Any]) -> bytes:
    """One line of CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue().encode("utf-8", "backslashreplace")


def _cell(value: Any) -> Any:
    return " ".join(value) if isinstance(value, list | tuple) else value
