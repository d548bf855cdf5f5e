"""A schema registry over real HTTP: asked once, never trusted, and not needed for what is known."""

import contextlib
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from services.errors import BadSettingError
from services.live import registry as registry_module
from services.live.registry import Registry, RegistryUnreachableError, UnknownSchemaError
from tests.services.live.registry_server import Server, registry_server


@pytest.fixture
def server() -> Iterator[Server]:
    with registry_server() as opened:
        yield opened


def test_a_schema_is_asked_for_once(server: Server) -> None:
    server.schemas[7] = {"schema": '{"type": "string"}'}
    asked = Registry(server.url + "/", secret="auditor:word")
    assert asked.schema(7) == asked.schema(7) == {"type": "string"}
    assert server.asked == ["/schemas/ids/7"]
    assert server.secret == "Basic YXVkaXRvcjp3b3Jk"


def test_an_unknown_number_is_asked_for_again_after_a_while(server: Server) -> None:
    now = 0.0
    asked = Registry(server.url, now=lambda: now)
    for _ in range(3):
        with pytest.raises(UnknownSchemaError, match="has no schema 9"):
            asked.schema(9)
    assert len(server.asked) == 1
    server.schemas[9] = {"schema": '"int"'}
    now = registry_module.UNKNOWN_SECONDS + 1
    assert asked.schema(9) == "int"


def test_made_up_numbers_are_not_all_asked_for(server: Server) -> None:
    asked = Registry(server.url)
    for number in range(registry_module.UNKNOWN_MAX + 50):
        with pytest.raises(UnknownSchemaError):
            asked.schema(number)
    assert len(server.asked) == registry_module.UNKNOWN_MAX


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        ({"schema": "message M {}", "schemaType": "PROTOBUF"}, "PROTOBUF, not Avro"),
        ({"schema": '"int"', "references": [{"name": "a"}]}, "refers to others"),
        ({"schema": "{"}, "no JSON"),
        ({"schema": "[" * 100_000}, "no JSON"),
        ({}, "no JSON"),
        ({"schema": "x" * (registry_module.SCHEMA_BYTES_MAX + 1)}, "longer than"),
    ],
)
def test_what_cannot_be_a_schema_is_said(server: Server, answer: Any, cause: str) -> None:
    server.schemas[1] = answer
    with pytest.raises(UnknownSchemaError, match=cause):
        Registry(server.url).schema(1)


@pytest.mark.parametrize("status", [401, 429, 500, 503])
def test_a_registry_that_fails_is_nobodys_dead_letter(server: Server, status: int) -> None:
    server.status = status
    with pytest.raises(RegistryUnreachableError, match=str(status)):
        Registry(server.url).schema(1)
    server.status, server.schemas[1] = None, {"schema": '"int"'}
    assert Registry(server.url).schema(1) == "int"


@pytest.mark.parametrize("answer", [b"<html>", b"[]"])
def test_what_is_no_registry_is_not_asked_twice_in_vain(server: Server, answer: bytes) -> None:
    server.schemas[1] = answer
    with pytest.raises(RegistryUnreachableError, match="no schema registry"):
        Registry(server.url).schema(1)


@pytest.mark.parametrize(
    "raw",
    [
        b"SSH-2.0-other\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"a" * 70_000 + b"\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
)
def test_what_does_not_speak_http_ends_nothing(server: Server, raw: bytes) -> None:
    server.raw = raw
    with pytest.raises(RegistryUnreachableError, match="no schema registry"):
        Registry(server.url).schema(1)


def test_one_that_is_slow_holds_nobody_up(server: Server) -> None:
    """What it answers in the end is there when it is asked for again, whoever asks."""
    asked = Registry(server.url, patience_seconds=0.05)
    server.schemas[1] = server.schemas[2] = {"schema": '"int"'}
    server.goes_on.clear()
    for number in (1, 2, 1):
        with pytest.raises(RegistryUnreachableError, match="not answered yet for schema 1"):
            asked.schema(number)
    server.goes_on.set()
    patient = time.monotonic() + 30
    found: set[int] = set()
    while found != {1, 2}:
        assert time.monotonic() < patient
        for number in (2, 1):
            with suppress(RegistryUnreachableError):
                assert asked.schema(number) == "int"
                found.add(number)
    assert sorted(server.asked) == ["/schemas/ids/1", "/schemas/ids/2"]


def test_an_answer_by_the_byte_ends(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry_module, "ANSWER_SECONDS_MAX", 0.0)
    monkeypatch.setattr(urllib.request, "urlopen", lambda *_, **__: Dripping())
    with pytest.raises(RegistryUnreachableError, match="took more than"):
        Registry(server.url).schema(1)


def test_the_secret_goes_nowhere_else(server: Server) -> None:
    with registry_server() as other:
        other.schemas[1] = {"schema": '"int"'}
        there = f"{other.url}/schemas/ids/1".encode()
        server.raw = b"HTTP/1.1 302 Found\r\nLocation: " + there + b"\r\n\r\n"
        assert Registry(server.url, secret="auditor:word").schema(1) == "int"
    assert (server.secret != "", other.secret) == (True, "")


class Dripping(contextlib.nullcontext[Any]):
    """An answer without an end."""

    def __enter__(self) -> Any:
        return self

    def read1(self, _: int) -> bytes:
        return b" "


def test_no_registry_there() -> None:
    with pytest.raises(RegistryUnreachableError, match="no registry at"):
        Registry("http://127.0.0.1:9").schema(1)


@pytest.mark.parametrize("url", ["ftp://host", "host:8081", "file:///etc/passwd"])
def test_only_web_addresses(url: str) -> None:
    with pytest.raises(BadSettingError):
        Registry(url)


def test_no_secrets_in_addresses() -> None:
    with pytest.raises(BadSettingError) as refused:
        Registry("http://user:word@host")
    assert "word" not in str(refused.value).replace("password", "")
