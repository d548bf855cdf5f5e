"""`pitproof redrive`: the same numbers in each form."""

import csv
import io
import json
from pathlib import Path

from services.decode.batch import TopicDeadLetter
from services.history.store import History
from tests.services.command_line.conftest import Call, lines, opened
from tests.services.history.build import append


def test_csv_holds_what_json_does(pitproof: Call, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(lines(opened()) + b"nothing\n")
    assert pitproof("audit", path, "--db", "h.db").status == 1
    call = ("redrive", "--db", "h.db", "--dry-run", "--format")
    report = pitproof(*call, "json").report
    assert (report["letters"], report["of_files"]) == (1, 1)
    [row] = csv.DictReader(io.StringIO(pitproof(*call, "csv").out.decode()))
    assert {**row, "stay": json.loads(row["stay"])} == {
        name: value if name == "stay" else str(value)
        for name, value in report.items()
        if name != "version"
    }


def test_what_stays_is_told_in_its_words_where_all_say_the_same(
    pitproof: Call, tmp_path: Path
) -> None:
    same = [TopicDeadLetter("t[0]", at, "bad", b"garbage") for at in (5, 6)]
    odd = [TopicDeadLetter("t[0]", at, "bad", b"\x00\x00\x00\x00" + bytes([at])) for at in (7, 8)]
    with History.open(tmp_path / "h.db") as history:
        append(history, dead=[*same, *odd])
    call = ("redrive", "--db", tmp_path / "h.db", "--dry-run", "--format", "json")
    assert pitproof(*call).report["stay"] == {
        "not framed: c3 01 or 00 expected at its beginning, found 67 61": 2,
        "schema # of a registry, and none is configured": 2,
    }
