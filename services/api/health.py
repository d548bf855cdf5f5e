"""Whether the service is alive and ready, and what its metrics are right now."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING, Any, Final, Protocol

from services.errors import PitproofError
from services.gauges import HistoryGauges
from services.live.state import Problem
from services.metrics import Metrics
from services.settings import CRITICAL_CENTS

if TYPE_CHECKING:
    from services.api.answering import Answering
    from services.live.state import Snapshot

LOOK_SECONDS_MIN: Final = 0.5
"""Whoever asks more often gets the same figures: they are read from the history."""

_JOINING: Final = Problem(
    "joining",
    "the consumer group",
    "the group gives no partition out yet: it waits for its members, and for one that was killed "
    "until that was silent for its session timeout, 45 s unless it was set",
    "wait; it goes on by itself. If it does not, look whether Kafka answers",
)
"""Why nothing is read after a start or while members come and go. No problem of its own: nobody is
alerted to what ends by itself."""


class Watched(Protocol):
    """A service at work."""

    def snapshot(self) -> Snapshot:
        """Its state, as of now."""


class Health:
    """What is said of one service. Lives in the thread that answers."""

    def __init__(
        self, watched: Watched, metrics: Metrics, critical_cents: int = CRITICAL_CENTS
    ) -> None:
        self._watched, self._metrics = watched, metrics
        self._gauges = HistoryGauges(metrics, critical_cents)
        self._looking = asyncio.Lock()
        self._looked_at = 0.0

    def readiness(self) -> dict[str, Any]:
        """What `/readyz` says: ready or not, and why not."""
        snapshot = self._watched.snapshot()
        return {
            "ready": snapshot.is_ready,
            "partitions": [
                {
                    "partition": one.partition,
                    "position": one.position,
                    "end": one.end,
                    "lag": one.lag,
                    "caught_up": one.is_caught_up,
                    "problem": one.problem,
                }
                for _, one in sorted(snapshot.partitions.items())
            ],
            "problems": [
                {
                    "code": one.code,
                    "where": one.where,
                    "message": one.message,
                    "next_step": one.next_step,
                    "stopping": one.is_stopping,
                }
                for one in (*snapshot.problems, *([] if snapshot.has_settled else [_JOINING]))
            ],
        }

    async def refresh(self, answering: Answering) -> None:
        """Bring the metrics up to now. Should the history not answer, they stay as they were."""
        self._metrics.show(self._watched.snapshot())
        async with self._looking:
            if time.monotonic() - self._looked_at < LOOK_SECONDS_MIN:
                return
            try:
                await answering.in_background(self._gauges.look)
            except (PitproofError, RuntimeError) as error:
                logging.getLogger(__name__).warning("the history gave no figures: %s", error)
            except Exception:
                logging.getLogger(__name__).exception("the history gave no figures")
            self._looked_at = time.monotonic()
