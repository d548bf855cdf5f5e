"""What is made of amounts up to the last of 64 bits: sums, views, gauges, records and alerts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from services.audit import audit
from services.gauges import HistoryGauges
from services.history.changes import changes_after
from services.history.sql.export import Export
from services.history.sql.run import SqlRequest, answer
from services.history.sql.source import SqlSource
from services.history.store import History
from services.history.verify import problems_of
from services.live.finding_records import decoded, encoded
from services.live.publisher import values_of
from services.metrics import Metrics
from services.report.model import json_chunks
from tests.property.compare import write_lines
from tests.replay.tape import Tape

LAST = 2**63 - 1
BETS = 3


def floor() -> Tape:
    """Two rounds: in the first, seats that lose as much as they can, and are paid as much."""
    tape = Tape("DD-01", "DAKOTA_DUEL_DRAW", paytables={"big_8": "1"})
    for number, cents in enumerate((LAST, 500), start=1):
        tape.open_round(number)
        for spot in range(1, BETS + 1):
            tape.bet(spot, "BIG_8", cents)
        for turn in range(2):
            tape.deal("HAND_2", ("3c", "4d")[turn])
            tape.deal("HAND_1", ("9c", "8d")[turn])
            for spot, cards in enumerate(("Kc 2d", "Qh 2s", "Jh 3s"), start=1):
                tape.deal("PLAYER", cards.split()[turn], spot)
        tape.deal("HAND_2", "5h")
        tape.deal("HAND_1", "2h")
        tape.reveal("HAND_1", "HAND_2")
        for spot in range(1, BETS + 1):
            tape.settle(spot, "BIG_8", "WIN", cents)
        tape.close_round()
    return tape


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("large")
    write_lines(floor().events, folder / "events.jsonl")
    report = audit([str(folder / "events.jsonl")], db=str(folder / "history.duckdb"))
    said = json.loads(b"".join(json_chunks(report)))
    assert said["summary"]["staked_cents"] == BETS * (LAST + 500)
    assert said["summary"]["player_net_expected_cents"] == -BETS * (LAST + 500)
    assert said["summary"]["player_net_actual_cents"] == BETS * (LAST + 500)
    overpaid = [row for row in said["findings"] if row["code"] == "OVERPAID"]
    assert [row["delta_cents"] for row in overpaid] == [*[None] * BETS, *[1000] * BETS]
    return folder / "history.duckdb"


def rows(source: SqlSource, text: str) -> list[list[Any]]:
    given = answer(source, SqlRequest(text=text, zone="UTC"))
    said = json.loads(b"".join(given.chunks()))
    given.close()
    found: list[list[Any]] = said["rows"]
    return found


SUMS = "SELECT staked_cents, net_expected_cents, net_actual_cents FROM rounds ORDER BY opened_seq"


def test_views_are_exact_out_of_the_file_and_out_of_its_export(db: Path, tmp_path: Path) -> None:
    wanted = [[BETS * cents, -BETS * cents, BETS * cents] for cents in (LAST, 500)]
    assert rows(SqlSource(database=db), SUMS) == wanted
    assert rows(SqlSource(database=db), "SELECT max(delta_cents) FROM findings") == [[2 * LAST]]
    with History.open(db, create=False) as history:
        assert rows(Export(tmp_path / "export").refreshed(history), SUMS) == wanted


def test_gauges_add_up_to_more_than_64_bits(db: Path) -> None:
    metrics = Metrics()
    with History.open(db, create=False) as history:
        HistoryGauges(metrics).look(history)
    [staked] = [sample.value for family in metrics.staked.collect() for sample in family.samples]
    [over] = [sample.value for family in metrics.overpaid.collect() for sample in family.samples]
    assert staked == float(BETS * (LAST + 500))
    assert over == float(BETS * (2 * LAST + 1000))


def test_a_record_states_what_a_long_can(db: Path) -> None:
    with History.open(db, create=False) as history:
        changes = changes_after(history, 0)
    records = [decoded(encoded(values_of(change))) for change in changes]
    large = [r for r in records if r["code"] == "OVERPAID" and r["actual_cents"] == LAST]
    assert [(r["expected_cents"], r["delta_cents"]) for r in large] == [(-LAST, None)] * BETS


def test_alerts_add_them_up(db: Path) -> None:
    with History.open(db, create=False) as history:
        [over] = history.rows("SELECT over_cents FROM alerts WHERE kind = 'payout'")
    assert over == (BETS * (2 * LAST + 1000),)


def test_the_history_is_in_order_and_judging_it_again_changes_nothing(db: Path) -> None:
    with History.open(db, create=False) as history:
        before = history.rows("SELECT * FROM rounds ORDER BY ALL")
        assert not list(problems_of(history))
    audit([str(db.with_name("events.jsonl"))], db=str(db))
    with History.open(db, create=False) as history:
        assert history.rows("SELECT * FROM rounds ORDER BY ALL") == before
        assert not list(problems_of(history))
