"""The statistical report, and the index of computer records: what `pitproof report` asks."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Final

import msgspec

from services.choices import check_days, check_game
from services.errors import BadArgumentError
from services.queries.query import About, Query
from services.records_index.model import RecordsIndex
from services.records_index.model import json_chunks as index_json_chunks
from services.statistics.model import Statistics, json_chunks

if TYPE_CHECKING:
    from services.history.store import History

SECONDS_MAX: Final = 600.0
"""A year of a large floor."""

INDEX_SECONDS_MAX: Final = 3_600.0
"""Every row of a history of years is read, for the digests."""


class ReportAsked(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    rename={"first_day": "from", "last_day": "to"},
):
    """For which gaming days; without any, for the last one that there is."""

    day: date | None = None
    first_day: date | None = None
    last_day: date | None = None
    table: str | None = None
    game: str | None = None

    def check(self) -> None:
        """Refuse what cannot be asked, before a history is looked for.

        Raises:
            BadArgumentError: a day beside days, days that end before they begin, no such game.
        """
        if self.day is not None and (self.first_day is not None or self.last_day is not None):
            raise BadArgumentError(
                f"--day {self.day}: is one day, and --from and --to are several",
                next_step="give the one or the others",
            )
        check_days(self.first_day, self.last_day)
        check_game(self.game)


def report_of(history: History, asked: ReportAsked, about: About) -> Statistics:
    """The statistical report of a history.

    Raises:
        BadArgumentError: there is no such table, game or day.
        BadSettingError: the shifts do not do.
    """
    from services.held import check_table
    from services.statistics.gather import statistics

    asked.check()
    if asked.table is not None:
        check_table(history, asked.table)
    return statistics(history, about.settings, _days(asked), table_id=asked.table, game=asked.game)


def _days(asked: ReportAsked) -> tuple[date | None, date | None]:
    return asked.day or asked.first_day, asked.day or asked.last_day


REPORT: Final = Query(
    name="report",
    takes=ReportAsked,
    gives=lambda: Statistics,
    run=report_of,
    told=json_chunks,
    seconds_max=SECONDS_MAX,
)


class IndexAsked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of it."""


def indexed(history: History, asked: IndexAsked, about: About) -> RecordsIndex:
    """The index of a history's computer records.

    Raises:
        SealedDamagedError: the manifests of its sealed days are not the ones that were written.
    """
    from services.records_index.gather import index_of

    return index_of(history, about.settings)


INDEX: Final = Query(
    name="report/index",
    takes=IndexAsked,
    gives=lambda: RecordsIndex,
    run=indexed,
    told=index_json_chunks,
    seconds_max=INDEX_SECONDS_MAX,
)
