"""Views of a history for people: names of the card room, dollars beside cents, local times.

A view is a SELECT over the stored tables and is never stored. What a column is for stands beside
its SQL and nowhere else: `markdown` makes of it what the README of the history says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from services.history.view import View
from services.history.view_columns import VIEWS

STORED: Final = ("events", "rounds", "findings", "dead_letters", "corrections")
"""The stored tables that views stand on; whoever opens a history says where each of them is."""


def all_views() -> tuple[View, ...]:
    """Every view, in the order of the documentation."""
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
