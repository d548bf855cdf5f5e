"""What is over is sealed once, under its table's gaming day; what comes later amends that day."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from replay import vocabulary as words
from services.errors import BadArgumentError
from services.history.records import enter, records_of
from services.history.sealed.anchors import DAY_SEALED
from services.history.sealed.errors import SealedDamagedError, SealedOtherwiseError
from services.history.sealed.folder import folder_of
from services.history.store import History
from services.sealing import seal_all
from services.settings import Settings
from tests.services.history.build import Event, append, closed, evening, event, opened
from tests.services.history.sealed.days import (
    FIRST,
    LATER,
    SECOND,
    THIRD,
    days_of,
    grown,
    places,
    read,
    sealed,
)

A = days_of("A", FIRST, SECOND)
B = days_of("B", SECOND, THIRD, game=2)


def of(events: list[Event], *seqs: int) -> list[Event]:
    return [event for event in events if event["seq"] in seqs]


def more(path: Path, *events: Event) -> None:
    with History.open(path) as history:
        append(history, list(events))


def test_events_go_with_the_opening_before_them(tmp_path: Path) -> None:
    path = grown(tmp_path / "h.db", A, B)
    manifests = sealed(path)
    assert [each.gaming_day for each in manifests] == [FIRST, SECOND, THIRD]
    assert [each.amends for each in manifests] == [None, None, None]
    expected = [
        *((FIRST, "RUN_EM_TWICE", "A", seq) for seq in range(1, 14)),
        *((SECOND, "DAKOTA_DUEL_DRAW", "B", seq) for seq in range(1, 14)),
        *((SECOND, "RUN_EM_TWICE", "A", seq) for seq in range(14, 27)),
        *((THIRD, "DAKOTA_DUEL_DRAW", "B", seq) for seq in range(14, 27)),
    ]
    assert places(path) == expected
    second = manifests[1]
    assert [
        (each.table_id, each.game, each.events, each.first_seq, each.last_seq)
        for each in second.tables
    ] == [("A", "RUN_EM_TWICE", 13, 14, 26), ("B", "DAKOTA_DUEL_DRAW", 13, 1, 13)]
    assert [each.events for each in manifests] == [13, 26, 13]
    assert manifests[2].unsealed_from == manifests[2].upto.event + 1


def test_a_day_that_is_not_over_is_left(tmp_path: Path) -> None:
    path = grown(tmp_path / "h.db", A, B)
    before_six, at_six = (datetime(2026, 3, 3, h, 59, tzinfo=UTC) for h in (12, 13))
    assert [each.gaming_day for each in sealed(path, before_six)] == [FIRST]
    assert [each.gaming_day for each in sealed(path, at_six)] == [SECOND]
    assert sealed(path, at_six) == []
    with pytest.raises(BadArgumentError, match="is not over"):
        sealed(path, at_six, until=THIRD)
    assert [each.gaming_day for each in sealed(path, LATER, until=SECOND)] == []


def test_what_comes_later_amends_its_day(tmp_path: Path) -> None:
    late = of(A, 3, 17)
    path = grown(tmp_path / "h.db", [each for each in A if each not in late], B)
    sealed(path)
    files = {each: each.read_bytes() for each in folder_of(path).path.rglob("*") if each.is_file()}
    more(path, *late)
    first, second = sealed(path)
    assert (first.gaming_day, first.amends, first.events) == (FIRST, 1, 1)
    assert (second.gaming_day, second.amends, second.events) == (SECOND, 2, 1)
    assert [(each.first_seq, each.last_seq) for each in first.tables] == [(3, 3)]
    assert {each: each.read_bytes() for each in files} == files, "what is sealed never changes"
    assert len(places(path)) == len(set(places(path))) == len(A) + len(B)
    assert sealed(path) == []


def test_an_event_is_sealed_once_whatever_opens_later(tmp_path: Path) -> None:
    path = grown(tmp_path / "h.db", [each for each in A if each["seq"] != 14], B)
    sealed(path)
    assert (FIRST, "RUN_EM_TWICE", "A", 20) in places(path)
    more(path, *of(A, 14), closed("A", 27, "A-14-2"))
    again = sealed(path)
    assert [(each.gaming_day, each.events) for each in again] == [(SECOND, 2)]
    assert len(places(path)) == len({place[2:] for place in places(path)}) == len(A) + len(B) + 1


def test_what_no_opening_precedes(tmp_path: Path) -> None:
    burned = event(words.EventKind.CARD_BURNED, "N", 1, shoe_id="S")
    before = [event(words.EventKind.CARD_BURNED, "C", seq, shoe_id="S") for seq in (1, 2)]
    path = grown(tmp_path / "h.db", [burned, *before, opened("C", 3, SECOND)])
    first, second = sealed(path)
    assert [(each.table_id, each.game) for each in first.tables] == [("N", "UNKNOWN")]
    assert first.gaming_day == FIRST  # by its own clock, 13:15 of that day
    assert second.tables[0].first_seq == 1
    more(path, opened("N", 2, THIRD))
    assert [each.events for each in sealed(path)] == [1]


def test_findings_go_with_their_day_and_with_every_change(tmp_path: Path) -> None:
    path = grown(tmp_path / "h.db", A, B)
    sealed(path)
    select = "SELECT gaming_day, game, change, count(*) FROM sealed GROUP BY ALL ORDER BY ALL"
    told = read(path, select, "finding_changes")
    assert {(day, change) for day, _, change, _ in told} == {
        (day, "RAISED") for day in (FIRST, SECOND, THIRD)
    }
    with History.open(path) as history:
        [(held,)] = history.rows("SELECT count(*) FROM finding_changes")
        assert sum(number for *_, number in told) == held
        history.run(
            "INSERT INTO finding_changes SELECT * REPLACE (change_no + 100 AS change_no) "
            "FROM finding_changes WHERE gaming_day = '2026-03-01'"
        )
    [amendment] = sealed(path)
    assert (amendment.gaming_day, amendment.amends, amendment.events) == (FIRST, 1, 0)
    assert amendment.finding_changes == next(n for day, *_, n in told if day == FIRST)


def test_the_histories_own_records_and_commits_are_sealed(tmp_path: Path) -> None:
    path = grown(tmp_path / "h.db", A)
    with History.open(path) as history, history.transaction():
        enter(history, "gap_released", by="Ann", table_id="A", fields={"why": "lost"})
    sealed(path)
    [(kind, by)] = read(path, 'SELECT kind, "by" FROM sealed WHERE record_no = 1', "records")
    assert (kind, by) == ("gap_released", "Ann")
    commits = "SELECT transaction_no, committed_at FROM sealed ORDER BY transaction_no"
    times = read(path, commits, "transactions")
    with History.open(path) as history:
        held = history.rows("SELECT transaction_no, committed_at FROM transactions ORDER BY 1")
        assert times == held[: len(times)]
        assert len(held) - len(times) == 1  # the record of the last sealing comes after it
        assert [each.fields["manifest"] for each in records_of(history, DAY_SEALED)] == [1, 2]


def test_other_processes_read_sealed_days_while_the_history_is_open(tmp_path: Path) -> None:
    path = grown(tmp_path / "h.db", A, B)
    code = (
        "import duckdb, sys\n"
        '[(n,)] = duckdb.sql(f"SELECT count(*) FROM \'{sys.argv[1]}/gaming_day=*/game=*/events-*"'
        '".parquet\'").fetchall()\nprint(n)'
    )
    with History.open(path) as history:
        list(seal_all(history, Settings(), clock=lambda: LATER))
        readers = [
            subprocess.Popen(
                [sys.executable, "-c", code, str(folder_of(path).path)],
                stdout=subprocess.PIPE,
                text=True,
            )
            for _ in range(3)
        ]
        append(history, evening("C", 1))
        assert [reader.communicate(timeout=60)[0] for reader in readers] == ["52\n"] * 3


def test_a_folder_of_another_history_is_left_alone(tmp_path: Path) -> None:
    path, other = grown(tmp_path / "h.db", A), grown(tmp_path / "o.db", B)
    sealed(path)
    folder_of(path).path.rename(folder_of(other).path)
    with pytest.raises(SealedOtherwiseError, match="of another history"):
        sealed(other)
    more(path, opened("Z", 1, FIRST))
    with pytest.raises(SealedDamagedError, match="2026-03-01 was sealed there"):
        sealed(path)


def test_a_history_that_lost_what_was_sealed_of_it_is_not_sealed_on(tmp_path: Path) -> None:
    path = grown(tmp_path / "h.db", A)
    yesterday = path.read_bytes()
    more(path, *B)
    sealed(path)
    path.write_bytes(yesterday)
    with History.open(path) as history:
        history.accept_head()
        append(history, days_of("C", FIRST))
        with pytest.raises(SealedOtherwiseError, match="or of a later state"):
            list(seal_all(history, Settings(), clock=lambda: LATER))


def test_a_manifest_is_json_for_anyone(tmp_path: Path) -> None:
    path = grown(tmp_path / "h.db", A)
    sealed(path)
    said = json.loads(folder_of(path).manifest_path(2).read_text())
    assert (said["gaming_day"], said["previous"]["number"]) == ("2026-03-02", 1)
    assert said["made_with"] == {}
    assert date.fromisoformat(said["gaming_day"]) == SECOND
