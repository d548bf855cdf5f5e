"""A history made again: of sealed days, of event files, or of the topic; never over another one.

It is built in a folder beside its place and takes its name when it is whole, so that an end before
that leaves nothing behind. Out of sealed days comes what was known when; out of files and the topic
all is known from now on.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from services.audit import Watcher as AuditWatcher
from services.audit import _add as add_files
from services.audit import made_with, rulebook_for
from services.errors import UnusableHistoryError
from services.held import opened
from services.history.alert_groups import regroup
from services.history.connection import is_there
from services.history.digests import events_digest, findings_digest
from services.history.head import head_path
from services.history.journal import Journal
from services.history.sealed.anchors import links_of, remember, remember_rebuilt, remembered
from services.history.sealed.check import problem_of
from services.history.sealed.errors import SealedDamagedError
from services.history.sealed.folder import Chain, SealedFolder
from services.history.sealed.restore import mark, restore
from services.history.store import History
from services.judging import judge
from services.report.gather import tables_held
from services.sealing import sealed_folder
from services.sources.files import event_files

if TYPE_CHECKING:
    from services.live.places import Say
    from services.live.reread import TopicAsked
    from services.settings import Settings

VERSION: Final = 1
NAMED_MAX: Final = 5


class Watcher(AuditWatcher, Protocol):
    """Someone who is told how far it has come."""

    def checking(self, done: int, total: int) -> None:
        """So many bytes of all sealed files are what was sealed."""


class HistoryThereError(UnusableHistoryError):
    """There is a history already where one is to be made."""

    code = "history_there"


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What was made."""

    events: int
    events_digest: str
    findings: int
    findings_digest: str
    dead_letters: int

    @classmethod
    def of(cls, history: History) -> Rebuilt:
        """What a history has."""
        return cls(
            history.count("SELECT count(*) FROM events"),
            events_digest(history),
            history.count("SELECT count(*) FROM findings"),
            findings_digest(history),
            history.count("SELECT count(*) FROM dead_letters WHERE redriven_in IS NULL"),
        )


def from_sealed(path: Path, below: Path, settings: Settings, watcher: Watcher) -> Rebuilt:
    """Make the history at a path out of sealed days, with all that was known when.

    Raises:
        PitproofError: there is one already, the days are not whole, or the history was made with
            other readings or house ways than those of the settings.
    """
    rulebook = rulebook_for(settings.readings, settings.house_ways)
    folder = SealedFolder(below)
    with building(path) as history:
        chain = _whole(folder, watcher)
        history.require(made_with(rulebook, settings.house_ways))
        goes_on = folder.path.resolve() == sealed_folder(path, settings).path.resolve()
        restore(history, folder, chain.manifests, goes_on=goes_on, told=watcher.reading)
        with history.transaction():
            mark(history)
            judge(history, rulebook, dict.fromkeys(tables_held(history), 0), watcher=watcher)
            regroup(history)
            if goes_on:
                known = remembered(history)
                for link in links_of(chain):
                    if link.number not in known:
                        remember(history, link)
            assert chain.last is not None
            remember_rebuilt(history, chain.last)
        return Rebuilt.of(history)


def from_files(
    path: Path,
    files: Sequence[str],
    settings: Settings,
    watcher: Watcher,
    readings: Mapping[str, str] | None = None,
) -> Rebuilt:
    """Make the history at a path out of event files, in their order.

    Raises:
        PitproofError: there is one already, a file cannot be read, or no event is in them.
    """
    rulebook = rulebook_for({**settings.readings, **(readings or {})}, settings.house_ways)
    with building(path) as history, event_files(files) as readable:
        add_files(history, readable, rulebook, settings.house_ways, watcher)
        return Rebuilt.of(history)


def from_topic(
    path: Path, asked: TopicAsked, settings: Settings, watcher: Watcher, say: Say
) -> Rebuilt:
    """Make the history at a path out of a topic, up to its end as it is now.

    `serve` goes on from there; findings that it published before are not published again.

    Raises:
        PitproofError: there is one already, or the topic cannot be read.
    """
    from services.live.reread import read_topic

    rulebook = rulebook_for(settings.readings, settings.house_ways)
    with building(path) as history:
        with history.transaction():
            history.require(made_with(rulebook, settings.house_ways))
            journal = Journal(history)
            read_topic(history, journal, asked, watcher.reading, say)
            journal.decide()
            judge(history, rulebook, journal.changed(), watcher=watcher)
        return Rebuilt.of(history)


@contextmanager
def building(path: Path) -> Iterator[History]:
    """A new history that is at the path once the body has ended well; else nothing is.

    Raises:
        HistoryThereError: there is one already.
        HistoryOwnedError: there is one, and a process owns it.
        UnusableHistoryError: there can be none.
    """
    _check_free(path)
    try:
        scratch = tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise UnusableHistoryError(
            f"{path}: cannot be made: {error.strerror or error}",
            next_step="check the folder, and the right to write in it",
        ) from error
    with scratch as folder:
        built = Path(folder) / path.name
        with opened(built, create=True) as history:
            yield history
        _take_place(built, path)


def _check_free(path: Path) -> None:
    if is_there(path):
        with opened(path, create=False):  # says who owns it, or that it is no history
            pass
        raise HistoryThereError(
            f"{path}: there is a history already, and none is made over it",
            next_step="give another --db, or move that one away first, with what lies beside it.",
        )
    log = path.with_name(path.name + ".wal")
    if log.exists():
        raise HistoryThereError(
            f"{log}: is left of a history that is not there any more",
            next_step="move it away: it would be taken for the end of the new one.",
        )


def _take_place(built: Path, path: Path) -> None:
    """Give a whole history its name, with its head."""
    try:
        with built.open("rb") as file:
            os.fsync(file.fileno())
        try:
            os.link(built, path)  # unlike a renaming, refused where something is by now
        except FileExistsError:
            _check_free(path)
        except OSError:  # a file system without links
            _check_free(path)
            os.rename(built, path)
        os.replace(head_path(built), head_path(path))
    except OSError as error:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        raise UnusableHistoryError(
            f"{path}: cannot be made: {error.strerror or error}",
            next_step="free some room, or give the right to write there; nothing was left behind",
        ) from error


def _whole(folder: SealedFolder, watcher: Watcher) -> Chain:
    """The manifests of a folder, every file of theirs held against its digest.

    Raises:
        SealedDamagedError: there is nothing sealed, or something is not as it was.
    """
    folder.finish()
    chain = folder.chain()
    if not chain.manifests:
        raise SealedDamagedError(
            f"{folder.path}: nothing is sealed there",
            next_step="name the folder of sealed days; beside a history it is PATH.sealed",
        )
    files = [file for manifest in chain.manifests for file in manifest.files]
    total, done, problems = sum(file.size_bytes for file in files), 0, []
    for file in files:
        if (problem := problem_of(folder.path / file.path, file)) is not None:
            problems.append(f"{file.path}: {problem}")
        done += file.size_bytes
        watcher.checking(done, total)
    if problems:
        more = f" and {len(problems) - NAMED_MAX} more" if len(problems) > NAMED_MAX else ""
        raise SealedDamagedError(
            f"{folder.path}: not whole: {'; '.join(problems[:NAMED_MAX])}{more}",
            next_step="restore these files from a copy, or make the history again from its event "
            "files or the topic",
        )
    return chain
