"""The findings of a history, all or some: what `pitproof findings` asks."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Final

import msgspec

from replay.findings import FindingCode
from services.choices import check_days, check_game, no_such
from services.queries.query import About, Query
from services.report.model import Report, json_chunks

if TYPE_CHECKING:
    from services.history.store import History

SECONDS_MAX: Final = 600.0
"""What was known at a time is judged anew from all that had come: a minute for some millions."""


class FindingsAsked(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    rename={"first_day": "from", "last_day": "to", "as_known_at": "as-known-at"},
):
    """Which findings; without anything, all of them."""

    first_day: date | None = None
    last_day: date | None = None
    table: str | None = None
    game: str | None = None
    code: str | None = None
    as_known_at: str | None = None
    """A time: what was known then, of what had come by then."""
    zone: str | None = None
    """Of a time without an offset; else that of the settings."""
    scenes: bool = False
    """Also what people are told around a finding: times, stakes, cards."""

    def check(self) -> None:
        """Refuse what cannot be asked, before a history is looked for.

        Raises:
            BadArgumentError: days that end before they begin; a game or code that there is not.
        """
        check_days(self.first_day, self.last_day)
        check_game(self.game)
        if self.code is not None and self.code not in FindingCode.__members__:
            no_such("--code", self.code, FindingCode.__members__, what="code")


def findings_of(history: History, asked: FindingsAsked, about: About) -> Report:
    """The findings of a history, as `audit` would report them.

    Raises:
        BadArgumentError: there is no such table, game, code or time.
    """
    asked.check()
    if asked.as_known_at is None:
        return _gathered(history, asked)
    from services.known import as_known_at
    from services.moments import moment_of_commit
    from services.rounds import rulebook_of

    settings = replace(about.settings, timezone=asked.zone or about.settings.timezone)
    moment = moment_of_commit(history, "--as-known-at", asked.as_known_at, settings.zone())
    rulebook = rulebook_of(history, settings.house_ways)
    with as_known_at(history, rulebook, moment) as known:
        return _gathered(known, asked)


def _gathered(history: History, asked: FindingsAsked) -> Report:
    from services.held import check_table
    from services.report.gather import Scope, gather

    if asked.table is not None:
        check_table(history, asked.table)
    scope = Scope(
        first_day=asked.first_day,
        last_day=asked.last_day,
        table_id=asked.table,
        game=asked.game,
        code=asked.code,
    )
    return gather(history, scope, with_scenes=asked.scenes)


FINDINGS: Final = Query(
    name="findings",
    takes=FindingsAsked,
    gives=lambda: Report,
    run=findings_of,
    told=json_chunks,
    seconds_max=SECONDS_MAX,
)
