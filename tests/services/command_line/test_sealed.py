"""Days sealed, a history made again of them, and what of them is damaged: by the commands."""

import json
import shutil
from pathlib import Path

import pytest

from services.command_line import seal
from services.history.sealed.folder import folder_of
from tests.services.api.standing import standing
from tests.services.command_line.conftest import Call
from tests.services.command_line.test_owned import owned_by_a_process
from tests.services.history.test_damaged import TABLES, blocks_of, flipped

SAMPLES = Path(__file__).parents[2] / "samples"
EVENING = SAMPLES / "run_em_twice.jsonl"


@pytest.fixture(scope="session")
def sealed_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from services.command_line.main import main

    path = tmp_path_factory.mktemp("sealed") / "h.db"
    assert main(["audit", str(EVENING), "--db", str(path), "--output", f"{path}.txt"]) == 1
    Path(f"{path}.txt").unlink()
    assert main(["seal", "--db", str(path), "--output", f"{path}.txt"]) == 0
    Path(f"{path}.txt").unlink()
    return path


@pytest.fixture
def kept(sealed_once: Path, tmp_path: Path) -> Path:
    """A history of one table's evening, sealed."""
    shutil.copytree(sealed_once.parent, tmp_path / "kept")
    return tmp_path / "kept" / sealed_once.name


def digests(pitproof: Call, path: Path) -> tuple[str, str]:
    report = pitproof("verify", "--db", path, "--format", "json").report
    assert report["problems"] == []
    return report["events_digest"], report["findings_digest"]


def test_sealing_is_told(pitproof: Call, kept: Path) -> None:
    shutil.rmtree(folder_of(kept).path)
    pitproof("audit", EVENING, "--db", kept.with_name("new.db"))
    ended = pitproof("seal", "--db", kept.with_name("new.db"), "--format", "json")
    [day] = ended.report["sealed"]
    assert (day["manifest"], day["gaming_day"], day["amends"]) == (1, "2026-01-24", None)
    assert day["events"] == EVENING.read_bytes().count(b"\n")
    again = pitproof("seal", "--db", kept.with_name("new.db"))
    assert (again.status, again.out[:15]) == (0, b"nothing to seal")
    people = seal._table({"folder": "f", "sealed": [{**day, "events": 1, "finding_changes": 1}]})
    assert "sealed   1 event of 1 table, 1 time a finding came, changed or went" in people
    assert kept.with_name("new.db.sealed").is_dir()


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--until", "2999-01-01"), "is not over"),
        (("--until", "soon"), "is not a day"),
        (("--format", "xml"), "xml"),
        (("--db", "nowhere.db"), "there is no history"),
    ],
)
def test_what_cannot_be_sealed(
    pitproof: Call, kept: Path, flags: tuple[str, ...], message: str
) -> None:
    ended = pitproof("seal", "--db", kept, *flags)
    assert (ended.status, ended.out) == (2, b"")
    assert message in ended.err


def test_where_days_are_sealed_is_a_setting(
    pitproof: Call, kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder_of(kept).path.rename(tmp_path / "elsewhere")
    assert b"is missing; gaming day 2026-01-24" in pitproof("verify", "--db", kept).out
    monkeypatch.setenv("PITPROOF_SEALED", str(tmp_path / "elsewhere"))
    assert pitproof("verify", "--db", kept).status == 0
    monkeypatch.setenv("PITPROOF_GAMING_DAY_STARTS", "25:00")
    assert "expected a time such as 06:00" in pitproof("seal", "--db", kept).err


def test_made_again_of_sealed_days(pitproof: Call, kept: Path, tmp_path: Path) -> None:
    before = digests(pitproof, kept)
    known = ("findings", "--as-known-at", "2999-01-01", "--format", "json", "--db")
    told = pitproof(*known, kept).out
    kept.unlink()
    kept.with_name("h.db.head").unlink()
    ended = pitproof("rebuild", "--db", kept, "--from-sealed", folder_of(kept).path)
    assert (ended.status, ended.err) == (0, "")
    assert digests(pitproof, kept) == before
    assert pitproof(*known, kept).out == told
    assert pitproof("seal", "--db", kept).status == 0
    assert sorted(each.name for each in kept.parent.iterdir()) == [
        "h.db",
        "h.db.head",
        "h.db.sealed",
    ]


def test_made_again_of_files(pitproof: Call, kept: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.db"
    ended = pitproof("rebuild", "--db", new, "--from-files", EVENING, "--format", "json")
    made = (ended.report["events_digest"], ended.report["findings_digest"])
    assert made == digests(pitproof, kept)
    assert pitproof("verify", "--db", new).status == 0


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ((), "say of what"),
        (("--from-topic", "--from-files", EVENING), "say of what"),
        (("--from-files",), "no file is named"),
        ((EVENING, "--from-topic"), "of what is this"),
        (("--from-files", "nowhere.jsonl"), "nowhere.jsonl"),
        (("--from-sealed", "nowhere"), "nothing is sealed there"),
        (("--from-files", EVENING, "--reading", "X=y"), "X"),
    ],
)
def test_what_cannot_be_made(
    pitproof: Call, tmp_path: Path, flags: tuple[object, ...], message: str
) -> None:
    ended = pitproof("rebuild", "--db", tmp_path / "new.db", *flags)
    assert (ended.status, ended.out) == (2, b"")
    assert message in ended.err
    assert not list(tmp_path.glob("*new.db*"))


