"""Verdicts of a table are replaced as a whole, and each finding knows its gaming day."""

from __future__ import annotations

from dataclasses import fields
from datetime import date
from typing import Any

import numpy as np

from replay.events import EventColumns
from replay.findings import Finding, FindingCode
from replay.verdict import RoundColumns, RoundStatus, Verdict, WagerColumns
from replay.vocabulary import EventKind, Game
from services.history.digests import findings_digest
from services.history.scopes import Scope
from services.history.store import History
from services.history.stretches import stretches
from services.history.verdicts import VerdictWriter
from services.history.verify import problems_of
from tests.services.history.build import append, evening, opened, wager

FIRST, SECOND = date(2026, 3, 1), date(2026, 3, 2)


def finding(number: int, table: str, seq: int, **more: object) -> Finding:
    return Finding(
        code=FindingCode.OVERPAID,
        finding_id=f"{number:032x}",
        table_id=table,
        seq=seq,
        clause="(1)",
        **more,  # type: ignore[arg-type]
    )


def zeros(columns: type[Any], n: int, **given: Any) -> Any:
    """Columns of N rows of nothing, save what is given."""
    return columns(**{f.name: given.get(f.name, np.zeros(n, np.int64)) for f in fields(columns)})


def settled_rounds(events: EventColumns) -> Verdict:
    """A settled round for each that a stretch opens."""
    rows = np.flatnonzero(events.kind == EventKind.ROUND_OPENED)
    n, money = len(rows), np.full(len(rows), 100, dtype=np.int64)
    rounds = zeros(
        RoundColumns,
        n,
        table=events.table[rows],
        round=events.round[rows],
        opened_seq=events.seq[rows],
        ended_seq=events.seq[rows] + 5,
        opened_micros=events.at_micros[rows],
        ended_micros=events.at_micros[rows] + 1,
        game=np.full(n, Game.RUN_EM_TWICE, dtype=np.uint8),
        gaming_day=np.full(n, FIRST, dtype="datetime64[D]"),
        dealer=events.dealer[rows],
        status=np.full(n, RoundStatus.SETTLED, dtype=np.uint8),
        wagers=np.full(n, 1, dtype=np.int32),
        staked_cents=money,
        net_expected_cents=-money,
        net_actual_cents=money,
        deck_order_known=np.zeros(n, np.bool_),
        opened_no=events.event_no[rows],
    )
    return Verdict([], rounds, zeros(WagerColumns, 0), [])


def judge(history: History, findings: list[Finding], tables: list[str] | None = None) -> None:
    """Store these findings, and a round for each opened."""
    held = [name for (name,) in history.rows("SELECT DISTINCT table_id FROM events")]
    with history.transaction():
        writer = VerdictWriter(history)
        for stretch in stretches(history, tables, rows=7):
            writer.add(stretch.events, settled_rounds(stretch.events))
        writer.add_findings(findings)
        writer.store_rounds([Scope(name, 0) for name in tables or held])
        writer.store_findings([])


def stored(history: History) -> list[tuple[object, ...]]:
    return history.rows(
        "SELECT right(finding_id::VARCHAR, 2), table_id, gaming_day, game::VARCHAR FROM findings "
        "ORDER BY finding_id"
    )


def test_a_finding_belongs_to_the_day_of_its_round_or_of_its_place() -> None:
    with History.open() as history:
        events = [*evening("A", 1, first_seq=10), opened("A", 20, SECOND), wager("A", 1, "x")]
        append(history, events)
        judge(
            history,
            [
                finding(1, "A", 21, round_id="A-10-1"),  # raised on the second day
                finding(2, "A", 21),
                finding(3, "A", 20),
                finding(4, "A", 19),
                finding(5, "A", 1),
                finding(6, "A", 15, round_id="never opened"),
            ],
        )
        game = "RUN_EM_TWICE"
        assert stored(history) == [
            ("01", "A", FIRST, game),
            ("02", "A", SECOND, game),
            ("03", "A", SECOND, game),
            ("04", "A", FIRST, game),
            ("05", "A", None, None),
            ("06", "A", FIRST, game),
        ]


def test_rounds_are_stored_as_judged() -> None:
    with History.open() as history:
        append(history, evening("A", 2))
        judge(history, [])
        rows = history.rows(
            "SELECT * EXCLUDE (digest, opened_at, ended_at, deck_high, deck_low) FROM rounds "
            "ORDER BY opened_seq"
        )
        assert rows[0] == (
            *("A", "A-1-1", 2, 7, "RUN_EM_TWICE", FIRST, "D-1", "SETTLED", 1, 100, -100, 100, 2),
        )
        assert len(rows) == 2


def test_only_the_chosen_tables_are_replaced() -> None:
    with History.open() as history:
        append(history, evening("A", 2) + evening("B", 2))
        of_a, of_b = finding(1, "A", 2, event_nos=(1, 3)), finding(2, "B", 2, event_nos=(9,))
        judge(history, [of_a, of_b])
        before = findings_digest(history)
        judge(history, [finding(3, "A", 2, event_nos=(2,))], ["A"])
        assert [row[0] for row in stored(history)] == ["02", "03"]
        assert history.count("SELECT count(*) FROM finding_events") == 2
        assert history.count("SELECT count(*) FROM rounds") == 4
        assert findings_digest(history) != before
        judge(history, [of_a], ["A"])
        assert findings_digest(history) == before
        assert not list(problems_of(history))


def test_a_finding_keeps_every_field() -> None:
    whole = finding(
        0xAB,
        "A",
        3,
        round_id="A-1-1",
        spot=2,
        hand=1,
        wager="BIG_8",
        bettor="DEALER",
        expected_cents=-1000,
        actual_cents=2000,
        expected_low_cents=-1,
        expected_high_cents=1,
        first_missing_seq=7,
        last_missing_seq=8,
        readings=("ALL-PUSH", "ALL-TIP"),
        event_nos=(3, 1),
        message="paid $20.00 too much",
    )
    with History.open() as history:
        append(history, evening("A", 1))
        judge(history, [whole])
        [row] = history.rows("SELECT * EXCLUDE (digest, game, gaming_day) FROM findings")
        assert row[1:3] == ("OVERPAID", "critical")
        assert row[3:] == (
            *("A", 3, "A-1-1", 2, 1, "BIG_8", "DEALER", -1000, 2000, -1, 1, 7, 8, "(1)"),
            *(["ALL-PUSH", "ALL-TIP"], "paid $20.00 too much", "D-1", [3, 1]),
        )
        shown = "SELECT ordinal, event_no FROM finding_events ORDER BY ordinal"
        assert history.rows(shown) == [(1, 3), (2, 1)]
