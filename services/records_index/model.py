"""The index of computer records, and its JSON form: version 1 of what `report index` prints."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from enum import StrEnum
from typing import Final

import msgspec

VERSION: Final = 1
RULE: Final = "20:18:22:04"


class RecordKind(StrEnum):
    """Where records are found."""

    VIEW = "VIEW"  # in the history, by `pitproof sql`
    SEALED = "SEALED"  # in Parquet files, by anything that reads them


class IndexedColumn(msgspec.Struct, frozen=True):
    """A column: its name, its type in SQL, and what it is."""

    name: str
    type: str
    meaning: str


class Record(
    msgspec.Struct, frozen=True, kw_only=True, rename={"first_day": "from", "last_day": "to"}
):
    """A kind of record."""

    name: str
    kind: RecordKind
    meaning: str
    rows: int
    first_day: date | None
    """Gaming days covered; null: there is none, or it has no day."""
    last_day: date | None
    digest: str | None
    """SHA-256: of a view over its rows whatever their order, of sealed files over theirs; null:
    there is no file."""
    columns: tuple[IndexedColumn, ...]


class IndexedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A sealed file, as its manifest has it."""

    path: str
    record: str
    gaming_day: date
    manifest: int
    rows: int
    size_bytes: int
    sha256: str


class RecordsIndex(msgspec.Struct, frozen=True, kw_only=True):
    """The index."""

    version: int = VERSION
    rule: str = RULE
    casino: str
    timezone: str
    transaction: int
    """The last one of the history that was looked at, and when it was committed."""
    committed_at: datetime | None
    records: tuple[Record, ...]
    sealed_folder: str
    manifests: int
    last_manifest_sha256: str | None
    files: tuple[IndexedFile, ...]


def json_chunks(index: RecordsIndex) -> Iterator[bytes]:
    """The JSON of the index: the same index gives the same bytes."""
    yield msgspec.json.encode(index) + b"\n"
