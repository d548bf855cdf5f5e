"""Sealing by hand: what `pitproof seal` asks."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING, Any, Final

import msgspec

from services.queries.query import About, Query

if TYPE_CHECKING:
    from services.history.sealed.seal import Sealed
    from services.history.store import History

VERSION: Final = 1
SECONDS_MAX: Final = 3_600.0
"""A history of years that was never sealed."""


class SealAsked(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Up to which gaming day; else all that are over."""

    until: date | None = None


def sealed_of(history: History, asked: SealAsked, about: About) -> dict[str, Any]:
    """The object that `pitproof seal` prints.

    In a service this reads one snapshot through a cursor, so that following the topic goes on.

    Raises:
        PitproofError: the day is not over, or the sealed days cannot be added to.
    """
    from services.sealing import seal_all, sealed_folder

    done = [_object(each) for each in seal_all(history, about.settings, until=asked.until)]
    return {
        "version": VERSION,
        "folder": str(sealed_folder(history.path, about.settings).path),
        "sealed": done,
    }


def entered(history: History, about: About) -> int:
    """Enter in the history what was sealed: else nobody would miss it by then."""
    from services.history.sealed.anchors import catch_up
    from services.sealing import sealed_folder

    return catch_up(history, sealed_folder(history.path, about.settings).chain())


def _object(sealed: Sealed) -> dict[str, Any]:
    manifest = sealed.manifest
    return {
        "manifest": manifest.number,
        "gaming_day": manifest.gaming_day.isoformat(),
        "amends": manifest.amends,
        "tables": len({each.table_id for each in manifest.tables}),
        "events": manifest.events,
        "finding_changes": manifest.finding_changes,
        "digest": sealed.link.digest,
    }


def _told(result: dict[str, Any]) -> list[bytes]:
    return [json.dumps(result, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"]


SEAL: Final = Query(
    name="seal",
    takes=SealAsked,
    gives=lambda: dict[str, Any],
    run=sealed_of,
    told=_told,
    seconds_max=SECONDS_MAX,
    afterwards=entered,
)
