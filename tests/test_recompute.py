"""Every money finding of the samples, worked out again from what `pitproof round` prints alone."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from services.audit import judge_tables, read_files, rulebook_for
from services.held import opened
from services.history.journal import Journal
from services.report.one_round import round_object
from services.rounds import round_in_history
from services.sources.files import EventFile
from tests.recompute import Row, actual_by_timeline, net_of, recomputed

SAMPLES: Final = sorted((Path(__file__).parent / "samples").glob("*.jsonl"))
MONEY: Final = (
    *("UNDERPAID", "OVERPAID", "WAGER_UNSETTLED", "SETTLED_WITHOUT_WAGER", "MISPAY_CORRECTED"),
    *("MISDEAL_NOT_CALLED", "WRONGLY_VOIDED", "UNDETERMINED"),
)


@cache
def rounds_with_money(path: Path) -> tuple[Row, ...]:
    """Every round of a sample that has a money finding, as JSON has it."""
    with opened(None, create=True) as history:
        with history.transaction():
            journal = Journal(history)
            read_files(journal, [EventFile(str(path), path)], None)
            journal.decide()
            judge_tables(history, rulebook_for({}, None), journal.changed_tables())
        found = history.rows(
            "SELECT DISTINCT table_id, round_id FROM findings "
            "WHERE code::VARCHAR IN (SELECT unnest(?)) AND round_id IS NOT NULL ORDER BY ALL",
            [list(MONEY)],
        )
        return tuple(round_object(round_in_history(history, id, table)) for table, id in found)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: str(path.stem))
def test_every_money_finding_follows_from_the_round(path: Path) -> None:
    told = rounds_with_money(path)
    assert told or path.stem == "clean"
    for one in told:
        for finding in one["findings"]:
            if finding["code"] in MONEY:
                check(one, finding)


def check(told: Row, finding: Row) -> None:
    place = ("spot", "hand", "wager", "bettor")
    mine = [row for row in told["wagers"] if all(row[key] == finding[key] for key in place)]
    if finding["code"] == "MISDEAL_NOT_CALLED":
        assert finding["expected_cents"] in (0, None)
        actual = sum(row["actual_cents"] or 0 for row in told["wagers"])
        assert finding["actual_cents"] == actual
    elif finding["code"] == "WRONGLY_VOIDED":
        rows = [row for row in told["wagers"] if row["spot"] == finding["spot"]]
        assert finding["expected_cents"] == sum(map(recomputed, rows))
        assert finding["actual_cents"] == 0
    elif finding["code"] == "SETTLED_WITHOUT_WAGER":
        assert finding["expected_cents"] == 0
        assert finding["actual_cents"] == actual_by_timeline(told, finding)
    elif finding["code"] == "UNDETERMINED":
        [row] = mine
        assert any(None in hand["cards"] for hand in row["hands"])
        for key in ("expected_low_cents", "expected_high_cents", "actual_cents"):
            assert row[key] == finding[key]
        low, high = finding["expected_low_cents"], finding["expected_high_cents"]
        assert low is None or low <= finding["actual_cents"] <= high
    else:
        [row] = mine
        assert finding["clause"] == row["clause"]
        assert finding["expected_cents"] == row["expected_cents"] == recomputed(row)
        if finding["code"] == "WAGER_UNSETTLED":
            assert finding["actual_cents"] is row["actual_cents"] is None
        else:
            assert finding["actual_cents"] == actual_by_timeline(told, finding)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: str(path.stem))
def test_so_does_every_other_wager_of_those_rounds(path: Path) -> None:
    for told in rounds_with_money(path):
        for row in told["wagers"]:
            read = all(None not in hand["cards"] for hand in row["hands"])
            if row["by_cards_cents"] is not None and read:
                assert recomputed(row) == row["by_cards_cents"], row


@pytest.mark.parametrize(
    ("odds", "net"), [([12, 1], 6000), ("push", 0), ("lose", -500), ("na", 0), ([1, 1], 500)]
)
def test_odds_are_read_as_printed(odds: Any, net: int) -> None:
    assert net_of(odds, 500) == net
