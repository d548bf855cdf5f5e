"""What a replay comes to, for programs: JSON and CSV, a row at a time, since there may be many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from services.csv_rows import csv_cell, csv_row
from services.report.gather import FINDING_COLUMNS, finding_of
from services.report.model import (
    FINDING_KEYS,
    ReportedFinding,
    encoded,
    finding_object,
    json_rows,
)

if TYPE_CHECKING:
    from services.replaying.service import Checked, WhatIf

VERSION: Final = 1

CHANGED_KEYS: Final = (
    *("table_id", "round_id", "spot", "hand", "wager", "bettor"),
    *("expected_cents", "what_if_cents"),
)


def differences(checked: Checked) -> Iterator[dict[str, Any]]:
    """Findings that are kept and not computed, or the other way round; one side of each is null."""
    for side, event_ids, *row in checked.findings.differences(FINDING_COLUMNS):
        finding = finding_of(tuple(row))
        found = finding_object(ReportedFinding(finding, tuple(event_ids)))
        sides = {"kept": None, "computed": None, side: found}
        yield {"finding_id": finding.finding_id, **sides}


def changed(what_if: WhatIf, limit: int | None = None) -> Iterator[dict[str, Any]]:
    """Wagers of which another amount is due, or not known under both, in order."""
    for row in what_if.wagers.rows(limit):
        yield {key: row[key] for key in CHANGED_KEYS}


def checked_json(checked: Checked) -> Iterator[bytes]:
    """The object that `replay` prints without other rules."""
    head = {
        "version": VERSION,
        "rounds": checked.rounds,
        "same": checked.same,
        "findings_digest": checked.digest,
    }
    return _object(head, "differences", differences(checked))


def what_if_json(what_if: WhatIf) -> Iterator[bytes]:
    """The object that `replay` prints with other rules."""
    total = what_if.money.total()
    head = {
        "version": VERSION,
        "rounds": what_if.rounds,
        "player_net_expected_cents": total.expected_cents,
        "player_net_what_if_cents": total.what_if_cents,
    }
    return _object(head, "changed", changed(what_if))


def checked_csv(checked: Checked) -> Iterator[bytes]:
    """A row a difference: which side has it, and its columns."""
    yield csv_row(("side", *FINDING_KEYS))
    for each in differences(checked):
        side = "kept" if each["computed"] is None else "computed"
        yield csv_row((side, *map(csv_cell, each[side].values())))


def what_if_csv(what_if: WhatIf) -> Iterator[bytes]:
    """A row a wager."""
    yield csv_row(CHANGED_KEYS)
    for row in changed(what_if):
        yield csv_row(row.values())


def _object(head: dict[str, Any], name: str, rows: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """The object with a list as its last key."""
    yield encoded(head)[:-1] + b', "%b": [' % name.encode()
    yield from json_rows(rows)
    yield b"]}\n"
