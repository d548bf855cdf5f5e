"""Which parts of a table's stream lie between two counts: a line a stream, a letter an event."""

import pytest

from services.statistics.trays import (
    CLOSED,
    CLOSING,
    OPENED,
    OPENING,
    Mark,
    Opening,
    is_known,
    openings_of,
)

LETTERS = {"T": OPENED, "x": CLOSED, "o": OPENING, "c": CLOSING}


def told(stream: str) -> tuple[list[Opening], list[int]]:
    """Openings of a stream in which `.` is a round, and where its rounds lie."""
    marks = [
        Mark(kind=LETTERS[letter], seq=seq, at_micros=seq, amount_cents=seq)
        for seq, letter in enumerate(stream, 1)
        if letter != "."
    ]
    rounds = [seq for seq, letter in enumerate(stream, 1) if letter == "."]
    return openings_of("DD-07", marks), rounds


def trays(stream: str) -> list[str]:
    """Of each opening: its trays by the numbers of both counts, and whether all is known."""
    openings, rounds = told(stream)
    starts = sorted(part.from_seq for one in openings for part in one.parts)
    found = []
    for one in openings:
        in_parts = []
        for part in one.parts:
            ends = [start for start in starts if start > part.from_seq]
            end = ends[0] if ends else len(stream) + 1
            in_parts.append(sum(part.from_seq < seq < end for seq in rounds))
        spans = [f"{span.opening.seq}-{span.closing.seq}" for span in one.spans if span.closing]
        found.append(" ".join([*spans, "known" if is_known(one, in_parts) else "unknown"]))
    return found


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        ("To..cx", ["2-5 known"]),
        ("To..c", ["2-5 known"]),
        ("To..xc", ["2-6 known"]),  # counted once it was closed
        ("Tocx", ["2-3 known"]),  # nothing was played
        ("To..x", ["unknown"]),  # not counted at the end
        ("T..cx", ["unknown"]),  # nor at the beginning
        ("T..x", ["unknown"]),
        ("T", ["unknown"]),
        ("T.o.c", ["3-5 unknown"]),  # a round before the count
        ("To.c.", ["2-4 unknown"]),  # and one after it
        ("To.c.c", ["2-6 known"]),  # counted once more: the last one counts
        ("Too.c", ["3-5 known"]),  # the same at the beginning
        ("To.o.c", ["4-6 unknown"]),  # but not with a round in between
        ("To.co.c", ["2-4 5-7 known"]),  # counted at the change of shifts
        ("To.co..", ["2-4 unknown"]),
        ("To.cxTo.cx", ["2-4 known", "7-9 known"]),
        ("To.cx.To.cx", ["2-4 unknown", "8-10 known"]),
        ("oT.c", ["1-4 known"]),  # counted before it was opened
        ("To.cxoT.cx", ["2-4 known", "6-9 known"]),
        ("To.cxT.cx", ["2-4 known", "unknown"]),  # yesterday's closing count is none of today
        ("To.T.c", ["unknown", "unknown"]),
        ("o.c", []),  # never opened
        ("To.cxoc", ["2-4 known"]),  # a count for an opening that has not come
    ],
)
def test_trays(stream: str, expected: list[str]) -> None:
    assert trays(stream) == expected


def test_whether_it_is_still_open() -> None:
    first, last = told("To.xTo.")[0]
    assert (first.is_closed, first.is_last) == (True, False)
    assert (last.is_closed, last.is_last) == (False, True)
