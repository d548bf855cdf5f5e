"""Dead letters put through decoding again: what `pitproof redrive` asks."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import msgspec

from services.queries.query import About, Query

if TYPE_CHECKING:
    from services.history.store import History

VERSION: Final = 1
SECONDS_MAX: Final = 3_600.0
"""There may be millions of letters."""


class RedriveAsked(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Those whose error holds a text, or of one source; counted only in a dry run."""

    error: str | None = None
    source: str | None = None
    dry_run: bool = False
    schema_registry: str | None = None


def redriven(history: History, asked: RedriveAsked, about: About) -> dict[str, Any]:
    """The object that `pitproof redrive` prints.

    Raises:
        PitproofError: a registry is needed and does not answer, or the history was made with other
            house ways.
    """
    from services.live.redrive import redrive
    from services.rounds import rulebook_of

    done = redrive(
        history,
        rulebook_of(history, about.settings.house_ways),
        about.settings,
        error=asked.error,
        source=asked.source,
        registry_url=asked.schema_registry or "",
        registry_secret=os.environ.get("PITPROOF_REGISTRY_SECRET", ""),
        dry_run=asked.dry_run,
    )
    return {"version": VERSION, "dry_run": asked.dry_run, **asdict(done)}


def _told(result: dict[str, Any]) -> list[bytes]:
    return [json.dumps(result, ensure_ascii=False).encode() + b"\n"]


REDRIVE: Final = Query(
    name="redrive",
    takes=RedriveAsked,
    gives=lambda: dict[str, Any],
    run=redriven,
    told=_told,
    writes=True,
    seconds_max=SECONDS_MAX,
)
