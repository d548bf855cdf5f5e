"""What a wager may be worth while cards are not read (reading ALL-UNSEEN).

The unread cards lie in groups whose cards may change places without changing anything. Every way
to fill the groups from the cards not seen is tried; there are bounds only while the distinct
multisets over all groups together are at most a million.
"""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeVar

from tests.oracle.cards import Card
from tests.oracle.findings import stated

WAYS_MAX: Final = 1_000_000

Fill = tuple[tuple[Card, ...], ...]


@dataclass(frozen=True)
class Due:
    """What is due on a wager: exact when both bounds are equal and known."""

    low: int | None
    high: int | None
    clause: str = ""
    readings: str = ""
    unknown_paytable: bool = False

    @property
    def exact(self) -> int | None:
        """Give the amount where it is exactly known."""
        return self.low if self.low == self.high and not self.unknown_paytable else None


def exactly(cents: int, clause: str, readings: str = "") -> Due:
    """Make a due that is exactly known."""
    return between((cents,), clause, readings)


def ways_to_fill(count: int, unseen: Counter[Card]) -> int:
    """Count the distinct multisets of so many cards from those not seen."""
    ways = [1] + [0] * count
    for copies in unseen.values():
        ways = [sum(ways[max(0, size - copies) : size + 1]) for size in range(count + 1)]
    return ways[count]


def multisets(
    count: int, faces: Sequence[Card], left: Counter[Card], start: int = 0
) -> Iterator[tuple[Card, ...]]:
    """Give every multiset of so many cards, faces in order, `left` being what there is of each."""
    if count == 0:
        yield ()
        return
    for index in range(start, len(faces)):
        face = faces[index]
        if left[face] > 0:
            left[face] -= 1
            for rest in multisets(count - 1, faces, left, index):
                yield (face, *rest)
            left[face] += 1


def fills(sizes: Sequence[int], faces: Sequence[Card], left: Counter[Card]) -> Iterator[Fill]:
    """Give every way to fill the groups."""
    if not sizes:
        yield ()
        return
    for first in multisets(sizes[0], faces, left):
        # multisets() holds its picks out of `left` while it is suspended here
        for rest in fills(sizes[1:], faces, left):
            yield (first, *rest)


Outcome = TypeVar("Outcome", bound=Hashable)


def reached(
    groups: Sequence[Sequence[Card | None]],
    unseen: Counter[Card],
    classify: Callable[[list[list[Card]]], Iterable[Outcome]],
    everything: Collection[Outcome] = (),
) -> set[Outcome] | None:
    """Give all outcomes that the groups of cards may have, None with too many ways.

    `classify` takes the groups with every card known, the known ones first, and gives what these
    cards may come to; once `everything` there can be is reached, no more is tried.
    """
    if not unread_of(groups):
        return set(classify([[card for card in group if card is not None] for group in groups]))
    return _reached(
        tuple(tuple(group) for group in groups),
        tuple(sorted(unseen.items())),
        classify,
        frozenset(everything),
    )


@lru_cache(maxsize=64)
def _reached(
    groups: tuple[tuple[Card | None, ...], ...],
    unseen: tuple[tuple[Card, int], ...],
    classify: Callable[[list[list[Card]]], Iterable[Outcome]],
    everything: frozenset[Outcome],
) -> set[Outcome] | None:
    """Try every way; wagers of one spot that rest on the same cards share the answer."""
    if not can_be_tried(groups, Counter(dict(unseen))):
        return None
    found: set[Outcome] = set()
    for filled in completions(groups, Counter(dict(unseen))):
        found.update(classify(filled))
        if len(found) == len(everything):
            break
    return found


def unread_of(groups: Sequence[Sequence[Card | None]]) -> int:
    """Count the cards not read."""
    return sum(card is None for group in groups for card in group)


def can_be_tried(groups: Sequence[Sequence[Card | None]], unseen: Counter[Card]) -> bool:
    """Tell whether there are ways at all, and not too many.

    There are none where a shoe gave out more cards than it was loaded with.
    """
    return 0 < ways_to_fill(unread_of(groups), unseen) <= WAYS_MAX


def completions(
    groups: Sequence[Sequence[Card | None]], unseen: Counter[Card]
) -> Iterator[list[list[Card]]]:
    """Give the groups with every card known, in every way; the known ones of a group first."""
    known = [[card for card in group if card is not None] for group in groups]
    sizes = [len(group) - len(read) for group, read in zip(groups, known, strict=True)]
    faces = sorted(face for face in unseen if unseen[face] > 0)
    for fill in fills(sizes, faces, Counter(unseen)):
        yield [read + list(new) for read, new in zip(known, fill, strict=True)]


def between(cents: Iterable[int] | None, clause: str, readings: str = "") -> Due:
    """Make a due that lies between the least and the most of these amounts.

    ambiguous: what no integer of the contract holds cannot be stated, and is not known.
    """
    amounts = [] if cents is None else list(cents)
    if not amounts or None in (stated(min(amounts)), stated(max(amounts))):
        return Due(None, None, clause, readings)
    return Due(min(amounts), max(amounts), clause, readings)
