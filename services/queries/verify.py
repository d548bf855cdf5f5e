"""Whether a history is whole, with the digests of its events and findings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import msgspec

from services.queries.query import About, Query

if TYPE_CHECKING:
    from services.history.store import History

SECONDS_MAX: Final = 3_600.0
"""Every event is read again: minutes for a year of a casino floor."""


class VerifyAsked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of the history: nothing to say."""


def verification(history: History, _: VerifyAsked, about: About) -> dict[str, Any]:
    """The object that `pitproof verify` prints.

    In a service a process of its own finds it out, of one snapshot, so that following the topic
    goes on: what comes in meanwhile is not in it.
    """
    from services.history.reader import HistoryReader
    from services.history.verifying import verify_in_use
    from services.history.whole import verify
    from services.sealing import sealed_folder

    folder = sealed_folder(history.path, about.settings)
    if isinstance(history, HistoryReader):
        return verify_in_use(history, folder)
    return verify(history, folder)


def verify_json(result: Mapping[str, Any]) -> list[bytes]:
    """The object on a line."""
    return [json.dumps(result, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"]


VERIFY: Final = Query(
    name="verify",
    takes=VerifyAsked,
    gives=lambda: dict[str, Any],
    run=verification,
    told=verify_json,
    seconds_max=SECONDS_MAX,
)
