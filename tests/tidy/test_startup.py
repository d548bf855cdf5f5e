"""The command answers at once: what only some commands need is imported by those."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.tidy.project import ROOT

HEAVY: Final = frozenset({"numpy", "duckdb", "pyarrow"})
COMMAND: Final = Path(sys.executable).parent / "pitproof"


@pytest.mark.parametrize("flag", ["--version", "--help"])
def test_what_needs_no_engine_loads_none(flag: str) -> None:
    command = [sys.executable, "-X", "importtime", str(COMMAND), flag]
    ended = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    said = [line for line in ended.stderr.splitlines() if not line.startswith("import time:")]
    assert (ended.returncode, said) == (0, [])
    assert ended.stdout.strip()
    # "import time: self [us] | cumulative | imported package", a line for each module
    loaded = set(re.findall(r"^import time:.*\| +([\w.]+)$", ended.stderr, flags=re.MULTILINE))
    assert "services.command_line.main" in loaded
    assert {name.partition(".")[0] for name in loaded} & HEAVY == set()
