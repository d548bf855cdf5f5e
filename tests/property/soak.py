"""`make soak`: 10^5 simulated rounds of each game with all faults on, audit against oracle.

`python -m tests.property.soak [ROUNDS] [SEED]`; ends with 1 at the first difference.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from tests.property.floors import differences
from tests.property.test_floors_agree import GAMES

ROUNDS_EACH = 5_000


def main(rounds: int, first_seed: int) -> int:
    with tempfile.TemporaryDirectory(prefix="pitproof-soak-") as folder:
        path = Path(folder) / "floor.jsonl"
        for game in GAMES:
            begun = time.monotonic()
            for part, begun_at in enumerate(range(0, rounds, ROUNDS_EACH)):
                size = min(ROUNDS_EACH, rounds - begun_at)
                found = differences(game, size, first_seed + part, path)
                if found:
                    said = "\n  ".join([f"{game} seed {first_seed + part}:", *found[:20]])
                    sys.stdout.write(said + "\n")
                    return 1
            seconds = time.monotonic() - begun
            sys.stdout.write(f"{game}: {rounds:,} rounds agree ({seconds:.0f} s)\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    words = sys.argv[1:3]
    sys.exit(main(int(words[0]) if words else 100_000, int(words[1]) if len(words) > 1 else 1))
