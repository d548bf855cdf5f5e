"""Connecting to the file of a history, and what DuckDB says when that does not do."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

import duckdb

from services.errors import UnusableHistoryError
from services.history.errors import (
    HistoryLogDamagedError,
    HistoryNotPermittedError,
    HistoryOwnedError,
    HistoryUnreadableError,
)

CHECK_PATH: Final = "Check the path; what --db names must be a history that pitproof made."

_NOT_PERMITTED: Final = ("Permission denied", "Read-only file system")
_LOG: Final = "Failure while replaying WAL"
_LOG_DAMAGED: Final = ("orrupt", "WAL of version", "WAL does not match")
_OWNER: Final = re.compile(r"PID (\d+)")

OPERATING_ERRORS: Final = (
    duckdb.IOException,
    duckdb.FatalException,
    duckdb.InternalException,
    duckdb.SerializationException,
    duckdb.OutOfMemoryException,
)


def is_operating(error: Exception) -> bool:
    """Whether it is damage, a full disk or too little memory, rather than a fault of a question."""
    # A damaged block is an error of no particular kind, or, within a stream, one of Arrow's.
    return isinstance(error, (*OPERATING_ERRORS, OSError)) or "Corrupt" in str(error)


def connect(
    path: Path,
    scratch: Path,
    memory_mb: int,
    threads: int,
    *,
    in_memory: bool = False,
    read_only: bool = False,
) -> duckdb.DuckDBPyConnection:
    """A connection; what it has no memory for spills into `scratch`.

    `in_memory`: no file is made at `path`.
    """
    if os.path.isdir(path):
        raise HistoryUnreadableError(f"{path}: a folder, not a history", next_step=CHECK_PATH)
    try:
        connection = duckdb.connect(
            ":memory:" if in_memory else path,
            read_only=read_only,
            config={
                "memory_limit": f"{memory_mb}MB",
                "threads": threads,
                "temp_directory": str(scratch / "spill"),
                "checkpoint_threshold": "64MB",  # a tenth of the time less, and opened as fast
                "preserve_insertion_order": False,  # rows carry their numbers; 2x faster to append
                "arrow_lossless_conversion": True,  # 16 bytes a UUID, a byte a boolean
                "python_enable_replacements": False,
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
            },
        )
    except (duckdb.Error, OSError) as error:
        raise as_history_error(path, error) from error
    if not in_memory and not _is_a_database(connection):
        connection.close()
        raise HistoryUnreadableError(
            f"{path}: cannot be read as a history: it holds data of another kind",
            next_step=CHECK_PATH,
        )
    connection.execute("SET enable_progress_bar = false")
    return connection


def _is_a_database(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether what was opened lies in its file.

    A file of JSON lines, CSV or Parquet is opened as well: as an empty database in memory with a
    view of that file. It would pass for a history without events, and lose what is added.
    """
    # Asked of DuckDB: to open and close the file here would end its lock where this process has it.
    found = connection.execute(
        "SELECT path IS NOT NULL FROM duckdb_databases() WHERE database_name = current_database()"
    ).fetchone()
    return found == (True,)


def is_there(path: Path) -> bool:
    """Whether there is a file of that name.

    Raises:
        HistoryNotPermittedError: this user may not even look.
    """
    try:
        os.stat(path)
    except PermissionError as error:
        raise not_permitted(path) from error
    except OSError:
        return False
    return True


def log_path(path: Path) -> Path:
    """Where the write-ahead log of the history at a path lies."""
    return path.with_name(f"{path.name}.wal")


def can_be_written(path: Path) -> bool:
    """Whether this user may write to a history that is there, and make files beside it."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def not_permitted(path: Path) -> HistoryNotPermittedError:
    """What this user may not do with a history."""
    if not os.access(path, os.F_OK):
        return HistoryNotPermittedError(
            f"{path}: no permission to get there, or to make a file there",
            next_step=f"Give this user the rights on {path.parent}, or name another place.",
        )
    if not os.access(path, os.R_OK):
        return HistoryNotPermittedError(
            f"{path}: no permission to read it",
            next_step="Give this user the right to read it and its folder, or take a copy.",
        )
    return HistoryNotPermittedError(
        f"{path}: no permission to write to it, or to make files beside it",
        next_step="Give this user the right to write to it and its folder, or work on a copy.",
    )


def as_history_error(path: Path, error: Exception) -> UnusableHistoryError:
    """What DuckDB said, with the name of the file."""
    cause = str(error).splitlines()[0] if str(error) else type(error).__name__
    if "Could not set lock" in cause:
        owner = _OWNER.search(str(error))
        process_id = int(owner[1]) if owner else None
        who = f"process {process_id}" if process_id else "another process"
        return HistoryOwnedError(
            f"{path}: {who} owns this history",
            next_step="Stop it, or wait until it ends.",
            process_id=process_id,
        )
    if any(words in cause for words in _NOT_PERMITTED):
        return not_permitted(path)
    if _LOG in cause and any(words in cause for words in _LOG_DAMAGED):
        return HistoryLogDamagedError(
            f"{log_path(path)}: the history's write-ahead log cannot be read: {cause}",
            next_step="`pitproof serve` sets it aside, and reads what is missing from the topic "
            "again; of a history of files, move the log and the head away and give the files again",
        )
    return HistoryUnreadableError(
        f"{path}: cannot be read as a history: {cause}", next_step=CHECK_PATH
    )
