"""The command answers at once: what only some commands need is imported by those."""

import re
import subprocess
import sys
from itertools import islice
from pathlib import Path
from typing import Final

import pytest

from tests.tidy.project import ROOT

HEAVY: Final = frozenset({"numpy", "duckdb", "pyarrow"})
NEEDLESS: Final = frozenset({"numpy.ma", "pyarrow.compute"})  # each takes as long as 100 events
COMMAND: Final = Path(sys.executable).parent / "pitproof"


@pytest.mark.parametrize("flag", ["--version", "--help"])
def test_what_needs_no_engine_loads_none(flag: str) -> None:
    ended = called(flag)
    said = [line for line in ended.stderr.splitlines() if not line.startswith("import time:")]
    assert (ended.returncode, said) == (0, [])
    assert ended.stdout.strip()
    assert "services.command_line.main" in loaded(ended)
    assert {name.partition(".")[0] for name in loaded(ended)} & HEAVY == set()


@pytest.mark.parametrize("sample", ["clean", "dakota_duel_draw", "run_em_twice", "texas_shootout"])
def test_a_small_audit_loads_nothing_that_only_large_ones_need(sample: str, tmp_path: Path) -> None:
    few = tmp_path / "few.jsonl"
    with (ROOT / "tests" / "samples" / f"{sample}.jsonl").open("rb") as events:
        few.write_bytes(b"".join(islice(events, 100)))
    ended = called("audit", "--format", "json", str(few))
    assert ended.returncode in (0, 1), ended.stderr
    assert HEAVY <= loaded(ended)
    assert loaded(ended) & NEEDLESS == set()


def called(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command, saying on standard error what it loads."""
    command = [sys.executable, "-X", "importtime", str(COMMAND), *arguments]
    return subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)


def loaded(ended: subprocess.CompletedProcess[str]) -> set[str]:
    """Modules, out of "import time: self [us] | cumulative | imported package", a line for each."""
    return set(re.findall(r"^import time:.*\| +([\w.]+)$", ended.stderr, flags=re.MULTILINE))
