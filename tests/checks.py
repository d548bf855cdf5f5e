"""What must be answered to an audit, as the `*.expected.json` files state it, and if it holds.

A case holds `checks`, each of a kind: `due` what a wager was worth and what was paid, `finding` and
`no_finding` rows that must or must not be there, `only` the codes allowed, `exit` the status,
`dead_letter` how many, `summary` one figure. A sample holds the list of all findings but info ones.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

Row = Mapping[str, Any]

MONEY_CODES: Final = frozenset("UNDERPAID OVERPAID WAGER_UNSETTLED SETTLED_WITHOUT_WAGER".split())
PLACE: Final = ("round_id", "spot", "hand", "wager", "bettor")
AMOUNTS: Final = ("expected_cents", "actual_cents")
NOT_VALUES: Final = frozenset({"kind", "count", "event_id"})

GAME_OF_TABLE: Final = {"RT": "RUN_EM_TWICE", "DD": "DAKOTA_DUEL_DRAW", "TS": "TEXAS_SHOOTOUT"}
"""The files name their tables by the game."""


@dataclass(frozen=True)
class Answer:
    """Exit status, and the JSON object where there was one."""

    status: int
    report: Row | None = None
    error: str = ""

    @property
    def findings(self) -> Sequence[Row]:
        rows: Sequence[Row] = self.report["findings"] if self.report else ()
        return rows


@dataclass(frozen=True)
class Case:
    """One file of events and what is expected of it."""

    path: Path
    games: frozenset[str] = field(default=frozenset())

    @property
    def name(self) -> str:
        return f"{'+'.join(sorted(self.games))}-{self.path.stem}"

    def expected(self) -> Any:
        path = self.path.with_name(f"{self.path.stem}.expected.json")
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []


def cases_in(folder: Path) -> list[Case]:
    """Every file of events of a folder, with the games it is about."""
    return [Case(path, games_of(path)) for path in sorted(folder.glob("*.jsonl"))]


def games_of(path: Path) -> frozenset[str]:
    """By the tables' names: lines may be broken on purpose, so they are not parsed."""
    named = re.findall(rb'"table_id"\s*:\s*"([A-Z]{2})-', path.read_bytes())
    return frozenset(
        GAME_OF_TABLE[name.decode()] for name in named if name.decode() in GAME_OF_TABLE
    )


def failures(checks: Sequence[Row], answer: Answer) -> list[str]:
    """Every check that does not hold, in words."""
    failed = []
    for check in checks:
        kind = check["kind"]
        if kind != "exit" and answer.report is None:
            failed.append(f"{kind}: no report; {answer.error}")
            continue
        told = CHECKS[kind](check, answer)
        if told:
            failed.append(f"{kind} {_given(check)}: {told}")
    return failed


def differences(expected: Sequence[Row], answer: Answer) -> list[str]:
    """A sample's findings against the list that must be found, complete but for info ones."""
    if answer.report is None:
        return [f"no report; {answer.error}"]
    left = [row for row in answer.findings if row["severity"] != "info"]
    told = []
    for wanted in expected:
        found = next((row for row in left if _agrees(wanted, row)), None)
        if found is None:
            told.append(f"missing {dict(wanted)}")
        else:
            left.remove(found)
    told.extend(f"not expected {_short(row)}" for row in left)
    status = 1 if expected else 0
    if answer.status != status:
        told.append(f"exit status {answer.status}, not {status}")
    return told


def _due(check: Row, answer: Answer) -> str:
    at = [
        row
        for row in answer.findings
        if row["code"] in MONEY_CODES and all(row[key] == check[key] for key in PLACE)
    ]
    if check["actual_cents"] == check["expected_cents"]:
        return f"found {_listed(at)}" if at else ""
    right = [
        row
        for row in at
        if all(row[key] == check[key] for key in AMOUNTS)
        and row["code"] == check.get("code", row["code"])
    ]
    return "" if len(at) == len(right) == 1 else f"found {_listed(at)}"


def _finding(check: Row, answer: Answer) -> str:
    at = list(_carrying(check, answer))
    if len(at) == check["count"] if "count" in check else at:
        return ""
    of_code = [row for row in answer.findings if row["code"] == check.get("code")]
    return f"{len(at)} found; of that code {_listed(of_code)}"


def _no_finding(check: Row, answer: Answer) -> str:
    at = list(_carrying(check, answer))
    return f"found {_listed(at)}" if at else ""


def _only(check: Row, answer: Answer) -> str:
    others = [row for row in answer.findings if row["code"] not in check["codes"]]
    return f"found besides {_listed(others)}" if others else ""


def _exit(check: Row, answer: Answer) -> str:
    return "" if answer.status == check["status"] else f"{answer.status} {answer.error}"


def _dead_letter(check: Row, answer: Answer) -> str:
    assert answer.report is not None
    number = len(answer.report["dead_letters"])
    return "" if number == check["count"] else f"{number} dead letters"


def _summary(check: Row, answer: Answer) -> str:
    assert answer.report is not None
    value = answer.report["summary"][check["field"]]
    return "" if value == check["value"] else f"is {value}"


CHECKS: Final[Mapping[str, Callable[[Row, Answer], str]]] = {
    "due": _due,
    "finding": _finding,
    "no_finding": _no_finding,
    "only": _only,
    "exit": _exit,
    "dead_letter": _dead_letter,
    "summary": _summary,
}
"""Each says what is wrong, or nothing."""


def _carrying(check: Row, answer: Answer) -> Iterator[Row]:
    """The findings that carry every value given; an event is looked for among their events."""
    values = {key: value for key, value in check.items() if key not in NOT_VALUES}
    for row in answer.findings:
        ids = [event_id.lower() for event_id in row["event_ids"]]
        if all(key in row and row[key] == value for key, value in values.items()) and (
            "event_id" not in check or check["event_id"].lower() in ids
        ):
            yield row


def _agrees(wanted: Row, row: Row) -> bool:
    """Money to the cent and null for null; a place that is given; nothing else."""
    money = all(row[key] == wanted[key] for key in AMOUNTS)
    placed = ("code", "table_id", *PLACE)
    given = [key for key in wanted if key not in AMOUNTS and wanted[key] is not None]
    assert set(placed) <= set(wanted)
    return money and all(row[key] == wanted[key] for key in given)


def _given(check: Row) -> str:
    return json.dumps({key: value for key, value in check.items() if key != "kind"})


def _listed(rows: Sequence[Row]) -> str:
    return "; ".join(_short(row) for row in rows[:4]) + (" …" if len(rows) > 4 else "") or "nothing"


def _short(row: Row) -> str:
    place = " ".join(str(row[key]) for key in PLACE if row[key] is not None)
    return f"{row['code']} {place} expected {row['expected_cents']} actual {row['actual_cents']}"
