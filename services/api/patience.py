"""Connections that say nothing are closed: there are only so many, and others want one.

The server itself closes what is silent behind an answer, and waits for ever for a first request, or
the rest of one. So many connections as it takes, opened by anybody and kept, would leave no answer
to anyone, not even whether the service is alive.
"""

from __future__ import annotations

import asyncio
from typing import Final

from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE_SECONDS: Final = 10.0
"""From a connection's beginning, or the answer before, to the end of a request's headers."""


class PatientProtocol(H11Protocol):
    """HTTP/1.1 as the server speaks it, with an end to its patience."""

    _end: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a request."""
        super().connection_made(transport)
        self._await_request()

    def data_received(self, data: bytes) -> None:
        """Wait no more once there is one."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        """Wait for the next."""
        super().on_response_complete()
        self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is over."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _await_request(self) -> None:
        self._stop_waiting()
        self._end = self.loop.call_later(PATIENCE_SECONDS, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._end is not None:
            self._end.cancel()
            self._end = None
