"""A canned question to a history: what `pitproof ask` asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Final

import msgspec

from services.choices import no_such
from services.queries.query import About, Query
from services.queries.sql import (
    FORMS,
    LIMIT_DEFAULT,
    SECONDS_MAX,
    SqlResult,
    check_limit,
    put,
    told,
)

if TYPE_CHECKING:
    from services.history.store import History


class AskAsked(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Which question, with which parameters, each as people write it."""

    name: str
    parameters: Mapping[str, str] = {}
    limit: int = LIMIT_DEFAULT
    form: str = "json"

    def check(self) -> None:
        """Refuse what there is not, before a history is looked for.

        Raises:
            BadArgumentError: there is no such question, parameter, limit or form.
        """
        check_limit(self.limit)
        if self.form not in FORMS:
            no_such("--format", self.form, FORMS, what="format")
        self.text(date(2000, 1, 1))

    def text(self, last_day: date) -> str:
        """The SELECT that it comes to where that is the last day held.

        Raises:
            BadArgumentError: there is no such question or parameter.
        """
        from services.questions.catalogue import question

        return question(self.name).filled(self.parameters, last_day)


def answer_of(history: History, asked: AskAsked, about: About) -> SqlResult:
    """The rows of a canned question, out of the same sandbox as any other.

    Raises:
        PitproofError: there is no such question, parameter or table, or it was stopped.
    """
    from services.held import check_table
    from services.questions.catalogue import question

    asked.check()
    for parameter in question(asked.name).parameters:
        if parameter.kind == "TABLE" and parameter.name in asked.parameters:
            check_table(history, asked.parameters[parameter.name])
    [(last_day,)] = history.rows("SELECT max(gaming_day) FROM rounds")
    last_day = last_day or date(1970, 1, 1)
    result = put(history, asked.text(last_day), asked.form, asked.limit, about)
    return replace(result, days=question(asked.name).days(asked.parameters, last_day))


ASK: Final = Query(
    name="ask",
    takes=AskAsked,
    gives=lambda: SqlResult,
    run=answer_of,
    told=told,
    seconds_max=SECONDS_MAX,
)
