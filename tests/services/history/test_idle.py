"""What a history holds for want of a reason to let go is given back, and nothing else changes."""

import ctypes
import gc
import weakref
from pathlib import Path

import pytest

from services.history import idle
from services.history.connection import log_path
from services.history.idle import give_back, let_go, stay_small
from services.history.reader import Readers
from services.history.store import History

ALL = "SELECT sum(hash(COLUMNS(*))) FROM sources"
HELD = "SELECT sum(memory_usage_bytes)::BIGINT FROM duckdb_memory() WHERE tag = 'BASE_TABLE'"
MORE = "INSERT INTO sources SELECT 10_000 * ? + range, md5(range::VARCHAR) FROM range(10_000)"
JOINED = "SELECT count(*) FROM range(36) AS a(n) JOIN range(36) AS b(n) USING (n)"
LIMIT = "SELECT current_setting('memory_limit')"


@pytest.fixture
def read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A history on disk."""
    monkeypatch.setattr(idle, "IDLE_MB", 1)
    with History.open(tmp_path / "h.duckdb") as history, history.transaction():
        history.run("INSERT INTO sources SELECT range, md5(range::VARCHAR) FROM range(300_000)")
    return tmp_path / "h.duckdb"


def test_what_was_read_is_let_go(read_whole: Path) -> None:
    with History.open(read_whole) as history:
        sums, limit = history.rows(ALL), history.rows(LIMIT)
        before = history.count(HELD)
        let_go(history)
        assert history.count(HELD) < before
        assert history.rows(LIMIT) == limit
        assert history.rows(ALL) == sums


def test_nothing_is_let_go_while_somebody_looks(read_whole: Path) -> None:
    with History.open(read_whole) as history:
        readers = Readers(history)
        history.rows(ALL)
        before = history.count(HELD)
        with readers.reader():
            let_go(history)
            assert history.count(HELD) == before
        let_go(history)
        assert history.count(HELD) < before
        readers.close()


def test_more_in_use_than_it_would_keep_is_no_failure(read_whole: Path) -> None:
    with History.open(read_whole) as history:
        history.run("CREATE TEMP TABLE large AS SELECT range AS n FROM range(2_000_000)")
        let_go(history)
        assert history.count("SELECT count(*) FROM large") == 2_000_000


def test_afterwards_as_much_may_be_held_as_before(read_whole: Path) -> None:
    with History.open(read_whole, memory_mb=64) as history:
        limit = history.rows(LIMIT)
        history.rows(ALL)
        let_go(history, 1)
        assert history.rows(LIMIT) == limit
        assert history.count(HELD) <= 2 << 20


def test_where_nothing_can_be_let_go_a_transaction_goes_on() -> None:
    with History.open(memory_mb=64) as history, history.transaction():
        limit = history.rows(LIMIT)
        history.run("INSERT INTO sources VALUES (1, 'x')")
        let_go(history, 0)
        assert history.rows(LIMIT) == limit
        assert history.rows("SELECT name FROM sources") == [("x",)]


@pytest.mark.parametrize("small", [True, False])
def test_of_a_service_the_log_is_taken_in_early(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: bool
) -> None:
    monkeypatch.setattr(idle, "LOG_MB", 1)
    path = tmp_path / "h.duckdb"
    log = log_path(path)
    with History.open(path) as history:
        if small:
            stay_small(history)
        longest = 0
        for number in range(8):
            with history.transaction():
                history.run(MORE, [number])
            longest = max(longest, log.stat().st_size if log.exists() else 0)
        assert (longest < 2 << 20) == small


def test_what_queries_leave_behind_is_let_go(tmp_path: Path) -> None:
    with History.open(tmp_path / "h.duckdb") as history:
        history.run("CREATE TEMP TABLE held AS SELECT range AS n FROM range(300_000)")
        before = allocated()
        for _ in range(2_000):
            history.rows(JOINED)
        left = allocated() - before
        let_go(history)
        assert allocated() - before < left // 4
        assert history.count("SELECT count(*) FROM held") == 300_000


def allocated() -> int:
    """Bytes that the C library has given out."""
    try:
        told = ctypes.CDLL(None).mallinfo2
    except (AttributeError, OSError):
        pytest.skip("the C library does not tell what it has given out (mallinfo2)")
    told.restype = _Allocated
    return int(told().uordblks)


class _Allocated(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks"),
            *("uordblks", "fordblks", "keepcost"),
        )
    ]


def test_memory_is_given_back_at_any_time(read_whole: Path) -> None:
    with History.open(read_whole) as history, history.transaction():
        sums = history.rows(ALL)
        give_back()
        assert history.rows(ALL) == sums


def test_what_goes_in_circles_is_given_back() -> None:
    class Circle:
        def __init__(self) -> None:
            self.itself = self

    gc.disable()
    try:
        gone = weakref.ref(Circle())
        assert gone() is not None
        give_back()
        assert gone() is None
    finally:
        gc.enable()
