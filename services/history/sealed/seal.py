"""Sealing: a gaming day that is over becomes files, and a manifest that says what they hold.

Only what is committed is read, so that a reader of an open history can do it beside the writer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Final

from services.history.reader import HistoryReader
from services.history.schema import SCHEMA_VERSION
from services.history.sealed.anchors import check_is_sealed_here
from services.history.sealed.days import GamingDays
from services.history.sealed.folder import Chain, SealedFolder
from services.history.sealed.manifest import (
    Link,
    Manifest,
    SealedPosition,
    SealedTable,
    Upto,
)
from services.history.sealed.pending import LAST_SEQ, Pending, PendingDay, Unsealed, pending
from services.history.sealed.write import DayWriter
from services.history.store import History

Clock = Callable[[], datetime]

_LOCKS: Final[dict[Path, threading.Lock]] = {}
_LOCKS_LOCK: Final = threading.Lock()


@dataclass(frozen=True, slots=True)
class Sealed:
    """A sealing that was done."""

    manifest: Manifest
    link: Link


def seal(
    history: History,
    folder: SealedFolder,
    days: GamingDays,
    chosen: Callable[[Pending, Chain], Sequence[PendingDay]],
    clock: Clock,
) -> Iterator[Sealed]:
    """Seal the chosen days one after the other; each counts once it is handed out.

    `history` is one snapshot: a reader, or one that nobody writes to meanwhile.

    Raises:
        SealedDamagedError, SealedOtherwiseError: the folder is not what was sealed of this history.
        UnwritableSealedError: it cannot be written to.
    """
    with _alone(folder):
        if isinstance(history, HistoryReader):
            history.renew()  # whoever sealed until now may have seen more than was there before
        folder.finish()
        chain = folder.chain()
        check_is_sealed_here(history, folder, chain)
        found = pending(history, chain, days)
        done: list[date] = []
        for day in chosen(found, chain):
            done.append(day.day)
            manifest, link = _sealed(history, folder, chain, day, found.rest(done), clock)
            chain = Chain((*chain.manifests, manifest), link)
            yield Sealed(manifest, link)


def _sealed(
    history: History,
    folder: SealedFolder,
    chain: Chain,
    day: PendingDay,
    rest: Sequence[Unsealed],
    clock: Clock,
) -> tuple[Manifest, Link]:
    upto = _upto(history)
    [(transaction_chain,)] = history.rows(_CHAIN, [upto.transaction])
    settings = dict(history.rows("SELECT name, value FROM settings"))
    first = next((m.number for m in chain.manifests if m.gaming_day == day.day), None)
    with folder.staged() as stage:
        writer = DayWriter(history, stage, chain, day)
        writer.write()
        manifest = Manifest(
            number=chain.next_number,
            gaming_day=day.day,
            amends=first,
            sealed_at=clock(),
            program=version("pitproof"),
            history_id=settings.pop("history_id"),
            schema_version=SCHEMA_VERSION,
            made_with={k: v for k, v in sorted(settings.items()) if k != "schema_version"},
            upto=upto,
            chain=transaction_chain,
            unsealed_from=min((each.first_event for each in rest), default=upto.event + 1),
            events=writer.rows_of("events"),
            events_digest=writer.events_digest,
            finding_changes=writer.rows_of("finding_changes"),
            finding_changes_digest=writer.changes_digest,
            tables=_tables(day.events),
            positions=_positions(history, rest),
            files=tuple(writer.files),
            previous=chain.last,
        )
        assert manifest.events == sum(table.events for table in manifest.tables)
        link = folder.commit(manifest)
    return manifest, link


def _tables(unsealed: Sequence[Unsealed]) -> tuple[SealedTable, ...]:
    """By table and opening, whatever sources the events came from."""
    found: dict[tuple[str, int], SealedTable] = {}
    for each in unsealed:
        held = found.get((each.table_id, each.from_seq))
        found[each.table_id, each.from_seq] = SealedTable(
            table_id=each.table_id,
            game=each.game,
            from_seq=each.from_seq,
            to_seq=None if each.to_seq == LAST_SEQ else each.to_seq,
            events=each.events + (held.events if held else 0),
            first_seq=min(each.first_seq, held.first_seq) if held else each.first_seq,
            last_seq=max(each.last_seq, held.last_seq) if held else each.last_seq,
        )
    return tuple(found[key] for key in sorted(found))


def _positions(history: History, rest: Sequence[Unsealed]) -> tuple[SealedPosition, ...]:
    """Where each partition is, but for what of it is not sealed: that is to be read again."""
    first: dict[int, int] = {}
    for each in rest:
        first[each.source_no] = min(each.first_position, first.get(each.source_no, 2**63 - 1))
    names = dict(history.rows("SELECT name, source_no FROM sources"))
    return tuple(
        SealedPosition(
            topic=topic,
            topic_id=topic_id,
            partition=partition,
            next_offset=min(offset, first.get(names.get(f"{topic}[{partition}]", 0), offset)),
        )
        for topic, topic_id, partition, offset in history.rows(_POSITIONS)
    )


def _upto(history: History) -> Upto:
    [row] = history.rows(_UPTO)
    return Upto(**dict(zip(Upto.__struct_fields__, row, strict=True)))


@contextmanager
def _alone(folder: SealedFolder) -> Iterator[None]:
    """In this process one at a time; no other has the history that the folder is of."""
    with _LOCKS_LOCK:
        lock = _LOCKS.setdefault(folder.path.absolute(), threading.Lock())
    with lock:
        yield


_CHAIN: Final = "SELECT replace(chain::VARCHAR, '-', '') FROM transactions WHERE transaction_no = ?"

_POSITIONS: Final = "SELECT topic, topic_id, partition_no, next_offset FROM positions ORDER BY ALL"

_UPTO: Final = """
SELECT coalesce(max(transaction_no), 0), coalesce(max(last_event_no), 0),
       (SELECT coalesce(max(change_no), 0) FROM finding_changes),
       (SELECT coalesce(max(record_no), 0) FROM records),
       (SELECT coalesce(max(letter_no), 0) FROM dead_letters),
       (SELECT coalesce(max(source_no), 0) FROM sources)
FROM transactions
"""
