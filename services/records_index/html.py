"""The index of computer records as an HTML file to be printed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from services.records_index.model import RULE, Record, RecordKind, RecordsIndex
from services.records_index.table import KINDS, days_words
from services.report.page import Body, Cell, Head, made_words, page_chunks, table


def html_chunks(index: RecordsIndex, made_at: datetime) -> Iterator[bytes]:
    """The file; `made_at` is any moment with an offset, shown by the casino's clock."""
    about = (
        made_words(made_at, index.timezone),
        f"ARSD {RULE}; of the history as of its transaction {index.transaction:,}",
    )
    head = Head("Index of computer records", index.casino, about)
    return page_chunks(head, _sections(index))


def _sections(index: RecordsIndex) -> Iterator[tuple[str, Iterable[str]]]:
    yield "Records", _summary(index)
    for kind, words in KINDS.items():
        yield f"Columns: {words}", _columns(index, kind)
    yield "Sealed files", _files(index)


def _cells(*texts: str) -> list[Cell]:
    return [Cell(text) for text in texts]


def _summary(index: RecordsIndex) -> Iterator[str]:
    headings = [*_cells("record", "gaming days"), Cell("rows", "number"), Cell("SHA-256")]
    return table(
        headings,
        (
            Body([[Cell(words, "text strong")], *_summed(index, kind)])
            for kind, words in KINDS.items()
        ),
    )


def _summed(index: RecordsIndex, kind: RecordKind) -> Iterator[list[Cell]]:
    for record in index.records:
        if record.kind is kind:
            yield [
                Cell(record.name, "name"),
                Cell(days_words(record), "name"),
                Cell(f"{record.rows:,}", "number"),
                Cell(record.digest or ""),
            ]


def _columns(index: RecordsIndex, kind: RecordKind) -> Iterator[str]:
    bodies = (Body(_of_record(one)) for one in index.records if one.kind is kind)
    return table(_cells("column", "type", "is"), bodies)


def _of_record(record: Record) -> list[list[Cell]]:
    return [
        [Cell(f"{record.name}: {record.meaning}", "text strong")],
        *(
            [Cell(column.name, "name"), Cell(column.type, "name"), Cell(column.meaning)]
            for column in record.columns
        ),
    ]


def _files(index: RecordsIndex) -> Iterator[str]:
    headings = [Cell("file"), Cell("rows", "number"), Cell("bytes", "number"), Cell("SHA-256")]
    if not index.files:
        return table(headings, [Body([_cells("no day is sealed")])])
    rows = [
        [
            Cell(file.path),
            Cell(f"{file.rows:,}", "number"),
            Cell(f"{file.size_bytes:,}", "number"),
            Cell(file.sha256),
        ]
        for file in index.files
    ]
    last = f"{index.manifests:,} manifests in {index.sealed_folder}, the last of SHA-256 "
    rows.append(_cells(f"{last}{index.last_manifest_sha256}"))
    return table(headings, [Body(rows)])
