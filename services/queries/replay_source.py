"""Where a history lies for a replay, which reads it in processes of its own."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import msgspec

from services.queries.query import About, Query

if TYPE_CHECKING:
    from services.history.sql.source import SqlSource
    from services.history.store import History

SECONDS_MAX: Final = 3_600.0
"""The first export of a history that is in use writes all of its events."""


class ReplaySourceAsked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of the history: nothing to say."""


class ReplaySource(msgspec.Struct, frozen=True):
    """A database file that is free, or Parquet files of a history that is in use."""

    text: str
    """`SqlSource.to_json`."""

    def source(self) -> SqlSource:
        """As what reads it takes it."""
        from services.history.sql.source import SqlSource

        return SqlSource.from_json(self.text)


def replay_source(history: History, _: ReplaySourceAsked, about: About) -> ReplaySource:
    """The file, where nobody owns it; else its sealed days, and an export of the rest as of now."""
    from services.history.sql.asked import source_of
    from services.sealing import sealed_folder

    return ReplaySource(source_of(history, sealed_folder(history.path, about.settings)).to_json())


def told(result: ReplaySource) -> Iterable[bytes]:
    """The places, as JSON."""
    return [json.dumps(json.loads(result.text)).encode() + b"\n"]


REPLAY_SOURCE: Final = Query(
    name="replay-source",
    takes=ReplaySourceAsked,
    gives=lambda: ReplaySource,
    run=replay_source,
    told=told,
    seconds_max=SECONDS_MAX,
)
