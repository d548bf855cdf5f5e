"""A deck order that comes again is found, also where both rounds came in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from replay.rulebook.loader import load_rulebook
from replay.vocabulary import Game
from services.history.deck_orders import repeats_of
from services.history.live_index import LiveIndex
from services.history.store import History
from services.history.verdicts import DealtRound

HIGH, LOW = 7, 9


class Kept:
    """A history with an index that has kept these rounds of one table, all of the same deck."""

    def __init__(self) -> None:
        self.index = LiveIndex()
        self.rounds: list[str] = []

    def rows(self, sql: str, parameters: Sequence[object]) -> list[tuple[Any, ...]]:
        places = enumerate(self.rounds, start=1)
        game = int(Game.DAKOTA_DUEL_DRAW)
        return [("DD-01", name, game, 10 * at, 10 * at, HIGH, LOW) for at, name in places]

    def found_with(self, *rounds: str) -> list[str | None]:
        """Rounds with a finding, once these came."""
        self.rounds += rounds
        dealt = [DealtRound("DD-01", name, HIGH, LOW) for name in rounds]
        findings, _ = repeats_of(cast(History, self), dealt, load_rulebook())
        self.index.commit()
        return [each.round_id for each in findings]


def test_both_in_one_transaction() -> None:
    assert Kept().found_with("r1", "r2") == ["r2"]


def test_one_after_the_other() -> None:
    kept = Kept()
    assert kept.found_with("r1") == []
    assert kept.found_with("r2") == ["r2"]
