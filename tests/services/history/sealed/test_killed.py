"""Killed at any moment, a sealing was done or was not: nothing is half sealed, and it goes on."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from services.history.sealed.folder import folder_of
from services.history.store import History
from services.history.verify import problems_of
from tests.services.history.build import append
from tests.services.history.sealed.days import FIRST, SECOND, days_of, grown, places, sealed

A, B = days_of("A", FIRST, SECOND), days_of("B", SECOND, game=2)
LATE = [A[4]]

FEW = ("rename", "replace", "COMMIT")
ALL = (*FEW, "COPY", "mkdir", "rmdir")


@pytest.fixture(scope="module", params=[FEW, pytest.param(ALL, marks=pytest.mark.slow)])
def tries(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Histories of which an amendment and a day were being sealed; the last came to its end."""
    folder = tmp_path_factory.mktemp("killed")
    path = folder / "whole" / "h.db"
    path.parent.mkdir()
    grown(path, [event for event in A if event not in LATE])
    sealed(path, until=FIRST)
    with History.open(path) as history:
        append(history, LATE)
        append(history, B)
    module = "tests.services.history.sealed.killed"
    command = [sys.executable, "-m", module, str(path), str(folder / "tries"), *request.param]
    subprocess.run(command, check=True)
    return [each / path.name for each in sorted((folder / "tries").iterdir())]


def by_day(found: list[tuple[Any, ...]]) -> Counter[date]:
    return Counter(day for day, *_ in found)


def test_a_reader_never_sees_a_part_of_a_day(tries: list[Path]) -> None:
    assert len(tries) > 7
    seen = {(by_day(places(path))[FIRST], by_day(places(path))[SECOND]) for path in tries}
    assert seen == {(12, 0), (13, 0), (13, 26)}


def test_every_manifest_has_its_files(tries: list[Path]) -> None:
    lengths = set()
    for path in tries:
        folder = folder_of(path)
        chain = folder.chain()
        lengths.add(len(chain.manifests))
        files = [file for manifest in chain.manifests for file in manifest.files]
        assert all((folder.path / file.path).stat().st_size == file.size_bytes for file in files)
    assert lengths == {1, 2, 3}


def test_the_history_is_whole_and_sealing_goes_on(tries: list[Path]) -> None:
    for path in tries:
        with History.open(path) as history:
            assert list(problems_of(history)) == []
        sealed(path)
        found = places(path)
        assert len(found) == len(set(found)) == len(A) + len(B)
        assert not folder_of(path).stage.exists()
        chain = folder_of(path).chain()
        assert [(each.gaming_day, each.amends) for each in chain.manifests] == [
            (FIRST, None),
            (FIRST, 1),
            (SECOND, None),
        ]
        assert sealed(path) == []
