"""Which parts of a table's stream lie between two counts of its tray, and under which opening.

What a tray won is known between an `OPENING` and a `CLOSING` count, and nowhere else. A count that
is made once more with no other between replaces the one before; chips moved and rounds played in a
part outside of all counts are no part of any win by the count.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final

OPENED: Final = "TableOpened"
CLOSED: Final = "TableClosed"
OPENING: Final = "OPENING"
CLOSING: Final = "CLOSING"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """An event that divides a table's stream."""

    kind: str
    """OPENED, CLOSED, or which count: OPENING, CLOSING."""
    seq: int
    at_micros: int
    amount_cents: int = 0
    """Of a count."""
    game: str = ""
    """Of an opening, as are the next two."""
    gaming_day: date = date.min
    currency: str = ""


@dataclass(slots=True)
class Span:
    """A tray from a count on; whole once it was counted again."""

    opening: Mark
    closing: Mark | None = None


@dataclass(slots=True)
class Part:
    """A part of the stream: from a `seq` on, up to the next part."""

    from_seq: int
    span: Span | None = None
    """None: outside of all counts."""

    @property
    def is_counted(self) -> bool:
        """Whether it lies between two counts of the tray."""
        return self.span is not None and self.span.closing is not None


@dataclass(slots=True)
class Opening:
    """A table's opening with the parts that its stream falls into."""

    table_id: str
    mark: Mark
    parts: list[Part] = field(default_factory=list)
    is_closed: bool = False
    is_last: bool = True
    """The table was not opened since."""

    @property
    def spans(self) -> list[Span]:
        """Trays that were counted twice, in order."""
        found = [part.span for part in self.parts if part.span is not None and part.span.closing]
        return list({id(span): span for span in found}.values())

    @property
    def was_counted(self) -> bool:
        """Whether there is any count that a tray begins with."""
        return any(part.span is not None for part in self.parts)


def openings_of(table_id: str, marks: Iterable[Mark]) -> list[Opening]:
    """A table's openings, from its marks in the order of `seq`.

    A tray may be counted before its table is opened: an `OPENING` count at a closed table goes with
    the opening that comes next.
    """
    openings: list[Opening] = []
    waiting: Mark | None = None
    for mark in marks:
        current = openings[-1] if openings else None
        if mark.kind == OPENED:
            if current is not None:
                current.is_last = False
            part = Part(mark.seq) if waiting is None else Part(waiting.seq, Span(waiting))
            openings.append(Opening(table_id, mark, [part]))
            waiting = None
        elif mark.kind == OPENING and (current is None or current.is_closed):
            waiting = mark
        elif current is None or waiting is not None:
            continue
        elif mark.kind == CLOSED:
            current.is_closed = True
        elif mark.kind == OPENING:
            current.parts.append(Part(mark.seq, Span(mark)))
        else:
            _close(current.parts, mark)
    return openings


def _close(parts: list[Part], closing: Mark) -> None:
    """Enter a closing count: it ends the tray that is being counted, or the one just before."""
    last = parts[-1]
    if last.span is None and len(parts) > 1:
        last.span = parts[-2].span  # counted once more: what lay between belongs to the tray
    if last.span is None:
        return  # there was no count to begin with
    last.span.closing = closing
    parts.append(Part(closing.seq))


def is_known(opening: Opening, rounds_of: Sequence[int]) -> bool:
    """Whether the win by the count of a whole opening is known.

    Shapes:  rounds_of, how many rounds were played in each of its parts.
    """
    outside = [
        rounds for part, rounds in zip(opening.parts, rounds_of, strict=True) if not part.is_counted
    ]
    return bool(opening.spans) and not any(outside)
