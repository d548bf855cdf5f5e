"""Processes that die or hang: nothing is lost, nothing comes twice, whatever the moment."""

import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from services.history.store import History
from services.live.finding_records import decoded
from services.live.phases import HOLD, HOLD_SECONDS, LOG, Phase
from tests.live.conftest import Topic
from tests.live.serving import PATIENCE_SECONDS, Stage, evening, read_all, send, wait_until

pytestmark = pytest.mark.real_kafka

SESSION = ("--session-timeout-ms", "1500")  # a killed member is in the way for so long


@pytest.fixture
def stage(kafka: str, topic: Topic, tmp_path: Path) -> Callable[..., Stage]:
    def make(partitions: int = 3) -> Stage:
        return Stage(kafka, tmp_path, topic(partitions), topic(2), topic(1))

    return make


def kill_at(on: Stage, phase: Phase, rows: Sequence[Any], chance: random.Random) -> Phase:
    """Let events come, serve, and kill at that phase; returns the phase it was killed in."""
    log = on.folder / "phases"
    log.unlink(missing_ok=True)
    send(on.servers, on.topic, rows)
    watched = {LOG: str(log), HOLD: phase.value, HOLD_SECONDS: "0.3"}
    with on.serving(*SESSION, **watched) as process:
        wait_until(lambda: phase in reached(log), f"phase {phase}")
        time.sleep(chance.uniform(0, 0.25))
        process.kill()
        process.wait()
    return reached(log)[-1]


def reached(log: Path) -> list[Phase]:
    if not log.exists():
        return []
    return [Phase(line) for line in log.read_text("ascii").split("\n")[:-1]]


def survives(on: Stage, rows: Sequence[Any], phases: Sequence[Phase], seed: int) -> Counter[Phase]:
    """Kills at these phases; what is left must be as if nothing had happened."""
    chance = random.Random(seed)
    killed: Counter[Phase] = Counter()
    size = len(rows) // len(phases) + 1
    for number, phase in enumerate(phases):
        killed[kill_at(on, phase, rows[number * size : (number + 1) * size], chance)] += 1
    ended = on.to_end(*SESSION)
    assert ended.returncode == 1, ended.stderr
    assert on.verified() == on.audited(rows)
    assert on.current() == on.held()
    told: dict[str, dict[str, Any]] = {}
    for record in read_all(on.servers, on.findings):
        values = decoded(record.value)
        assert told.setdefault(values["change_id"], values) == values
    return killed


def test_killed_once_in_each_phase(stage: Callable[..., Stage]) -> None:
    killed = survives(stage(), evening(rounds=10), list(Phase), seed=1)
    assert sum(killed.values()) == len(Phase)


@pytest.mark.slow
def test_killed_at_thirty_moments(stage: Callable[..., Stage]) -> None:
    phases = list(Phase) * 6
    random.Random(5).shuffle(phases)
    killed = survives(stage(), evening(rounds=60), phases, seed=2)
    assert sum(killed.values()) == len(phases)
    assert set(killed) == set(Phase), f"no kill in {set(Phase) - set(killed)}"


def test_two_share_and_one_that_hung_keeps_nothing(stage: Callable[..., Stage]) -> None:
    on, rows = stage(4), evening(rounds=16)
    third = len(rows) // 3
    log = on.folder / "phases"
    watched = {LOG: str(log), HOLD: Phase.BEFORE_KAFKA_COMMIT.value, HOLD_SECONDS: "0.5"}
    with on.serving(*SESSION, db="a.duckdb", **watched) as first:
        send(on.servers, on.topic, rows[:third])
        wait_until(lambda: Phase.BETWEEN_COMMITS in reached(log), "the first has committed")
        with on.serving(*SESSION, db="b.duckdb") as second:
            wait_until(lambda: shared(on), "the partitions are shared")
            log.unlink()
            send(on.servers, on.topic, rows[third : 2 * third])
            wait_until(lambda: Phase.BEFORE_KAFKA_COMMIT in reached(log), "it is about to commit")
            first.send_signal(signal.SIGSTOP)
            wait_until(lambda: owned(on, "b.duckdb") == [0, 1, 2, 3], "the second has all")
            first.send_signal(signal.SIGCONT)
            wait_until(lambda: on.said("problem", "a.duckdb", code="fenced"), "it is refused")
            send(on.servers, on.topic, rows[2 * third :])
            wait_until(lambda: shared(on), "they share again")
            expected = on.audited(rows)
            wait_until(lambda: read_up_to(on, 4) == len(rows), "every event was read")
            wait_until(lambda: len(on.current()) == expected["findings"], "every finding is out")
            for process in (first, second):
                process.send_signal(signal.SIGTERM)
                assert process.wait(PATIENCE_SECONDS) == 0
    assert event_ids(on, "a.duckdb") | event_ids(on, "b.duckdb") == {r["event_id"] for r in rows}

    assert on.current() == on.held("audited.duckdb")


def owned(on: Stage, db: str) -> list[int]:
    told = [line["owned"] for line in on.log(db) if line["event"] == "partitions"]
    return told[-1] if told else []


def shared(on: Stage) -> bool:
    both = [owned(on, "a.duckdb"), owned(on, "b.duckdb")]
    return all(both) and sorted(both[0] + both[1]) == [0, 1, 2, 3]


def read_up_to(on: Stage, partitions: int) -> int:
    """How many events Kafka says that the group has read."""
    return sum(on.committed(partition) or 0 for partition in range(partitions))


def event_ids(on: Stage, db: str) -> set[str]:
    with History.open(on.folder / db, create=False) as history:
        return {str(one) for (one,) in history.rows("SELECT event_id FROM events")}
