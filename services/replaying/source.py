"""Where a history is read from for as long as a replay takes, whoever owns it."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from services.client import ask
from services.history.sql.source import SqlSource
from services.queries.replay_source import REPLAY_SOURCE, ReplaySourceAsked

if TYPE_CHECKING:
    from services.settings import Settings


@contextmanager
def source_of(db: str, settings: Settings) -> Iterator[SqlSource]:
    """The file at `db`, or what the service that owns it has exported of it.

    A service replaces what it exported as it goes on, so its files are held by links of our own.

    Raises:
        PitproofError: there is no history, or its owner cannot be asked.
    """
    source = ask(REPLAY_SOURCE, db, ReplaySourceAsked(), settings).source()
    if source.database is not None:
        yield source
        return
    with tempfile.TemporaryDirectory(prefix="pitproof-") as folder:
        yield SqlSource(parquet=_linked(source.parquet, Path(folder)))


def _linked(files: Mapping[str, tuple[Path, ...]], folder: Path) -> dict[str, tuple[Path, ...]]:
    linked = {}
    for name, paths in files.items():
        own = [folder / f"{name}-{number}.parquet" for number in range(len(paths))]
        for path, link in zip(paths, own, strict=True):
            try:
                os.link(path, link)
            except OSError:  # on another file system
                shutil.copyfile(path, link)
        linked[name] = tuple(own)
    return linked
