"""What a sealing says of itself: a manifest each, which names the digest of the one before it.

They are numbered from 1. Each seals one gaming day, or what came for it after it was sealed (an
amendment), and besides whatever the history as a whole had new by then: its transactions, its own
records, dead letters, schemas. A manifest is JSON, so that it can be read without this program.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from hashlib import sha256
from typing import Final

import msgspec

VERSION: Final = 1


class SealedFile(msgspec.Struct, frozen=True, kw_only=True):
    """One Parquet file."""

    path: str
    """From the folder on: `gaming_day=2026-04-18/game=RUN_EM_TWICE/events-000001.parquet`."""
    table: str
    """The stored table that its rows are of."""
    rows: int
    size_bytes: int
    sha256: str


class SealedTable(msgspec.Struct, frozen=True, kw_only=True):
    """What was sealed of a table's stream: one opening's part, or a later addition to it."""

    table_id: str
    game: str
    """Of the opening; `UNKNOWN`: the table was never opened."""
    from_seq: int
    to_seq: int | None
    """The part that was looked at, both ends included: up to the event before the next opening;
    null: to its end."""
    events: int
    first_seq: int
    last_seq: int
    """The lowest and the highest number of those events."""


class SealedPosition(msgspec.Struct, frozen=True, kw_only=True):
    """Where a partition is read from again so that nothing is missed that is not sealed."""

    topic: str
    topic_id: str
    partition: int
    next_offset: int


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """The manifest before."""

    number: int
    gaming_day: date
    digest: str
    """SHA-256 of its file."""


class Upto(msgspec.Struct, frozen=True, kw_only=True):
    """The last number of each kind that the history had given when it was looked at."""

    transaction: int = 0
    event: int = 0
    change: int = 0
    record: int = 0
    letter: int = 0
    source: int = 0


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """One sealing."""

    version: int = VERSION
    number: int
    gaming_day: date
    amends: int | None
    """The manifest that sealed the day first; null: this one."""
    sealed_at: datetime
    program: str
    history_id: str
    schema_version: int
    made_with: Mapping[str, str]
    """Readings and house ways."""
    upto: Upto
    chain: str
    """Of the history's transactions, after `upto.transaction`."""
    unsealed_from: int
    """No event with a lower `event_no` is left unsealed by this."""
    events: int
    events_digest: str
    """SHA-256 over 16 bytes of each event and whether it stands, as rows stand in the files."""
    finding_changes: int
    finding_changes_digest: str
    """SHA-256 over the `change_id` of each, as rows stand in the files."""
    tables: tuple[SealedTable, ...]
    positions: tuple[SealedPosition, ...]
    files: tuple[SealedFile, ...]
    previous: Link | None

    def link(self, content: bytes) -> Link:
        """What the next one says of this one, whose file has that content."""
        return Link(number=self.number, gaming_day=self.gaming_day, digest=digest_of(content))

    def files_of(self, table: str) -> tuple[SealedFile, ...]:
        """Its files with rows of a stored table."""
        return tuple(file for file in self.files if file.table == table)


def digest_of(content: bytes) -> str:
    """The digest of a manifest's file."""
    return sha256(content).hexdigest()


def encoded(manifest: Manifest) -> bytes:
    """The content of its file, for people too."""
    return msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n"


def decoded(content: bytes) -> Manifest:
    """What a file says.

    Raises:
        ValueError: it is no manifest, or one of a later version; says why.
    """
    try:
        version = msgspec.json.decode(content, type=_Versioned).version
        if version > VERSION:
            raise ValueError(f"of version {version}, and this program reads version {VERSION}")
        return msgspec.json.decode(content, type=Manifest)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ValueError(f"no manifest: {error}") from error


class _Versioned(msgspec.Struct, frozen=True):
    version: int
