"""A history taken up again: held against the head noted beside it before anything is followed.

What a history lost of a topic is read from there again, since its positions went back with its
events. What it had from files the topic cannot give back, and that is said once all was read.
"""

from __future__ import annotations

from services.history.head import HeadState
from services.history.positions import positions_of
from services.history.store import History
from services.live.places import Say
from services.live.state import Problem


def take_up(history: History, topic: str, say: Say) -> int:
    """Accept a history that is behind its head; how many events it had, 0 if it lost none.

    Raises:
        HistoryLostError: it is another than its head says, or has nothing of the topic.
    """
    check = history.head
    can_heal = bool(positions_of(history, topic))
    if check.state is HeadState.LOST and can_heal and check.noted is not None:
        say(
            "behind",
            {
                "message": f"{history.path}: {check.problem}",
                "next_step": f"what is missing is read from {topic} again",
            },
        )
        history.accept_head()
        return check.noted.events
    if check.state is HeadState.OLD:
        say("behind", {"message": f"{history.path}: {check.problem}", "next_step": ""})
        history.accept_head()
        return 0
    check.require(history.path)
    return 0


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
