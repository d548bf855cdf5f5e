"""What gets installed: one name a module, every data file, a lock that fits."""

import re
import subprocess
import sys
import tomllib
import zipfile
from email import message_from_bytes
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Final

import pytest
from packaging.requirements import Requirement

import dashboards
import replay
import services
from tests.tidy.project import PACKAGED, ROOT, project_files

PYPROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
LOCK: Final = (ROOT / "requirements.lock").read_text("utf-8")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel, built as a release would be, with what is installed and without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory"]
    subprocess.run([*command, str(folder)], cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return zipfile.ZipFile(built)


@pytest.mark.parametrize("package", [services, replay, dashboards], ids=lambda p: str(p.__name__))
def test_the_checkout_itself_is_imported(package: Any) -> None:
    assert Path(package.__file__).is_relative_to(ROOT)


def test_the_wheel_holds_every_file_of_its_packages(wheel: zipfile.ZipFile) -> None:
    below = tuple(f"{package}/" for package in PACKAGED)
    expected = {name for name in project_files() if name.startswith(below)}
    assert expected - set(wheel.namelist()) == set()


def test_the_wheel_holds_nothing_else(wheel: zipfile.ZipFile) -> None:
    tops = {name.split("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} <= set(PACKAGED)


def test_the_wheel_carries_licence_and_command(wheel: zipfile.ZipFile) -> None:
    (info,) = {name.split("/")[0] for name in wheel.namelist() if ".dist-info/" in name}
    metadata = message_from_bytes(wheel.read(f"{info}/METADATA"))
    assert metadata["Name"] == "pitproof"
    assert metadata["License-Expression"] == "Apache-2.0"
    assert wheel.read(f"{info}/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()
    commands = wheel.read(f"{info}/entry_points.txt").decode()
    assert "pitproof = services.command_line.main:run" in commands


def test_the_command_is_installed() -> None:
    (command,) = entry_points(group="console_scripts", name="pitproof")
    assert callable(command.load())


def test_the_lock_fits_what_is_asked_for() -> None:
    project = PYPROJECT["project"]
    asked = [
        *PYPROJECT["build-system"]["requires"],
        *project["dependencies"],
        *(line for extra in project["optional-dependencies"].values() for line in extra),
    ]
    locked = dict(re.findall(r"^([a-z0-9-]+)==(\S+)", LOCK, flags=re.MULTILINE))
    for line in asked:
        requirement = Requirement(line)
        version = locked.get(requirement.name.lower().replace("_", "-"))
        assert version is not None, f"{line} is not locked: make lock"
        assert requirement.specifier.contains(version), f"{line} is locked at {version}: make lock"


def test_the_lock_pins_bytes_and_names_no_place() -> None:
    pins = re.split(r"^(?=[a-z0-9-]+==)", LOCK, flags=re.MULTILINE)[1:]
    assert pins
    assert [pin.split()[0] for pin in pins if "--hash=sha256:" not in pin] == []
    assert "://" not in LOCK
    assert "index-url" not in LOCK
