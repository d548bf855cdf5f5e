"""The moments at which a crash could hurt, named, so that tests can have one there.

With `PITPROOF_PHASE_LOG` naming a file, each phase is written to it as it is reached, and those in
`PITPROOF_PHASE_HOLD` last a while, long enough to be killed in. Otherwise nothing happens.
"""

from __future__ import annotations

import os
import time
from enum import StrEnum
from typing import Final

LOG: Final = "PITPROOF_PHASE_LOG"
HOLD: Final = "PITPROOF_PHASE_HOLD"
HOLD_SECONDS: Final = "PITPROOF_PHASE_HOLD_SECONDS"


class Phase(StrEnum):
    """Between what and what the process is."""

    IDLE = "idle"
    REBALANCING = "rebalancing"
    BEFORE_KAFKA_COMMIT = "before-kafka-commit"
    BETWEEN_COMMITS = "between-commits"
    BEFORE_PUBLISHING = "before-publishing"


def reach(phase: Phase) -> None:
    """This phase begins."""
    path = os.environ.get(LOG)
    if not path:
        return
    with open(path, "a", encoding="ascii") as log:
        log.write(f"{phase}\n")
    if phase in os.environ.get(HOLD, "").split(","):
        time.sleep(float(os.environ.get(HOLD_SECONDS, "0.2")))
