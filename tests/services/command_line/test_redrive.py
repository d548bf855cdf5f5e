"""`pitproof redrive`: the same numbers in each form."""

import csv
import io
import json
from pathlib import Path

from tests.services.command_line.conftest import Call, lines, opened


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
