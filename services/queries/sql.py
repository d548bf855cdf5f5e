"""A question in SQL: what `pitproof sql` asks, answered by a process that can do nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Final

import msgspec

from services.choices import no_such
from services.errors import BadArgumentError
from services.queries.query import About, Query

if TYPE_CHECKING:
    from services.history.store import History

LIMIT_DEFAULT: Final = 10_000
LIMIT_MAX: Final = 1_000_000
FORMS: Final = ("table", "json", "csv", "parquet")
SECONDS_MAX: Final = 3_600.0
"""The setting sql_seconds ends it long before."""


class SqlAsked(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The text, how many rows of the answer, and in which form."""

    text: str
    limit: int = LIMIT_DEFAULT
    form: str = "json"

    def check(self) -> None:
        """Refuse a limit or form that there is not.

        Raises:
            BadArgumentError: the message says what there is.
        """
        check_limit(self.limit)
        if self.form not in FORMS:
            no_such("--format", self.form, FORMS, what="format")


def check_limit(limit: int) -> None:
    """Refuse a number of rows that may not be asked for.

    Raises:
        BadArgumentError: below 1, or above LIMIT_MAX.
    """
    if not 1 <= limit <= LIMIT_MAX:
        raise BadArgumentError(
            f"--limit {limit}: is not a whole number from 1 to {LIMIT_MAX:,}",
            next_step="sum up in the question itself, or write --format parquet in parts",
        )


@dataclass(frozen=True, slots=True)
class SqlResult:
    """An answer, written in the form that was asked for."""

    columns: tuple[str, ...]
    row_count: int
    truncated: bool
    content: bytes
    days: tuple[date, date] | None = None
    """First and last gaming day of a canned question that was not told both."""


def sql_of(history: History, asked: SqlAsked, about: About) -> SqlResult:
    """The rows of a question, over the views of the history.

    Raises:
        PitproofError: it may not be put, cannot be answered, or was stopped.
    """
    asked.check()
    return put(history, asked.text, asked.form, asked.limit, about)


def put(history: History, text: str, form: str, limit: int, about: About) -> SqlResult:
    """A text in SQL, ours or another's, put to the history.

    Raises:
        PitproofError: it may not be put, cannot be answered, or was stopped.
    """
    from services.history.sql.asked import answer_in
    from services.history.sql.run import SqlRequest
    from services.sealing import sealed_folder

    settings = about.settings
    request = SqlRequest(
        text=text,
        form=form,
        limit=limit,
        zone=settings.zone().key,
        seconds=settings.sql_seconds,
        memory_mb=settings.sql_memory_mb,
    )
    answer = answer_in(history, request, sealed_folder(history.path, settings))
    try:
        content = b"".join(answer.chunks())
        return SqlResult(answer.columns, answer.row_count, answer.truncated, content)
    finally:
        answer.close()


def told(result: SqlResult) -> Iterable[bytes]:
    """The answer as it was written."""
    return [result.content]


SQL: Final = Query(
    name="sql",
    takes=SqlAsked,
    gives=lambda: SqlResult,
    run=sql_of,
    told=told,
    seconds_max=SECONDS_MAX,
)
