"""`pitproof sql`, `find` and `ask`, on a file and through a service that owns it."""

import csv
import io
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from services.history.store import History
from tests.services.api.standing import standing
from tests.services.command_line.conftest import Call

COUNT = "SELECT table_id, count(*) AS rounds FROM rounds GROUP BY ALL ORDER BY ALL"


@pytest.fixture
def kept(evening_db: Path, tmp_path: Path) -> Path:
    path = tmp_path / "kept.db"
    path.write_bytes(evening_db.read_bytes())
    return path


def test_sql_in_every_form(pitproof: Call, kept: Path, tmp_path: Path) -> None:
    ended = pitproof("sql", COUNT, "--db", kept, "--format", "json")
    assert (ended.status, ended.err) == (0, "")
    assert ended.report == {
        "version": 1,
        "columns": ["table_id", "rounds"],
        "rows": [["DD-07", 100], ["RT-12", 100], ["TS-03", 100]],
        "truncated": False,
    }
    shown = pitproof("sql", COUNT, "--db", kept).out.decode().splitlines()
    assert shown[2].split() == ["DD-07", "100"]
    said = pitproof("sql", COUNT, "--db", kept, "--format", "csv").out.decode()
    assert list(csv.reader(io.StringIO(said)))[1] == ["DD-07", "100"]
    path = tmp_path / "rounds.parquet"
    ended = pitproof("sql", COUNT, "--db", kept, "--format", "parquet", "--output", path)
    assert (ended.status, ended.out) == (0, b"")
    assert pq.read_table(path).to_pydict() == {
        "table_id": ["DD-07", "RT-12", "TS-03"],
        "rounds": [100, 100, 100],
    }


def test_sql_says_that_it_was_cut(pitproof: Call, kept: Path) -> None:
    ended = pitproof("sql", "FROM rounds", "--db", kept, "--limit", 3, "--format", "json")
    assert ended.status == 0
    assert ended.report["truncated"] is True
    assert "cut after 3 rows" in ended.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["DELETE FROM rounds"], "DELETE is not allowed"),
        (["SELECT 1; SELECT 2"], "2 statements"),
        (["SELECT * FROM '/etc/passwd'"], "no view /etc/passwd"),
        (["SELECT 1", "--limit", "0"], "--limit 0"),
        (["SELECT 1", "--limit", "1000001"], "1,000,000"),
        (["SELECT 1", "--format", "xml"], "json"),
        (["SELECT 1", "--format", "parquet"], "--output"),
    ],
)
def test_what_sql_refuses(pitproof: Call, kept: Path, arguments: list[str], said: str) -> None:
    ended = pitproof("sql", *arguments, "--db", kept)
    assert (ended.status, ended.out) == (2, b"")
    assert said in ended.err
    assert "Traceback" not in ended.err


