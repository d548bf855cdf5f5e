"""Standard streams that are closed, full, or left by their reader."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).parent / "pitproof"

CALLS = [
    ("--version",),
    ("audit", "--help"),
    ("audit", "FILE"),
    ("audit", "FILE", "--format", "json"),
    ("simulate", "--rounds", "1", "--output", "-"),
]
"""Every way in which something reaches standard output."""


def call(clean: Path, arguments: tuple[str, ...], redirected: str) -> tuple[int, str, str]:
    """Status, standard output and standard error of a call that a shell redirects."""
    words = [str(clean) if word == "FILE" else word for word in arguments]
    ended = subprocess.run(
        ["sh", "-c", f'exec "$0" "$@" {redirected}', COMMAND, *words],
        capture_output=True,
        text=True,
    )
    return ended.returncode, ended.stdout, ended.stderr


@pytest.mark.parametrize("arguments", CALLS, ids=" ".join)
@pytest.mark.parametrize(
    ("redirected", "told"),
    [
        (">/dev/full", "standard output: cannot be written"),
        (">&-", "standard output: it is closed"),
    ],
)
def test_what_cannot_be_written_is_2(
    clean: Path, arguments: tuple[str, ...], redirected: str, told: str
) -> None:
    status, _, said = call(clean, arguments, redirected)
    assert (status, len(said.splitlines())) == (2, 2)
    assert said.startswith(f"pitproof: {told}")


def test_a_result_in_a_file_needs_no_standard_output(clean: Path, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    status, _, said = call(
        clean, ("audit", "FILE", "--format", "json", "--output", str(path)), ">&-"
    )
    assert (status, said) == (0, "")
    assert path.read_bytes().startswith(b'{"version": 1,')


@pytest.mark.parametrize("redirected", ["2>&-", "2>/dev/full"])
def test_who_hears_nothing_still_gets_the_status(clean: Path, redirected: str) -> None:
    assert call(clean, ("audit", "none.jsonl"), redirected) == (2, "", "")
    status, out, _ = call(clean, ("audit", "FILE", "--format", "json"), redirected)
    assert (status, out[:13]) == (0, '{"version": 1')


def test_a_closed_standard_input_is_one_without_anything_in_it(clean: Path) -> None:
    status, out, said = call(clean, ("settle", "RUN_EM_TWICE"), "<&-")
    assert (status, out) == (2, "")
    assert "nobody has a bet" in said


@pytest.mark.parametrize("arguments", CALLS, ids=" ".join)
def test_a_reader_who_leaves_early_is_no_failure(clean: Path, arguments: tuple[str, ...]) -> None:
    words = [str(clean) if word == "FILE" else word for word in arguments]
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as out:
        ended = subprocess.run([COMMAND, *words], stdout=out, stderr=subprocess.PIPE)
    assert (ended.returncode, ended.stderr) == (0, b"")
