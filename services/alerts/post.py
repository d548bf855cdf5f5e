"""One HTTP request to a receiver, and what it answered. Whatever goes wrong is an answer."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

SECONDS_MAX: Final = 10.0
"""For each of connecting, sending and waiting: who takes longer is asked again."""

WHOLE_SECONDS_MAX: Final = 20.0
"""For all of it: who answers by the byte, too."""

ANSWER_BYTES_MAX: Final = 300
"""What is shown of an answer."""

BUSY: Final = (408, 425, 429)
"""Come again: nothing is wrong with what was sent."""

OUR_FAULT: Final = (401, 403, 404, 405, 407)
"""Nothing is wrong with this alert either: address or secret are, for all of them."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int | None
    """None: nothing."""
    words: str
    seconds: float
    retry_after_seconds: float = 0.0

    @property
    def is_good(self) -> bool:
        """Taken: need not be sent again."""
        return self.status is not None and 200 <= self.status < 300

    @property
    def is_of_content(self) -> bool:
        """Not good, and what was sent may be why."""
        return self.is_refused or (self.status is not None and self.status >= 500)

    @property
    def is_refused(self) -> bool:
        """This one is not liked; others may be."""
        return (
            self.status is not None
            and 400 <= self.status < 500
            and self.status not in (*BUSY, *OUR_FAULT)
        )


_LINES: Final[dict[str, threading.Lock]] = {}  # by address: one request at a time, whoever sends


class Poster:
    """Sends to one address, one request at a time; `stop` breaks off what is under way."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        assert parts.hostname, "receivers are checked when they are read"
        self._host, self._port, self._is_tls = parts.hostname, parts.port, parts.scheme == "https"
        self._path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._socket: socket.socket | None = None
        self._line = _LINES.setdefault(url, threading.Lock())
        self._is_stopped = False

    def post(self, body: bytes, headers: Mapping[str, str]) -> Answer:
        """Send it, and wait for the answer."""
        with self._line:
            began = time.monotonic()
            watch = threading.Timer(WHOLE_SECONDS_MAX, self._break_off)
            watch.daemon = True
            watch.start()
            try:
                with closing(self._connected()) as connection:
                    connection.request("POST", self._path, body, dict(headers))
                    answer = connection.getresponse()
                    said = answer.read(ANSWER_BYTES_MAX).decode("utf-8", "replace").strip()
                    words = f"{answer.status} {answer.reason}" + (f": {said}" if said else "")
                    after = _seconds(answer.getheader("Retry-After"))
                    return Answer(answer.status, words, time.monotonic() - began, after)
            except (OSError, http.client.HTTPException, ValueError) as error:
                return Answer(None, self._cause(error, began), time.monotonic() - began)
            finally:
                watch.cancel()
                self._socket = None

    def stop(self) -> None:
        """From another thread: let what is under way fail, and all that follows."""
        self._is_stopped = True
        self._break_off()

    def _break_off(self) -> None:
        """Whatever it is at: connecting, shaking hands, waiting."""
        under_way = self._socket
        if under_way is not None:
            with suppress(OSError):
                under_way.shutdown(socket.SHUT_RDWR)

    def _connected(self) -> http.client.HTTPConnection:
        """A connection whose socket is ours from its beginning, so that it can be broken off."""
        port = self._port or (443 if self._is_tls else 80)
        failure = OSError("no address")
        for family, kind, protocol, _, address in socket.getaddrinfo(
            self._host, port, type=socket.SOCK_STREAM
        ):
            reached = self._socket = socket.socket(family, kind, protocol)
            try:
                reached.settimeout(SECONDS_MAX)
                self._check()
                reached.connect(address)
                self._check()
                reached.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                return self._over(reached)
            except OSError as error:
                self._socket.close()
                failure = error
        raise failure

    def _over(self, reached: socket.socket) -> http.client.HTTPConnection:
        connection: http.client.HTTPConnection
        if self._is_tls:
            context = ssl.create_default_context()
            connection = http.client.HTTPSConnection(self._host, self._port, context=context)
            shaking = self._socket = context.wrap_socket(
                reached, server_hostname=self._host, do_handshake_on_connect=False
            )
            shaking.do_handshake()
            reached = shaking
        else:
            connection = http.client.HTTPConnection(self._host, self._port)
        connection.sock = reached
        return connection

    def _check(self) -> None:
        if self._is_stopped:
            raise OSError("stopped")

    def _cause(self, error: Exception, began: float) -> str:
        if time.monotonic() - began >= WHOLE_SECONDS_MAX:
            return f"no whole answer within {WHOLE_SECONDS_MAX:.0f} s"
        return _cause(error)


def _seconds(text: str | None) -> float:
    return float(text) if text is not None and text.isdecimal() else 0.0


def _cause(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return f"no answer within {SECONDS_MAX:.0f} s"
    words = getattr(error, "strerror", None) or str(error)
    return words or type(error).__name__
