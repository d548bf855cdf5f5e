"""2,000 simulated rounds of each game with all faults on: audit, oracle and planted list agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.property.floors import differences

GAMES = ("RUN_EM_TWICE", "DAKOTA_DUEL_DRAW", "TEXAS_SHOOTOUT")


@pytest.mark.parametrize("game", GAMES)
def test_two_thousand_rounds_agree(game: str, tmp_path: Path) -> None:
    assert differences(game, 2_000, 20_260_301, tmp_path / "floor.jsonl") == []
