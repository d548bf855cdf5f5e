"""One request: whatever a receiver does, there is an answer in time, and a stop waits for none."""

import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from services.alerts import post
from services.alerts.post import Answer, Poster
from tests.live.certificates import Authority

BODY = b"{}"
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@contextlib.contextmanager
def answering(
    behave: Callable[[socket.socket], None], context: ssl.SSLContext | None = None
) -> Iterator[int]:
    """A port whose connections, one after the other, are read and then in these hands."""

    def run() -> None:
        with contextlib.suppress(OSError):
            while True:
                found, _ = door.accept()
                with contextlib.suppress(OSError):
                    with context.wrap_socket(found, True) if context else found as ready:
                        got = b""
                        while not got.endswith(BODY):  # what is not read when it closes ends it
                            got += ready.recv(65_536) or BODY
                        behave(ready)

    with socket.create_server(("127.0.0.1", 0)) as door:
        thread = threading.Thread(target=run)
        thread.start()
        try:
            yield door.getsockname()[1]
        finally:
            door.shutdown(socket.SHUT_RDWR)
            thread.join()


def by_the_byte(found: socket.socket) -> None:
    found.sendall(b"HTTP/1.1 ")
    while True:
        found.sendall(b"2")
        time.sleep(0.02)


def posted(port: int, scheme: str = "http") -> Answer:
    return Poster(f"{scheme}://127.0.0.1:{port}/").post(BODY, {})


def test_an_answer_by_the_byte_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(post, "WHOLE_SECONDS_MAX", 0.3)
    with answering(by_the_byte) as port:
        answer = posted(port)
    assert (answer.status, answer.words) == (None, "no whole answer within 0 s")


def test_a_stop_breaks_off_connecting() -> None:
    with contextlib.ExitStack() as stack:
        door = stack.enter_context(socket.socket())
        door.bind(("127.0.0.1", 0))
        door.listen(0)
        for _ in range(4):  # more than it keeps: who comes now waits
            early = stack.enter_context(socket.socket())
            early.setblocking(False)
            early.connect_ex(door.getsockname())
        poster = Poster(f"http://127.0.0.1:{door.getsockname()[1]}/")
        found: list[Answer] = []
        thread = threading.Thread(target=lambda: found.append(poster.post(BODY, {})))
        thread.start()
        time.sleep(0.2)
        assert thread.is_alive()
        began = time.monotonic()
        poster.stop()
        thread.join()
        assert time.monotonic() - began < post.SECONDS_MAX / 2
        assert found[0].status is None


def test_over_tls_only_to_whom_we_trust(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority = Authority("ours", tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority.issue("receiver").both)
    with answering(lambda found: found.sendall(OK), context) as port:
        assert "CERTIFICATE_VERIFY_FAILED" in posted(port, "https").words
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.certificate))
        assert posted(port, "https").words == "200 OK: ok"
