"""`deploy/settings.md` and the settings that the code reads are the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields
from datetime import time
from pathlib import Path
from typing import Final

import pytest

from services.live.kafka_settings import NAMES, SECRETS
from services.settings import Settings, load_settings

DOCUMENT: Final = Path(__file__).parents[2] / "deploy" / "settings.md"


def own_rows() -> list[str]:
    rows = []
    for one in fields(Settings):
        default = None if one.default is MISSING else one.default
        told = f"{default:%H:%M}" if isinstance(default, time) else str(default or "")
        shown = f"`{told}`" if told else ""
        rows.append(f"| `{one.name}` | {shown} | {one.metadata['help']} |")
    return rows


def kafka_rows() -> list[str]:
    return [f"| `{name}` | {told} |" for name, told in NAMES.items()]


def secret_rows() -> list[str]:
    return [f"| `PITPROOF_KAFKA_{name.upper()}` | {told} |" for name, told in SECRETS.items()]


@pytest.mark.parametrize("rows", [own_rows, kafka_rows, secret_rows])
def test_every_setting_stands_in_its_table(rows: Callable[[], list[str]]) -> None:
    assert "\n".join(rows()) in DOCUMENT.read_text(encoding="utf-8")


def test_the_example_is_taken(tmp_path: Path) -> None:
    example = DOCUMENT.read_text(encoding="utf-8").split("```toml\n")[1].split("```")[0]
    path = tmp_path / "pitproof.toml"
    path.write_text(example, encoding="utf-8")
    read = load_settings(str(path), {})
    assert list(read.shifts) == ["day", "swing", "graveyard"]
    assert set(read.kafka) <= set(NAMES)
