"""`pitproof alerts` on a file, and through the service that owns it: the same."""

import json
from contextlib import nullcontext
from pathlib import Path

import pytest

from services.audit import audit
from tests.services.alerts.receiving import receiving
from tests.services.api.standing import standing
from tests.services.command_line.conftest import Call

EVENING = Path(__file__).parents[2] / "samples" / "run_em_twice.jsonl"


@pytest.fixture(scope="session")
def evening_bytes(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("alerts") / "evening.db"
    audit([str(EVENING)], db=str(path))
    return path.read_bytes()


@pytest.fixture
def kept(evening_bytes: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "kept.db"
    path.write_bytes(evening_bytes)
    return path


@pytest.mark.parametrize("owned", [False, True], ids=["file", "service"])
def test_an_alert_is_shown_cleared_and_gone(pitproof: Call, kept: Path, owned: bool) -> None:
    with standing(kept) if owned else nullcontext() as stands:
        shown = pitproof("alerts", "--db", kept, "--format", "json")
        assert shown.status == 1
        [alert] = [one for one in shown.report["alerts"] if one["code"] == "UNDERPAID"]
        assert (alert["table_id"], alert["direction"], alert["count"]) == ("RT-12", "under", 1)
        people = pitproof("alerts", "--db", kept).out.decode()
        assert f"clear {alert['id']} --by NAME --why TEXT" in people
        assert alert["message"].split(",")[0] in people

        words = ("--by", "R. Ames", "--why", "paid at the cage", "--format", "json")
        ended = pitproof("alerts", "clear", alert["id"], "--db", kept, *words)
        assert ended.status == 0
        cleared = ended.report["cleared"]
        assert (cleared["id"], cleared["status"], cleared["count"]) == (alert["id"], "cleared", 0)
        assert cleared["cleared"]["by"] == "R. Ames"

        left = pitproof("alerts", "--db", kept, "--format", "json").report["alerts"]
        assert left == [one for one in shown.report["alerts"] if one["id"] != alert["id"]]
        everything = pitproof("alerts", "--db", kept, "--all", "--format", "json").report["alerts"]
        assert everything == [*left, cleared]
        again = pitproof("alerts", "clear", alert["id"], "--db", kept, *words)
        assert (again.status, again.out) == (2, b"")
        assert "R. Ames cleared it" in again.err
        short = pitproof("alerts", "clear", alert["id"][:6], "--db", kept, *words)
        assert f"{alert['id']}: R. Ames cleared it" in short.err
        assert pitproof("verify", "--db", kept).status == 0
        if stands is not None:
            labels = {"game": "RUN_EM_TWICE", "table": "RT-12", "severity": "warning"}
            assert stands.metric("pitproof_alerts_open", cause="payout", **labels) is None


def test_the_same_on_file_and_service(pitproof: Call, kept: Path) -> None:
    calls = [
        ("alerts",),
        ("alerts", "--all"),
        ("alerts", "--format", "json"),
        ("alerts", "--format", "csv"),
        ("alerts", "--table", "RT-99"),
    ]
    alone = [pitproof(*call, "--db", kept) for call in calls]
    with standing(kept):
        assert [pitproof(*call, "--db", kept) for call in calls] == alone


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("clear", "000000000000"), "--by"),
        (("clear", "000000000000", "--by", "A"), "--why"),
        (("clear", "000000000000", "--by", "A", "--why", "w"), "open are"),
        (("clear", "", "--by", "A", "--why", "w"), "open are"),
        (("test",), "no receiver is set"),
        (("--table", "RT-99"), "RT-12"),
        (("--format", "xml"), "format"),
    ],
)
def test_what_cannot_be(pitproof: Call, kept: Path, words: tuple[str, ...], told: str) -> None:
    before = pitproof("alerts", "--db", kept, "--format", "json").out
    ended = pitproof("alerts", "--db", kept, *words)
    assert (ended.status, ended.out) == (2, b"")
    assert told in ended.err
    assert "Traceback" not in ended.err
    assert pitproof("alerts", "--db", kept, "--format", "json").out == before


def test_a_test_says_what_every_receiver_answered(
    pitproof: Call, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PITPROOF_WEBHOOK_SECRET", "s3cret")
    with receiving() as good, receiving() as bad:
        bad.answer = lambda said: 500
        monkeypatch.setenv("PITPROOF_WEBHOOKS", f"good={good.url},bad={bad.url}")
        ended = pitproof("alerts", "--db", kept, "test", "--format", "json")
        people = pitproof("alerts", "test", "--db", kept)
    assert ended.status == people.status == 1
    answers = {one["name"]: (one["ok"], one["answer"]) for one in ended.report["receivers"]}
    assert answers == {
        "bad": (False, "500 Internal Server Error: ok"),
        "good": (True, "200 OK: ok"),
    }
    assert [said["status"] for said in good.taken] == ["test", "test"]
    assert b"good  webhook  took it" in people.out
    assert b"s3cret" not in ended.out + people.out


def test_too_little_of_an_id_is_no_id(pitproof: Call, kept: Path) -> None:
    [alert, *_] = pitproof("alerts", "--db", kept, "--format", "json").report["alerts"]
    words = ("--by", "R. Ames", "--why", "paid", "--db", kept)
    ended = pitproof("alerts", "clear", alert["id"][:3], *words)
    assert (ended.status, ended.out) == (2, b"")
    assert "give 4 digits or more" in ended.err


def test_a_clearing_is_written_to_a_file(pitproof: Call, kept: Path) -> None:
    [alert, *_] = pitproof("alerts", "--db", kept, "--format", "json").report["alerts"]
    words = ("--by", "R. Ames", "--why", "paid", "--db", kept, "--output", "cleared.json")
    ended = pitproof("alerts", "clear", alert["id"], *words, "--format", "json")
    assert (ended.status, ended.out) == (0, b"")
    assert json.loads(Path("cleared.json").read_bytes())["cleared"]["id"] == alert["id"]


def test_without_an_alert(pitproof: Call, clean: Path, tmp_path: Path) -> None:
    path = tmp_path / "clean.db"
    audit([str(clean)], db=str(path))
    ended = pitproof("alerts", "--db", path, "--format", "json")
    assert (ended.status, ended.report) == (0, {"version": 1, "alerts": []})
    assert pitproof("alerts", "--db", path).out == b"no alert is open\n"


@pytest.mark.parametrize("words", [("--help",), ("clear", "--help"), ("test", "--help")])
def test_help(pitproof: Call, words: tuple[str, ...]) -> None:
    ended = pitproof("alerts", *words)
    assert (ended.status, ended.err) == (0, "")
    assert b"Exit status" in ended.out
