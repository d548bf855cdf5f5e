"""An answer in rows, written as it comes: JSON, CSV, a table for people, Parquet.

The database itself spells each value, so that Python touches a row only to hand it on: a million
rows are written in a few seconds. Times are UTC with a Z, local ones without; bytes are hex digits;
decimals keep every digit.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, BinaryIO, Final

if TYPE_CHECKING:
    import duckdb

BATCH_ROWS: Final = 1_000
CELL_WIDTH_MAX: Final = 60

_WHOLE: Final = frozenset(
    "TINYINT SMALLINT INTEGER BIGINT HUGEINT UTINYINT USMALLINT UINTEGER UBIGINT UHUGEINT".split()
)
_FLOATING: Final = frozenset({"FLOAT", "DOUBLE"})
_LOCAL_TIMES: Final = frozenset(
    {"TIMESTAMP", "TIMESTAMP_NS", "TIMESTAMP_MS", "TIMESTAMP_S", "TIMESTAMP_US"}
)
_SECONDS: Final = {"table": ""}  # of a second, people see no parts
_SEPARATOR: Final = {"table": " "}


@dataclass(frozen=True, slots=True)
class Layout:
    """How an answer is written: `json`, `csv`, `table` or `parquet`, and how many rows of it."""

    form: str
    limit: int
    width: int = 100


@dataclass(frozen=True, slots=True)
class Question:
    """A checked SELECT, and the columns that it gives: names as written, types as text."""

    text: str
    names: tuple[str, ...]
    types: tuple[str, ...]

    def select(self, shown: Sequence[str], limit: int) -> str:
        """SQL for expressions over its columns, `c0`, `c1` and so on, up to a number of rows."""
        names = ", ".join(f"c{i}" for i in range(len(self.names)))
        return (
            f"SELECT {', '.join(shown)} FROM (\n{self.text}\n) AS answer({names}) "  # noqa: S608
            f"LIMIT {limit}"
        )


def write(
    connection: duckdb.DuckDBPyConnection, question: Question, layout: Layout, file: BinaryIO
) -> tuple[int, bool]:
    """Write at most `limit` rows: how many, and whether there are more."""
    if layout.form == "parquet":
        return _write_parquet(connection, question, layout.limit, file)
    rows = _Rows(connection, question, layout)
    for chunk in {"json": _json, "csv": _csv, "table": _table}[layout.form](question, rows):
        file.write(chunk)
    return rows.count, rows.truncated


class _Rows:
    """Rows of text in batches, up to a limit; then `count`, and whether one more was there."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, question: Question, layout: Layout
    ) -> None:
        spelled = [spelling(f"c{i}", type_, layout.form) for i, type_ in enumerate(question.types)]
        if layout.form == "json":
            parts = [f"coalesce({one}, 'null')" for one in spelled]
            spelled = [f"concat('[', concat_ws(', ', {', '.join(parts)}), ']')"]
        self._answer = connection.execute(question.select(spelled, layout.limit + 1))
        self._limit = layout.limit
        self.count, self.truncated = 0, False

    def __iter__(self) -> Iterator[list[tuple[str | None, ...]]]:
        while batch := self._answer.fetchmany(BATCH_ROWS):
            room = self._limit - self.count
            self.truncated = len(batch) > room
            self.count += min(len(batch), room)
            yield batch[:room]
            if self.truncated:
                return


def spelling(name: str, type_: str, form: str) -> str:
    """SQL for the text of a column; null stays null."""
    text, quoted = _unquoted(name, type_, form)
    return f"to_json({text})::VARCHAR" if quoted and form == "json" else text


def _unquoted(name: str, type_: str, form: str) -> tuple[str, bool]:
    """SQL for the bare text, and whether it is a string in JSON."""
    fraction, between = _SECONDS.get(form, ".%f"), _SEPARATOR.get(form, "T")
    moment = f"%Y-%m-%d{between}%H:%M:%S{fraction}"
    if type_ in _WHOLE or type_ == "BOOLEAN" or type_.startswith("DECIMAL"):
        return f"{name}::VARCHAR", False
    if type_ in _FLOATING:
        return f"CASE WHEN isfinite({name}) THEN to_json({name})::VARCHAR END", False
    if type_ in ("TIMESTAMP WITH TIME ZONE", "TIMESTAMP_NS WITH TIME ZONE"):
        return f"strftime({name}, '{moment}Z')", True
    if type_ in _LOCAL_TIMES:
        return f"strftime({name}::TIMESTAMP, '{moment}')", True
    if type_ == "BLOB":
        return f"lower(hex({name}))", True
    if type_.endswith("]") or type_.startswith(("STRUCT", "MAP", "UNION", "VARIANT")):
        return f"to_json({name})::VARCHAR", False
    return f"{name}::VARCHAR", type_ != "JSON"


