"""Engine and oracle side by side on one stream of events."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from replay.findings import Finding
from replay.verdict import RoundStatus, Verdict
from services.audit import audit
from services.report.model import json_chunks
from tests.oracle.audit import audit_events
from tests.replay.streams import Event, judge

Row = tuple[Any, ...]

FIELDS = (
    "table_id",
    "round_id",
    "spot",
    "hand",
    "wager",
    "bettor",
    "expected_cents",
    "actual_cents",
    "expected_low_cents",
    "expected_high_cents",
    "first_missing_seq",
    "last_missing_seq",
)


def differences(events: list[Event]) -> list[str]:
    """What engine and oracle do not agree on, in words; empty where they agree."""
    verdict, findings = judge(events)
    report = audit_events(events)
    ours = Counter(_of_engine(finding) for finding in findings)
    theirs = Counter(_of_oracle(finding) for finding in report["findings"])
    lines = [f"engine only: {row}" for row in (ours - theirs).elements()]
    lines += [f"oracle only: {row}" for row in (theirs - ours).elements()]
    summary = _summary(verdict)
    for name, value in summary.items():
        if report["summary"][name] != value:
            lines.append(f"{name}: engine {value}, oracle {report['summary'][name]}")
    return lines


def audited(path: Path) -> dict[str, Any]:
    """What `pitproof audit --format json` prints of a file."""
    report: dict[str, Any] = json.loads(b"".join(json_chunks(audit([str(path)]))))
    return report


def write_lines(events: list[Event], path: Path) -> None:
    """A file of events as JSON lines, in their order."""
    path.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")


def differences_of_audit(events: list[Event], path: Path) -> list[str]:
    """What audit and oracle do not agree on, of a file with these events in their order."""
    write_lines(events, path)
    return differences_of_reports(audited(path), audit_events(events))


def differences_of_reports(ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    """The same for the reports of both."""
    found = [Counter(map(_of_oracle, report["findings"])) for report in (ours, theirs)]
    lines = [f"audit only: {row}" for row in (found[0] - found[1]).elements()]
    lines += [f"oracle only: {row}" for row in (found[1] - found[0]).elements()]
    return lines + [
        f"{name}: audit {value}, oracle {theirs['summary'][name]}"
        for name, value in ours["summary"].items()
        if name != "findings" and theirs["summary"][name] != value
    ]


def _of_engine(finding: Finding) -> Row:
    return (finding.code.value, *(getattr(finding, name) for name in FIELDS))


def _of_oracle(finding: dict[str, Any]) -> Row:
    return (finding["code"], *(finding[name] for name in FIELDS))


def _summary(verdict: Verdict) -> dict[str, int]:
    rounds = verdict.rounds
    counts = {
        status.name.lower(): int((rounds.status == status).sum())
        for status in RoundStatus
        if status != RoundStatus.OPEN
    }
    return counts | {
        "rounds": len(rounds.status),
        "wagers": int(rounds.wagers.sum()),
        "staked_cents": sum(rounds.staked_cents.tolist()),
        "player_net_expected_cents": sum(rounds.net_expected_cents.tolist()),
        "player_net_actual_cents": sum(rounds.net_actual_cents.tolist()),
    }
