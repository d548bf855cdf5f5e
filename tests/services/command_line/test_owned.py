"""Commands on a history that a service owns: the same bytes, or who owns it."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from services.api.address import ServiceAddress, address_path, read_address, write_address
from services.api.server import CONNECTIONS_MAX
from services.audit import audit
from services.client import ServiceFailedError, ServiceSaidError, ask
from services.queries.query import About, Query
from services.queries.registry import QUERIES
from services.queries.verify import VERIFY, VerifyAsked
from services.settings import Settings
from tests.services.api.standing import standing
from tests.services.command_line.conftest import Call

SAMPLES = Path(__file__).parents[2] / "samples"
EVENING = SAMPLES / "run_em_twice.jsonl"
COMMAND = Path(sys.executable).parent / "pitproof"

CALLS = [
    ("findings",),
    ("findings", "--format", "json"),
    ("findings", "--format", "csv"),
    ("findings", "--code", "UNDERPAID", "--from", "2000-01-01", "--format", "json"),
    ("findings", "--to", "2000-01-01"),
    ("findings", "--table", "RT-99"),
    ("findings", "--as-known-at", "2000-01-01", "--format", "json"),
    ("findings", "--as-known-at", "2999-01-01T12:00", "--format", "json"),
    ("findings", "--as-known-at", "23:59"),
    ("findings", "--as-known-at", "soon"),
    ("verify",),
    ("verify", "--format", "json"),
    ("verify", "--format", "csv"),
    ("round", "RT-12-000012"),
    ("round", "RT-12-000012", "--timeline"),
    ("round", "RT-12-000012", "--format", "json"),
    ("round", "RT-12-000012", "--format", "csv"),
    ("round", "RT-12-000001", "--table", "RT-12"),
    ("round", "RT-12-999999"),
]


@pytest.fixture(scope="session")
def evening_bytes(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("owned") / "evening.db"
    audit([str(EVENING)], db=str(path))
    return path.read_bytes()


@pytest.fixture
def kept(evening_bytes: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "kept é.db"
    path.write_bytes(evening_bytes)
    return path


def outside(*arguments: object) -> subprocess.CompletedProcess[bytes]:
    """The command in a process of its own, which may not have the file while it is owned."""
    command = [str(COMMAND), *map(str, arguments)]
    return subprocess.run(command, check=False, capture_output=True, cwd="/", timeout=60)


def test_the_same_bytes_as_on_the_file(pitproof: Call, kept: Path) -> None:
    alone = [pitproof(*call, "--db", kept) for call in CALLS]
    with standing(kept):
        owned = [pitproof(*call, "--db", kept) for call in CALLS]
    assert owned == alone
    assert {ended.status for ended in alone} == {0, 1, 2}


def test_what_was_known(pitproof: Call, kept: Path) -> None:
    whole = pitproof("findings", "--db", kept, "--format", "json")
    later = pitproof("findings", "--db", kept, "--format", "json", "--as-known-at", "2999-01-01")
    assert (later.status, later.out) == (whole.status, whole.out)
    earlier = pitproof("findings", "--db", kept, "--format", "json", "--as-known-at", "2000-01-01")
    assert (earlier.status, earlier.report["summary"]["events"]) == (0, 0)


def test_the_same_from_another_process(kept: Path) -> None:
    call = ("findings", "--db", kept, "--format", "json")
    alone = outside(*call)
    with standing(kept) as stands:
        owned = outside(*call)
        assert stands.metric("pitproof_api_request_duration_seconds_count", question="findings")
    assert (owned.returncode, owned.stdout, owned.stderr) == (1, alone.stdout, alone.stderr)


@pytest.mark.parametrize("call", [("findings",), ("verify",), ("round", "RT-12-000012")])
def test_the_owner_is_named_where_no_service_answers(
    kept: Path, call: tuple[str, ...], tmp_path: Path
) -> None:
    with owned_by_a_process(kept) as process_id:
        ended = outside(*call, "--db", kept)
    assert (ended.returncode, ended.stdout) == (2, b"")
    assert f"process {process_id} owns" in ended.stderr.decode()
    assert b"Traceback" not in ended.stderr


def test_an_audit_into_a_history_that_is_owned_is_refused(kept: Path) -> None:
    before = kept.read_bytes()
    with standing(kept):
        ended = outside("audit", EVENING, "--db", kept)
    assert (ended.returncode, ended.stdout) == (2, b"")
    assert f"process {os.getpid()} owns" in ended.stderr.decode()
    assert kept.read_bytes() == before


@contextmanager
def owned_by_a_process(path: Path) -> Iterator[int]:
    """Something other than a service that has the file."""
    code = (
        "import sys, pathlib\nfrom services.history.store import History\n"
        "with History.open(pathlib.Path(sys.argv[1])):\n    print(1, flush=True)\n    input()"
    )
    command = [sys.executable, "-c", code, str(path)]
    owner = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with owner:
        assert owner.stdout is not None
        owner.stdout.readline()
        yield owner.pid
        owner.communicate(b"\n")


def left_behind(path: Path, port: int) -> ServiceAddress:
    """The file of a service that was killed."""
    url = f"http://127.0.0.1:{port}"
    address = ServiceAddress(1, url, "127.0.0.1", port, "token", "instance", 1, "0")
    write_address(path, address)
    return address


def free_port() -> int:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        port: int = door.getsockname()[1]
        return port


def test_a_file_left_behind_is_nobody(pitproof: Call, kept: Path) -> None:
    alone = pitproof("findings", "--db", kept)
    left_behind(kept, free_port())
    assert pitproof("findings", "--db", kept) == alone
    assert not address_path(kept).exists(), "whoever has the history knows that nobody answers"


def test_a_file_left_behind_where_another_service_answers_now(
    pitproof: Call, kept: Path, tmp_path: Path, evening_bytes: bytes
) -> None:
    alone = pitproof("findings", "--db", kept)
    other = tmp_path / "other.db"
    with standing(other) as stands:
        left_behind(kept, stands.serving.address.port)
        assert pitproof("findings", "--db", kept) == alone
        assert read_address(other) == stands.serving.address


def test_a_file_left_behind_while_something_else_owns_the_history(kept: Path) -> None:
    with owned_by_a_process(kept) as process_id:
        left_behind(kept, free_port())
        ended = outside("findings", "--db", kept)
        assert ended.returncode == 2
        assert f"process {process_id} owns" in ended.stderr.decode()
        assert address_path(kept).exists(), "it may be a service that is about to begin"


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff", b'{"version":1,"url":"x"}'])
def test_a_file_that_says_nothing(pitproof: Call, kept: Path, content: bytes) -> None:
    address_path(kept).write_bytes(content)
    assert pitproof("verify", "--db", kept).status == 0


class NothingAsked(msgspec.Struct, frozen=True):
    pass


def question(run: Any, **more: Any) -> Query[NothingAsked, Any]:
    return Query(
        name="question",
        takes=NothingAsked,
        gives=more.pop("gives", lambda: Any),
        run=run,
        told=lambda _: [],
        **more,
    )


def endless(history: Any, _: NothingAsked, __: About) -> int:
    sql = "SELECT sum(a.range * b.range) FROM range(100000000) AS a, range(100000) AS b"
    number: int = history.count(sql)
    return number


def asked_of_a_service(
    query: Query[NothingAsked, Any], path: Path, monkeypatch: pytest.MonkeyPatch
) -> Any:
    monkeypatch.setitem(QUERIES, "question", query)
    with standing(path):
        return ask(query, str(path), NothingAsked(), Settings())


def test_a_failure_is_the_services_own(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ServiceSaidError, match="stopped after") as caught:
        asked_of_a_service(question(endless, seconds_max=0.2), kept, monkeypatch)
    assert caught.value.code == "took_too_long"


def test_an_answer_of_another_version(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    query = question(lambda *_: {"a": "text"}, gives=lambda: dict[str, int])
    with pytest.raises(ServiceFailedError, match="not one that this program knows"):
        asked_of_a_service(query, kept, monkeypatch)


def test_a_service_that_hangs(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.client.GRACE_SECONDS", 0.0)
    query = question(lambda *_: time.sleep(1.5), seconds_max=0.3)
    with pytest.raises(ServiceFailedError, match="no answer"):
        asked_of_a_service(query, kept, monkeypatch)


def test_a_busy_service_is_asked_again(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.api.answering.WAITING_MAX", 1)
    monkeypatch.setattr("services.client.BUSY_PAUSE_SECONDS", 0.1)
    query = question(lambda *_: time.sleep(0.5))
    monkeypatch.setitem(QUERIES, "question", query)
    with standing(kept):
        asked = threading.Thread(target=ask, args=(query, str(kept), NothingAsked(), Settings()))
        asked.start()
        time.sleep(0.2)
        assert ask(VERIFY, str(kept), VerifyAsked(), Settings())["ok"]
        asked.join()


@contextmanager
def all_connections_taken(path: Path) -> Iterator[None]:
    """A service that owns it, with as many silent connections as it takes."""
    with standing(path) as stands, ExitStack() as stack:
        at = (stands.serving.address.host, stands.serving.address.port)
        for _ in range(CONNECTIONS_MAX):
            stack.enter_context(socket.create_connection(at))
        yield


def test_a_service_that_takes_no_more_connections_is_asked_again(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.api.patience.PATIENCE_SECONDS", 1.0)
    with all_connections_taken(kept):
        assert ask(VERIFY, str(kept), VerifyAsked(), Settings())["ok"]


def test_a_service_that_takes_no_more_connections_for_long(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.client.BUSY_SECONDS_MAX", 0.1)
    with all_connections_taken(kept):
        with pytest.raises(ServiceSaidError, match="takes no more connections"):
            ask(VERIFY, str(kept), VerifyAsked(), Settings())


def test_ctrl_c_ends_the_command_and_the_question(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(QUERIES, "verify", question(endless))
    with standing(kept) as stands:
        command = [str(COMMAND), "verify", "--db", str(kept)]
        caller = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(2)
        caller.send_signal(signal.SIGINT)
        out, err = caller.communicate(timeout=10)
        assert (caller.returncode, out) == (130, b"")
        assert b"interrupted" in err
        assert b"Traceback" not in err
        deadline = time.monotonic() + 5
        failed = {"question": "question", "outcome": "failed"}
        while stands.metric("pitproof_api_requests_total", **failed) != 1:
            assert time.monotonic() < deadline, "the question goes on with nobody waiting"
            time.sleep(0.1)
