"""Every code has its kind of cause, and a cause names what its findings have in common."""

from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from replay.findings import FindingCode, Severity
from services.alerts.alert import Alert
from services.alerts.causes import CODES, Direction, Kind, kind_of
from services.alerts.grouping import Cause, Found, alert_id_of, cause_of
from services.alerts.wording import headline

AT = datetime(2026, 4, 19, 3, 14, tzinfo=UTC)


def found(code: str, due: int | None, paid: int | None) -> Found:
    return Found(
        *("f" * 32, code, "critical", "DD-04", 7, "DD-04-1", "BIG_8", "DAKOTA_DUEL_DRAW", "D-7"),
        *(date(2026, 4, 18), due, paid, 3, 5, (1,)),
    )


def test_every_code_has_one_kind() -> None:
    listed = [code for codes in CODES.values() for code in codes]
    assert len(listed) == len(set(listed))
    assert {kind_of(code) for code in FindingCode} == set(Kind)


@pytest.mark.parametrize(
    ("code", "due", "paid", "cause"),
    [
        # code                   due    paid    wager    direction          dealer  gap
        ("OVERPAID", -1000, 2000, ("payout", "BIG_8", Direction.OVER, "D-7", None)),
        ("UNDERPAID", 500, 0, ("payout", "BIG_8", Direction.UNDER, "D-7", None)),
        ("WAGER_UNSETTLED", 500, None, ("payout", "BIG_8", Direction.UNDER, "D-7", None)),
        ("WAGER_UNSETTLED", -500, None, ("payout", "BIG_8", Direction.OVER, "D-7", None)),
        ("MISDEAL_NOT_CALLED", None, 5, ("payout", "BIG_8", Direction.NONE, "D-7", None)),
        ("WAGER_LATE", None, None, ("procedure", "BIG_8", Direction.NONE, "D-7", None)),
        ("PAYTABLE_UNKNOWN", None, None, ("paytable", "BIG_8", Direction.NONE, None, None)),
        ("DUPLICATE_CARD", None, None, ("deck", None, Direction.NONE, None, None)),
        ("SEQUENCE_GAP", None, None, ("gap", None, Direction.NONE, None, 3)),
    ],
)
def test_what_findings_of_an_alert_have_in_common(
    code: str, due: int | None, paid: int | None, cause: tuple[Any, ...]
) -> None:
    kind, wager, direction, dealer, gap = cause
    same = cause_of(found(code, due, paid), is_explained=False)
    assert same == Cause(
        str(kind), code, "DD-04", "DAKOTA_DUEL_DRAW", wager, str(direction), dealer, gap
    )
    assert Cause.of_key(same.key) == same


def test_a_pay_that_a_paytable_explains_is_of_its_cause() -> None:
    cause = cause_of(found("OVERPAID", -1000, 2000), is_explained=True)
    assert cause[:5] == ("paytable", "PAYTABLE_MISMATCH", "DD-04", "DAKOTA_DUEL_DRAW", "BIG_8")


def test_an_id_is_that_of_the_cause_and_what_was_cleared() -> None:
    key = cause_of(found("OVERPAID", 0, 1), is_explained=False).key
    assert alert_id_of(key, None) == alert_id_of(key, None)
    assert len({alert_id_of(key, None), alert_id_of(key, "a"), alert_id_of(key, "b")}) == 3


def alert(**more: object) -> Alert:
    values = {
        "alert_id": "0" * 12,
        "follows": None,
        "kind": Kind.PAYTABLE,
        "code": FindingCode.PAYTABLE_MISMATCH,
        "table_id": "DD-04",
        "game": "DAKOTA_DUEL_DRAW",
        "wager": "BIG_8",
        "direction": Direction.NONE,
        "dealer_id": None,
        "findings": 38,
        "rounds": 37,
        "over_cents": 1_240_00,
        "under_cents": 0,
        "is_grave": False,
        "first_seq": 1,
        "first_round": "1",
        "first_at": AT,
        "last_seq": 9,
        "last_round": "9",
        "last_at": AT,
    }
    return Alert(**(values | more))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (
            {"paid_from": ("3",)},
            "table DD-04 pays big 8 from paytable 3 since 21:14, 37 rounds, $1,240.00 too much",
        ),
        (
            {"kind": Kind.GAP, "code": FindingCode.SEQUENCE_GAP, "rounds": 0, "over_cents": 0}
            | {"first_missing_seq": 354, "last_missing_seq": 355},
            "table DD-04: events 354 and 355 are missing since 21:14",
        ),
        (
            {"kind": Kind.DECK, "code": FindingCode.DUPLICATE_CARD, "wager": None, "rounds": 1}
            | {"findings": 1, "over_cents": 0},
            "table DD-04: a card too many since 21:14, 1 round: contact the executive secretary "
            "of the commission at once: this is a duty",
        ),
        (
            {"kind": Kind.PAYOUT, "code": FindingCode.UNDERPAID, "dealer_id": "D-1\x1b[2J"}
            | {"over_cents": 0, "under_cents": 5_00, "first_at": AT.replace(day=17)},
            "table DD-04 pays big 8 too little since 21:14 on 16 April 2026, dealer "
            "D-1\\x1b[2J, 37 rounds, $5.00 too little",
        ),
    ],
)
def test_in_words(more: dict[str, object], words: str) -> None:
    assert headline(alert(**more), ZoneInfo("America/Denver")) == words


@pytest.mark.parametrize(
    ("more", "cents", "severity"),
    [
        ({}, 0, Severity.CRITICAL),
        ({"kind": Kind.PAYOUT, "code": FindingCode.OVERPAID}, 1_240_00, Severity.CRITICAL),
        ({"kind": Kind.PAYOUT, "code": FindingCode.OVERPAID}, 1_240_01, Severity.WARNING),
        ({"kind": Kind.PAYOUT, "code": FindingCode.OVERPAID}, 0, Severity.WARNING),
        ({"kind": Kind.GAP, "code": FindingCode.SEQUENCE_GAP, "is_grave": True}, 0, "critical"),
        ({"kind": Kind.DECK, "code": FindingCode.DECK_ORDER_REPEATED}, 0, Severity.CRITICAL),
        ({"kind": Kind.DECK, "code": FindingCode.DECKS_WRONG}, 0, Severity.WARNING),
    ],
)
def test_severity(more: dict[str, object], cents: int, severity: str) -> None:
    assert alert(**more).severity(cents) == severity
