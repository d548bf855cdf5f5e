"""The process that answers one question in SQL: locks itself in, answers, ends.

Reads one line of JSON from standard input, writes the answer to standard output and a line about
it to the descriptor it is told. It reads nothing else: the files of the source are opened or named
before its database is locked, then it may write no file, and no more memory than its share. When
standard input ends before it does, whoever asked is gone, and so is it.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import sys
import threading
from typing import Any, Final

import duckdb

from services.history.parquet import scan
from services.history.parquet import text as text_of
from services.history.sql.check import NotAllowedError, check
from services.history.sql.source import SqlSource
from services.history.sql.write import Layout, Question, write
from services.history.views import STORED, all_views, creation

THREADS: Final = 2
DATABASE_SHARE: Final = 0.7  # of the memory; the rest is for what no database accounts for
MIB: Final = 1 << 20
_CPU_GRACE_SECONDS: Final = 5
_PAGE: Final = resource.getpagesize()
_SET_NO_NEW_PRIVILEGES: Final = 38

_CONFIG: Final[dict[str, str | int | float | list[str]]] = {
    "threads": THREADS,
    "temp_directory": "",
    "max_temp_directory_size": "0B",
    "max_expression_depth": 250,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "python_enable_replacements": False,
    "arrow_lossless_conversion": False,
}

_LOCKS: Final = (
    "SET enable_progress_bar = false",
    "SET TimeZone = 'UTC'",
    "SET enable_external_access = false",
    "SET lock_configuration = true",
    "BEGIN TRANSACTION READ ONLY",
)


class NotReadableError(Exception):
    """The source cannot be opened: `owned`, `missing`, or `unreadable`, and why."""


def opened(source: SqlSource, zone: str) -> duckdb.DuckDBPyConnection:
    """A locked database with the views over the source, and nothing else.

    Raises:
        NotReadableError: the history cannot be opened.
    """
    connection = duckdb.connect(":memory:", config=_CONFIG)
    if source.database is not None:
        stored = _attached(connection, source)
    else:
        paths = [str(path) for files in source.parquet.values() for path in files]
        connection.execute(f"SET allowed_paths = [{', '.join(map(text_of, paths))}]")
        stored = {name: scan(files) for name, files in source.parquet.items()}
    for statement in (*creation(stored, zone), *_LOCKS):
        connection.execute(statement)
    return connection


def _attached(connection: duckdb.DuckDBPyConnection, source: SqlSource) -> dict[str, str]:
    path = source.database
    assert path is not None
    if not path.is_file():
        raise NotReadableError("missing", "")
    try:
        connection.execute(f"ATTACH {text_of(str(path))} AS history (READ_ONLY)")
        tables = {
            name
            for (name,) in connection.execute(
                "SELECT table_name FROM duckdb_tables() WHERE database_name = 'history'"
            ).fetchall()
        }
    except duckdb.Error as error:
        kind = "owned" if "Could not set lock" in str(error) else "unreadable"
        raise NotReadableError(kind, str(error)) from error
    if not tables.issuperset(STORED):
        raise NotReadableError("unreadable", "a DuckDB file, but no history of pitproof")
    return {name: f"history.main.{name}" for name in STORED}


def answer(connection: duckdb.DuckDBPyConnection, text: str, layout: Layout) -> dict[str, Any]:
    """Check the question, put it, and write what it gives to standard output."""
    statements = connection.extract_statements(text)
    kinds = [statement.type.name for statement in statements]
    ((parsed,),) = connection.execute("SELECT json_serialize_sql(?)", [text]).fetchall()
    check(json.loads(parsed), kinds, frozenset(view.name for view in all_views()))
    text = _without_end(statements[0].query)
    asked = connection.sql(text)
    question = Question(text, tuple(asked.columns), tuple(map(str, asked.types)))
    row_count, truncated = write(connection, question, layout, sys.stdout.buffer)
    sys.stdout.buffer.flush()
    return {"columns": question.names, "rows": row_count, "truncated": truncated}


def _without_end(text: str) -> str:
    """One statement up to its `;`, so that it can stand within brackets."""
    said = text.encode()
    for position, kind in duckdb.tokenize(text):
        if kind is duckdb.token_type.operator and said[position : position + 1] == b";":
            return said[:position].decode()
    return text


def _bound(memory_bytes: int, seconds: int) -> None:
    """No file, no second privilege, no more memory and processor time than this process's share."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    cpu = seconds * THREADS + _CPU_GRACE_SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))
    with open("/proc/self/statm", encoding="ascii") as file:
        space, resident = (int(field) * _PAGE for field in file.read().split()[:2])
    limit = space + max(memory_bytes - resident, 64 * MIB)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0)


def _end_with_whoever_asked() -> None:
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGKILL)


def _worded(error: BaseException) -> tuple[str, str]:
    if isinstance(error, NotReadableError):
        return str(error.args[0]), str(error.args[1])
    if isinstance(error, NotAllowedError):
        return "refused", str(error)
    if isinstance(error, MemoryError | duckdb.OutOfMemoryException) or "bad_alloc" in str(error):
        return "memory", ""
    if isinstance(error, BrokenPipeError):
        return "size", ""
    if isinstance(error, duckdb.ParserException | duckdb.BinderException | duckdb.CatalogException):
        return "refused", str(error)
    return "failed", str(error) or type(error).__name__


def main() -> None:
    """Answer the question that standard input holds."""
    said = json.loads(sys.stdin.buffer.readline())
    report: dict[str, Any]
    try:
        connection = opened(SqlSource.from_json(said["source"]), said["zone"])
        if said["format"] == "parquet":
            import pyarrow.parquet  # noqa: F401 (before memory is bounded)
        memory_bytes = said["memory_mb"] * MIB
        threading.Thread(target=_end_with_whoever_asked, daemon=True).start()
        _bound(memory_bytes, said["seconds"])
        layout = Layout(form=said["format"], limit=said["limit"], width=said["width"])
        report = answer(connection, said["text"], layout)
    except Exception as error:
        kind, message = _worded(error)
        report = {"error": kind, "message": message[:2_000]}
    os.write(int(said["report"]), json.dumps(report).encode())
    os._exit(0)  # nothing is left to tidy up, and threads may still be busy


if __name__ == "__main__":
    main()
