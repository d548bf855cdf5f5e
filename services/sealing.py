"""Which gaming days are sealed when: those that are over, once nothing comes for them any more.

A day may be sealed once it is over by the casino's clock. A service waits until nothing came for it
for a while, so that a table that closes late does not come in pieces; but not for ever, since a
table may go on under its old opening. What comes after a sealing is sealed as an amendment, by the
same rule. A person who asks for it does not wait.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Final

from services.errors import BadArgumentError
from services.history.reader import HistoryReader
from services.history.sealed.anchors import catch_up, remember
from services.history.sealed.days import GamingDays
from services.history.sealed.folder import Chain, SealedFolder, folder_of
from services.history.sealed.pending import Pending, PendingDay, committed_at
from services.history.sealed.seal import Clock, Sealed, seal

if TYPE_CHECKING:
    from pathlib import Path

    from services.history.store import History
    from services.settings import Settings

WAIT_MAX: Final = timedelta(hours=6)
"""Since a day was over, was sealed last, or had something come: longer nothing is waited for."""


def now() -> datetime:
    """The clock on the wall."""
    return datetime.now(UTC)


def gaming_days(settings: Settings) -> GamingDays:
    """Those of the casino."""
    return GamingDays(settings.zone(), settings.gaming_day_starts)


def sealed_folder(history: Path, settings: Settings) -> SealedFolder:
    """Where the history at a path is sealed."""
    return folder_of(history, settings.sealed)


def seal_all(
    history: History,
    settings: Settings,
    *,
    until: date | None = None,
    clock: Clock = now,
) -> Iterator[Sealed]:
    """Seal all that is over, up to a gaming day: one after the other, each counts at once.

    Of an open history this reads only, and whoever writes enters the records later.

    Raises:
        BadArgumentError: the day is not over.
        UnusableHistoryError: the folder is not that of this history, or cannot be written to.
    """
    days, folder = gaming_days(settings), sealed_folder(history.path, settings)
    last_over = days.last_over(clock())
    if until is not None and until > last_over:
        raise BadArgumentError(
            f"--until {until}: is not over", next_step=f"the last one that is: {last_over}"
        )
    upto = until or last_over

    def chosen(found: Pending, _: Chain) -> Sequence[PendingDay]:
        return [day for day in found.days if day.day <= upto]

    is_writer = not isinstance(history, HistoryReader)
    if is_writer:
        folder.finish()
        catch_up(history, folder.chain())
    for sealed in seal(history, folder, days, chosen, clock):
        if is_writer:
            with history.transaction():
                remember(history, sealed.link)
        yield sealed


class Sealing:
    """What a service seals of its own accord, looked at every now and then."""

    def __init__(self, settings: Settings, clock: Clock = now) -> None:
        self._settings, self._clock = settings, clock
        self._days = gaming_days(settings)
        self.overdue: tuple[date, ...] = ()
        """Days that are over and were never sealed, as of the last look."""

    def step(self, reader: HistoryReader) -> Iterator[Sealed]:
        """Seal what is due, a day at a time: whoever iterates may stop in between.

        Raises:
            UnusableHistoryError: the folder is not that of this history, or cannot be written to.
        """
        folder = sealed_folder(reader.path, self._settings)

        def chosen(found: Pending, chain: Chain) -> Sequence[PendingDay]:
            over = [each for each in found.days if each.day <= self._days.last_over(self._clock())]
            ever = {manifest.gaming_day for manifest in chain.manifests}
            self.overdue = tuple(each.day for each in over if each.day not in ever)
            return [each for each in over if not self._waits(reader, chain, each)]

        for sealed in seal(reader, folder, self._days, chosen, self._clock):
            self.overdue = tuple(d for d in self.overdue if d != sealed.manifest.gaming_day)
            yield sealed

    def _waits(self, history: History, chain: Chain, day: PendingDay) -> bool:
        """Whether more of a day may be under way."""
        waits_since = committed_at(history, day.first_transaction)
        quiet_since = committed_at(history, day.last_transaction)
        sealed = [each.sealed_at for each in chain.manifests if each.gaming_day == day.day]
        since = max([self._days.begins(day.day + timedelta(days=1)), waits_since, *sealed])
        clock = self._clock()
        is_quiet = clock - quiet_since >= timedelta(seconds=self._settings.seal_quiet_seconds)
        return not is_quiet and clock - since < WAIT_MAX
