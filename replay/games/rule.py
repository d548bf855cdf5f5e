"""How a game's file holds its rule: each clause settled by a registered function, or excused.

A game module declares one `Rule`, and marks the function that carries a clause out with
`@RULE.clause("(8)", "...")`. A test holds the clauses of the rulebook against those registered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Rule:
    """One game's rule text: which functions carry out which clause."""

    number: str
    source: str
    not_settled: Mapping[str, str]
    """Clause -> why no function settles it."""
    settled: dict[str, list[str]] = field(default_factory=dict)
    """Clause -> names of the functions that carry it out."""
    readings: dict[str, str] = field(default_factory=dict)
    """Function name and clause -> our words for what it does."""

    def clause(self, number: str, words: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
        """Register the decorated function as carrying out a clause."""

        def register(function: Callable[P, T]) -> Callable[P, T]:
            self.settled.setdefault(number, []).append(function.__name__)
            self.readings[f"{function.__name__} {number}"] = words
            return function

        return register
