"""Views of a history for people: names of the card room, dollars beside cents, local times.

A view is a SELECT over the stored tables and is never stored. What a column is for stands beside
its SQL and nowhere else: `markdown` makes of it what the README of the history says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

STORED: Final = ("events", "rounds", "findings", "dead_letters", "corrections")
"""The stored tables that views stand on; whoever opens a history says where each of them is."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, the SQL that gives it, and what it is, in words."""

    name: str
    sql: str
    said: str


@dataclass(frozen=True, slots=True)
class View:
    """A view: a row a what, its columns, and where they come from."""

    name: str
    said: str
    columns: tuple[Column, ...]
    source: str
    """SQL from FROM on; `{events}` stands for a stored table, `{zone}` for the casino's zone."""

    def select(self, stored: Mapping[str, str], zone: str) -> str:
        """The SELECT of the view over stored tables of these names, quoted as SQL needs it."""
        names = {**stored, "zone": zone.replace("'", "''")}
        columns = ",\n    ".join(f'{c.sql} AS "{c.name}"' for c in self.columns)
        return f"SELECT\n    {columns}\n{self.source}".format(**names)


def word(name: str, of: str = "") -> str:
    """SQL for a word of the contract as text: in a history it is an enum."""
    return f'{of}"{name}"::VARCHAR'


def dollars(cents: str) -> str:
    """SQL for an amount in dollars: exact, a DECIMAL with two places."""
    return f"({cents} * 0.01)"


def local(time: str) -> str:
    """SQL for a time as a clock at the casino showed it."""
    return f"timezone('{{zone}}', {time})"


def all_views() -> tuple[View, ...]:
    """Every view, in the order of the documentation."""
    from services.history.view_columns import VIEWS

    return VIEWS


def creation(stored: Mapping[str, str], zone: str) -> list[str]:
    """Statements that make the views, over stored tables of these names."""
    return [f'CREATE VIEW "{view.name}" AS {view.select(stored, zone)}' for view in all_views()]


def markdown() -> str:
    """The views and their columns as the README shows them."""
    parts = []
    for view in all_views():
        rows = "\n".join(f"| `{c.name}` | {c.said} |" for c in view.columns)
        parts.append(f"### `{view.name}`\n\n{view.said}\n\n| column | is |\n|---|---|\n{rows}\n")
    return "\n".join(parts)
