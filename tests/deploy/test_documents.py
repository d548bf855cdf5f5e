"""What operators are told to call exists, with the flags that they are told to give."""

import re
from pathlib import Path
from typing import Final

import pytest

from tests.live.serving import pitproof
from tests.tidy.project import ROOT

DOCUMENTS: Final = sorted((ROOT / "deploy").rglob("*.md"))
CALL: Final = re.compile(r"(?<![\w./-])pitproof ((?:[a-z]+ )?[a-z]+)\b([^`\n|)#]*)")


def calls() -> list[tuple[str, str]]:
    """Commands as they are shown, with the flags they are shown with."""
    found = set()
    for path in DOCUMENTS:
        text = path.read_text("utf-8")
        lines = re.findall(r"^pitproof .+$", "".join(text.split("```")[1::2]), re.MULTILINE)
        for code in [*lines, *re.findall(r"`([^`\n]+)`", text)]:
            for words, rest in CALL.findall(code):
                found.add((words, " ".join(sorted(re.findall(r"--[a-z-]+", rest)))))
    return sorted(found)


@pytest.mark.parametrize(("words", "flags"), calls())
def test_a_call_that_is_shown_can_be_made(words: str, flags: str) -> None:
    command, *more = words.split()
    shown = pitproof(command, *more, "--help").stdout
    if not shown:  # the second word was an argument
        shown = pitproof(command, "--help").stdout
    assert shown, f"pitproof {words}"
    assert [flag for flag in flags.split() if flag not in shown] == []


def test_there_are_calls() -> None:
    named = {words.split()[0] for words, _ in calls()}
    assert {"alerts", "gaps", "redrive", "replay", "round", "verify"} <= named


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(Path(path).name))
def test_files_that_are_named_exist(path: Path) -> None:
    text = path.read_text("utf-8")
    named = re.findall(r"`((?:deploy|dashboards|tests|services|schemas)/[\w./-]+)`", text)
    assert [name for name in named if not (ROOT / name).exists()] == []
