"""What a small transaction costs on a history that is large already.

    python -m tests.bench.bench_live [ROUNDS] [TRANSACTIONS]

A floor is simulated, all but its end audited into a history; the end then comes in transactions of
500 events of ten tables: appended, decided, judged and stored, the head noted. Beside it, the cost
of the engine's calls alone, which tells how busy the machine is: 10 ms each where it is not.
"""

import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time
from typing import Final

from replay.events import Stretch
from replay.resettle import Resettler
from replay.verdict import Verdict
from services.audit import audit, rulebook_for
from services.command_line.main import main as pitproof
from services.decode.json_lines import decode_piece
from services.history.journal import Journal
from services.history.store import SMALL_TRANSACTIONS_MAX, History
from services.judging import judge

EVENTS: Final = 500
TABLES: Final = 10


class Engine(Resettler):
    """Tells how long it takes."""

    seconds = 0.0
    calls = 0

    def judge(self, stretch: Stretch) -> Verdict:
        begin = process_time()
        try:
            return super().judge(stretch)
        finally:
            Engine.seconds += process_time() - begin
            Engine.calls += 1


def main(rounds: int, transactions: int) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        events, first, db = (Path(folder) / name for name in ("all.jsonl", "first.jsonl", "h.db"))
        floor = ["--tables", str(TABLES // 3 + 1), "--rounds", str(rounds), "--seed", "5"]
        pitproof(["simulate", *floor, "--output", str(events)])
        lines = events.read_bytes().splitlines(keepends=True)
        end = len(lines) - EVENTS * (transactions + SMALL_TRANSACTIONS_MAX + 1)
        first.write_bytes(b"".join(lines[:end]))
        audit([str(first)], db=str(db))
        begin = perf_counter()
        with History.open(db) as history:
            opened = perf_counter() - begin
            measure(history, lines[end:], opened, end)


def measure(history: History, lines: list[bytes], opened: float, before: int) -> None:
    """The end of the floor, transaction by transaction."""
    rulebook, cores, walls = rulebook_for({}, None), [], []
    for at in range(0, len(lines), EVENTS):
        batch, _ = decode_piece(b"".join(lines[at : at + EVENTS]), "t[0]", 1)
        busy, begin = process_time(), perf_counter()
        with history.transaction():
            journal = Journal(history)
            journal.append("t[0]", batch)
            journal.decide()
            judge(history, rulebook, journal.changed())
        cores.append((process_time() - busy) * 1e3)
        walls.append((perf_counter() - begin) * 1e3)
    loaded = cores[SMALL_TRANSACTIONS_MAX]
    cores, walls = (sorted(each[SMALL_TRANSACTIONS_MAX + 1 :]) for each in (cores, walls))
    print(f"{before} events before; opened in {opened * 1e3:.0f} ms, index with {loaded:.0f} ms")
    print(
        f"{EVENTS} events a transaction: {cores[len(cores) // 2]:.1f} ms of a core (median), "
        f"{cores[len(cores) * 9 // 10]:.1f} (90 %), {walls[len(walls) // 2]:.1f} ms in all"
    )
    print(f"engine: {Engine.calls} calls, {Engine.seconds / Engine.calls * 1e3:.1f} ms each")


if __name__ == "__main__":
    import services.judging

    vars(services.judging)["Resettler"] = Engine
    main(*(int(each) for each in sys.argv[1:3] or ("300", "40")))
