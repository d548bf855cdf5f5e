"""Calling the command in this process, and small files of events to call it on."""

import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from services.command_line.main import main


@dataclass(frozen=True)
class Ended:
    """What a call left behind."""

    status: int
    out: bytes
    err: str

    @property
    def report(self) -> dict[str, Any]:
        loaded: dict[str, Any] = json.loads(self.out)
        return loaded


Call = Callable[..., Ended]


@pytest.fixture
def pitproof(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Call:
    """Call the command in an empty folder, with no setting in the environment."""
    for name in ("DB", "TIMEZONE", "READINGS", "HOUSE_WAYS"):
        monkeypatch.delenv(f"PITPROOF_{name}", raising=False)
    empty = tmp_path / "called-from"
    empty.mkdir()
    monkeypatch.chdir(empty)

    def call(*arguments: object) -> Ended:
        status = main([str(argument) for argument in arguments])
        out, err = capfdbinary.readouterr()
        return Ended(status, out, err.decode())

    return call


def event(kind: str, seq: int, table: str = "RT-90", **fields: object) -> dict[str, object]:
    """An event whose id and time follow from its place."""
    return {
        "type": kind,
        "event_id": str(uuid.UUID(int=seq)),
        "table_id": table,
        "seq": seq,
        "occurred_at": f"2026-04-18T20:{seq // 60:02}:{seq % 60:02}.000000Z",
        **({"reason": None} if kind == "TableClosed" else {}),
        **fields,
    }


def opened() -> dict[str, object]:
    return event(
        "TableOpened",
        1,
        game="RUN_EM_TWICE",
        gaming_day="2026-04-18",
        spots=6,
        paytables={"ultimate_pairs": "2"},
        minimum_cents=500,
        maximum_cents=50_000,
        house_way=None,
    )


def lines(*events: dict[str, object]) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in events)


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    """A table opened and closed again: nothing to report."""
    path = tmp_path / "clean.jsonl"
    path.write_bytes(lines(opened(), event("TableClosed", 2)))
    return path


@pytest.fixture
def gapped(tmp_path: Path) -> Path:
    """Event 2 never came: one finding."""
    path = tmp_path / "gapped.jsonl"
    path.write_bytes(lines(opened(), event("TableClosed", 3)))
    return path
