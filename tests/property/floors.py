"""Simulated floors with every fault on, judged by audit and oracle and held against the planted."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from services.encode import json_line
from services.simulate.service import FloorPlan, faults_for, simulate_floor
from services.simulate.writing import expected_rows
from tests.oracle.audit import audit_events
from tests.property.compare import audited, differences_of_reports

PLACE = ("code", "table_id", "round_id", "spot", "hand", "wager", "bettor")


def differences(game: str, rounds: int, seed: int, path: Path) -> list[str]:
    """What audit, oracle and the list of planted faults do not agree on; empty where they agree."""
    plan = FloorPlan(games=(game,), rounds=rounds, seed=seed, faults=tuple(faults_for((game,))))
    floor = simulate_floor(plan)
    events: list[dict[str, Any]] = []
    with path.open("wb") as file:
        for event in floor.events():
            events.append(event)
            file.write(json_line(event))
    ours = audited(path)
    lines = differences_of_reports(ours, audit_events(events))
    serious = [f for f in ours["findings"] if f["severity"] != "info"]
    planted = Counter(tuple(row[name] for name in PLACE) for row in expected_rows(floor))
    places = Counter(tuple(f[name] for name in PLACE) for f in serious)
    lines += [f"planted, not found: {row}" for row in (planted - places).elements()]
    lines += [f"found, not planted: {row}" for row in (places - planted).elements()]
    return lines
