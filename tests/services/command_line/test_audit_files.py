"""`pitproof audit` on what people hand it: good files, bad files and no files."""

import gzip
import json
import os
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from tests.services.command_line.conftest import Call, event, lines, opened

COMMAND = Path(sys.executable).parent / "pitproof"


def test_nothing_found_is_0(pitproof: Call, clean: Path) -> None:
    ended = pitproof("audit", clean, "--format", "json")
    assert (ended.status, ended.err) == (0, "")
    assert ended.report["summary"] == {
        "events": 2,
        "dead_letters": 0,
        "tables": 1,
        "rounds": 0,
        "settled": 0,
        "voided": 0,
        "held": 0,
        "not_settled": 0,
        "wagers": 0,
        "staked_cents": 0,
        "player_net_expected_cents": 0,
        "player_net_actual_cents": 0,
        "findings": {},
    }


def test_a_finding_is_1(pitproof: Call, gapped: Path) -> None:
    ended = pitproof("audit", gapped, "--format", "json")
    assert ended.status == 1
    [finding] = ended.report["findings"]
    assert (finding["code"], finding["table_id"]) == ("SEQUENCE_GAP", "RT-90")
    assert (finding["first_missing_seq"], finding["last_missing_seq"]) == (2, 2)
    assert ended.report["summary"]["findings"] == {"SEQUENCE_GAP": 1}


def test_the_same_input_gives_the_same_bytes(pitproof: Call, gapped: Path) -> None:
    first, second = (pitproof("audit", gapped, "--format", "json").out for _ in range(2))
    assert first == second


def test_a_bad_line_is_a_dead_letter_and_the_rest_goes_on(pitproof: Call, tmp_path: Path) -> None:
    path = tmp_path / "one-bad.jsonl"
    path.write_bytes(lines(opened()) + b"\n" + b'{"type": \n' + lines(event("TableClosed", 2)))
    ended = pitproof("audit", path, "--format", "json")
    assert ended.status == 1
    [letter] = ended.report["dead_letters"]
    assert (letter["source"], letter["position"]) == (str(path), 3)
    assert letter["error"]
    assert ended.report["summary"]["events"] == 2


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b'{"type": "TableOp', id="half a line"),
        pytest.param(b'{"type": "\xff\xfe"}', id="no UTF-8"),
        pytest.param(b"\x00\x01\x02\x03" * 300, id="binary junk"),
        pytest.param(b"[" * 100_000, id="nested deep"),
        pytest.param(b'{"type": "RoundBegun"}', id="unknown record"),
        pytest.param(b'"' + b"x" * 5_000_000 + b'"', id="huge"),
        pytest.param(b"null", id="null"),
    ],
)
def test_any_bad_line_among_good_ones(pitproof: Call, tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "one-bad.jsonl"
    path.write_bytes(lines(opened()) + line + b"\n" + lines(event("TableClosed", 2)))
    ended = pitproof("audit", path, "--format", "json")
    assert ended.status == 1
    assert [letter["position"] for letter in ended.report["dead_letters"]] == [2]
    assert len(ended.err) < 1_000


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        pytest.param("empty.jsonl", b"", "no event", id="empty"),
        pytest.param("blank.jsonl", b"\n \n", "no event", id="blank"),
        pytest.param("junk.jsonl", os.urandom(64).replace(b"\n", b"x"), "line 1", id="junk"),
        pytest.param("half.jsonl", b'{"type": "TableOpened", "eve', "line 1", id="half a line"),
        pytest.param("events.csv", b"a,b\n", ".jsonl", id="wrong extension"),
        pytest.param("events", b"", ".jsonl", id="no extension"),
        pytest.param("junk.avro", b"no avro at all", "Avro", id="not Avro"),
        pytest.param("empty.avro", b"", "Avro", id="empty Avro"),
        pytest.param("junk.jsonl.gz", b"no gzip at all", "gzip", id="not gzip"),
    ],
)
def test_a_file_that_cannot_be_audited(
    pitproof: Call, tmp_path: Path, name: str, content: bytes, told: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    ended = pitproof("audit", path, "--format", "json")
    assert (ended.status, ended.out) == (2, b"")
    assert name in ended.err
    assert told.lower() in ended.err.lower()
    assert "Traceback" not in ended.err


def test_avro_of_another_schema(pitproof: Call, tmp_path: Path) -> None:
    import fastavro

    path = tmp_path / "other.avro"
    schema = {"type": "record", "name": "Weather", "fields": [{"name": "rain", "type": "int"}]}
    with path.open("wb") as file:
        fastavro.writer(file, schema, [{"rain": 3}])
    ended = pitproof("audit", path)
    assert (ended.status, ended.out) == (2, b"")
    assert "other.avro" in ended.err
    assert "Weather" in ended.err


def test_a_folder_and_a_missing_path(pitproof: Call, tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.jsonl"):
        ended = pitproof("audit", path)
        assert (ended.status, ended.out) == (2, b"")
        assert str(path) in ended.err
        assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    "at",
    ["0001-01-01T00:00:00.000000Z", "0999-04-18T20:00:00.500000Z", "9999-12-31T23:59:59.999999Z"],
)
def test_a_clock_that_is_centuries_off_is_told_as_it_is(
    pitproof: Call, tmp_path: Path, at: str
) -> None:
    path = tmp_path / "off.jsonl"
    said = [opened(), event("RoundOpened", 2, round_id="R", dealer_id=None, shoe_id=None)]
    path.write_bytes(lines(*({**one, "occurred_at": at} for one in said)))
    assert pitproof("audit", path).status == 0
    told = pitproof("round", "R", "--file", path, "--format", "json").report
    assert [told["opened_at"], *(one["occurred_at"] for one in told["timeline"])] == [at, at]
    assert pitproof("round", "R", "--file", path).status == 0


def test_events_out_of_a_pipe(pitproof: Call, gapped: Path, tmp_path: Path) -> None:
    path = tmp_path / "piped.jsonl"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(gapped.read_bytes(),), daemon=True)
    writer.start()
    ended = pitproof("audit", path, "--format", "json")
    writer.join()
    assert (ended.status, ended.out) == (1, pitproof("audit", gapped, "--format", "json").out)


