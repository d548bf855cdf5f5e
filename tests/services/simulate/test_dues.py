"""What the engine says is due is what the oracle says, in the form that the simulator asks for."""

import pytest

from services.simulate.dues import dues_of
from services.simulate.round import Due, Where
from services.simulate.scribe import Event
from services.simulate.service import FloorPlan, faults_for, games_available, simulate_floor
from tests.services.simulate.floors import oracle_dues


def asked(game: str) -> list[list[Event]]:
    """Rounds that a floor asks about, with faults in their bets and decisions."""
    rounds: list[list[Event]] = []

    def keeping(them: object) -> list[dict[Where, Due]]:
        assert isinstance(them, list)
        rounds.extend([dict(event) for event in events] for events in them)  # before faults strike
        return oracle_dues(them)

    floor = simulate_floor(
        FloorPlan((game,), rounds=30, seed=6, faults=faults_for((game,))), keeping
    )
    assert list(floor.events())
    return rounds[:400]


def that_count(dues: dict[Where, Due]) -> dict[Where, int | None]:
    """What is due for each wager with chips and each bonus, as far as there is anything to say."""
    return {where: due.due_cents for where, due in dues.items() if due.due_cents != 0}


@pytest.mark.parametrize("game", games_available())
def test_engine_and_oracle_say_the_same(game: str) -> None:
    rounds = asked(game)
    of_engine, of_oracle = dues_of(rounds), oracle_dues(rounds)
    assert [that_count(dues) for dues in of_engine] == [that_count(dues) for dues in of_oracle]


def test_nothing_is_asked_where_there_are_no_rounds() -> None:
    assert dues_of([]) == []
