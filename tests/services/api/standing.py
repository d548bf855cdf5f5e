"""A service without a stream: an open history, its HTTP interface, and a thread that writes."""

import http.client
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from services.api.server import Serving, serving
from services.history.store import History
from services.live.state import ServiceState
from services.settings import Settings

SECONDS_MAX = 30


@dataclass
class Answer:
    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def said(self) -> dict[str, Any]:
        loaded: dict[str, Any] = json.loads(self.body)
        return loaded


@dataclass
class Standing:
    history: History
    state: ServiceState
    serving: Serving

    def get(self, path: str, token: str | None = None, **headers: str) -> Answer:
        return self.ask("GET", path, None, token, headers)

    def post(self, path: str, body: bytes, **headers: str) -> Answer:
        return self.ask("POST", path, body, self.serving.address.token, headers)

    def asked(self, path: str) -> Answer:
        return self.get(path, self.serving.address.token)

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None,
        token: str | None,
        headers: Mapping[str, str],
    ) -> Answer:
        address = self.serving.address
        connection = http.client.HTTPConnection(address.host, address.port, timeout=SECONDS_MAX)
        bearer = {} if token is None else {"Authorization": f"Bearer {token}".encode()}
        with closing(connection):
            connection.request(method, path, body, {**headers, **bearer})
            response = connection.getresponse()
            return Answer(response.status, response.read(), dict(response.headers.items()))

    def metric(self, name: str, **labels: str) -> float | None:
        self.get("/metrics")
        value: float | None = self.serving.metrics.registry.get_sample_value(name, labels)
        return value


@contextmanager
def standing(path: Path, *, writes: bool = True) -> Iterator[Standing]:
    """While the body runs, the history belongs to a service in this process."""
    state = ServiceState()
    ended = threading.Event()

    def loop() -> None:
        while not ended.wait(0.01):
            state.do_asked()

    thread = threading.Thread(target=loop)
    with History.open(path) as history:
        with serving(history, state, Settings(), listen="127.0.0.1:0") as stands:
            if writes:
                thread.start()
            try:
                yield Standing(history, state, stands)
            finally:
                state.close()
                ended.set()
                if writes:
                    thread.join()
