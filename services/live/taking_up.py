"""A history taken up again: held against the head noted beside it before anything is followed.

What a history lost of a topic is read from there again, since its positions went back with its
events. What it had from files the topic cannot give back, and that is said once all was read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from services.held import opened
from services.history.before import Before
from services.history.connection import log_path
from services.history.errors import HistoryLogDamagedError, HistoryLostError
from services.history.head import Head, HeadState, head_path
from services.history.positions import positions_of
from services.history.store import History
from services.live.places import Say
from services.live.state import Problem


@contextmanager
def opened_to_follow(path: Path, say: Say) -> Iterator[History]:
    """The history at a path, made if there is none; a log that cannot be read is set aside.

    What it had is then missing: the head says so, and `take_up` sees to it. Where the body fails
    before anything was read, a history that was made for it is gone again.

    Raises:
        UnusableHistoryError: the file itself cannot be used.
    """
    before = Before.of(path)
    with ExitStack() as stack:
        try:
            history = stack.enter_context(opened(path, create=True))
        except HistoryLogDamagedError as error:
            log = log_path(path)
            aside = log.with_name(f"{log.name}.damaged")
            os.replace(log, aside)
            say(
                "log_damaged",
                {
                    "message": f"{error.message}; it was set aside as {aside.name}",
                    "next_step": "nothing needs it any more once what is missing was read again",
                },
            )
            history = stack.enter_context(opened(path, create=True))
        try:
            yield history
        except Exception:
            with suppress(Exception):  # what went wrong first is what is told
                before.put_back(history)
            raise


def take_up(history: History, topic: str, say: Say) -> int:
    """Accept a history that is behind its head; how many events it had, 0 if it lost none.

    Raises:
        HistoryLostError: it is another than its head says, or has nothing of the topic.
    """
    check = history.head
    if check.state is HeadState.LOST and check.noted is not None:
        if not _can_heal(history, topic, check.held):
            raise HistoryLostError(
                f"{history.path}: {check.problem}; it has nothing of {topic}, which cannot give it "
                "back",
                next_step="make it anew with `pitproof rebuild`, or put the right file back; or "
                f"remove {head_path(history.path).name} and give the files again",
            )
        say(
            "behind",
            {
                "message": f"{history.path}: {check.problem}",
                "next_step": f"what is missing is read from {topic} again; gaps that were "
                "released and alerts that were cleared in it must be so once more",
            },
        )
        history.accept_head()
        return check.noted.events
    if check.state is HeadState.OLD:
        say("behind", {"message": f"{history.path}: {check.problem}", "next_step": ""})
        history.accept_head()
        return 0
    if check.state is HeadState.NONE and check.problem:
        say(
            "head_missing",
            {
                "message": f"{head_path(history.path)}: {check.problem}",
                "next_step": f"what it lost of {topic} is read again; a fresh head is written with "
                "the next commit",
            },
        )
    check.require(history.path)
    return 0


def _can_heal(history: History, topic: str, held: Head) -> bool:
    """Whether the topic may have what is lost: it gave some, or nothing is left to tell."""
    return bool(positions_of(history, topic)) or held.transaction == 0


def lost_for_good(history: History, topic: str, had: int) -> Problem | None:
    """Once all was read: whether the history has again what it had."""
    held = history.count("SELECT count(*) FROM events")
    if held >= had:
        return None
    return Problem(
        "history_lost",
        str(history.path),
        f"{history.path}: had {had} events, and has {held} after {topic} was read again: the rest "
        "has expired there, or came from files",
        "give the files to `pitproof audit --db` once more, or put the right file back",
    )
