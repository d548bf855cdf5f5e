"""Connecting to the file of a history, and what DuckDB says when that does not do."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import duckdb

from services.errors import UnusableHistoryError
from services.history.errors import HistoryOwnedError, HistoryUnreadableError

CHECK_PATH: Final = "Check the path; what --db names must be a history that pitproof made."

_OWNER: Final = re.compile(r"PID (\d+)")

OPERATING_ERRORS: Final = (
    duckdb.IOException,
    duckdb.FatalException,
    duckdb.InternalException,
    duckdb.SerializationException,
    duckdb.OutOfMemoryException,
)


def connect(
    path: Path, scratch: Path, memory_mb: int, threads: int, *, in_memory: bool = False
) -> duckdb.DuckDBPyConnection:
    """A connection that writes; what it has no memory for spills into `scratch`.

    `in_memory`: no file is made at `path`.
    """
    if path.is_dir():
        raise HistoryUnreadableError(f"{path}: a folder, not a history", next_step=CHECK_PATH)
    try:
        connection = duckdb.connect(
            ":memory:" if in_memory else path,
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
    connection.execute("SET enable_progress_bar = false")
    return connection


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
    return HistoryUnreadableError(
        f"{path}: cannot be read as a history: {cause}", next_step=CHECK_PATH
    )
