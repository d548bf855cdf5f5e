"""What there is to say about an opening of a table: what is not known of it, and why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from replay.words import money
from services.report.words import count
from services.statistics.flows import Flow, Played
from services.statistics.model import Note, NoteCode

GAPS_TOLD_MAX: Final = 10


def notes_of(one: Played) -> list[Note]:
    """All of them, in the order of their codes."""
    opening = one.opening
    said = dict([*_of_counts(one), *_of_rounds(one)])
    return [
        Note(
            code=code,
            gaming_day=opening.mark.gaming_day,
            table_id=opening.table_id,
            opened_seq=opening.mark.seq,
            message=said[code],
        )
        for code in NoteCode
        if code in said
    ]


def _of_counts(one: Played) -> Iterator[tuple[NoteCode, str]]:
    opening = one.opening
    unknown = "the win by the count is not known"
    if not opening.was_counted:
        yield NoteCode.NO_OPENING_COUNT, f"its tray was never counted to begin with: {unknown}"
        return
    if not opening.spans:
        if opening.is_last and not opening.is_closed:
            yield NoteCode.STILL_OPEN, f"still open, its tray not counted again yet: {unknown}"
        else:
            yield NoteCode.NO_CLOSING_COUNT, f"its tray was not counted at the end: {unknown}"
        return
    outside = Flow()
    for part in one.parts:
        if not part.is_counted:
            outside.add(part.flow())
    if outside.rounds:
        played = "was" if outside.rounds == 1 else "were"
        rounds = count(outside.rounds, "round")
        yield (
            NoteCode.PLAYED_UNCOUNTED,
            f"{rounds} {played} played outside of the counts of its tray: {unknown}",
        )
        return
    named = (
        ("buy-ins", outside.drop_cents),
        ("fills", outside.fills_cents),
        ("credits", outside.credits_cents),
    )
    moved = [f"{name} {money(cents)}" for name, cents in named if cents]
    if moved:
        listed = ", ".join(moved)
        yield (
            NoteCode.MOVED_UNCOUNTED,
            f"moved outside of the counts of its tray, and not in the win by the count: {listed}",
        )


def _of_rounds(one: Played) -> Iterator[tuple[NoteCode, str]]:
    gaps = [gap for part in one.parts for gap in part.gaps]
    if gaps:
        told = ", ".join(_gap(*gap) for gap in gaps[:GAPS_TOLD_MAX])
        rest = f" and {len(gaps) - GAPS_TOLD_MAX:,} more" if len(gaps) > GAPS_TOLD_MAX else ""
        yield (
            NoteCode.EVENTS_MISSING,
            f"{told}{rest} missing: chips moved and rounds may be missing with them",
        )
    whole = Flow()
    for part in one.parts:
        whole.add(part.flow())
    fates = (
        (whole.held, "held for a gap"),
        (whole.not_settled, "not settled again"),
        (whole.still_open, "still open"),
    )
    told_fates = [f"{number:,} {fate}" for number, fate in fates if number]
    if told_fates:
        rounds = count(whole.held + whole.not_settled + whole.still_open, "round")
        yield (
            NoteCode.ROUNDS_NOT_JUDGED,
            f"{rounds} not judged ({', '.join(told_fates)}): in the win by the rounds as recorded",
        )
    if whole.outside_day:
        rounds = count(whole.outside_day, "round")
        yield (
            NoteCode.OUTSIDE_DAY,
            f"{rounds} began outside of the hours of the gaming day: they go with its first or "
            "last shift",
        )


def _gap(first: int, last: int) -> str:
    return f"event {first}" if first == last else f"events {first} to {last}"
