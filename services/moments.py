"""Times that people write, about when something came into the history."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from services.errors import BadArgumentError

if TYPE_CHECKING:
    from services.history.store import History


def moment_of_commit(history: History, flag: str, text: str, zone: ZoneInfo) -> datetime:
    """ISO 8601, or a time of day: then the last one before the history's latest transaction.

    Without an offset it is in the casino's zone.

    Raises:
        BadArgumentError: it is no time.
    """
    moment: datetime | time
    try:
        moment = time.fromisoformat(text) if ":" in text[:3] else datetime.fromisoformat(text)
    except ValueError:
        raise BadArgumentError(
            f"{flag} {text}: is not a time",
            next_step=f"write it as {flag} 2026-04-18T21:40, or {flag} 21:40",
        ) from None
    if isinstance(moment, datetime):
        return moment if moment.tzinfo is not None else moment.replace(tzinfo=zone)
    ((latest,),) = history.rows("SELECT max(committed_at) FROM transactions")
    last = (latest or datetime.now(UTC)).astimezone(moment.tzinfo or zone)
    on_that_day = datetime.combine(last.date(), moment, moment.tzinfo or last.tzinfo)
    return on_that_day if on_that_day <= last else on_that_day - timedelta(days=1)
