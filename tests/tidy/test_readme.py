"""The README speaks of what is there."""

import re
from typing import Final

from tests.tidy.project import ROOT

README: Final = (ROOT / "README.md").read_text("utf-8")
MAKEFILE: Final = (ROOT / "Makefile").read_text("utf-8")
TARGETS: Final = set(re.findall(r"^([a-z-]+):.* ## ", MAKEFILE, flags=re.MULTILINE))


def test_every_target_it_names_exists() -> None:
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", README, flags=re.MULTILINE))
    assert {"demo", "test"} <= named
    assert named - TARGETS == set()


def test_every_file_and_folder_it_names_exists() -> None:
    named = set(re.findall(r"`([\w.]+(?:/[\w.]+)*/|[\w.]+(?:/[\w.]+)+)`", README))
    assert named
    assert {name for name in named if not (ROOT / name).exists()} == set()


def test_every_target_is_phony_and_explained() -> None:
    (phony,) = re.findall(r"^\.PHONY: (.+)$", MAKEFILE, flags=re.MULTILINE)
    assert set(phony.split()) == TARGETS
