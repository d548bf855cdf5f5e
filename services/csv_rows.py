"""Rows as CSV: UTF-8 with one line feed behind each, the same from every command."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any


def csv_row(cells: Iterable[Any]) -> bytes:
    """One row."""
    return csv_rows([cells])


def csv_rows(rows: Iterable[Iterable[Any]]) -> bytes:
    """Some rows, the header among them; what is no character in UTF-8 is spelled out."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode("utf-8", "backslashreplace")


def csv_cell(value: Any) -> Any:
    """A value as it stands in a cell: of several a space between them."""
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else value
