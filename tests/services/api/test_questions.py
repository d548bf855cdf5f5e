"""What is answered: the same as on the file, within bounds, beside a writer, or why not."""

import http.client
import json
import threading
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from services.api import answering
from services.api.address import REPORT_FORM
from services.command_line.main import main
from services.history.reader import Readers
from services.queries.query import About, Query
from services.queries.registry import QUERIES
from tests.services.api.standing import Standing, standing


class NumberAsked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    number: int = 0
    names: list[str] = []


def question(name: str, run: Any, **more: Any) -> Query[Any, Any]:
    return Query(
        name=name,
        takes=NumberAsked,
        gives=lambda: Any,
        run=run,
        told=lambda result: [json.dumps(result).encode()],
        **more,
    )


@pytest.fixture
def more(monkeypatch: pytest.MonkeyPatch) -> dict[str, Query[Any, Any]]:
    """Questions of a test's own."""
    questions = dict(QUERIES)
    monkeypatch.setattr("services.api.app.QUERIES", questions)
    return questions


ENDLESS = "SELECT sum(a.range * b.range) FROM range(100000000) AS a, range(100000) AS b"


def endless(history: Any, asked: NumberAsked, about: About) -> int:
    number: int = history.count(ENDLESS)
    return number


def test_it_answers_what_the_command_prints(
    kept: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    printed = {}
    for words in (("findings",), ("verify",), ("round", "RT-12-000012")):
        main([*words, "--db", str(kept), "--format", "json"])
        printed[words[0]] = capfdbinary.readouterr().out
    with standing(kept) as stands:
        assert stands.asked("/api/findings").body == printed["findings"]
        assert stands.post("/api/findings", b"").body == printed["findings"]
        assert stands.asked("/api/verify").body == printed["verify"]
        assert stands.asked("/api/round?id=RT-12-000012").body == printed["round"]
        assert stands.post("/api/round", b'{"id":"RT-12-000012"}').body == printed["round"]


def test_filters_are_named_as_the_flags(shared: Standing) -> None:
    whole = shared.asked("/api/findings").said["findings"]
    assert shared.asked("/api/findings?table=RT-12&from=2000-01-01").said["findings"] == whole
    assert shared.asked("/api/findings?to=2000-01-01").said["findings"] == []
    found = shared.post("/api/findings", b'{"code":"UNDERPAID"}').said["findings"]
    assert [one["code"] for one in found] == ["UNDERPAID"]


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("/api/findings?form=2000-01-01", "form"),
        ("/api/findings?from=yesterday", "from"),
        ("/api/findings?table=A&table=B", "table"),
        ("/api/findings?from=2026-01-02&to=2026-01-01", "swap"),
        ("/api/findings?code=UNDERPAYED", "UNDERPAID"),
        ("/api/findings?table=RT-99", "RT-12"),
        ("/api/round", "id"),
        ("/api/round?id=RT-12-999999", "nearest"),
        ("/api/round?id=rt-12-000012", "nearest are RT-12-000012"),
    ],
)
def test_a_bad_question_says_what_there_is(shared: Standing, path: str, named: str) -> None:
    answer = shared.asked(path)
    assert (answer.status, answer.said["code"]) == (400, "bad_argument")
    assert named in answer.said["message"] + answer.said["next_step"]


@pytest.mark.parametrize("body", [b"[]", b"{", b'"x"', b'{"from":1}', b"\xff", b'{"form":null}'])
def test_a_body_that_is_no_question(shared: Standing, body: bytes) -> None:
    assert shared.post("/api/findings", body).said["code"] == "bad_argument"


def test_a_body_without_end(stands: Standing) -> None:
    answer = stands.post("/api/findings", b" " * (2 << 20))
    assert (answer.status, answer.said["code"]) == (413, "body_too_large")


def test_an_answer_has_a_bound(stands: Standing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answering, "ANSWER_BYTES_MAX", 100)
    assert stands.asked("/api/findings").said["code"] == "answer_too_large"


def test_words_become_what_is_asked_for(more: dict[str, Query[Any, Any]], stands: Standing) -> None:
    more["names"] = question("names", lambda h, asked, about: [asked.number, asked.names])
    assert json.loads(stands.asked("/api/names?number=3&names=a&names=b").body) == [3, ["a", "b"]]


def test_a_fault_of_ours_is_told_without_a_traceback(
    more: dict[str, Query[Any, Any]], stands: Standing, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any) -> Any:
        raise ZeroDivisionError("secret")

    more["broken"] = question("broken", broken)
    more["broken_writer"] = question("broken_writer", broken, writes=True)
    for answer in (stands.asked("/api/broken"), stands.post("/api/broken_writer", b"")):
        assert (answer.status, answer.said["code"]) == (500, "internal_error")
        assert b"secret" not in answer.body
        assert b"Traceback" not in answer.body
    assert "secret" in caplog.text


def test_a_long_question_is_stopped(more: dict[str, Query[Any, Any]], stands: Standing) -> None:
    more["endless"] = question("endless", endless, seconds_max=0.3)
    began = time.monotonic()
    answer = stands.asked("/api/endless")
    assert (answer.status, answer.said["code"]) == (504, "took_too_long")
    assert time.monotonic() - began < 5
    assert stands.asked("/api/findings").status == 200


