"""Programs that the checks of this folder need and Python's packages do not bring.

Looked for on the PATH, then where `make tools` puts them. What is not there skips its tests and
says so; with PITPROOF_REQUIRE_TOOLS=1, as in the gate, it fails them.
"""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.tidy.project import ROOT

FETCHED: Final = ROOT / "build" / "tools"
REQUIRED: Final = "PITPROOF_REQUIRE_TOOLS"
TEMPLATES: Final = "/usr/share/prometheus/alertmanager/default.tmpl"
SECONDS_MAX: Final = 120


def tool(name: str) -> str:
    """The path of a program, or the end of the test."""
    found = shutil.which(name) or shutil.which(name, path=str(FETCHED / "usr" / "bin"))
    return found or lacking(f"no {name} on the PATH nor in build/tools")


def alertmanager() -> list[str]:
    """How Alertmanager is called. Debian's reads its templates at one place and no other.

    Where it was unpacked and not installed, it gets a view of that place in which they are.
    """
    program = tool("prometheus-alertmanager")
    if Path(TEMPLATES).exists():
        return [program]
    as_root = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    layers = f"lowerdir={FETCHED}/usr/share:/usr/share"
    view = f'mount -t overlay overlay -o {layers} /usr/share && exec "$@"'
    return [tool("unshare"), *as_root, "--mount", "sh", "-c", view, "sh", program]


def package(name: str) -> Path:
    """The folder of a package of npm, or the end of the test."""
    folder = FETCHED / "node_modules" / name
    if not folder.is_dir():
        lacking(f"no npm package {name} in build/tools")
    return folder


def lacking(what: str) -> str:
    """Skip, or fail where everything must be there."""
    reason = f"{what}: `make tools` fetches what it can"
    if os.environ.get(REQUIRED) == "1":
        pytest.fail(f"{REQUIRED} is set, but there is {reason}", pytrace=False)
    pytest.skip(reason)


def run(*words: object, input: str | None = None) -> str:
    """What a program prints that ends well."""
    ended = subprocess.run(
        [str(word) for word in words],
        input=input,
        check=False,
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout
