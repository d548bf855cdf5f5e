"""`pitproof report`: answered from the file and by the service alike, or refused with what is."""

import json
from pathlib import Path

import pytest

from tests.services.api.standing import standing
from tests.services.command_line.conftest import Call

CALLS = [
    ("report",),
    ("report", "--format", "json"),
    ("report", "--format", "csv", "--table", "DD-07"),
    ("report", "--day", "2026-04-18", "--game", "TEXAS_SHOOTOUT"),
    ("report", "--from", "2026-04-01", "--to", "2026-04-30", "--format", "json"),
    ("report", "index"),
    ("report", "index", "--format", "json"),
    ("report", "index", "--format", "csv"),
    ("report", "--table", "XX-01"),
]


@pytest.fixture
def kept(evening_db: Path, tmp_path: Path) -> Path:
    path = tmp_path / "kept.db"
    path.write_bytes(evening_db.read_bytes())
    return path


def test_the_same_bytes_as_on_the_file(pitproof: Call, kept: Path) -> None:
    alone = [pitproof(*call, "--db", kept) for call in CALLS]
    with standing(kept):
        owned = [pitproof(*call, "--db", kept) for call in CALLS]
    assert owned == alone
    assert [ended.status for ended in alone] == [0] * (len(CALLS) - 1) + [2]
    assert all(ended.out for ended in alone[:-1])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (("--day", "2026-04-19"), "it has 2026-04-18 to 2026-04-18"),
        (("--day", "18 April"), "is not a day"),
        (("--day", "2026-04-18", "--from", "2026-04-01"), "is one day"),
        (("--from", "2026-04-18", "--to", "2026-04-01"), "ends before it begins"),
        (("--table", "DD-08"), "DD-07, RT-12, TS-03"),
        (("--game", "BLACKJACK"), "RUN_EM_TWICE, DAKOTA_DUEL_DRAW, TEXAS_SHOOTOUT"),
        (("--format", "pdf"), "table, json, csv, html"),
        (("--table", "DD-07", "index"), "the index is of all records"),
        (("index", "--format", "pdf"), "table, json, csv, html"),
    ],
)
def test_mistakes(pitproof: Call, evening_db: Path, call: tuple[str, ...], said: str) -> None:
    ended = pitproof("report", "--db", evening_db, *call)
    assert (ended.status, ended.out) == (2, b"")
    assert said in ended.err


def test_no_history(pitproof: Call, tmp_path: Path) -> None:
    for call in (("report",), ("report", "index")):
        ended = pitproof(*call, "--db", tmp_path / "none.db")
        assert (ended.status, ended.out) == (2, b"")


def test_shifts_that_do_not_do(
    pitproof: Call, evening_db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PITPROOF_SHIFTS", "late=18:00")
    ended = pitproof("report", "--db", evening_db)
    assert (ended.status, ended.out) == (2, b"")
    assert "none begins at 06:00" in ended.err


@pytest.mark.parametrize("call", [("report",), ("report", "index")])
def test_a_file_to_be_printed(
    pitproof: Call, evening_db: Path, tmp_path: Path, call: tuple[str, ...]
) -> None:
    page = tmp_path / "report.html"
    ended = pitproof(*call, "--db", evening_db, "--format", "html", "--output", page)
    assert (ended.status, ended.out, ended.err) == (0, b"", "")
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")
    assert page.read_text("utf-8").rstrip().endswith("</html>")


def test_what_the_evening_comes_to(pitproof: Call, evening_db: Path) -> None:
    report = pitproof("report", "--db", evening_db, "--format", "json").report
    assert (report["from"], report["to"]) == ("2026-04-18", "2026-04-18")
    days = {line["table_id"]: line for line in report["lines"] if line["period"] == "DAY"}
    assert list(days) == ["RT-12", None, "DD-07", "TS-03"]
    assert days["DD-07"]["too_much_cents"] == 18_00
    assert days["DD-07"]["too_little_cents"] == 80_00
    assert days[None]["rounds"] == 300
    [gap] = [note for note in report["notes"] if note["code"] == "EVENTS_MISSING"]
    assert (gap["table_id"], "events 354 to 355" in gap["message"]) == ("TS-03", True)


def test_the_notes_are_not_in_the_csv(pitproof: Call, evening_db: Path) -> None:
    ended = pitproof("report", "--db", evening_db, "--format", "csv")
    notes = json.loads(pitproof("report", "--db", evening_db, "--format", "json").out)["notes"]
    assert f"{len(notes)} notes" in ended.err