def test_nobody_waits_any_more(more: dict[str, Query[Any, Any]], stands: Standing) -> None:
    more["endless"] = question("endless", endless)
    for _ in range(2 * answering.READERS_MAX):  # were they not stopped, no thread would be left
        connection = http.client.HTTPConnection("127.0.0.1", stands.serving.address.port)
        bearer = f"Bearer {stands.serving.address.token}"
        connection.request("GET", "/api/endless", headers={"Authorization": bearer})
        time.sleep(0.05)
        connection.close()
    assert stands.asked("/api/findings").status == 200


def test_questions_that_take_every_reader_do_not_hold_the_metrics(
    more: dict[str, Query[Any, Any]], stands: Standing
) -> None:
    begun, done = threading.Semaphore(0), threading.Event()

    def slow(*_: object) -> int:
        begun.release()
        assert done.wait(60)
        return 0

    more["slow"] = question("slow", slow)
    asking = [
        threading.Thread(target=stands.asked, args=["/api/slow"])
        for _ in range(answering.READERS_MAX)
    ]
    for one in asking:
        one.start()
        assert begun.acquire(timeout=60)
    try:
        assert (stands.metric("pitproof_history_events") or 0) > 0
    finally:
        done.set()
        for one in asking:
            one.join()


def test_too_many_are_told_to_come_again(
    more: dict[str, Query[Any, Any]], stands: Standing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answering, "WAITING_MAX", 1)
    more["endless"] = question("endless", endless, seconds_max=1.0)
    thread = threading.Thread(target=stands.asked, args=["/api/endless"])
    thread.start()
    time.sleep(0.3)
    answer = stands.asked("/api/findings")
    assert (answer.status, answer.said["code"]) == (503, "service_busy")
    thread.join()


def test_reading_goes_on_beside_an_open_transaction(stands: Standing) -> None:
    before = stands.asked("/api/findings").body
    digest = stands.asked("/api/verify").said
    history = stands.history
    with history.transaction():
        history.run("DELETE FROM findings")
        bodies: list[bytes] = []
        threads = [
            threading.Thread(target=lambda: bodies.append(stands.asked("/api/findings").body))
            for _ in range(6)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert bodies == [before] * 6
        assert stands.asked("/api/verify").said == digest
        history.run("CREATE TEMP TABLE probe AS SELECT 1")  # the writer goes on beside them
    assert stands.asked("/api/findings").said["findings"] == []


def test_a_reader_cannot_write(more: dict[str, Query[Any, Any]], stands: Standing) -> None:
    more["sly"] = question("sly", lambda history, *_: history.run("DELETE FROM findings"))
    assert stands.asked("/api/sly").status == 422
    assert stands.history.count("SELECT count(*) FROM findings") > 0


def test_writing_is_done_in_the_turn_of_the_writer(
    more: dict[str, Query[Any, Any]], stands: Standing
) -> None:
    def write(history: Any, asked: NumberAsked, _: About) -> list[Any]:
        with history.transaction() as number:
            return [number, threading.current_thread().name]

    more["write"] = question("write", write, writes=True)
    assert stands.asked("/api/write").said["code"] == "bad_argument"
    number, thread = json.loads(stands.post("/api/write", b"").body)
    assert number == 2
    assert not thread.startswith("pitproof-")


def test_a_writer_without_a_turn(kept: Path, more: dict[str, Query[Any, Any]]) -> None:
    done = []
    more["write"] = question("write", lambda *_: done.append(1), writes=True, seconds_max=0.2)
    with standing(kept, writes=False) as stands:
        answer = stands.post("/api/write", b"")
        assert (answer.status, answer.said["code"]) == (504, "took_too_long")
        stands.state.do_asked()
        assert done == []
        stands.state.close()
        answer = stands.post("/api/write", b"")
        assert (answer.status, answer.said["code"]) == (503, "service_stopping")


def test_the_end_of_the_service_ends_what_is_under_way(
    kept: Path, more: dict[str, Query[Any, Any]]
) -> None:
    more["endless"] = question("endless", endless)
    answers = []
    with standing(kept) as stands:
        thread = threading.Thread(target=lambda: answers.append(stands.asked("/api/endless")))
        thread.start()
        time.sleep(0.3)
        began = time.monotonic()
    thread.join()
    assert time.monotonic() - began < 3
    assert [answer.said["code"] for answer in answers] == ["service_stopping"]


def test_the_whole_result_comes_back_as_it_was(stands: Standing) -> None:
    for name, body in (("findings", b'{"scenes":true}'), ("round", b'{"id":"RT-12-000012"}')):
        query = QUERIES[name]
        answer = stands.post(f"/api/{name}", body, Accept=REPORT_FORM)
        with Readers(stands.history).reader() as reader:
            result = query.run(reader, query.asked(body), About())
        assert query.result(answer.body) == result


def test_what_searches_are_quick_by_is_loaded(stands: Standing) -> None:
    until, hours = time.monotonic() + 20, None
    with Readers(stands.history).reader() as reader:
        while hours is None and time.monotonic() < until:
            time.sleep(0.01)
            hours = stands.history.said.of(reader, 500, None)
    assert hours
