"""A gaming day written as Parquet files, each read again for its digests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow.parquet as pq

from services.history.parquet import stored, text
from services.history.sealed.folder import NUMBER, Chain
from services.history.sealed.manifest import SealedFile, Upto
from services.history.sealed.pending import (
    NO_GAME,
    PendingDay,
    Span,
    changes_of,
    inside,
    outside,
    put_spans,
    spans_of,
)
from services.history.store import History

OF_GAMES: Final = ("events", "finding_changes")
"""Tables that are sealed by game; of the others whatever is new goes with the day."""

DIGESTED: Final[Mapping[str, Sequence[str]]] = {
    "events": ("digest", "standing"),
    "finding_changes": ("change_id",),
}
"""Columns that the digests of a manifest are over."""

_BATCH_ROWS: Final = 122_880


class DayWriter:
    """Writes what a day has below a folder; then `files` and the digests say what that is."""

    def __init__(self, history: History, below: Path, chain: Chain, day: PendingDay) -> None:
        self._history, self._below, self._chain, self._day = history, below, chain, day
        self._folder = f"gaming_day={day.day.isoformat()}"
        self._digests = {table: sha256() for table in OF_GAMES}
        self.files: list[SealedFile] = []

    def write(self) -> None:
        """All of the day, and whatever the history as a whole has new."""
        self._write_events()
        self._write_changes()
        last = self._chain.manifests[-1].upto if self._chain.manifests else Upto()
        for table, select in _OF_HISTORY.items():
            values = {name: getattr(last, name) for name in Upto.__struct_fields__}
            new = select.format(**values)
            if self._history.rows(f"SELECT 1 {new} LIMIT 1"):
                self._write(table, self._folder, f"SELECT * {new} ORDER BY ALL")

    @property
    def events_digest(self) -> str:
        """Over all events written."""
        return self._digests["events"].hexdigest()

    @property
    def changes_digest(self) -> str:
        """Over all changes of findings written."""
        return self._digests["finding_changes"].hexdigest()

    def rows_of(self, table: str) -> int:
        """How many of its rows were written."""
        return sum(file.rows for file in self.files if file.table == table)

    def _write_events(self) -> None:
        unsealed = self._day.events
        if not unsealed:
            return
        first = min(each.first_event for each in unsealed)
        last = max(each.last_event for each in unsealed)
        put_spans(self._history, "sealed_spans", spans_of(self._chain.manifests, from_event=first))
        for game in sorted({each.game for each in unsealed}):
            spans = {
                Span(each.table_id, each.from_seq, each.to_seq, last)
                for each in unsealed
                if each.game == game
            }
            put_spans(self._history, "day_spans", sorted(spans, key=lambda s: s.table_id))
            select = _EVENTS.format(first=first, last=last)
            self._write("events", f"{self._folder}/game={game}", select)

    def _write_changes(self) -> None:
        chosen = changes_of(self._chain.manifests, self._day.day)
        games = f"SELECT DISTINCT coalesce(game::VARCHAR, '{NO_GAME}') {chosen} ORDER BY ALL"
        for (game,) in self._history.rows(games):
            of_game = f"AND coalesce(game::VARCHAR, '{NO_GAME}') = '{game}'"
            columns = stored(self._history, "finding_changes")
            select = f"SELECT {columns} {chosen} {of_game} ORDER BY change_no"
            self._write("finding_changes", f"{self._folder}/game={game}", select)

    def _write(self, table: str, folder: str, select: str) -> None:
        """One file."""
        path = f"{folder}/{table}-{NUMBER.format(self._chain.next_number)}.parquet"
        place = self._below / path
        place.parent.mkdir(parents=True, exist_ok=True)
        target = text(str(place))
        self._history.run(f"COPY ({select}) TO {target} (FORMAT parquet, COMPRESSION zstd)")
        for part in digested(place, DIGESTED.get(table, ())):
            self._digests[table].update(part)
        with place.open("rb") as file:
            digest = file_digest(file, "sha256").hexdigest()
        self.files.append(
            SealedFile(
                path=path,
                table=table,
                rows=pq.read_metadata(place).num_rows,
                size_bytes=place.stat().st_size,
                sha256=digest,
            )
        )


def digested(path: Path, columns: Sequence[str]) -> Iterator[bytes]:
    """What a digest is over, of the rows of a file in their order: 16 bytes an id, one a flag."""
    if not columns:
        return
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(_BATCH_ROWS, columns=list(columns)):
            parts = []
            for column in (batch.column(name) for name in columns):
                if str(column.type) == "bool":
                    flags = column.to_numpy(zero_copy_only=False)
                    parts.append(flags.astype(np.uint8).reshape(-1, 1))
                else:
                    stored = getattr(column, "storage", column)
                    ids = np.frombuffer(
                        stored.buffers()[1],
                        np.uint8,
                        offset=16 * stored.offset,
                        count=16 * len(stored),
                    )
                    parts.append(ids.reshape(-1, 16))
            yield np.hstack(parts).tobytes()


_EVENTS: Final = f"""
SELECT events.*
FROM events {inside("day_spans")} {outside("sealed_spans")}
WHERE event_no BETWEEN {{first}} AND {{last}}
ORDER BY events.table_id, events.seq, events.event_no
"""  # noqa: S608 (constants only)

_OF_HISTORY: Final = {
    "transactions": "FROM transactions WHERE transaction_no > {transaction}",
    "records": "FROM records WHERE record_no > {record}",
    "sources": "FROM sources WHERE source_no > {source}",
    # Once its events came in after all, a letter is sealed again as it then is.
    "dead_letters": "FROM dead_letters WHERE letter_no > {letter} OR redriven_in > {transaction}",
    "writer_schemas": "FROM writer_schemas WHERE transaction_no > {transaction}",
    "registry_schemas": "FROM registry_schemas WHERE transaction_no > {transaction}",
}
"""Tables of the history as a whole, and what of each is new since the last sealing."""
