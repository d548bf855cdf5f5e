"""The whole audit and the oracle agree on files in which the stream itself went wrong."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from services.audit import audit
from services.report.model import json_chunks
from tests.oracle.audit import audit_events
from tests.property.compare import FIELDS
from tests.property.weird_streams import stream

SUMMARY = ("events", "tables", "rounds", "settled", "voided", "held", "not_settled", "wagers")
SUMS = ("staked_cents", "player_net_expected_cents", "player_net_actual_cents")


@pytest.mark.parametrize("seed", range(40))
def test_audit_and_oracle_agree(seed: int, tmp_path: Path) -> None:
    assert differences(seed, tmp_path / "events.jsonl") == []


def differences(seed: int, path: Path, rounds: int = 5) -> list[str]:
    events = stream(seed, rounds)
    path.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
    ours = json.loads(b"".join(json_chunks(audit([str(path)]))))
    theirs = audit_events(events)
    found = [
        Counter((f["code"], *(f[name] for name in FIELDS)) for f in report["findings"])
        for report in (ours, theirs)
    ]
    lines = [f"engine only: {row}" for row in (found[0] - found[1]).elements()]
    lines += [f"oracle only: {row}" for row in (found[1] - found[0]).elements()]
    lines += [
        f"{name}: engine {ours['summary'][name]}, oracle {theirs['summary'][name]}"
        for name in (*SUMMARY, *SUMS)
        if ours["summary"][name] != theirs["summary"][name]
    ]
    return lines
