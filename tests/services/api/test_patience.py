"""Who opens connections and says nothing keeps nobody else out for long."""

import socket
from contextlib import ExitStack
from http import HTTPStatus

import pytest

from services.api import patience
from services.api.server import CONNECTIONS_MAX
from tests.services.api.standing import Standing

HALF = b"POST /api/findings HTTP/1.1\r\nHost: here\r\nContent-Le"
WHOLE = b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n"


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "PATIENCE_SECONDS", 0.3)


@pytest.mark.parametrize("said", [b"", HALF, WHOLE + HALF])
def test_silent_ones_are_closed(shared: Standing, said: bytes) -> None:
    address = shared.serving.address
    with ExitStack() as stack:
        silent = [
            stack.enter_context(socket.create_connection((address.host, address.port), timeout=30))
            for _ in range(CONNECTIONS_MAX)
        ]
        for one in silent:
            one.sendall(said)
        for one in silent:
            got = b""
            while part := one.recv(65_536):
                got += part
            assert got.startswith(b"HTTP/1.1 ") == said.startswith(WHOLE)
        assert shared.get("/healthz").status == HTTPStatus.OK


def test_an_answer_may_take_longer(shared: Standing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "PATIENCE_SECONDS", 0.05)
    answer = shared.post("/api/verify", b"{}")  # in a process of its own, which takes to start
    assert answer.said["ok"]
