"""Gaps that hold rounds, shown and released, on a file and through the service that owns it."""

import csv
import json
from contextlib import nullcontext
from pathlib import Path

import pytest

from services.audit import audit
from services.encode import json_line
from services.simulate.service import FloorPlan, simulate_floor
from tests.services.api.standing import standing
from tests.services.command_line.conftest import Call

MISSING = "CardDealt"


@pytest.fixture(scope="session")
def held_bytes(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Four rounds of which the second has lost two cards."""
    plan = FloorPlan(("RUN_EM_TWICE",), rounds=4, seed=5)
    rows = list(simulate_floor(plan).events())
    [_, second, *_] = [row["round_id"] for row in rows if row["type"] == "RoundOpened"]
    lost = [at for at, r in enumerate(rows) if (r["type"], r.get("round_id")) == (MISSING, second)]
    kept = [row for at, row in enumerate(rows) if at not in lost[:2]]
    folder = tmp_path_factory.mktemp("held")
    (folder / "held.jsonl").write_bytes(b"".join(map(json_line, kept)))
    audit([str(folder / "held.jsonl")], db=str(folder / "held.db"))
    return (folder / "held.db").read_bytes()


@pytest.fixture
def held(held_bytes: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "held.db"
    path.write_bytes(held_bytes)
    return path


def status_of(pitproof: Call, held: Path, round_id: str) -> str:
    report = pitproof("round", round_id, "--db", held, "--format", "json").report
    return str(report["status"])


@pytest.mark.parametrize("owned", [False, True], ids=["file", "service"])
def test_a_gap_is_shown_released_and_gone(pitproof: Call, held: Path, owned: bool) -> None:
    with standing(held) if owned else nullcontext() as stands:
        shown = pitproof("gaps", "--db", held, "--format", "json")
        assert shown.status == 1
        [gap] = shown.report["gaps"]
        assert gap["last_missing_seq"] == gap["first_missing_seq"] + 1
        [round_id] = gap["rounds"]
        assert status_of(pitproof, held, round_id) == "held"
        people = pitproof("gaps", "--db", held)
        assert round_id in people.out.decode()
        table, seq = gap["table_id"], gap["last_missing_seq"]
        assert f"release {table} {gap['first_missing_seq']} --by NAME" in people.out.decode()

        release = ("--db", held, "release", table, seq, "--by", "A. Floor", "--why", "camera")
        ended = pitproof("gaps", "--format", "json", *release)
        assert ended.status == 0
        released = ended.report["released"]
        assert (released["by"], released["why"], released["rounds"]) == (
            "A. Floor",
            "camera",
            [round_id],
        )
        assert status_of(pitproof, held, round_id) != "held"
        assert pitproof("gaps", "--db", held).status == 0
        assert pitproof("verify", "--db", held).status == 0
        if stands is not None:
            assert stands.metric("pitproof_gaps", table=table) is None
            assert stands.metric("pitproof_held_rounds", table=table) is None

        again = pitproof("gaps", *release)
        assert (again.status, again.out) == (2, b"")
        assert "not in a gap that is open" in again.err


def test_a_release_is_written_to_a_file(pitproof: Call, held: Path) -> None:
    [gap] = pitproof("gaps", "--db", held, "--format", "json").report["gaps"]
    place = (gap["table_id"], gap["first_missing_seq"])
    words = ("--by", "A. Floor", "--why", "camera", "--db", held, "--output", "released.csv")
    ended = pitproof("gaps", "release", *place, *words, "--format", "csv")
    assert (ended.status, ended.out) == (0, b"")
    [row] = csv.DictReader(Path("released.csv").read_text().splitlines())
    assert (row["table_id"], int(row["first_missing_seq"])) == place


def test_the_same_on_file_and_service(pitproof: Call, held: Path) -> None:
    calls = [("gaps",), ("gaps", "--format", "json"), ("gaps", "--format", "csv")]
    alone = [pitproof(*call, "--db", held) for call in calls]
    with standing(held):
        assert [pitproof(*call, "--db", held) for call in calls] == alone


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("release", "RT-01", "1"), "--by"),
        (("release", "RT-01", "1", "--by", "A"), "--why"),
        (("release", "RT-01", "1", "--by", "A", "--why", "w"), "open there"),
        (("release", "RT-99", "1", "--by", "A", "--why", "w"), "TABLE RT-99"),
        (("release", "RT-01", "x", "--by", "A", "--why", "w"), "SEQ"),
        (("--table", "RT-99"), "RT-01"),
    ],
)
def test_a_release_that_cannot_be(
    pitproof: Call, held: Path, words: tuple[str, ...], told: str
) -> None:
    before = pitproof("gaps", "--db", held, "--format", "json").out
    ended = pitproof("gaps", "--db", held, *words)
    assert (ended.status, ended.out) == (2, b"")
    assert told in ended.err
    assert "Traceback" not in ended.err
    assert pitproof("gaps", "--db", held, "--format", "json").out == before


def test_without_a_gap(pitproof: Call, clean: Path, tmp_path: Path) -> None:
    path = tmp_path / "clean.db"
    audit([str(clean)], db=str(path))
    ended = pitproof("gaps", "--db", path, "--format", "json")
    assert (ended.status, json.loads(ended.out)) == (0, {"version": 1, "gaps": []})
    assert pitproof("gaps", "--db", path).out == b"no gap holds a round\n"


@pytest.mark.parametrize("words", [("--help",), ("release", "--help")])
def test_help(pitproof: Call, words: tuple[str, ...]) -> None:
    ended = pitproof("gaps", *words)
    assert (ended.status, ended.err) == (0, "")
    assert b"Exit status" in ended.out
