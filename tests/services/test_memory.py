"""Memory stays bounded, whatever the size of a file."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.bench._floors import copies, simulated

EVENT_COUNT: Final = 10_000_000
PEAK_BYTES_MAX: Final = 1 << 30
COMMAND: Final = Path(sys.executable).parent / "pitproof"


@pytest.mark.slow
def test_ten_million_events_are_audited_within_a_gibibyte(tmp_path: Path) -> None:
    events, report = tmp_path / "events.jsonl", tmp_path / "report.json"
    with events.open("wb") as file:
        file.writelines(copies(simulated(), EVENT_COUNT))
    command = [str(COMMAND), "audit", "--format", "json", "--output", str(report), str(events)]
    try:
        with subprocess.Popen(command) as ours:
            _, status, used = os.wait4(ours.pid, 0)
            ours.returncode = os.waitstatus_to_exitcode(status)
    finally:
        events.unlink()  # 2.8 GB, which pytest would keep for three runs
    assert ours.returncode in (0, 1)
    assert json.loads(report.read_bytes())["summary"]["events"] == EVENT_COUNT
    assert used.ru_maxrss * 1024 < PEAK_BYTES_MAX
