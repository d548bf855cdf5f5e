"""The report of an audit, and its JSON form: version 1 of what `audit` and `findings` print.

The JSON has fixed keys in a fixed order, so the same report gives the same bytes. Beside what goes
into it, a report carries what people are told: games, days, times and cards (`Scene`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import Any, Final

from replay.findings import Finding, FindingCode, Severity

VERSION: Final = 1

FOUND_NOTHING: Final = 0
FOUND_SOMETHING: Final = 1

MONEY_CODES: Final = frozenset(
    {
        FindingCode.UNDERPAID,
        FindingCode.OVERPAID,
        FindingCode.WAGER_UNSETTLED,
        FindingCode.SETTLED_WITHOUT_WAGER,
        FindingCode.MISDEAL_NOT_CALLED,
    }
)
"""Findings whose difference is money that went the wrong way, one for each wager."""

FINDING_KEYS: Final = (
    "code",
    "severity",
    "table_id",
    "round_id",
    "spot",
    "hand",
    "wager",
    "bettor",
    "expected_cents",
    "actual_cents",
    "delta_cents",
    "clause",
    "readings",
    "event_ids",
    "message",
    "finding_id",
    "expected_low_cents",
    "expected_high_cents",
    "first_missing_seq",
    "last_missing_seq",
)
"""Keys are added at the end only: scripts hold on to the names, spreadsheets to the columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What was read, what became of the rounds, and the money; in the order of the JSON."""

    events: int = 0  # without redeliveries
    dead_letters: int = 0
    tables: int = 0
    rounds: int = 0
    settled: int = 0
    voided: int = 0
    held: int = 0  # kept back for a sequence gap
    not_settled: int = 0
    wagers: int = 0
    staked_cents: int = 0
    player_net_expected_cents: int = 0
    player_net_actual_cents: int = 0
    findings: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReportedFinding:
    """A finding, its events named as the tables named them."""

    finding: Finding
    event_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReportedDeadLetter:
    """Something that could not be read, where it lies and why."""

    source: str
    position: int  # line, record or offset
    error: str


@dataclass(frozen=True, slots=True)
class Scene:
    """What people want to see around a finding: when, how much was bet, which cards lay."""

    at_micros: int | None = None  # the round's opening, else the first event concerned
    stake_cents: int | None = None
    cards: tuple[tuple[str, tuple[str, ...]], ...] = ()  # ("seat 2", ("Ts", "Ah")), ("board", …)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything that an audit found, findings in the contract's order."""

    summary: Summary
    findings: tuple[ReportedFinding, ...] = ()
    dead_letters: tuple[ReportedDeadLetter, ...] = ()
    games: Mapping[str, int] = field(default_factory=dict)  # table_id -> Game
    days: tuple[date, ...] = ()  # gaming days covered, ascending
    open_tables: tuple[str, ...] = ()  # not closed when the events ended
    unfinished_at: tuple[str, ...] = ()  # tables where a round was open then
    scenes: Mapping[str, Scene] = field(default_factory=dict)  # by finding_id

    @property
    def exit_status(self) -> int:
        """0 as long as nothing but info findings came up."""
        serious = any(row.finding.severity is not Severity.INFO for row in self.findings)
        return FOUND_SOMETHING if serious or self.dead_letters else FOUND_NOTHING


def counted(findings: Iterable[Finding]) -> dict[str, int]:
    """How many findings of each code there are, codes in the contract's order."""
    counts = Counter(finding.code for finding in findings)
    return {code.value: counts[code] for code in FindingCode if counts[code]}


def finding_object(row: ReportedFinding) -> dict[str, Any]:
    """A finding as the JSON has it: every key, null where it does not apply."""
    special = {
        "code": row.finding.code.value,
        "severity": row.finding.severity.value,
        "readings": list(row.finding.readings),
        "event_ids": list(row.event_ids),
    }
    return {k: special[k] if k in special else getattr(row.finding, k) for k in FINDING_KEYS}


def json_chunks(report: Report) -> Iterator[bytes]:
    """The JSON object, a finding a line; written piece by piece, since there may be many."""
    yield b'{"version": %d,\n "summary": %b,\n "findings": [' % (
        VERSION,
        encoded(asdict(report.summary)),
    )
    yield from json_rows(finding_object(row) for row in report.findings)
    yield b'],\n "dead_letters": ['
    yield from json_rows(asdict(letter) for letter in report.dead_letters)
    yield b"]}\n"


def json_rows(objects: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """The objects of a list, each on a line of its own."""
    before = b"\n  "
    for one in objects:
        yield before + encoded(one)
        before = b",\n  "


def encoded(value: Any) -> bytes:
    """A value as JSON."""
    # File names need not be UTF-8: their odd bytes arrive as lone surrogates, which JSON writes as
    # \udcxx; that is what backslashreplace makes of them.
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace")
