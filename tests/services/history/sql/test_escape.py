"""Attempts to get out of the sandbox, to write, to see what is private, or to use up the machine.

None succeeds; the history is as it was, no file appears, and whoever asked goes on unharmed.
"""

import hashlib
import resource
from pathlib import Path

import duckdb
import pytest

from services.errors import PitproofError
from services.history.sql.child import opened
from services.history.sql.run import SqlRequest, answer
from services.history.sql.source import SqlSource

FILES = [
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM 'secret.csv'",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM read_blob('/proc/self/environ')",
    "SELECT * FROM glob('/*')",
    "SELECT * FROM read_parquet('/tmp/*.parquet')",
    "SELECT * FROM read_json_auto('/etc/hostname')",
    "SELECT * FROM parquet_metadata('/tmp/x.parquet')",
    "SELECT * FROM sniff_csv('/etc/passwd')",
    "SELECT * FROM read_duckdb('/tmp/x.db')",
    "SELECT * FROM read_csv('https://example.com/x.csv')",
    "SELECT * FROM 's3://bucket/x.parquet'",
    "WITH x AS (COPY rounds TO 'stolen.csv') SELECT * FROM x",
]
WRITES = [
    "INSERT INTO rounds SELECT * FROM rounds",
    "DELETE FROM events",
    "UPDATE findings SET code = 'OVERPAID'",
    "DROP VIEW wagers",
    "CREATE TABLE mine (a INTEGER)",
    "CREATE TEMP TABLE mine AS SELECT 1",
    "CREATE OR REPLACE VIEW wagers AS SELECT 1",
    "CREATE MACRO f(a) AS a + 1",
    "COPY rounds TO 'stolen.csv'",
    "EXPORT DATABASE 'stolen'",
    "WITH x AS (INSERT INTO rounds SELECT * FROM rounds RETURNING *) SELECT * FROM x",
    "WITH x AS (DELETE FROM history.main.events RETURNING *) SELECT * FROM x",
    "WITH x AS (UPDATE history.main.rounds SET wagers = 0 RETURNING *) SELECT * FROM x",
    "EXPLAIN ANALYZE INSERT INTO rounds SELECT * FROM rounds",
    "CHECKPOINT",
    "VACUUM",
]
SETTINGS = [
    "ATTACH '/tmp/x.db' AS x",
    "DETACH history",
    "USE history",
    "INSTALL httpfs",
    "LOAD '/tmp/evil.duckdb_extension'",
    "PRAGMA database_list",
    "SET enable_external_access = true",
    "SET memory_limit = '64GB'",
    "RESET lock_configuration",
    "SET VARIABLE a = 1",
    "CREATE SECRET s (TYPE s3, KEY_ID 'a', SECRET 'b')",
    "CALL pragma_version()",
    "PREPARE p AS SELECT 1",
    "BEGIN TRANSACTION",
    "COMMIT",
    "EXPLAIN SELECT 1",
    "DESCRIBE wagers",
    "SHOW TABLES",
    "SUMMARIZE wagers",
    "SELECT * FROM (DESCRIBE wagers)",
    "SELECT 1; SELECT 2",
    "SELECT 1; DROP VIEW wagers",
    "",
    ";",
    "-- nothing",
]
PRIVATE = [
    "SELECT * FROM duckdb_databases()",
    "SELECT * FROM system.main.duckdb_databases()",
    "SELECT * FROM duckdb_databases",
    "SELECT * FROM pragma_database_list",
    "SELECT * FROM duckdb_settings()",
    "SELECT * FROM duckdb_secrets()",
    "SELECT * FROM duckdb_temporary_files()",
    "SELECT * FROM duckdb_views()",
    "SELECT current_setting('allowed_paths')",
    "SELECT getenv('HOME')",
    "SELECT getvariable('a')",
    "SELECT * FROM query('SELECT * FROM duckdb_databases()')",
    "SELECT * FROM query_table('duckdb_databases')",
    "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
    "SELECT * FROM history.main.settings",
    "SELECT * FROM sqlite_master",
    "SELECT (SELECT count(*) FROM duckdb_columns())",
    "SELECT * FROM wagers WHERE EXISTS (FROM read_text('/etc/passwd'))",
    "WITH a AS (WITH b AS (SELECT * FROM glob('/*')) SELECT * FROM b) SELECT * FROM a",
    # What a WITH names hides what the database has by that name, but not everywhere.
    "SELECT * FROM (WITH duckdb_databases AS (SELECT 1) SELECT 1), duckdb_databases",
    "WITH duckdb_databases AS (SELECT * FROM duckdb_databases) SELECT * FROM duckdb_databases",
    "WITH a AS (FROM duckdb_databases), duckdb_databases AS (SELECT 1) SELECT * FROM a",
    "WITH RECURSIVE sqlite_master AS (SELECT name FROM sqlite_master UNION ALL "
    "SELECT name FROM sqlite_master WHERE false) SELECT * FROM sqlite_master",
    "WITH duckdb_views AS (SELECT 1) SELECT * FROM main.duckdb_views",
    'WITH "duc\u212adb_databases" AS (SELECT 1) SELECT * FROM duckdb_databases',
]
BOMBS = [
    "SELECT list_sum(range(2000000000))",
    "SELECT length(repeat('x', 2000000000))",
    "SELECT length(lpad('', 2000000000, 'x'))",
    "SELECT repeat('x', 100000000) FROM range(1000)",
    "SELECT string_agg(repeat('x', 1000000), '') FROM range(100000)",
    "SELECT list(a) FROM range(1000000000) t(a)",
    "WITH RECURSIVE x AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM x) SELECT count(*) FROM x",
    "WITH RECURSIVE x AS (SELECT 'x' AS a UNION ALL SELECT a || a FROM x) SELECT max(a) FROM x",
    "SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000000) c",
    "SELECT * FROM events a, events b, events c ORDER BY hash(a.seq, b.seq, c.seq)",
    "SELECT count(DISTINCT (a.event_id, b.event_id)) FROM events a, events b",
    "SELECT pg_sleep(60)",
    "SELECT sleep_ms(60000)",
    "SELECT count(*) FROM range(9999) t(i) WHERE regexp_matches(repeat('a', 999999), '(a*)*' || i)",
    "SELECT 10::HUGEINT ** 30, factorial(33), list_reduce(range(300000000), lambda a, b: a + b)",
    "SELECT " + "(" * 20_000 + "1" + ")" * 20_000,
    "SELECT 1" + " + 1" * 30_000,
    "SELECT " + "[" * 5_000 + "]" * 5_000,
    "SELECT '" + "x" * 200_000 + "'",
]
SECONDS, MEMORY_MB = 2, 300


