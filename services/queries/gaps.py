"""Gaps that hold rounds, and their release: what `pitproof gaps` asks."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import msgspec

from services.queries.query import About, Query

if TYPE_CHECKING:
    from services.gaps import OpenGap
    from services.history.store import History

VERSION: Final = 1


class GapsAsked(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Those of one table, or of all."""

    table: str | None = None


class ReleaseAsked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which gap (a table, and a number that is missing there), who releases it, and why."""

    table: str
    seq: int
    by: str
    why: str


def gaps_of(history: History, asked: GapsAsked, _: About) -> dict[str, Any]:
    """The object that `pitproof gaps` prints: gaps that hold rounds.

    Raises:
        BadArgumentError: the history has no such table.
    """
    from services.gaps import open_gaps
    from services.held import check_table

    if asked.table is not None:
        check_table(history, asked.table)
    gaps = [gap for gap in open_gaps(history, asked.table) if gap.rounds]
    return {"version": VERSION, "gaps": [_object(gap) for gap in gaps]}


def released(history: History, asked: ReleaseAsked, about: About) -> dict[str, Any]:
    """The object that `pitproof gaps release` prints.

    Raises:
        PitproofError: no gap is there that is open, nobody is named, or the history was made with
            other house ways.
    """
    from services.gaps import release_gap
    from services.held import check_table
    from services.rounds import rulebook_of

    check_table(history, asked.table, "TABLE")
    rulebook = rulebook_of(history, about.settings.house_ways)
    by, why = asked.by.strip(), asked.why.strip()
    gap = release_gap(history, rulebook, asked.table, asked.seq, by=by, why=why)
    return {"version": VERSION, "released": {**_object(gap), "by": by, "why": why}}


def _object(gap: OpenGap) -> dict[str, Any]:
    return {**asdict(gap), "rounds": list(gap.rounds)}


def _told(result: dict[str, Any]) -> list[bytes]:
    return [json.dumps(result, ensure_ascii=False).encode() + b"\n"]


GAPS: Final = Query(
    name="gaps", takes=GapsAsked, gives=lambda: dict[str, Any], run=gaps_of, told=_told
)
RELEASE: Final = Query(
    name="gaps/release",
    takes=ReleaseAsked,
    gives=lambda: dict[str, Any],
    run=released,
    told=_told,
    writes=True,
)
