"""Rounds settled a second in memory, fold, settle and judge, beside the oracle on the same rounds.

    python -m tests.bench.bench_engine [EVENTS]

Events of one game lie in memory as the engine's columns, in stretches as an audit cuts them; the
oracle has a part of the same events as dicts, since all would take it minutes. One core each, time
that it worked; the best of some runs in turns, since everything else on the machine only adds.
"""

import os
import sys
from time import process_time
from typing import Final

from replay.events import Stretch
from replay.resettle import Resettler
from replay.rulebook.loader import load_rulebook
from services.history.journal import Journal
from services.history.store import History
from services.history.stretches import stretches
from services.simulate.service import games_available
from services.sources.files import read_events
from tests.bench._floors import json_file, simulated
from tests.oracle.audit import audit_events

EVENT_COUNT: Final = 400_000
ORACLE_ROUNDS: Final = 25
RUN_COUNT: Final = 3


def in_memory(event_count: int, game: str) -> list[Stretch]:
    with History.open() as history:
        with history.transaction():
            journal = Journal(history)
            for batch in read_events(json_file(event_count, (game,))):
                journal.append("floor", batch.table, batch.dead_letters)
            journal.decide()
        return list(stretches(history))


def engine_seconds(parts: list[Stretch]) -> tuple[int, float]:
    """Rounds, and seconds."""
    resettler, rounds, begin = Resettler(load_rulebook()), 0, process_time()
    for stretch in parts:
        rounds += len(resettler.judge(stretch).rounds.table)
    return rounds, process_time() - begin


def oracle_seconds(events: list[dict[str, object]]) -> tuple[int, float]:
    """Rounds, and seconds."""
    begin = process_time()
    report = audit_events(events)
    return int(report["summary"]["rounds"]), process_time() - begin


def main(event_count: int) -> None:
    print(f"{os.cpu_count()} cores, one used, load before {os.getloadavg()[0]:.1f}")
    print(f"{event_count} events a game, best of {RUN_COUNT} runs in turn")
    print()
    print(f"{'':18} {'rounds a second':>16} {'oracle':>8} {'times':>6} {'ns an event':>12}")
    for game in games_available():
        parts = in_memory(event_count, game)
        few = simulated((game,), ORACLE_ROUNDS)
        ours, theirs = [], []
        for _ in range(RUN_COUNT):
            ours.append(engine_seconds(parts))
            theirs.append(oracle_seconds(few))
        rounds, seconds = min(ours, key=lambda run: run[1])
        rate = rounds / seconds
        slow = max(count / passed for count, passed in theirs)
        each = 1e9 * seconds / sum(len(part.events) for part in parts)
        print(f"{game:18} {rate:16,.0f} {slow:8,.0f} {rate / slow:6.0f} {each:12.0f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else EVENT_COUNT)