def test_sql_is_stopped(pitproof: Call, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PITPROOF_SQL_SECONDS", "1")
    ended = pitproof("sql", "SELECT pg_sleep(60)", "--db", kept)
    assert (ended.status, ended.out) == (2, b"")
    assert "sql_seconds" in ended.err


def test_help_names_views_columns_and_questions(pitproof: Call) -> None:
    assert b"stake_dollars" in pitproof("sql", "--help").out
    assert b"overpaid-by-dealer" in pitproof("ask", "--help").out


def test_find_has_no_line_that_is_too_long(pitproof: Call, kept: Path) -> None:
    shown = pitproof("find", "RT-12", "14:13", "seat 1", "--db", kept).out.decode().splitlines()
    assert max(map(len, shown[:-1])) <= 100
    at = next(at for at, line in enumerate(shown) if "RT-12-000012" in line)
    assert shown[at].endswith("   3 seats   1 finding")
    assert shown[at + 1].startswith("      seat 1")


def test_find_for_people_and_for_machines(pitproof: Call, kept: Path) -> None:
    words = ("RT-12", "14:13", "seat 2", "$15")
    shown = pitproof("find", *words, "--db", kept)
    assert shown.status == 0
    line = shown.out.decode().splitlines()[1]
    assert line.split("   ") == [
        "  RT-12-000012",
        "14:13:34",
        "3 seats",
        "seat 2: 5-card bonus $5.00 paid $15.00",
        "1 finding",
    ]
    assert f"pitproof round RT-12-000012 --db {kept}" in shown.out.decode()
    found = pitproof("find", *words, "--db", kept, "--format", "json", "--limit", 1)
    assert found.report == {
        "version": 1,
        "rounds": [
            {
                "table_id": "RT-12",
                "round_id": "RT-12-000012",
                "game": "RUN_EM_TWICE",
                "opened_at": found.report["rounds"][0]["opened_at"],
                "closed_at": found.report["rounds"][0]["closed_at"],
                "findings": 1,
            }
        ],
    }
    assert found.report["rounds"][0]["opened_at"].startswith("2026-04-18T20:13:34")


def test_nothing_found_is_1_and_nonsense_2(pitproof: Call, kept: Path) -> None:
    ended = pitproof("find", "--amount", "99999", "--db", kept, "--format", "json")
    assert (ended.status, ended.report) == (1, {"version": 1, "rounds": []})
    for wrong in (["--table", "RT-99"], ["--cards", "Zz"], ["--about", "25:00"], ["nonsense"]):
        ended = pitproof("find", *wrong, "--db", kept)
        assert (ended.status, ended.out) == (2, b"")
        assert ended.err


def test_the_zone_is_the_casino_s(
    pitproof: Call, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PITPROOF_TIMEZONE", "UTC")
    ended = pitproof("find", "RT-12", "20:13:34", "--db", kept, "--format", "json")
    assert ended.report["rounds"][0]["round_id"] == "RT-12-000012"


def test_ask(pitproof: Call, kept: Path) -> None:
    listed = pitproof("ask", "--format", "json").report["questions"]
    assert len(listed) >= 20
    rows = list(csv.DictReader(io.StringIO(pitproof("ask", "--format", "csv").out.decode())))
    assert [row["name"] for row in rows] == [one["name"] for one in listed]
    people = pitproof("ask").out.decode()
    assert "overpaid-by-dealer" in people
    assert max(map(len, people.splitlines())) <= 100
    ended = pitproof("ask", "overpaid-by-dealer", "--table", "RT-12", "--db", kept)
    assert ended.status == 0
    assert "$20.00" in ended.out.decode()
    assert ended.err == "gaming days 2026-04-01 to 2026-04-18; others with --from and --to\n"
    both = ("--from", "2026-04-18", "--to", "2026-04-18", "--db", kept)
    assert pitproof("ask", "overpaid-by-dealer", *both).err == ""
    ended = pitproof("ask", "tips", "--from=2026-04-18", "--db", kept, "--format", "json")
    assert len(ended.report["rows"]) == 2
    for wrong in (["tipz"], ["tips", "--tabel", "x"], ["tips", "--table", "XX"], ["tips", "what"]):
        ended = pitproof("ask", *wrong, "--db", kept)
        assert (ended.status, ended.out) == (2, b"")
        assert ended.err


def test_a_service_answers_the_same(pitproof: Call, kept: Path) -> None:
    calls = [
        ("sql", COUNT),
        ("sql", "SELECT * FROM wagers ORDER BY ALL", "--format", "json"),
        ("sql", "DELETE FROM rounds"),
        ("find", "RT-12", "14:13", "seat 2", "$15"),
        ("find", "--cards", "Ac Ad", "--format", "json"),
        ("find", "--amount", "99999"),
        ("ask", "overpaid-by-dealer"),
        ("ask", "tips", "--table", "XX"),
    ]
    alone = [pitproof(*call, "--db", kept) for call in calls]
    with standing(kept) as service:
        owned = [pitproof(*call, "--db", kept) for call in calls]
        exported = service.history.scratch / "export"
        assert exported.stat().st_mode & 0o077 == 0
    assert not exported.exists()
    for call, before, after in zip(calls, alone, owned, strict=True):
        assert (call, after.status, after.out) == (call, before.status, before.out)
    with History.open(kept, create=False) as history:
        assert history.count("SELECT count(*) FROM rounds") == 300
