"""Is a history whole, and what was sealed of it: the answer of `pitproof verify`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from typing import Any, Final

from services.history.digests import events_digest, findings_digest
from services.history.problems import Problem
from services.history.sealed.check import problems_of_sealed
from services.history.sealed.errors import UnwritableSealedError
from services.history.sealed.folder import SealedFolder
from services.history.store import History
from services.history.verify import problems_of

VERSION: Final = 1


def verify(history: History, folder: SealedFolder | None = None) -> dict[str, Any]:
    """The object that `pitproof verify` prints; without a folder nothing sealed is looked at."""
    problems = list(all_problems(history, folder))
    return {
        "version": VERSION,
        "ok": not problems,
        "events": history.count("SELECT count(*) FROM events"),
        "events_digest": events_digest(history),
        "findings": history.count("SELECT count(*) FROM findings"),
        "findings_digest": findings_digest(history),
        "problems": [asdict(problem) for problem in problems],
    }


def all_problems(history: History, folder: SealedFolder | None) -> Iterator[Problem]:
    """Those of the history, then those of its sealed days."""
    yield from problems_of(history)
    if folder is not None:
        with suppress(UnwritableSealedError):  # what a crash interrupted counts where it is, too
            folder.finish()
        yield from problems_of_sealed(history, folder)
