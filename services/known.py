"""What a history concluded by a time: its journal up to then, judged."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from replay.rulebook.loader import Rulebook
from services.history.prefix import journal_up_to, transaction_at
from services.history.store import History
from services.judging import judge
from services.report.gather import tables_held


@contextmanager
def as_known_at(history: History, rulebook: Rulebook, time: datetime) -> Iterator[History]:
    """The history as it was after the last transaction committed by then.

    It is a history like any other while one looks at it; what is open of it is the same connection.
    """
    with journal_up_to(history, transaction_at(history, time)) as known:
        judge(known, rulebook, dict.fromkeys(tables_held(known), 0))
        yield known
