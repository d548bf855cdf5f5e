"""The systemd unit: systemd takes it, and finds it well shut."""

import re
import sys
from pathlib import Path
from typing import Final

from tests.deploy.tools import run, tool
from tests.tidy.project import ROOT

UNIT: Final = ROOT / "deploy" / "systemd" / "pitproof.service"
PROGRAM: Final = "/opt/pitproof/bin/pitproof"
EXPOSURE_MAX: Final = 15
"""Of 100, by `systemd-analyze security`; a service without any protection has 96."""


def test_systemd_takes_it(tmp_path: Path) -> None:
    text = UNIT.read_text("utf-8")
    assert text.count(f"ExecStart={PROGRAM} ") == 1
    here = tmp_path / UNIT.name
    here.write_text(text.replace(PROGRAM, sys.executable), "utf-8")  # it looks for the program
    run(tool("systemd-analyze"), "verify", here)


def test_it_is_well_shut() -> None:
    run(
        *(tool("systemd-analyze"), "security", "--offline=true", "--no-pager"),
        f"--threshold={EXPOSURE_MAX}",
        UNIT,
    )


def test_the_program_is_called_with_flags_that_it_has() -> None:
    (flags,) = re.findall(rf"^ExecStart={PROGRAM} serve (.+)$", UNIT.read_text(), re.MULTILINE)
    assert flags == "--listen 127.0.0.1:8642"
    (stop,) = re.findall(r"^TimeoutStopSec=(\d+)$", UNIT.read_text(), re.MULTILINE)
    assert int(stop) > 5, "a clean stop may take five seconds"
