"""Histories to settle again, and what settling them again comes to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from services.audit import audit
from services.encode import json_line
from services.history.sql.source import SqlSource
from services.replaying.asked import OtherRules
from services.replaying.service import Checked, ReplayAsked, WhatIf, replayed
from services.report.gather import Scope
from services.report.replayed import changed, differences
from services.settings import Settings
from services.simulate.service import FloorPlan, faults_available, simulate_floor
from tests.replay.streams import Event

SETTINGS = Settings()


def floor(seed: int, rounds: int = 12, *, faults: bool = True, **more: Any) -> list[Event]:
    """A floor of all games, with every fault or none."""
    names = tuple(fault.name for fault in faults_available()) if faults else ()
    plan = FloorPlan(rounds=rounds, seed=seed, faults=names, **more)
    return [dict(event) for event in simulate_floor(plan).events()]


def kept(path: Path, *batches: Iterable[Event]) -> Path:
    """A history at a path, each batch of events an addition of its own."""
    for number, events in enumerate(batches):
        file = path.with_suffix(f".{number}.jsonl")
        file.write_bytes(b"".join(map(json_line, events)))
        audit([str(file)], db=str(path))
    return path


@dataclass(frozen=True)
class Answer:
    """What a check came to."""

    rounds: int
    digest: str
    differences: list[dict[str, Any]]


def checked(path: Path, scope: Scope | None = None, **more: Any) -> Answer:
    """The check of a history, or of some of it."""
    asked = ReplayAsked(taken=scope or Scope(), **more)
    with replayed(SqlSource(database=path), asked, SETTINGS) as result:
        assert isinstance(result, Checked)
        found = list(differences(result))
        assert (result.difference_count, result.same) == (len(found), not found)
        return Answer(result.rounds, result.digest, found)


@dataclass(frozen=True)
class Priced:
    """What a what-if came to."""

    rounds: int
    expected: int
    what_if: int
    changed: list[dict[str, Any]]
    result: WhatIf


def priced(path: Path, other: OtherRules, scope: Scope | None = None, **more: Any) -> Priced:
    """What other rules would change."""
    asked = ReplayAsked(taken=scope or Scope(), other=other, **more)
    with replayed(SqlSource(database=path), asked, SETTINGS) as result:
        assert isinstance(result, WhatIf)
        total = result.money.total()
        found = list(changed(result))
        assert result.wagers.round_count() == len({(r["table_id"], r["round_id"]) for r in found})
        return Priced(result.rounds, total.expected_cents, total.what_if_cents, found, result)
