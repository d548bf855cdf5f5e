"""The index of computer records out of a history: one snapshot of it, and its sealed days."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from services.history.sealed.days import GamingDays
from services.history.sealed.folder import Chain, folder_of
from services.records_index.model import (
    IndexedColumn,
    IndexedFile,
    Record,
    RecordKind,
    RecordsIndex,
)
from services.records_index.stored import TABLES, meanings
from services.records_index.views import view_records
from services.statistics.gather import as_of

if TYPE_CHECKING:
    from services.history.store import History
    from services.settings import Settings

_WORDS: Final = re.compile(r"ENUM\(.*\)")


def index_of(history: History, settings: Settings) -> RecordsIndex:
    """Everything there is: each view by what the history holds, each sealed table by manifests.

    Raises:
        SealedDamagedError: the manifests are not the ones that were written.
    """
    days = GamingDays(settings.zone(), settings.gaming_day_starts)
    folder = folder_of(history.path, settings.sealed)
    chain = folder.chain()
    files = _files(chain)
    transaction, committed_at = as_of(history)
    return RecordsIndex(
        casino=settings.casino,
        timezone=settings.timezone,
        transaction=transaction,
        committed_at=committed_at,
        records=(*view_records(history, days), *_sealed_records(history, files)),
        sealed_folder=folder.path.name,
        manifests=len(chain.manifests),
        last_manifest_sha256=None if chain.last is None else chain.last.digest,
        files=tuple(files),
    )


def _files(chain: Chain) -> list[IndexedFile]:
    """In the order in which they were sealed."""
    return [
        IndexedFile(
            path=file.path,
            record=file.table,
            gaming_day=manifest.gaming_day,
            manifest=manifest.number,
            rows=file.rows,
            size_bytes=file.size_bytes,
            sha256=file.sha256,
        )
        for manifest in chain.manifests
        for file in manifest.files
    ]


def _sealed_records(history: History, files: Sequence[IndexedFile]) -> Iterator[Record]:
    """Every table that is sealed; its digest is over the digests of its files, a line each."""
    by_table: dict[str, list[IndexedFile]] = defaultdict(list)
    for file in files:
        by_table[file.record].append(file)
    for name, meaning in TABLES.items():
        mine = by_table[name]
        days = [file.gaming_day for file in mine]
        lines = "".join(f"{file.sha256}\n" for file in mine)
        yield Record(
            name=name,
            kind=RecordKind.SEALED,
            meaning=meaning,
            rows=sum(file.rows for file in mine),
            first_day=min(days, default=None),
            last_day=max(days, default=None),
            digest=sha256(lines.encode()).hexdigest() if mine else None,
            columns=_columns(history, name),
        )


def _columns(history: History, table: str) -> tuple[IndexedColumn, ...]:
    """As they stand in Parquet, where words are text."""
    said = meanings(table)
    return tuple(
        IndexedColumn(name, _WORDS.sub("VARCHAR", type_), said[name])
        for name, type_, *_ in history.rows(f"DESCRIBE {table}")
    )
