"""A receiver of alerts: a small HTTP server that notes what it gets, and answers as it is told."""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Content = Any
"""The JSON of a request: an alert to a webhook, a list of them to Alertmanager."""


@dataclass
class Got:
    """One request."""

    path: str
    headers: dict[str, str]
    body: bytes
    status: int
    """What it was answered."""

    @property
    def said(self) -> Any:
        return json.loads(self.body)


@dataclass
class Receiving:
    """What came, in order."""

    port: int = 0
    requests: list[Got] = field(default_factory=list)
    answer: Callable[[Content], int] = lambda said: 200
    seconds: float = 0.0
    """How long an answer takes."""
    at_once: int = 0
    at_once_max: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    @property
    def taken(self) -> list[Content]:
        """What was taken, in order."""
        return [one.said for one in list(self.requests) if one.status == 200]

    @property
    def told(self) -> list[tuple[str, int, str]]:
        """Id, count and status of every alert taken from a webhook."""
        return [(one["id"], one["count"], one["status"]) for one in self.taken]

    def twice(self) -> list[tuple[str, int]]:
        """Ids with counts that were taken more than once."""
        counted = Counter((one["id"], one["count"]) for one in self.taken)
        return [key for key, number in counted.items() if number > 1]

    def await_taken(self, number: int, seconds: float = 30.0) -> list[Content]:
        """Wait until so many were taken."""
        wait_until(lambda: len(self.taken) >= number, f"{number} came", seconds)
        return self.taken


def wait_until(true: Callable[[], bool], what: str, seconds: float = 30.0) -> None:
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until, f"not within {seconds} s: {what}"
        time.sleep(0.01)


@contextmanager
def receiving(on: Receiving | None = None) -> Iterator[Receiving]:
    """A server that listens while the body runs; with `on`, that one comes back at its port."""
    at = on or Receiving()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            with at.lock:
                at.at_once += 1
                at.at_once_max = max(at.at_once_max, at.at_once)
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if at.seconds:
                time.sleep(at.seconds)
            status = at.answer(json.loads(body))
            with at.lock:
                at.at_once -= 1
                at.requests.append(Got(self.path, dict(self.headers.items()), body, status))
            self.send_response(status)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, format: str, *arguments: object) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """Who sent it has broken off."""

    server = Server(("127.0.0.1", at.port), Handler)
    at.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield at
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