def test_never_over_a_history_that_is_there(pitproof: Call, kept: Path) -> None:
    content = kept.read_bytes()
    ended = pitproof("rebuild", "--db", kept, "--from-sealed", folder_of(kept).path)
    assert (ended.status, ended.out) == (2, b"")
    assert "a history already" in ended.err
    with owned_by_a_process(kept) as process_id:
        ended = pitproof("rebuild", "--db", kept, "--from-files", EVENING)
    assert ended.status == 2
    assert f"process {process_id} owns" in ended.err
    assert kept.read_bytes() == content


def test_what_is_damaged_is_named(pitproof: Call, kept: Path) -> None:
    [events] = folder_of(kept).path.rglob("events-*.parquet")
    content = bytearray(events.read_bytes())
    content[1_000] ^= 1
    events.write_bytes(content)
    ended = pitproof("verify", "--db", kept, "--format", "json")
    assert ended.status == 1
    assert ended.report["problems"][0] == {
        "what": "sealed_day",
        "where": "gaming_day=2026-01-24/game=RUN_EM_TWICE/events-000001.parquet",
        "message": "is not the file that was sealed",
    }
    ended = pitproof("rebuild", "--db", "new.db", "--from-sealed", folder_of(kept).path)
    assert ended.status == 2
    assert "events-000001.parquet: is not the file that was sealed" in ended.err


def test_a_log_cut_off_and_a_file_put_back_are_named(
    pitproof: Call, kept: Path, clean: Path
) -> None:
    yesterday = kept.read_bytes()
    pitproof("audit", clean, "--db", kept)
    kept.write_bytes(yesterday)
    ended = pitproof("verify", "--db", kept, "--format", "json")
    assert ended.status == 1
    [problem] = ended.report["problems"]
    assert (problem["what"], problem["where"]) == ("head", "h.db.head")
    assert "is lost, with 2 events" in problem["message"]


def test_within_a_service(pitproof: Call, kept: Path, tmp_path: Path) -> None:
    """The service seals what it is asked to; its own records of it come later."""
    shutil.copy(kept, tmp_path / "open.db")
    with standing(tmp_path / "open.db"):
        ended = pitproof("seal", "--db", tmp_path / "open.db", "--format", "json")
    assert ended.status == 2
    assert "2026-01-24 was sealed there" in ended.err
    fresh = tmp_path / "fresh.db"
    pitproof("audit", EVENING, "--db", fresh)
    with standing(fresh):
        ended = pitproof("seal", "--db", fresh, "--format", "json")
        assert len(ended.report["sealed"]) == 1
        assert json.loads(pitproof("seal", "--db", fresh, "--format", "json").out)["sealed"] == []
    assert pitproof("verify", "--db", fresh).status == 0
    assert pitproof("seal", "--db", fresh).out.startswith(b"nothing to seal")
    assert pitproof("verify", "--db", fresh).status == 0


def test_what_cannot_be_told_is_said(pitproof: Call, kept: Path) -> None:
    others = {at for table in TABLES[1:] for at in blocks_of(kept, table)}
    flipped(kept, next(at for at in blocks_of(kept, "events") if at not in others) + 100)
    ended = pitproof("verify", "--db", kept)
    assert ended.status == 1
    assert b"digest cannot be told" in ended.out
    assert b"  event  table events  not all of it can be read: Corrupt" in ended.out
