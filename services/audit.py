"""An audit, start to end: files into a history, rounds settled again, findings out of it.

All that a call adds to a history is one transaction: interrupted or refused, nothing was changed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from replay.rulebook.loader import load_rulebook
from replay.rulebook.reader import RulebookError
from services.ahead import Begun, ahead
from services.errors import BadArgumentError, NothingToAuditError, PitproofError
from services.held import failures_told, opened
from services.history.journal import Journal
from services.history.store import History
from services.judging import judge
from services.opening import fits_into_memory, unpacked_bytes
from services.report.gather import Scope, gather
from services.report.model import Report
from services.sources.decoders import decoders_for
from services.sources.files import EventFile, event_files, read_pieces

if TYPE_CHECKING:
    from replay.resettle import LookOn
    from replay.rulebook.loader import Rulebook
    from services.decode.batch import DeadLetter

AHEAD_DEPTH: Final = 8
"""Pieces of a file decoded ahead: half of what is stored at once, so that both cores have work."""


class Watcher(Protocol):
    """Someone who is told how far an audit has come."""

    def reading(self, bytes_read: int, bytes_total: int) -> None:
        """So many bytes of all files are read."""

    def judging(self, judged: int, total: int) -> None:
        """So many events of all that are judged again are done."""


def audit(
    files: Sequence[str],
    *,
    db: str | None = None,
    readings: Mapping[str, str] | None = None,
    house_ways: Path | None = None,
    watcher: Watcher | None = None,
    with_scenes: bool = False,
    temporary: Begun[History] | None = None,
) -> Report:
    """Audit files by themselves, or as an addition to the history at `db`.

    `temporary`: an empty history that is being opened already, for files by themselves.

    Raises:
        PitproofError: a file cannot be read, holds no event, or the history cannot take them.
    """
    rulebook = rulebook_for(readings or {}, house_ways)
    with event_files(files) as readable:
        path = None if db is None else Path(db)
        made_here = path is not None and not os.path.exists(path)
        try:
            with _opened(path, readable, temporary) as history:
                scope = _add(history, readable, rulebook, house_ways, watcher)
                return gather(history, scope, with_scenes=with_scenes)
        except BaseException:
            if made_here and path is not None and _is_empty(path):
                path.unlink(missing_ok=True)  # an audit that could not be leaves nothing behind
            raise


@contextmanager
def _opened(
    path: Path | None, files: Sequence[EventFile], temporary: Begun[History] | None
) -> Iterator[History]:
    """The history at a path, or a temporary one: the one that was begun, if there is one."""
    if temporary is None:
        in_memory = path is None and fits_into_memory(
            (file.name, file.size_bytes) for file in files
        )
        with opened(path, create=True, in_memory=in_memory) as history:
            yield history
    else:
        with failures_told(path):
            yield temporary.result()


def rulebook_for(readings: Mapping[str, str], house_ways: Path | None) -> Rulebook:
    """The rules, with the readings and house ways of the licensee.

    Raises:
        BadArgumentError: there is no such reading, value or house way.
    """
    try:
        return load_rulebook(house_ways).with_readings(readings)
    except RulebookError as error:
        raise BadArgumentError(
            f"{error.key}: {error.problem}", next_step=error.next_step
        ) from error


def _add(
    history: History,
    files: Sequence[EventFile],
    rulebook: Rulebook,
    house_ways: Path | None,
    watcher: Watcher | None,
) -> Scope:
    """Read the files, settle what they change; the scope is what they are about."""
    with history.transaction():
        if not history.temporary:
            history.require(made_with(rulebook, house_ways))
        journal = Journal(history)
        first_error = read_files(journal, files, watcher)
        added = journal.decide()
        if not added.events + added.redelivered:
            raise nothing_in([file.name for file in files], first_error)
        judge(history, rulebook, journal.changed(), watcher=watcher)
        if history.temporary:
            return Scope()
        return Scope(
            table_days=tuple(journal.touched_days()), sources=tuple(file.name for file in files)
        )


def made_with(rulebook: Rulebook, house_ways: Path | None) -> dict[str, str]:
    """What findings depend on besides events: a history keeps to it."""
    made = {f"reading {name}": value for name, value in rulebook.reading_values().items()}
    texts = sorted(house_ways.glob("*.toml")) if house_ways is not None else []
    digest = sha256(b"".join(path.name.encode() + b"\0" + path.read_bytes() for path in texts))
    return {**made, "house ways": digest.hexdigest() if texts else "as supplied"}


def judge_tables(
    history: History,
    rulebook: Rulebook,
    tables: Sequence[str],
    watcher: Watcher | None = None,
    *,
    look_on: LookOn | None = None,
) -> None:
    """Settle these tables again, from their first event on, and keep what comes of it.

    Within a transaction of the history.
    """
    judge(history, rulebook, dict.fromkeys(tables, 0), watcher=watcher, look_on=look_on)


def read_files(journal: Journal, files: Sequence[EventFile], watcher: Watcher | None) -> str:
    """Everything in the files, in their order; returns the first dead letter, in words."""
    total = sum(file.size_bytes for file in files)
    done, first_error = 0, ""
    with decoders_for(unpacked_bytes((file.name, file.size_bytes) for file in files)) as decoders:
        for file in files:
            batches = decoders.batches(read_pieces(file.path, file.name))
            for batch in ahead(batches, depth=AHEAD_DEPTH):  # decoded while others are stored
                journal.append(file.name, batch.table, batch.dead_letters)
                if batch.dead_letters and not first_error:
                    first_error = _in_words(batch.dead_letters[0])
                done += batch.bytes_read
                if watcher is not None:
                    watcher.reading(done, total)
    return first_error


def _in_words(letter: DeadLetter) -> str:
    what = "record" if letter.source.endswith(".avro") else "line"
    return f"{letter.source}: {what} {letter.position}: {letter.error}"


def nothing_in(files: Sequence[str], first_error: str) -> NothingToAuditError:
    """Why the files cannot be judged: no event is in them, or none that can be read."""
    if first_error:
        return NothingToAuditError(
            f"{first_error}\nno line or record of {_named(files)} is an event",
            next_step="check that these are table events, one JSON object a line or Avro",
        )
    return NothingToAuditError(
        f"{_named(files)}: no event in it" if len(files) == 1 else f"no event in {_named(files)}",
        next_step="check that the export was complete",
    )


def _named(files: Sequence[str]) -> str:
    return files[0] if len(files) == 1 else f"{len(files)} files ({files[0]}, …)"


def _is_empty(path: Path) -> bool:
    """Whether a history has no transaction; what cannot be opened is left as it is."""
    try:
        with opened(path, create=False) as history:
            return not history.count("SELECT count(*) FROM transactions")
    except PitproofError:
        return False
