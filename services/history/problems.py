"""What is wrong with a history, a row each: results, not errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from services.errors import UnusableHistoryError

if TYPE_CHECKING:
    from services.history.store import History

PROBLEMS_MAX: Final = 1_000
"""Of each check: who changed a million rows learns nothing from a million lines."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is not as it was written."""

    what: str
    """`event`, `finding`, `journal`, `head`, `sealed_day` or `manifest`."""
    where: str
    message: str


def as_far_as_read(history: History, check: Callable[[], Iterator[Problem]]) -> Iterator[Problem]:
    """What a check finds; that it cannot read a damaged part is a problem too."""
    try:
        yield from check()
    except UnusableHistoryError as error:
        yield Problem("journal", history.path.name, f"a part cannot be read: {cause_of(error)}")


def cause_of(error: UnusableHistoryError) -> str:
    """Why something cannot be read, without where it lies."""
    return error.message.rpartition("cannot be read as a history: ")[2]
