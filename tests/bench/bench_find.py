"""How long it takes to find a round, and to answer every canned question, in a big history.

    python -m tests.bench.bench_find [EVENTS] [FOLDER]

As in a service: once it has loaded what it keeps in memory for searches. Cold: the first search
after that. Warm: the searches after it, each about another round. The command: all in all, the
start of the interpreter included; also for what has to be looked for everywhere. Questions are
measured as a command puts them: a process of its own each; one that asks nothing is among them.
Processor time stands beside each, since a busy machine stretches the other.
"""

import random
import resource
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache, partial
from pathlib import Path
from time import perf_counter
from typing import Final

from services.find.asked import FindAsked
from services.find.found import found_of
from services.history.reader import Readers
from services.history.said_hours import SaidHours
from services.history.sql.run import SqlRequest, answer
from services.history.sql.source import SqlSource
from services.history.store import History
from services.questions.catalogue import questions
from services.settings import Settings
from tests.bench.big_history import big_history

SEARCHES: Final = 60  # of each kind
COMMAND: Final = Path(sys.executable).parent / "pitproof"
ZONE: Final = Settings().zone()

Remembered = tuple[str, str, int, str, str, str | None, str, str]
"""Table, time, seat, amount, outcome, player and two cards of one bet."""


def remembered(history: History, count: int) -> list[Remembered]:
    """What patrons may remember: of rounds picked by a fixed chance."""
    chance = random.Random(18)
    rounds = history.rows(
        "SELECT table_id, round_id, opened_at FROM rounds WHERE status = 'SETTLED' "
        "ORDER BY hash(round_id) LIMIT ?",
        [count * 3],
    )
    picked: list[Remembered] = []
    for table, round_id, opened_at in rounds:
        bets = history.rows(
            "SELECT spot, amount_cents, player_id FROM events WHERE round_id = ? AND table_id = ? "
            "AND kind = 'WagerPlaced' AND standing AND amount_cents > 0 ORDER BY seq",
            [round_id, table],
        )
        spot, cents, player = chance.choice(bets)
        cards = history.rows(
            "SELECT card FROM events WHERE round_id = ? AND table_id = ? AND kind = 'CardDealt' "
            "AND spot = ? AND card IS NOT NULL ORDER BY seq LIMIT 2",
            [round_id, table, spot],
        )
        if len(cards) == 2:
            time = f"{opened_at.astimezone(ZONE):%Y-%m-%dT%H:%M}"
            amount, outcome = f"${cents // 100}.{cents % 100:02}", chance.choice(("win", "lose"))
            held = (cards[0][0], cards[1][0])
            picked.append((table, time, spot, amount, outcome, player, *held))
    return picked[:count]


def kinds() -> dict[str, Callable[[Remembered], list[str]]]:
    """What of it is said, by the name of the search."""
    return {
        "table, day and time": lambda r: [r[0], r[1]],
        "table, time of some day": lambda r: [r[0], r[1][11:]],
        "table, time, seat, amount": lambda r: [r[0], r[1], f"seat {r[2]}", r[3]],
        "day and time, amount": lambda r: [r[1], r[3]],
        "time of some day, amount": lambda r: [r[1][11:], r[3]],
        "table, seat, amount": lambda r: [r[0], f"seat {r[2]}", r[3]],
        "table, two cards": lambda r: [r[0], f"{r[6]} {r[7]}"],
        "two cards": lambda r: [f"{r[6]} {r[7]}"],
        "seat, amount, win or lose": lambda r: [f"seat {r[2]}", r[3], r[4]],
        "player, amount": lambda r: [*([r[5]] if r[5] else []), r[3]],
        "an amount nobody bet": lambda _: ["$1234.56"],
    }


def main(event_count: int, folder: Path) -> None:
    """Measure and print."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"big-{event_count}.duckdb"
    held = big_history(path, event_count)
    print(f"{held:,} events, {path.stat().st_size >> 20} MiB")
    with History.open(path, create=False) as history:
        asked = remembered(history, SEARCHES)
    warm: list[float] = []
    for name, said in kinds().items():
        warm += _searches(path, name, [FindAsked(words=tuple(said(one))) for one in asked])
    print(f"{'find, all kinds alike':32} {'':10}{_spread(warm)}")
    for name, said in kinds().items():
        seconds, cores = _timed(partial(_command, path, said(asked[0])))
        print(f"as a command {name:27} {seconds * 1e3:8.0f} ms {cores * 1e3:8.0f} ms of cores")
    for name, text in _questions(path, asked[0][5] or "nobody"):
        seconds, cores = _timed(partial(_put, path, text))
        print(f"{'ask ' + name:32} {seconds * 1e3:8.0f} ms {cores * 1e3:8.0f} ms of cores")


def _searches(path: Path, name: str, asked: list[FindAsked]) -> list[float]:
    """Measure and print searches of a kind; the seconds of the warm ones."""
    said = _loaded(path)
    with (
        History.open(path, create=False) as history,
        closing(Readers(history)) as readers,
        readers.reader() as reader,
    ):
        reader.said = said
        times = [_timed(partial(found_of, reader, one, ZONE)) for one in asked]
    cold, warm = times[0][0], [seconds for seconds, _ in times[1:]]
    cores = statistics.mean(spent for _, spent in times[1:])
    print(
        f"find {name:27} cold {cold * 1e3:6.0f} ms{_spread(warm)}   {cores * 1e3:6.0f} ms of cores"
    )
    return warm


def _spread(seconds: list[float]) -> str:
    ordered = sorted(seconds)
    middle, late = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.95)]
    return f"   warm p50 {middle * 1e3:6.0f} ms p95 {late * 1e3:6.0f} ms"


@cache
def _loaded(path: Path) -> SaidHours:
    """What a service keeps for searches, loaded once for all kinds of them."""
    with History.open(path, create=False) as history, closing(Readers(history)) as readers:
        with readers.reader() as reader:
            seconds, cores = _timed(lambda: reader.said.load(reader))
        print(f"{'loaded for searches':32} {seconds * 1e3:8.0f} ms {cores * 1e3:8.0f} ms of cores")
        return history.said


def _questions(path: Path, player: str) -> Iterator[tuple[str, str]]:
    with History.open(path, create=False) as history:
        [(last_day,)] = history.rows("SELECT max(gaming_day) FROM rounds")
    yield "nothing", "SELECT 1"
    for one in questions():
        given = {parameter.name for parameter in one.parameters if parameter.default is None}
        yield one.name, one.filled({"player": player} if given else {}, last_day)


def _put(path: Path, text: str) -> None:
    answer(SqlSource(database=path), SqlRequest(text=text, zone=ZONE.key)).close()


def _command(path: Path, words: list[str]) -> None:
    done = subprocess.run([COMMAND, "find", *words, "--db", path], capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr  # 1: nothing was found


def _timed(work: Callable[[], object]) -> tuple[float, float]:
    begin, busy = perf_counter(), _cores()
    work()
    return perf_counter() - begin, _cores() - busy


def _cores() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 2_000_000,
        Path(sys.argv[2]) if len(sys.argv) > 2 else Path("build/bench"),
    )
