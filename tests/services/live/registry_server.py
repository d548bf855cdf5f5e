"""A schema registry that answers as Confluent's does, over real HTTP."""

import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Server(ThreadingHTTPServer):
    """Answers as Confluent's registry does."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.schemas: dict[int, Any] = {}
        self.status: int | None = None
        self.raw: bytes | None = None
        """Sent as it is, whatever is asked."""
        self.goes_on = threading.Event()
        """Nothing is answered before it is set."""
        self.goes_on.set()
        self.asked: list[str] = []
        self.secret = ""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        self.server.secret = self.headers.get("Authorization", "")
        number = int(self.path.rpartition("/")[2])
        self.server.goes_on.wait(30)
        if self.server.raw is not None:
            self.wfile.write(self.server.raw)
        elif self.server.status is not None:
            self._answer(self.server.status, {"error_code": 50001})
        elif number in self.server.schemas:
            self._answer(200, self.server.schemas[number])
        else:
            self._answer(404, {"error_code": 40403, "message": "Schema not found"})

    def _answer(self, status: int, body: Any) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/vnd.schemaregistry.v1+json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextlib.contextmanager
def registry_server() -> Iterator[Server]:
    with Server() as opened:
        thread = threading.Thread(target=opened.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield opened
        finally:
            opened.shutdown()
            thread.join()
