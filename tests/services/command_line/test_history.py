"""Histories kept with `audit --db`, and the commands that read them."""

import json
from pathlib import Path

import pytest

from tests.services.command_line.conftest import Call, event, lines, opened

SAMPLES = Path(__file__).parents[2] / "samples"
EVENING = SAMPLES / "run_em_twice.jsonl"


@pytest.fixture
def kept(pitproof: Call, tmp_path: Path) -> Path:
    """The history of one table's evening."""
    path = tmp_path / "kept.db"
    assert pitproof("audit", EVENING, "--db", path).status == 1
    return path


def test_with_a_history_the_report_is_the_same(pitproof: Call, kept: Path) -> None:
    alone = pitproof("audit", EVENING, "--format", "json")
    again = pitproof("audit", EVENING, "--format", "json", "--db", kept)
    assert (again.status, again.out) == (alone.status, alone.out)
    held = pitproof("findings", "--db", kept, "--format", "json")
    assert (held.status, held.out) == (alone.status, alone.out)


def test_an_evening_that_comes_in_parts_is_one_evening(pitproof: Call, tmp_path: Path) -> None:
    whole = pitproof("audit", EVENING, "--format", "json")
    rows = EVENING.read_bytes().splitlines(keepends=True)
    half = len(rows) // 2
    parts = [tmp_path / "late.jsonl", tmp_path / "early.jsonl"]
    parts[0].write_bytes(b"".join(rows[half - 20 :]))
    parts[1].write_bytes(b"".join(rows[: half + 20]))
    for part in parts:
        ended = pitproof("audit", part, "--db", "parts.db", "--format", "json")
    assert ended.report == whole.report
    assert pitproof("verify", "--db", "parts.db", "--format", "json").report[
        "events_digest"
    ] == whole_digest(pitproof, "events_digest")


def whole_digest(pitproof: Call, name: str) -> str:
    pitproof("audit", EVENING, "--db", "whole.db")
    digest: str = pitproof("verify", "--db", "whole.db", "--format", "json").report[name]
    return digest


def test_an_audit_reports_its_own_gaming_days_only(
    pitproof: Call, kept: Path, gapped: Path
) -> None:
    ended = pitproof("audit", gapped, "--db", kept, "--format", "json")
    assert [f["code"] for f in ended.report["findings"]] == ["SEQUENCE_GAP"]
    assert ended.report["summary"]["tables"] == 1
    assert pitproof("findings", "--db", kept, "--format", "json").report["summary"]["tables"] == 2


def test_dead_letters_are_kept_once(pitproof: Call, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(lines(opened()) + b"nothing\n" + lines(event("TableClosed", 2)))
    first, second = (pitproof("audit", path, "--db", "h.db", "--format", "json") for _ in range(2))
    assert first.out == second.out
    held = pitproof("findings", "--db", "h.db", "--format", "json")
    assert (held.status, len(held.report["dead_letters"])) == (1, 1)


def test_filters(pitproof: Call, kept: Path, gapped: Path) -> None:
    pitproof("audit", gapped, "--db", kept)

    def codes(*filters: str) -> list[str]:
        report = pitproof("findings", "--db", kept, "--format", "json", *filters).report
        found = [finding["code"] for finding in report["findings"]]
        counts = report["summary"]["findings"]
        assert {code: found.count(code) for code in found} == counts
        return found

    assert codes("--code", "SEQUENCE_GAP") == ["SEQUENCE_GAP"]
    assert codes("--table", "RT-90") == ["SEQUENCE_GAP"]
    assert codes("--game", "DAKOTA_DUEL_DRAW") == []
    assert codes("--from", "2026-04-18", "--to", "2026-04-18") == ["SEQUENCE_GAP"]
    assert codes("--from", "2026-04-19") == []
    assert codes("--to", "2026-04-17") == codes("--table", "RT-12")
    assert len(codes()) == len(codes("--table", "RT-12")) + 1


def test_a_table_that_there_is_not(pitproof: Call, kept: Path) -> None:
    ended = pitproof("findings", "--db", kept, "--table", "RT-13")
    assert (ended.status, ended.out) == (2, b"")
    assert "RT-12" in ended.err


def test_verify(pitproof: Call, kept: Path) -> None:
    ended = pitproof("verify", "--db", kept, "--format", "json")
    assert ended.status == 0
    assert list(ended.report) == [
        "version",
        "ok",
        "events",
        "events_digest",
        "findings",
        "findings_digest",
        "problems",
    ]
    assert ended.report["ok"] is True
    assert pitproof("verify", "--db", kept).out.startswith(f"{kept} is whole".encode())
    assert pitproof("verify", "--db", kept, "--format", "csv").out == b"what,where,message\n"


def test_a_history_made_with_other_readings_is_refused(
    pitproof: Call, kept: Path, gapped: Path
) -> None:
    ended = pitproof("audit", gapped, "--db", kept, "--reading", "RT-RANGE=whole-multiples")
    assert (ended.status, ended.out) == (2, b"")
    assert "RT-RANGE" in ended.err


@pytest.mark.parametrize("command", ["findings", "verify"])
def test_what_is_no_history(pitproof: Call, tmp_path: Path, command: str) -> None:
    path = tmp_path / "no.db"
    path.write_bytes(b"not a database" * 1_000)
    before = path.read_bytes()
    ended = pitproof(command, "--db", path)
    assert (ended.status, ended.out) == (2, b"")
    assert str(path) in ended.err
    assert "Traceback" not in ended.err
    assert path.read_bytes() == before
    ended = pitproof(command, "--db", tmp_path)
    assert (ended.status, ended.out) == (2, b"")


def test_a_damaged_block_is_said(pitproof: Call, kept: Path) -> None:
    content = bytearray(kept.read_bytes())
    for place in range(270_000, len(content), 262_144):  # in each block of data
        content[place] ^= 0xFF
    kept.write_bytes(content)
    for command in ("verify", "findings"):
        ended = pitproof(command, "--db", kept)
        assert (ended.status, ended.out) == (2, b"")
        assert str(kept) in ended.err
        assert "Traceback" not in ended.err


@pytest.mark.parametrize("name", ["verify", "findings", "audit"])
def test_an_event_file_is_not_taken_for_a_history(
    pitproof: Call, clean: Path, gapped: Path, name: str
) -> None:
    files = [gapped] if name == "audit" else []
    ended = pitproof(name, *files, "--db", clean)
    assert (ended.status, ended.out) == (2, b"")
    assert str(clean) in ended.err


def test_an_audit_that_could_not_be_leaves_no_history(pitproof: Call, tmp_path: Path) -> None:
    path = tmp_path / "junk.jsonl"
    path.write_bytes(b"junk\n")
    assert pitproof("audit", path, "--db", "new.db").status == 2
    assert list(Path().iterdir()) == []


def test_an_audit_that_could_not_be_changes_no_history(
    pitproof: Call, kept: Path, tmp_path: Path
) -> None:
    before = pitproof("verify", "--db", kept, "--format", "json").out
    path = tmp_path / "junk.jsonl"
    path.write_bytes(b"junk\n")
    assert pitproof("audit", path, "--db", kept).status == 2
    assert pitproof("verify", "--db", kept, "--format", "json").out == before


def test_the_report_names_what_each_finding_rests_on(pitproof: Call, kept: Path) -> None:
    report = pitproof("findings", "--db", kept, "--format", "json").report
    ids = {json.loads(line)["event_id"] for line in EVENING.read_bytes().splitlines()}
    for finding in report["findings"]:
        assert finding["event_ids"]
        assert set(finding["event_ids"]) <= ids
        assert finding["clause"]
        assert finding["message"]
