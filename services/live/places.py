"""How events and dead letters name where they came from, and how things are told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Say = Callable[[str, Mapping[str, Any]], None]
"""Told what happens: an event's name and its fields."""


def source_of(topic: str, partition: int) -> str:
    """`topic[partition]`."""
    return f"{topic}[{partition}]"


def place_of(source: str) -> tuple[str, int] | None:
    """Topic and partition; None: the source is a file."""
    topic, bracket, rest = source.rpartition("[")
    if not bracket or not topic or not rest.endswith("]") or not rest[:-1].isdecimal():
        return None
    return topic, int(rest[:-1])
