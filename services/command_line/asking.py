"""Asking a history, while whoever waits sees that it is being asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from services.command_line.progress import Progress

if TYPE_CHECKING:
    import msgspec

    from services.queries.query import Query
    from services.settings import Settings

A = TypeVar("A", bound="msgspec.Struct")
R = TypeVar("R")


def ask(query: Query[A, R], db: str, asked: A, settings: Settings) -> R:
    """What a question to the history at `db` gives, whoever owns it.

    Raises:
        PitproofError: the history cannot be asked, or the question does not do.
    """
    from services import client

    with Progress(query.name):
        return client.ask(query, db, asked, settings)
