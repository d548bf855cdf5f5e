"""Where a round is, by what someone remembers of it: what `pitproof find` asks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from services.errors import BadArgumentError
from services.find.asked import FindAsked
from services.queries.query import About, Query

if TYPE_CHECKING:
    from services.find.found import Found
    from services.history.store import History

LIMIT_MAX: Final = 1_000


def find(history: History, asked: FindAsked, about: About) -> Found:
    """The rounds that have what is remembered, the likeliest first.

    Raises:
        BadArgumentError: something is no table, time, amount, card or code, or says nothing.
    """
    from services.find.found import found_of

    if not 1 <= asked.limit <= LIMIT_MAX:
        raise BadArgumentError(
            f"--limit {asked.limit}: is not a whole number from 1 to {LIMIT_MAX:,}"
        )
    return found_of(history, asked, about.settings.zone())


def _told(found: Found) -> Iterable[bytes]:
    from services.find.found import found_json

    return [found_json(found)]


def _gives() -> Any:
    from services.find.found import Found

    return Found


FIND: Final = Query(name="find", takes=FindAsked, gives=_gives, run=find, told=_told)
