"""Alerts that are open, clearing one, and trying the ways to receivers: what `alerts` asks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import msgspec

from services.queries.query import About, Query

if TYPE_CHECKING:
    from services.history.store import History

VERSION: Final = 1

TEST_SECONDS_MAX: Final = 300.0
"""A receiver that hangs takes twenty seconds, and there may be several."""


class AlertsAsked(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Those of one table, or of all; the ones that ended, too."""

    table: str | None = None
    all: bool = False


class ClearAsked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which alert, who clears it, and why."""

    id: str
    by: str
    why: str


class TestAsked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Every receiver that is set."""

    __test__ = False  # pytest takes it for one of its own


def alerts_shown(history: History, asked: AlertsAsked, about: About) -> dict[str, Any]:
    """The object that `pitproof alerts` prints: critical ones first, then by table and place.

    Raises:
        BadArgumentError: the history has no such table.
    """
    from services.alerts.told import Teller
    from services.held import check_table
    from services.history.alerts import alerts_of, clearings_of

    if asked.table is not None:
        check_table(history, asked.table)
    teller = Teller(about.settings)
    told = [
        teller.told(alert)
        for alert in alerts_of(history, table_id=asked.table, open_only=not asked.all)
    ]
    if asked.all:
        told += [teller.told_cleared(one) for one in clearings_of(history, table_id=asked.table)]
    told.sort(key=lambda one: (one["status"] != "open", one["severity"] != "critical"))
    return {"version": VERSION, "alerts": told}


def cleared(history: History, asked: ClearAsked, about: About) -> dict[str, Any]:
    """The object that `pitproof alerts clear` prints.

    Raises:
        PitproofError: no such alert is open, or nobody is named.
    """
    from services.alerts.clearing import clear_alert
    from services.alerts.told import Teller

    told = clear_alert(history, Teller(about.settings), asked.id, by=asked.by, why=asked.why)
    return {"version": VERSION, "cleared": told}


def tested(_: History, __: TestAsked, about: About) -> dict[str, Any]:
    """The object that `pitproof alerts test` prints: what every receiver answered.

    Raises:
        BadSettingError: no receiver is set, or one that cannot be.
    """
    from services.alerts.channels import channel_of
    from services.alerts.receivers import receivers_of
    from services.errors import BadSettingError

    receivers = receivers_of(about.settings)
    if not receivers:
        raise BadSettingError(
            "no receiver is set",
            next_step="name some in pitproof.toml, in the tables [webhooks] and [alertmanagers], "
            "or by PITPROOF_WEBHOOKS and PITPROOF_ALERTMANAGERS as NAME=URL",
        )
    found = []
    for receiver in receivers:
        answer = channel_of(receiver, about.settings.runbook_url).test()
        found.append(
            {
                "name": receiver.name,
                "kind": receiver.kind.value,
                "url": receiver.url,
                "ok": answer.is_good,
                "answer": answer.words,
                "seconds": round(answer.seconds, 3),
            }
        )
    return {"version": VERSION, "receivers": found}


def _told(result: dict[str, Any]) -> list[bytes]:
    return [json.dumps(result, ensure_ascii=False).encode() + b"\n"]


ALERTS: Final = Query(
    name="alerts",
    takes=AlertsAsked,
    gives=lambda: dict[str, Any],
    run=alerts_shown,
    told=_told,
)
CLEAR: Final = Query(
    name="alerts/clear",
    takes=ClearAsked,
    gives=lambda: dict[str, Any],
    run=cleared,
    told=_told,
    writes=True,
)
TEST: Final = Query(
    name="alerts/test",
    takes=TestAsked,
    gives=lambda: dict[str, Any],
    run=tested,
    told=_told,
    seconds_max=TEST_SECONDS_MAX,
)
