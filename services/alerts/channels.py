"""How receivers are spoken to: what goes into one request, and what a test of them is."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple, Protocol

from services.alerts import alertmanager, webhook
from services.alerts.post import Answer, Poster
from services.alerts.receivers import Receiver, ReceiverKind
from services.alerts.told import Told, test_told


class Letter(NamedTuple):
    """One alert to be told."""

    told: Told
    told_severity: str | None
    """What it was told with before; None: it is new to the receiver."""


class Channel(Protocol):
    """One receiver."""

    letters_max: int
    """Of one request."""
    refresh_seconds: float | None
    """How often what is open must be told again; None: never."""

    def send(self, letters: Sequence[Letter]) -> Answer:
        """Send these in one request."""

    def test(self) -> Answer:
        """Send something that can be told from an alert."""

    def stop(self) -> None:
        """From another thread: let what is under way fail, and all that follows."""


def channel_of(receiver: Receiver, runbook_url: str) -> Channel:
    """The way to a receiver."""
    if receiver.kind is ReceiverKind.ALERTMANAGER:
        return _Alertmanager(receiver, runbook_url)
    return _Webhook(receiver)


class _Webhook:
    letters_max: int = 1
    refresh_seconds: float | None = None

    def __init__(self, receiver: Receiver) -> None:
        self._secret = receiver.secret
        self._poster = Poster(receiver.url)

    def send(self, letters: Sequence[Letter]) -> Answer:
        [letter] = letters
        return self._poster.post(*webhook.message_of(letter.told, self._secret, int(time.time())))

    def test(self) -> Answer:
        return self.send([Letter(test_told(datetime.now(UTC)), None)])

    def stop(self) -> None:
        self._poster.stop()


class _Alertmanager:
    letters_max: int = 200
    refresh_seconds: float | None = alertmanager.REFRESH_SECONDS

    def __init__(self, receiver: Receiver, runbook_url: str) -> None:
        self._token, self._runbook_url = receiver.secret, runbook_url
        self._poster = Poster(receiver.url.rstrip("/") + alertmanager.PATH)

    def send(self, letters: Sequence[Letter]) -> Answer:
        now = datetime.now(UTC)
        posted = [
            one
            for letter in letters
            for one in alertmanager.posted_of(letter.told, letter.told_severity, now)
        ]
        return self._post(posted)

    def test(self) -> Answer:
        return self._post([alertmanager.test_posted(datetime.now(UTC))])

    def stop(self) -> None:
        self._poster.stop()

    def _post(self, posted: list[alertmanager.Posted]) -> Answer:
        message = alertmanager.message_of(posted, self._token, self._runbook_url)
        return self._poster.post(*message)
