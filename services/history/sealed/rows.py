"""Rows of sealed files beside those of the history: which of them is not as it was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import duckdb

from services.errors import UnusableHistoryError
from services.history.parquet import scan, text
from services.history.problems import PROBLEMS_MAX, Problem
from services.history.schema import DIGEST, FINDING_DIGEST, RECORD_DIGEST
from services.history.sealed.folder import SealedFolder
from services.history.sealed.manifest import Manifest, SealedFile
from services.history.sealed.pending import (
    NO_GAME,
    changes_of,
    inside,
    outside,
    put_spans,
    spans_of,
)
from services.history.store import History


@dataclass(frozen=True, slots=True)
class _Kind:
    """How rows of a table are told apart, and what they are called."""

    what: str
    number: str
    key: tuple[str, ...]
    """Of which all rows differ, and by which a row is known to be the same."""
    place: str
    content: str = ""
    """SQL that is false of a row whose content is not the one that its digest is of."""


_KINDS: Final[Mapping[str, _Kind]] = {
    "events": _Kind(
        "event",
        "event_no",
        ("event_no", "digest"),
        "concat(table_id, ' seq ', seq, ' event ', event_id)",
        f"digest = {DIGEST}",
    ),
    "finding_changes": _Kind(
        "finding",
        "change_no",
        ("change_no", "change_id"),
        "concat(table_id, ' finding ', replace(finding_id::VARCHAR, '-', ''))",
        f"digest = {FINDING_DIGEST}",
    ),
    "records": _Kind(
        "journal",
        "record_no",
        ("record_no", "digest"),
        "concat('record ', record_no)",
        f"digest = {RECORD_DIGEST}",
    ),
    "dead_letters": _Kind(
        "journal",
        "letter_no",
        ("letter_no", "digest"),
        "concat(source, ' position ', \"position\")",
        "digest = sha256(bytes)",
    ),
    "transactions": _Kind(
        "journal",
        "transaction_no",
        ("transaction_no", "committed_at"),
        "concat('transaction ', transaction_no)",
    ),
}

ORDERS: Final[Mapping[str, str]] = {
    "events": "(table_id, seq, event_no)",
    "finding_changes": "change_no",
    "records": "record_no",
    "dead_letters": "letter_no",
    "transactions": "transaction_no",
}
"""In which rows stand in a file."""


def rows_otherwise(history: History, folder: SealedFolder, manifest: Manifest) -> Iterator[Problem]:
    """Rows of whole files of which the history has another content, or none."""
    for table, kind in _KINDS.items():
        paths = [folder.path / file.path for file in manifest.files_of(table)]
        if not paths:
            continue
        sealed = scan(paths)
        bounds = f"SELECT min({kind.number}), max({kind.number}) FROM {sealed}"  # noqa: S608
        first, last = history.rows(bounds)[0]
        sql = (
            f"SELECT {kind.place} FROM {sealed} ANTI JOIN (SELECT {', '.join(kind.key)} "  # noqa: S608
            f"FROM {table} WHERE {kind.number} BETWEEN {first} AND {last}) AS held "
            f"USING ({', '.join(kind.key)}) ORDER BY ALL LIMIT {PROBLEMS_MAX}"
        )
        for (where,) in history.rows(sql):
            told = f"is not in the history as it was sealed (manifest {manifest.number})"
            yield Problem(kind.what, where, told)


def rows_changed(
    history: History,
    folder: SealedFolder,
    manifest: Manifest,
    file: SealedFile,
    manifests: Sequence[Manifest],
) -> Iterator[Problem]:
    """What is not as it was in a file that is not the one that was sealed."""
    kind = _KINDS.get(file.table)
    if kind is None:
        return
    path = text(str(folder.path / file.path))
    sealed = f"read_parquet({path}, hive_partitioning = false, file_row_number = true)"
    try:
        yield from _named(
            history, kind, file, sealed, _expected(history, manifest, file, manifests)
        )
    except (UnusableHistoryError, duckdb.Error) as error:
        told = str(error).splitlines()[0]
        yield Problem("sealed_day", file.path, f"its rows cannot be read: {told}")


def _named(
    history: History, kind: _Kind, file: SealedFile, sealed: str, expected: str | None
) -> Iterator[Problem]:
    checks: list[tuple[str, str]] = []
    key = ", ".join(kind.key)
    if kind.content:
        wrong = f"SELECT {kind.place} FROM {sealed} WHERE NOT coalesce({kind.content}, false)"  # noqa: S608
        checks.append((wrong, "its content is not the one that was sealed"))
    if expected is not None:
        same = f"(SELECT {key} FROM {sealed})"  # noqa: S608 (our own words)
        checks.append(
            (
                f"SELECT {kind.place} FROM ({expected}) AS held ANTI JOIN {same} USING ({key})",  # noqa: S608
                "was removed, or is not the one that was sealed",
            )
        )
        same = f"(SELECT {key} FROM ({expected}))"  # noqa: S608 (our own words)
        checks.append(
            (
                f"SELECT {kind.place} FROM {sealed} ANTI JOIN {same} USING ({key})",  # noqa: S608
                "was added, or is not the one that was sealed",
            )
        )
    order = ORDERS[file.table]
    checks.append(
        (
            f"SELECT {kind.place} FROM {sealed} "  # noqa: S608 (our own words)
            f"QUALIFY {order} < lag({order}) OVER (ORDER BY file_row_number)",
            "does not stand where it stood",
        )
    )
    named: set[str] = set()
    for sql, message in checks:
        for (where,) in history.rows(f"SELECT * FROM ({sql}) ORDER BY ALL LIMIT {PROBLEMS_MAX}"):  # noqa: S608
            if where not in named:
                named.add(where)
                yield Problem(kind.what, where, f"{message} ({file.path})")


def _expected(
    history: History, manifest: Manifest, file: SealedFile, manifests: Sequence[Manifest]
) -> str | None:
    """SQL for the rows that the history has of those that were sealed; None: that is not known."""
    if history.is_laid_out:
        return None
    before = [each for each in manifests if each.number < manifest.number]
    game = next((part[5:] for part in file.path.split("/") if part.startswith("game=")), "")
    if file.table == "events":
        own = [span for span in spans_of([manifest]) if span.table_id in _tables(manifest, game)]
        put_spans(history, "day_spans", own)
        put_spans(history, "sealed_spans", spans_of(before))
        return (
            f"SELECT events.* FROM events {inside('day_spans')} "  # noqa: S608 (our own words)
            f"{outside('sealed_spans')}"
        )
    if file.table == "finding_changes":
        return (
            f"SELECT * {changes_of(before, manifest.gaming_day)} "
            f"AND coalesce(game::VARCHAR, '{NO_GAME}') = '{game}' "
            f"AND change_no <= {manifest.upto.change}"
        )
    return None


def _tables(manifest: Manifest, game: str) -> set[str]:
    return {table.table_id for table in manifest.tables if table.game == game}
