"""What a view of a history consists of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


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
