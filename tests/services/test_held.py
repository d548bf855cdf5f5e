"""What goes wrong with an open history is told as what it is."""

import threading
from pathlib import Path

import pytest

from services.errors import UnusableHistoryError
from services.held import BrokenOffError, failures_told, opened
from services.history.stopping import break_off

ENDLESS = "SELECT sum(a.range * b.range) FROM range(100000000) AS a, range(100000) AS b"


def test_a_stop_is_not_taken_for_damage(tmp_path: Path) -> None:
    with opened(tmp_path / "h.db", create=True) as history:
        breaker = threading.Timer(0.3, break_off, [history])
        breaker.start()
        with pytest.raises(BrokenOffError, match="the service is stopping"):
            with failures_told(history.path):
                history.rows(ENDLESS)
        breaker.join()
        with pytest.raises(UnusableHistoryError, match="the database failed"):
            with failures_told(history.path):
                history.rows("SELECT no_such_column")
