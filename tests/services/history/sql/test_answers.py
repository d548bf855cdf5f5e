"""What `sql` answers, in every form, from a file and from an export."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from services.history.errors import (
    HistoryMissingError,
    HistoryOwnedError,
    HistoryUnreadableError,
)
from services.history.sql.export import Export
from services.history.sql.run import SqlRefusedError, SqlRequest, SqlStoppedError, answer
from services.history.sql.source import SqlSource
from services.history.store import History
from tests.services.history.build import append, evening

EVERYTHING = (
    "SELECT 1 AS a, 2 AS a, 12.50::DECIMAL(9, 2) AS dollars, 1.5::DOUBLE AS f, 'nan'::DOUBLE AS n, "
    "'é\"\n' AS t, NULL AS nothing, true AS b, DATE '2026-04-18' AS d, "
    "TIMESTAMPTZ '2026-04-18 14:13:34-06' AS at, TIMESTAMP '2026-04-18 14:13:34' AS local, "
    "2::HUGEINT * 9223372036854775807 AS h, [1, 2] AS l, {'k': 'v'} AS s, 'ab'::BLOB AS x"
)


def put(source: SqlSource | Path, text: str, form: str = "json", **more: Any) -> bytes:
    source = SqlSource(database=source) if isinstance(source, Path) else source
    given = answer(source, SqlRequest(text=text, form=form, zone="America/Denver", **more))
    try:
        return b"".join(given.chunks())
    finally:
        given.close()


def rows(source: SqlSource | Path, text: str, **more: Any) -> list[list[Any]]:
    answered: list[list[Any]] = json.loads(put(source, text, **more))["rows"]
    return answered


def test_json_has_every_type(evening_db: Path) -> None:
    said = json.loads(put(evening_db, EVERYTHING))
    assert said["version"] == 1
    assert said["columns"][:3] == ["a", "a", "dollars"]
    assert said["truncated"] is False
    assert said["rows"] == [
        [
            *(1, 2, 12.5, 1.5, None, 'é"\n', None, True, "2026-04-18"),
            *("2026-04-18T20:13:34.000000Z", "2026-04-18T14:13:34.000000"),
            *(2 * 9223372036854775807, [1, 2], {"k": "v"}, "6162"),
        ]
    ]
    assert b"12.50" in put(evening_db, EVERYTHING)  # every digit of a decimal


def test_csv(evening_db: Path) -> None:
    said = list(csv.reader(io.StringIO(put(evening_db, EVERYTHING, "csv").decode())))
    assert said[0][:3] == ["a", "a", "dollars"]
    assert said[1][:9] == ["1", "2", "12.50", "1.5", "", 'é"\n', "", "true", "2026-04-18"]


def test_parquet(evening_db: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(put(evening_db, "SELECT * FROM wagers", "parquet", limit=1_000))
    assert pq.read_table(path).num_rows == 1_000


def test_a_number_that_grows_down_a_table_is_not_cut(evening_db: Path) -> None:
    lines = put(evening_db, "SELECT range AS n FROM range(1234)", "table").decode().splitlines()
    assert [line.strip() for line in lines[2:]] == [str(number) for number in range(1234)]


def test_a_table_shows_dollars_and_the_clock_of_the_casino(evening_db: Path) -> None:
    text = "SELECT round_id, delta_dollars, opened_local FROM findings WHERE code = 'UNDERPAID'"
    lines = put(evening_db, text, "table").decode().splitlines()
    assert lines[0].split() == ["round_id", "delta_dollars", "opened_local"]
    assert lines[2].split() == ["RT-12-000012", "-$5.00", "2026-04-18", "14:13:34"]
    assert put(evening_db, f"{text} AND false", "table").decode().endswith("(no rows)\n")


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("VALUES (1), (2)", [1]),
        ("WITH a AS (SELECT 3 AS b) SELECT b FROM a", [3]),
        ("SELECT 1;", [1]),
        ("/* ; */ SELECT ';' -- ;", [";"]),
        ("; -- nothing\n; SELECT 6 ;;", [6]),
        ("SELECT 1 -- the end\n ; -- of it ;", [1]),
        ("(SELECT 4)", [4]),
        ("WITH a AS (SELECT 3 AS b), c AS (FROM a) SELECT (SELECT b FROM A) FROM c", [3]),
        ("WITH columns AS (SELECT 1) SELECT * FROM (WITH b AS (FROM columns) FROM b)", [1]),
        ("FROM rounds SELECT count(*)", [300]),
        ("SELECT count(*) FROM RoundS", [300]),
        ("SELECT count(*) FROM main.rounds", [300]),
        ("SELECT 1 UNION ALL SELECT 2 ORDER BY 1 DESC LIMIT 1", [2]),
        ("SELECT unnest([5])", [5]),
        ("SELECT count(*) > 5 FROM information_schema.columns WHERE table_name = 'wagers'", [True]),
        (
            "WITH RECURSIVE x AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM x WHERE a < 9) "
            "SELECT max(a) FROM x",
            [9],
        ),
    ],
)
def test_one_select_however_written(evening_db: Path, text: str, first: list[object]) -> None:
    assert rows(evening_db, text)[0] == first


def test_rows_are_cut_and_that_is_said(evening_db: Path) -> None:
    said = json.loads(put(evening_db, "SELECT seq FROM events ORDER BY seq", limit=3))
    assert (said["rows"], said["truncated"]) == ([[1], [1], [1]], True)
    said = json.loads(put(evening_db, "SELECT * FROM range(3)", limit=3))
    assert (len(said["rows"]), said["truncated"]) == (3, False)


def test_what_is_wrong_is_said(evening_db: Path) -> None:
    with pytest.raises(SqlRefusedError, match="no view wagerz: there is cards"):
        put(evening_db, "SELECT * FROM wagerz")
    with pytest.raises(SqlRefusedError, match="steak"):
        put(evening_db, "SELECT steak FROM wagers")
    with pytest.raises(SqlRefusedError, match="PIVOT must name"):
        put(evening_db, "PIVOT rounds ON game USING count(*)")
    with pytest.raises(SqlRefusedError, match="syntax error"):
        put(evening_db, "SELEC 1")
    with pytest.raises(SqlRefusedError, match="could not be answered"):
        put(evening_db, "SELECT error('on purpose')")
    with pytest.raises(SqlStoppedError, match="1 second"):
        put(evening_db, "SELECT pg_sleep(9)", seconds=1)


def test_a_history_that_cannot_be_asked(evening_db: Path, tmp_path: Path) -> None:
    with pytest.raises(HistoryMissingError, match="nowhere"):
        put(tmp_path / "nowhere.db", "SELECT 1")
    (tmp_path / "junk.db").write_bytes(b"junk" * 5_000)
    with pytest.raises(HistoryUnreadableError, match="junk"):
        put(tmp_path / "junk.db", "SELECT 1")
    copy = tmp_path / "owned.db"
    copy.write_bytes(evening_db.read_bytes())
    with History.open(copy), pytest.raises(HistoryOwnedError):
        put(copy, "SELECT 1")


def test_whoever_asked_may_go(evening_db: Path) -> None:
    gone = SqlRefusedError("nobody waits any more")
    with pytest.raises(SqlRefusedError, match="nobody waits"):
        answer(
            SqlSource(database=evening_db),
            SqlRequest(text="SELECT pg_sleep(60)"),
            stopped=lambda: gone,
        )


def test_an_export_gives_the_same_and_grows(evening_db: Path, tmp_path: Path) -> None:
    now = 0.0
    with History.open(evening_db, create=False) as history:
        export = Export(tmp_path / "export", clock=lambda: now)
        source = export.refreshed(history)
    for view in ("wagers", "cards", "decisions", "payouts", "rounds", "findings", "tables"):
        text = f"SELECT * FROM {view} ORDER BY ALL"  # noqa: S608
        assert put(source, text) == put(evening_db, text)


def test_an_export_holds_each_event_once_however_it_grew(tmp_path: Path) -> None:
    now = 0.0
    with History.open(tmp_path / "kept.db") as history:
        export = Export(history.scratch / "export", clock=lambda: now)
        assert rows(export.refreshed(history), "SELECT count(*) FROM events") == [[0]]
        for number in range(12):
            append(history, evening(f"T-{number}", 1 + number % 3))
            now += 10
            source = export.refreshed(history)
            held = history.count("SELECT count(*) FROM events")
            assert rows(source, "SELECT count(*) FROM events") == [[held]]
        assert len(source.parquet["events"]) < 6
        append(history, evening("T-99", 1))  # within the time that an answer may be old
        assert export.refreshed(history) == source
        now += 10_000
        source = export.refreshed(history)
        now += 10_000
        export.refreshed(history)
        used = {path for paths in source.parquet.values() for path in paths}
        assert set((history.scratch / "export").iterdir()) == used
