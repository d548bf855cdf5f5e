"""Is a history whole, and what was sealed of it: the answer of `pitproof verify`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from typing import Any, Final

from services.history.digests import events_digest, findings_digest
from services.history.problems import Problem, as_far_as_read
from services.history.sealed.check import problems_of_sealed
from services.history.sealed.errors import UnwritableSealedError
from services.history.sealed.folder import SealedFolder
from services.history.store import History
from services.history.verify import problems_of

VERSION: Final = 1


def verify(history: History, folder: SealedFolder | None = None) -> dict[str, Any]:
    """The object that `pitproof verify` prints; without a folder nothing sealed is looked at.

    Of what is too damaged to be read there is no number, and no digest.
    """
    problems = list(dict.fromkeys(all_problems(history, folder)))
    said: dict[str, Any] = {}
    for name, work in _SAID.items():
        said[name] = None
        problems += [
            problem
            for problem in as_far_as_read(history, partial(_say, history, said, name, work))
            if problem not in problems
        ]
    return {
        "version": VERSION,
        "ok": not problems,
        **said,
        "problems": [asdict(problem) for problem in problems],
    }


_SAID: Final[Mapping[str, Callable[[History], Any]]] = {
    "events": lambda history: history.count("SELECT count(*) FROM events"),
    "events_digest": events_digest,
    "findings": lambda history: history.count("SELECT count(*) FROM findings"),
    "findings_digest": findings_digest,
}


def _say(
    history: History, said: dict[str, Any], name: str, work: Callable[[History], Any]
) -> Iterator[Problem]:
    said[name] = work(history)
    yield from ()


def all_problems(history: History, folder: SealedFolder | None) -> Iterator[Problem]:
    """Those of the history, then those of its sealed days."""
    yield from problems_of(history)
    if folder is not None:
        with suppress(UnwritableSealedError):  # what a crash interrupted counts where it is, too
            folder.finish()
        yield from as_far_as_read(history, lambda: problems_of_sealed(history, folder))
