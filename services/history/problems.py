"""What is wrong with a history, a row each: results, not errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

PROBLEMS_MAX: Final = 1_000
"""Of each check: who changed a million rows learns nothing from a million lines."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is not as it was written."""

    what: str
    """`event`, `finding`, `journal`, `head`, `sealed_day` or `manifest`."""
    where: str
    message: str
