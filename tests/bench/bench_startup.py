"""How long a small audit takes beside the import of what it stands on.

    python -m tests.bench.bench_startup

A file of the first 100 events of a sample is audited as `pitproof audit --format json`, beside
`python -c 'import numpy, duckdb, pyarrow'`, in turns. Both find their bytecode compiled, as after
any installation: a first run of each, not counted, leaves it in a folder of its own. `core` is the
time that the processes worked, user and system; `clock` what passed, which other work lengthens.
"""

import os
import resource
import subprocess
import sys
import tempfile
from itertools import islice
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Final

SAMPLE: Final = Path(__file__).parents[1] / "samples" / "run_em_twice.jsonl"
COMMAND: Final = Path(sys.executable).parent / "pitproof"
EVENT_COUNT: Final = 100
RUN_COUNT: Final = 9
STATUSES: Final = (0, 1)  # nothing found, or findings


def run_once(command: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Seconds of core time and of the clock that one call takes."""
    before, clock = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
    ended = subprocess.run(command, env=environment, capture_output=True, check=False)
    passed, after = perf_counter() - clock, resource.getrusage(resource.RUSAGE_CHILDREN)
    assert ended.returncode in STATUSES, ended.stderr.decode()
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, passed


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.jsonl"
        with SAMPLE.open("rb") as events:
            path.write_bytes(b"".join(islice(events, EVENT_COUNT)))
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(Path(folder) / "bytecode")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        commands = {
            "import numpy, duckdb, pyarrow": [
                *(sys.executable, "-c", "import numpy, duckdb, pyarrow")
            ],
            f"audit of {EVENT_COUNT} events": [
                *(str(COMMAND), "audit", "--format", "json", str(path))
            ],
        }
        for command in commands.values():
            run_once(command, environment)
        print(f"{os.cpu_count()} cores, load before {os.getloadavg()[0]:.1f}")
        print(f"median of {RUN_COUNT} runs in turn")
        print()
        times: dict[str, list[tuple[float, float]]] = {label: [] for label in commands}
        for _ in range(RUN_COUNT):
            for label, command in commands.items():
                times[label].append(run_once(command, environment))
    print(f"{'milliseconds':32} {'core':>6} {'clock':>6}")
    medians = []
    for label, each in times.items():
        core, clock = median(one[0] for one in each), median(one[1] for one in each)
        medians.append((core, clock))
        print(f"{label:32} {1e3 * core:6.0f} {1e3 * clock:6.0f}")
    (base_core, base_clock), (core, clock) = medians
    print(f"{'the audit takes so many times':32} {core / base_core:6.2f} {clock / base_clock:6.2f}")


if __name__ == "__main__":
    main()
