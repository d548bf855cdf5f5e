"""Why nothing is read yet after a start: the group still counts on a member that was killed."""

from __future__ import annotations

from typing import Final

from services.live.places import Say

PATIENCE_SECONDS: Final = 5.0
"""Partitions are given out sooner than this where no member is waited for."""


class Joining:
    """Says once that the group is waited for: without it, a start after a kill says nothing."""

    def __init__(self, group: str, session_timeout_ms: int, say: Say, now: float) -> None:
        """Wait from `now` on, in seconds of a clock that only goes on."""
        self._group, self._seconds, self._say = group, session_timeout_ms / 1000, say
        self._told_at = now + PATIENCE_SECONDS
        self._is_over = False

    def look(self, now: float, *, is_settled: bool) -> None:
        """Say it when it is time, and never again; `is_settled`: partitions were given out."""
        self._is_over |= is_settled
        if self._is_over or now < self._told_at:
            return
        self._is_over = True
        self._say(
            "joining",
            {
                "group": self._group,
                "message": "the group gives no partition out yet, it waits for other members: "
                f"one that was killed counts until it was silent for {self._seconds:g} s",
            },
        )
