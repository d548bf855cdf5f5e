"""A temporary history that is judged a second time holds what it held."""

import pytest

from services.audit import judge_tables, rulebook_for
from services.history import verdicts
from services.history.journal import Journal
from services.history.store import History
from tests.services.history.build import arrow, opened, round_opened


@pytest.mark.parametrize("few_rounds", [verdicts.FEW_ROUNDS, 0])
def test_its_rounds_are_there_once(few_rounds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "FEW_ROUNDS", few_rounds)
    events = [opened("A", 1), *(round_opened("A", at, f"R-{at}") for at in range(2, 6))]
    with History.open() as history:
        for part in (events[:4], events[4:]):
            with history.transaction():
                journal = Journal(history)
                journal.append("a", arrow(part))
                journal.decide()
                judge_tables(history, rulebook_for({}, None), ["A"])
        rounds = history.rows("SELECT round_id FROM rounds ORDER BY opened_seq")
    assert rounds == [(f"R-{at}",) for at in range(2, 6)]
