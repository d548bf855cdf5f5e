"""A byte flipped in the file of a history is named, wherever it lies."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.history.errors import HistoryUnreadableError
from services.history.store import History
from services.history.whole import verify

TABLES = ("events", "findings", "rounds", "pay_rows", "table_states", "transactions")


def blocks_of(path: Path, table: str) -> list[int]:
    """Where the blocks of a table begin in the file."""
    with History.open(path, create=False) as history:
        numbers = history.rows(
            "SELECT DISTINCT block_id FROM pragma_storage_info(?) WHERE persistent", [table]
        )
        [(size,)] = history.rows("SELECT block_size FROM pragma_database_size()")
    return [3 * 4_096 + number * int(size) for (number,) in numbers]


def flipped(path: Path, at: int) -> None:
    """One bit of the file is another one."""
    content = bytearray(path.read_bytes())
    content[at] ^= 0x10
    path.write_bytes(content)


@pytest.mark.parametrize("table", TABLES)
def test_a_byte_flipped_in_a_table_is_named(evening_db: Path, tmp_path: Path, table: str) -> None:
    path = tmp_path / "h.db"
    path.write_bytes(evening_db.read_bytes())
    blocks = blocks_of(path, table)
    assert blocks
    flipped(path, blocks[0] + 100)
    try:
        with History.open(path, create=False) as history:
            named = [problem["message"] for problem in verify(history)["problems"]]
    except HistoryUnreadableError as error:  # it cannot even be opened
        named = [error.message]
    assert any("Corrupt database file" in message for message in named)