AS_NOBODY = """
import os, sys
from services.command_line.main import main
assert main(["audit", sys.argv[1]]) == 0  # everything is imported now
if os.geteuid() == 0:  # may read anything
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
sys.exit(main(["audit", sys.argv[2], "--format", "json", "--output", sys.argv[2] + ".out"]))
"""


def test_a_file_without_permission(clean: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:  # pytest's own lets no other user in
        path = Path(folder) / "locked.jsonl"
        path.write_bytes(clean.read_bytes())
        path.chmod(0)
        Path(folder).chmod(0o777)
        ended = subprocess.run([sys.executable, "-c", AS_NOBODY, clean, path], capture_output=True)
    assert ended.returncode == 2
    assert b"locked.jsonl: no permission" in ended.stderr
    assert b"Traceback" not in ended.stderr


def test_of_several_files_one_that_cannot_be_read_stops_all(
    pitproof: Call, gapped: Path, tmp_path: Path
) -> None:
    ended = pitproof("audit", gapped, tmp_path / "none.jsonl", "--db", "kept.db")
    assert (ended.status, ended.out) == (2, b"")
    assert "none.jsonl" in ended.err
    assert not Path("kept.db").exists() or pitproof("findings", "--db", "kept.db").status == 0


def test_several_files_are_one_audit(pitproof: Call, tmp_path: Path) -> None:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl.gz"
    one.write_bytes(lines(opened()))
    two.write_bytes(gzip.compress(lines(event("TableClosed", 2), opened())))
    ended = pitproof("audit", one, two, "--format", "json")
    assert ended.status == 0
    assert ended.report["summary"]["events"] == 2  # the opening came twice


def test_an_empty_file_beside_a_good_one_is_fine(
    pitproof: Call, clean: Path, tmp_path: Path
) -> None:
    (tmp_path / "empty.jsonl").touch()
    assert pitproof("audit", clean, tmp_path / "empty.jsonl").status == 0


def test_a_table_left_open_is_said(pitproof: Call, tmp_path: Path) -> None:
    path = tmp_path / "open.jsonl"
    path.write_bytes(lines(opened()))
    ended = pitproof("audit", path, "--format", "json")
    assert ended.status == 0
    assert "RT-90" in ended.err


def test_a_reading_that_there_is_not(pitproof: Call, clean: Path) -> None:
    ended = pitproof("audit", clean, "--reading", "RT-RANGE=whatever")
    assert (ended.status, ended.out) == (2, b"")
    assert "whole-multiples" in ended.err
    ended = pitproof("audit", clean, "--reading", "RT-RNGE=any-amount")
    assert (ended.status, ended.out) == (2, b"")
    assert "RT-RANGE" in ended.err
    assert pitproof("audit", clean, "--reading", "RT-RANGE=whole-multiples").status == 0


def test_output_is_written_whole_and_standard_output_left_empty(
    pitproof: Call, gapped: Path, tmp_path: Path
) -> None:
    printed = pitproof("audit", gapped, "--format", "json").out
    target = tmp_path / "out.json"
    target.write_text("before")
    target.chmod(0o640)
    ended = pitproof("audit", gapped, "--format", "json", "--output", target)
    assert (ended.status, ended.out) == (1, b"")
    assert target.read_bytes() == printed
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert sorted(path.name for path in tmp_path.glob(".*")) == []


def test_a_failed_audit_leaves_the_old_output(pitproof: Call, tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    target.write_text("before")
    assert pitproof("audit", tmp_path / "none.jsonl", "--output", target).status == 2
    assert target.read_text() == "before"


def test_output_through_a_link_keeps_the_link(pitproof: Call, gapped: Path, tmp_path: Path) -> None:
    target, link = tmp_path / "real.json", tmp_path / "link.json"
    target.write_text("before")
    link.symlink_to(target)
    assert pitproof("audit", gapped, "--format", "json", "--output", link).status == 1
    assert link.is_symlink()
    assert json.loads(target.read_bytes())["version"] == 1


def test_csv(pitproof: Call, gapped: Path) -> None:
    ended = pitproof("audit", gapped, "--format", "csv")
    heading, row = ended.out.decode().splitlines()
    assert heading.startswith("code,severity,table_id,round_id,")
    assert row.startswith("SEQUENCE_GAP,critical,RT-90,,")


def test_the_table_has_no_colour_in_a_pipe(pitproof: Call, gapped: Path) -> None:
    ended = pitproof("audit", gapped)
    assert ended.status == 1
    assert "SEQUENCE_GAP" in ended.out.decode()
    assert b"\x1b" not in ended.out
    assert max(len(line) for line in ended.out.decode().splitlines()) <= 100


def test_a_terminal_gets_colour_unless_told_otherwise(gapped: Path) -> None:
    for no_colour in ("", "1"):
        environment = {**os.environ, "TERM": "xterm", "NO_COLOR": no_colour}
        leader, follower = os.openpty()
        ended = subprocess.run(
            [COMMAND, "audit", gapped], stdout=follower, stderr=subprocess.PIPE, env=environment
        )
        os.close(follower)
        shown = os.read(leader, 100_000)
        os.close(leader)
        assert ended.returncode == 1
        assert (b"\x1b[" in shown) == (not no_colour)


def test_letters_stand_for_suits_where_the_locale_has_none(gapped: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    ended = subprocess.run([COMMAND, "audit", gapped], capture_output=True, env=environment)
    assert ended.returncode == 1
    assert ended.stdout.decode("ascii")


def test_people_see_times_of_the_casino_cards_and_stakes(
    pitproof: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = Path(__file__).parents[2] / "samples" / "evening.jsonl"
    text = pitproof("audit", sample).out.decode()
    assert "RT-12  14:23:13  round RT-12-000021 " in text
    assert "seat 1 7♥ 8♦  seat 2 T♦ T♥  seat 4 7♦ 9♥  board A♠ 4♣ 7♠ J♥ 9♥" in text
    assert "round RT-12-000012  seat 2  5-card bonus $5.00\n" in text
    assert "$7.00 too little paid in all" in text
    monkeypatch.setenv("PITPROOF_TIMEZONE", "UTC")
    assert "RT-12  20:23:13  round RT-12-000021 " in pitproof("audit", sample).out.decode()