def _json(question: Question, rows: _Rows) -> Iterator[bytes]:
    names = json.dumps(question.names, ensure_ascii=False)
    yield f'{{"version": 1, "columns": {names}, "rows": ['.encode("utf-8", "backslashreplace")
    between = ""
    for batch in rows:
        yield (between + ",\n ".join(str(row[0]) for row in batch)).encode()
        between = ",\n "
    yield b'], "truncated": ' + (b"true" if rows.truncated else b"false") + b"}\n"


def _csv(question: Question, rows: _Rows) -> Iterator[bytes]:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(question.names)
    for batch in rows:
        writer.writerows(batch)
        yield text.getvalue().encode("utf-8", "backslashreplace")
        text.seek(0)
        text.truncate()
    yield text.getvalue().encode("utf-8", "backslashreplace")


def _table(question: Question, rows: _Rows) -> Iterator[bytes]:
    """Columns as wide as the rows so far need; a cell is cut that is longer than any may be."""
    from services.report.words import shown

    names = [shown(name) for name in question.names]
    in_dollars = [name.endswith("_dollars") or name == "dollars" for name in names]
    rights = [t in _WHOLE | _FLOATING or t.startswith("DECIMAL") for t in question.types]
    widths: list[int] = []
    for batch in rows:
        cells = [
            [
                "" if value is None else dollars(value) if money else shown(value)
                for value, money in zip(row, in_dollars, strict=True)
            ]
            for row in batch
        ]
        needed = [
            min(CELL_WIDTH_MAX, max(map(len, column))) for column in zip(names, *cells, strict=True)
        ]
        if widths:
            widths = [max(pair) for pair in zip(widths, needed, strict=True)]
        else:
            widths = needed
            yield _line(names, widths, rights)
            yield _line(["─" * width for width in widths], widths, rights)
        yield b"".join(_line(row, widths, rights) for row in cells)
    if not widths:
        yield _line(names, [len(name) for name in names], rights)
        yield b"(no rows)\n"


def dollars(text: str) -> str:
    """`$1,240.00`, `-$5.00` of a number's text; any other text as it is.

    >>> dollars("1240.00"), dollars("-5"), dollars("n/a")
    ('$1,240.00', '-$5.00', 'n/a')
    """
    try:
        amount = Decimal(text)
    except ArithmeticError:
        return text
    return f"{'-' if amount < 0 else ''}${abs(amount):,.2f}" if amount.is_finite() else text


def _line(cells: Sequence[str], widths: Sequence[int], rights: Sequence[bool]) -> bytes:
    parts = [
        _cut(cell, width).rjust(width) if right else _cut(cell, width).ljust(width)
        for cell, width, right in zip(cells, widths, rights, strict=True)
    ]
    return ("  ".join(parts).rstrip() + "\n").encode("utf-8", "backslashreplace")


def _cut(cell: str, width: int) -> str:
    return cell if len(cell) <= width else cell[: max(width - 1, 0)] + "…"


def _write_parquet(
    connection: duckdb.DuckDBPyConnection, question: Question, limit: int, file: BinaryIO
) -> tuple[int, bool]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    asked = connection.sql(question.select(["*"], limit + 1))
    reader = asked.to_arrow_reader(100_000)
    fields = zip(reader.schema, question.names, strict=True)
    schema = pa.schema([field.with_name(name) for field, name in fields])
    count, truncated = 0, False
    with pq.ParquetWriter(file, schema) as writer:
        for batch in reader:
            room = limit - count
            truncated = truncated or batch.num_rows > room
            part = batch.slice(0, room)
            if part.num_rows:
                writer.write_batch(pa.record_batch(part.columns, schema=schema))
            count += part.num_rows
    return count, truncated