def put(db: Path, text: str, seconds: int = SECONDS) -> bytes:
    request = SqlRequest(text=text, seconds=seconds, memory_mb=MEMORY_MB)
    given = answer(SqlSource(database=db), request)
    try:
        return b"".join(given.chunks())
    finally:
        given.close()


@pytest.fixture
def kept(evening_db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The history, and a folder to be in with something to steal."""
    here = tmp_path / "here"
    here.mkdir()
    (here / "secret.csv").write_text("a,b\n1,2\n")
    monkeypatch.chdir(here)
    return evening_db


@pytest.mark.parametrize("text", FILES + WRITES + SETTINGS + PRIVATE + BOMBS, ids=lambda t: t[:60])
def test_nothing_gets_out(kept: Path, text: str) -> None:
    before = hashlib.sha256(kept.read_bytes()).digest()
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(PitproofError) as refused:
        put(kept, text)
    assert refused.value.code in ("sql_refused", "sql_stopped")
    assert str(kept) not in str(refused.value)
    assert "Traceback" not in str(refused.value)
    assert hashlib.sha256(kept.read_bytes()).digest() == before
    assert [path.name for path in Path.cwd().iterdir()] == ["secret.csv"]
    assert sorted(path.name for path in kept.parent.iterdir()) == [kept.name, f"{kept.name}.head"]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - largest < 100_000  # KiB


def test_there_are_fifty_and_more() -> None:
    assert len(set(FILES + WRITES + SETTINGS + PRIVATE + BOMBS)) > 50


def test_the_process_itself_stays_within_its_memory(kept: Path) -> None:
    for text in BOMBS[:6]:
        with pytest.raises(PitproofError):
            put(kept, text)
    # The largest child there ever was, in this test run: none had more than a share and its base.
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 2 << 20


def test_after_all_that_a_question_is_answered(kept: Path) -> None:
    assert b'"rows": [[300]]' in put(kept, "SELECT count(*) FROM rounds", seconds=60)


@pytest.mark.parametrize(
    "text",
    [
        *(text for text in FILES if not text.startswith("WITH")),
        *(
            text
            for text in WRITES
            if "EXPLAIN" not in text and "TEMP" not in text and text not in ("CHECKPOINT", "VACUUM")
        ),
        SETTINGS[0],
        *SETTINGS[3:5],
        *SETTINGS[6:9],
        SETTINGS[10],
        "COPY (SELECT 1) TO '/tmp/stolen.parquet' (FORMAT parquet)",
        "WITH x AS (COPY (SELECT 1) TO '/tmp/stolen.csv') SELECT * FROM x",
    ],
    ids=lambda t: t[:60],
)
def test_the_walls_stand_without_the_check(kept: Path, text: str) -> None:
    connection = opened(SqlSource(database=kept), "UTC")
    with connection, pytest.raises(duckdb.Error):
        connection.execute(text).fetchall()
