"""One round of a history, explained: what `pitproof round` asks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

import msgspec

from services.queries.query import About, Query

if TYPE_CHECKING:
    from services.history.store import History
    from services.rounds import RoundReport


class RoundAsked(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Which round."""

    id: str
    table: str | None = None


def round_of(history: History, asked: RoundAsked, about: About) -> RoundReport:
    """The round, argued by the readings that the history was made with.

    Raises:
        PitproofError: the history holds no such round, or one at several tables.
    """
    from services.rounds import round_in_history

    return round_in_history(
        history,
        asked.id,
        asked.table,
        house_ways=about.settings.house_ways,
        named=about.named,
    )


def _told(report: RoundReport) -> Iterable[bytes]:
    from services.report.one_round import round_json

    return [round_json(report)]


def _gives() -> Any:
    from services.rounds import RoundReport

    return RoundReport


ROUND: Final = Query(name="round", takes=RoundAsked, gives=_gives, run=round_of, told=_told)
