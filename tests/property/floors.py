"""Simulated floors with every fault on, judged by audit and oracle and held against the planted."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from services.audit import audit
from services.encode import json_line
from services.report.model import json_chunks
from services.simulate.service import FloorPlan, faults_for, simulate_floor
from services.simulate.writing import expected_rows
from tests.oracle.audit import audit_events
from tests.property.compare import FIELDS

MONEY_FIELDS = ("wagers", "staked_cents", "player_net_expected_cents", "player_net_actual_cents")
COUNT_FIELDS = ("events", "tables", "rounds", "settled", "voided", "held", "not_settled")
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
    ours = json.loads(b"".join(json_chunks(audit([str(path)]))))
    theirs = audit_events(events)
    found = [
        Counter((f["code"], *(f[name] for name in FIELDS)) for f in report["findings"])
        for report in (ours, theirs)
    ]
    lines = [f"audit only: {row}" for row in (found[0] - found[1]).elements()]
    lines += [f"oracle only: {row}" for row in (found[1] - found[0]).elements()]
    lines += [
        f"{name}: audit {ours['summary'][name]}, oracle {theirs['summary'][name]}"
        for name in (*COUNT_FIELDS, *MONEY_FIELDS)
        if ours["summary"][name] != theirs["summary"][name]
    ]
    serious = [f for f in ours["findings"] if f["severity"] != "info"]
    planted = Counter(tuple(row[name] for name in PLACE) for row in expected_rows(floor))
    places = Counter(tuple(f[name] for name in PLACE) for f in serious)
    lines += [f"planted, not found: {row}" for row in (planted - places).elements()]
    lines += [f"found, not planted: {row}" for row in (places - planted).elements()]
    return lines
