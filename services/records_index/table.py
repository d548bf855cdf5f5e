"""The index of computer records for people: a line a record, then its columns, then the files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from services.records_index.model import RULE, Record, RecordKind, RecordsIndex
from services.report.table import FAINT, INDENT, STRONG
from services.report.words import count, shown

FILES_MAX: Final = 1_000
"""Shown to people: JSON has them all."""

KINDS: Final = {
    RecordKind.VIEW: "Views of the history, for `pitproof sql`",
    RecordKind.SEALED: "Stored tables of sealed days, Parquet files",
}


def index_table(index: RecordsIndex) -> Iterator[RenderableType]:
    """Everything to print, in order."""
    head = Text("Index of computer records", style=STRONG)
    if index.casino:
        head.append(f"    {shown(index.casino)}")
    yield head
    yield Text(f"ARSD {RULE}    as of transaction {index.transaction:,}", style=FAINT)
    for kind, words in KINDS.items():
        yield Text()
        yield Text(words, style=STRONG)
        records = [record for record in index.records if record.kind is kind]
        yield Padding(_summary(records), (0, 0, 0, INDENT))
    for record in index.records:
        yield Text()
        yield from _record(record)
    yield from _files(index)


def days_words(record: Record) -> str:
    """`2026-04-18 to 2026-04-19`; nothing where there is no day."""
    if record.first_day is None:
        return ""
    if record.first_day == record.last_day:
        return f"{record.first_day}"
    return f"{record.first_day} to {record.last_day}"


def _grid(*headings: str) -> Table:
    grid = Table(box=None, padding=(0, 2, 0, 0), header_style=FAINT, pad_edge=False)
    for heading in headings:
        grid.add_column(heading)
    return grid


def _summary(records: Sequence[Record]) -> Table:
    grid = _grid("record", "gaming days", "rows, and their SHA-256")
    for record in records:
        rows = Text(count(record.rows, "row"), overflow="fold")  # a digest is never cut
        if record.digest is not None:
            rows.append(f"\n{record.digest}", style=FAINT)
        grid.add_row(record.name, days_words(record), rows)
    return grid


def _record(record: Record) -> Iterator[RenderableType]:
    title = Text(record.name, style=STRONG)
    title.append(f"  {record.kind.value.lower()}", style=f"not bold {FAINT}")
    yield title
    yield Padding(Text(record.meaning), (0, 0, 0, INDENT))
    grid = _grid("column", "type", "is")
    for column in record.columns:
        type_ = Text(column.type, overflow="fold")
        grid.add_row(Text(column.name, no_wrap=True), type_, Text(column.meaning))
    yield Padding(grid, (0, 0, 0, INDENT))


def _files(index: RecordsIndex) -> Iterator[RenderableType]:
    yield Text()
    if not index.files:
        yield Text("No day is sealed.")
        return
    days = count(index.manifests, "sealing")
    yield Text(f"{days} in {shown(index.sealed_folder)}, the last manifest", style=STRONG)
    yield Padding(Text(index.last_manifest_sha256 or ""), (0, 0, 0, INDENT))
    for file in index.files[:FILES_MAX]:
        line = Text(f"{shown(file.path)}  {count(file.rows, 'row')}")
        yield Padding(line, (0, 0, 0, INDENT))
        yield Padding(Text(file.sha256, style=FAINT), (0, 0, 0, 2 * INDENT))
    if len(index.files) > FILES_MAX:
        yield Text(f"  and {len(index.files) - FILES_MAX:,} more: --format json has them all")
