"""A history that is in use, as Parquet files for other processes: they grow as the history does.

What is sealed is not written again: its files are taken as they are, and the export is of the rest.
Events, transactions and changes of findings are only ever added, so that a refresh writes those
since the last one. Small files are written again together with what follows them, each at most a
few times, so that there are never many. Rounds and findings of sealed days are written when they
changed, the rest of them and what else is little when a transaction came. Questions in between are
answered from the files that are there.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Final

from services.history.parquet import stored, text
from services.history.sealed.anchors import is_of, links_of
from services.history.sealed.errors import SealedDamagedError
from services.history.sealed.folder import Chain, SealedFolder
from services.history.sealed.manifest import Manifest, Upto
from services.history.sealed.pending import changes_upto, outside, put_spans, spans_of
from services.history.sql.source import SqlSource
from services.history.store import History
from services.history.views import STORED

REFRESH_SECONDS: Final = 3.0
"""How old an answer may be; also what keeps a busy console from exporting all the time."""

RETIRED_SECONDS: Final = 600.0
"""How long a file outlives its use: a question under way may still read it."""

READ_AGAIN: Final = (*STORED, "records", "settings")
"""What a question in SQL and a replay read."""

ALL: Final = (*READ_AGAIN, "transactions", "finding_changes", "alert_findings", "alerts")
"""What a verification reads."""

GROWING: Final = ("events", "transactions", "finding_changes")
BY_DAY: Final = ("rounds", "findings")


@dataclass(frozen=True, slots=True)
class _Part:
    """The rows of a table of some transactions, in one file."""

    path: Path
    first_no: int
    last_no: int
    row_count: int


@dataclass(frozen=True, slots=True)
class _Sealed:
    """What of the history is sealed, as far as a snapshot of it goes."""

    manifests: tuple[Manifest, ...] = ()

    @property
    def upto(self) -> Upto:
        """The last of everything that is sealed as a whole."""
        return self.manifests[-1].upto if self.manifests else Upto()

    @property
    def days(self) -> list[date]:
        """The days that have something sealed."""
        return sorted({manifest.gaming_day for manifest in self.manifests})

    def files(self, table: str, folder: Path) -> list[Path]:
        """Those that hold rows of a table."""
        return [folder / file.path for each in self.manifests for file in each.files_of(table)]

    def rest(self, history: History, table: str) -> str:
        """SQL from `FROM` to a condition for rows that are not sealed; makes what it needs."""
        if not self.manifests:
            return f"FROM {table} WHERE true"
        if table == "transactions":
            return f"FROM transactions WHERE transaction_no > {self.upto.transaction}"
        if table == "events":
            first = self.manifests[-1].unsealed_from
            put_spans(history, "sealed_spans", spans_of(self.manifests, from_event=first))
            return f"FROM events {outside('sealed_spans')} WHERE event_no >= {first}"
        days = " ".join(
            f"WHEN '{day}' THEN {upto}" for day, upto in changes_upto(self.manifests).items()
        )
        return (
            f"FROM {table} WHERE change_no > CASE WHEN gaming_day IS NULL THEN {self.upto.change} "
            f"ELSE CASE gaming_day {days} ELSE 0 END END"
        )


@dataclass(slots=True)
class Export:
    """The files of one history in a folder that nobody else may enter. Any thread may refresh."""

    folder: Path
    sealed_folder: SealedFolder | None = None
    clock: Callable[[], float] = time.monotonic
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _sealed: _Sealed = field(default_factory=_Sealed)
    _chain: Chain = field(default_factory=Chain)
    _parts: dict[str, list[_Part]] = field(default_factory=dict)
    _whole: dict[str, dict[str, Path]] = field(default_factory=dict)
    _written: dict[str, str] = field(default_factory=dict)
    """By file: what it was written for, so that it is known when it is out of date."""
    _upto: dict[str, int] = field(default_factory=dict)
    _looked_at: dict[Sequence[str], float] = field(default_factory=dict)
    _retired: list[tuple[float, Path]] = field(default_factory=list)

    def refreshed(self, history: History, tables: Sequence[str] = READ_AGAIN) -> SqlSource:
        """Files that hold what the history does, give or take REFRESH_SECONDS.

        `history` is one snapshot: a reader, or one that nobody writes to meanwhile.
        """
        with self._lock:
            if self.clock() - self._looked_at.get(tables, float("-inf")) >= REFRESH_SECONDS:
                self.folder.mkdir(mode=0o700, exist_ok=True)
                last_no = history.count("SELECT coalesce(max(transaction_no), 0) FROM transactions")
                self._take_sealed(history, last_no)
                for table in tables:
                    if table in GROWING:
                        self._grow(history, table, last_no)
                    else:
                        self._write_whole(history, table, last_no)
                self._looked_at[tables] = self.clock()
                self._remove_retired()
            return SqlSource(parquet={table: self._files(table) for table in tables})

    def _files(self, table: str) -> tuple[Path, ...]:
        if table not in GROWING:
            return tuple(self._whole[table].values())
        below = self.sealed_folder.path.absolute() if self.sealed_folder else Path()
        return (
            *self._sealed.files(table, below),
            *(part.path for part in self._parts.get(table, ())),
        )

    def _take_sealed(self, history: History, last_no: int) -> None:
        """See what was sealed meanwhile; then the rest is another one, and is written anew."""
        if self.sealed_folder is None:
            return
        found = self._usable(history, self.sealed_folder, last_no)
        if found.manifests == self._sealed.manifests:
            return
        self._sealed = found
        self._retire(part.path for parts in self._parts.values() for part in parts)
        self._parts, self._upto = {}, {}

    def _usable(self, history: History, folder: SealedFolder, last_no: int) -> _Sealed:
        """Sealings that this snapshot has; none, should anything of them not be as it was."""
        if len(folder.manifest_paths()) != len(self._chain.manifests):
            try:
                self._chain = folder.chain()
            except SealedDamagedError:
                return _Sealed()  # `verify` names what it is
        chain = self._chain
        manifests = tuple(m for m in chain.manifests if m.upto.transaction <= last_no)
        if manifests == self._sealed.manifests:
            return self._sealed
        is_whole = all(
            (folder.path / file.path).is_file()
            and (folder.path / file.path).stat().st_size == file.size_bytes
            for manifest in manifests
            for file in manifest.files
        )
        if not manifests or not is_whole:
            return _Sealed()
        if not is_of(history, manifests[-1], links_of(chain)[len(manifests) - 1]):
            return _Sealed()
        return _Sealed(manifests)

    def _grow(self, history: History, table: str, last_no: int) -> None:
        """Write what came since; what is not sealed only."""
        parts, first_no = self._parts.setdefault(table, []), self._upto.get(table, 0) + 1
        if first_no > last_no and self._files(table):
            return
        rest = f"{self._sealed.rest(history, table)} AND transaction_no BETWEEN"
        row_count = history.count(f"SELECT count(*) {rest} ? AND ?", [first_no, last_no])
        joined: list[_Part] = []
        while parts and parts[-1].row_count <= row_count:
            part = parts.pop()
            joined.append(part)
            first_no, row_count = part.first_no, row_count + part.row_count
        if row_count or not self._files(table):
            path = (
                self.folder / f"{table}-{len(self._sealed.manifests)}-{first_no}-{last_no}.parquet"
            )
            _copy(history, table, f"{rest} {first_no:d} AND {last_no:d}", path)
            parts.append(_Part(path, first_no, last_no, row_count))
        self._upto[table] = last_no
        kept = {part.path for part in parts}
        self._retire(part.path for part in joined if part.path not in kept)

    def _write_whole(self, history: History, table: str, last_no: int) -> None:
        """Write a table that is little, of which a part may be of days that are sealed."""
        halves = {table: ("true", str(last_no))}
        if table in BY_DAY and self._sealed.manifests:
            of_sealed = f"gaming_day IN ({', '.join(text(str(d)) for d in self._sealed.days)})"
            mark = "SELECT concat(count(*), ' ', bit_xor(hash(digest))) FROM {} WHERE {}"
            [(found,)] = history.rows(mark.format(table, of_sealed))
            halves = {
                f"{table}-sealed": (of_sealed, f"{len(self._sealed.days)} {found}"),
                f"{table}-rest": (f"({of_sealed}) IS NOT TRUE", str(last_no)),
            }
        before = self._whole.get(table, {})
        fresh: dict[str, Path] = {}
        for name, (where, state) in halves.items():
            if name in before and self._written.get(name) == state:
                fresh[name] = before[name]
                continue
            fresh[name] = self.folder / f"{name}-{last_no}-{len(self._sealed.manifests)}.parquet"
            _copy(history, table, f"FROM {table} WHERE {where}", fresh[name])
            self._written[name] = state
        self._whole[table] = fresh
        self._retire(path for path in before.values() if path not in fresh.values())

    def _retire(self, paths: Iterable[Path]) -> None:
        now = self.clock()
        self._retired += [(now, path) for path in paths]

    def _remove_retired(self) -> None:
        now = self.clock()
        for since, path in self._retired:
            if now - since >= RETIRED_SECONDS:
                path.unlink(missing_ok=True)
        self._retired = [(s, path) for s, path in self._retired if now - s < RETIRED_SECONDS]


def _copy(history: History, table: str, rows: str, path: Path) -> None:
    select = f"SELECT {stored(history, table)} {rows}"
    history.run(f"COPY ({select}) TO {text(str(path))} (FORMAT parquet, COMPRESSION zstd)")
