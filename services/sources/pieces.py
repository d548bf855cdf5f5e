"""What a file is read in: pieces of bounded size that can be decoded by themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from services.decode import columns, json_lines
from services.decode.batch import DeadLetter, DecodedBatch


class Piece(Protocol):
    """Some of the events of a file."""

    def decode(self) -> DecodedBatch:
        """What it holds. Errors: none; all become dead letters."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Whole lines of JSON, the last with or without its newline."""

    source: str
    first: int
    """Number of the first line."""
    data: bytes
    taken: int
    """Bytes of the file."""

    def decode(self) -> DecodedBatch:
        """Their events and dead letters."""
        table, dead = json_lines.decode_piece(self.data, self.source, self.first)
        return DecodedBatch(table, dead, self.taken)


@dataclass(frozen=True, slots=True)
class Lost:
    """Something that holds no event, seen when it was read."""

    letter: DeadLetter
    taken: int
    """Bytes of the file."""

    def decode(self) -> DecodedBatch:
        """The dead letter alone."""
        return DecodedBatch(columns.empty_table(), [self.letter], self.taken)
