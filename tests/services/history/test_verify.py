"""Digests depend on contents alone, and `verify` notices whatever was changed behind our back."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from services.decode.batch import DeadLetter
from services.history.digests import events_digest, findings_digest
from services.history.store import History
from services.history.whole import verify
from tests.services.history.build import Event, append, evening, wager
from tests.services.history.test_verdicts import finding, judge

CONFLICT = wager("A", 3, "other", 700, name="conflict")


def digest_of(*transactions: list[Event], batch: int = 1000, threads: int = 2) -> str:
    with History.open(threads=threads) as history:
        for events in transactions:
            append(history, *[events[at : at + batch] for at in range(0, len(events), batch)])
        return events_digest(history)


def test_the_events_digest_depends_on_contents_alone() -> None:
    events = evening("A", 20) + evening("B", 20)
    shuffled = random.Random(3).sample(events, len(events))
    whole = digest_of(events)
    assert digest_of(events, batch=7) == whole
    assert digest_of(shuffled, threads=1) == whole
    assert digest_of(shuffled[40:], shuffled[:50], shuffled) == whole
    assert digest_of(events[:-1]) != whole
    assert digest_of([*events[:-1], events[-1] | {"note": "x"}]) != whole


def test_the_events_digest_tells_which_conflicting_content_came_first() -> None:
    events = evening("A", 3)
    assert digest_of([CONFLICT, *events]) != digest_of([*events, CONFLICT])
    elsewhere = events[2] | {"seq": 99}  # the same id at another place
    assert digest_of([elsewhere, *events]) != digest_of([*events, elsewhere])
    assert digest_of([*events, elsewhere]) == digest_of(events[:3], [elsewhere, *events])


def test_the_events_digest_is_the_same_for_ever() -> None:
    with History.open() as history:
        append(history, [*evening("A", 2), CONFLICT])
        assert events_digest(history) == EVENTS_DIGEST
        judge(history, [finding(1, "A", 2, event_nos=(2, 3), readings=("ALL-PUSH",))])
        assert findings_digest(history) == FINDINGS_DIGEST


def test_the_message_is_not_in_the_findings_digest() -> None:
    digests = set()
    for message in ("overpaid", "paid too much"):
        with History.open() as history:
            append(history, evening("A", 2))
            judge(history, [finding(1, "A", 2, event_nos=(2,), message=message)])
            digests.add(findings_digest(history))
    assert len(digests) == 1


@pytest.mark.parametrize(
    ("change", "what", "message"),
    [
        ("UPDATE events SET amount_cents = 501 WHERE event_no = 3", "event", "its content"),
        ("UPDATE events SET card_code = 7 WHERE event_no = 4", "event", "its content"),
        ("UPDATE events SET spot = 7 WHERE event_no = 2", "event", "its content"),
        ("UPDATE events SET digest = uuid() WHERE event_no = 3", "event", "its content"),
        ("DELETE FROM events WHERE event_no = 4", "journal", "events were removed"),
        (
            "INSERT INTO events SELECT * REPLACE (100 AS event_no) FROM events WHERE event_no = 4",
            "journal",
            "the same event twice",
        ),
        ("UPDATE events SET standing = false WHERE event_no = 4", "journal", "whether it stands"),
        ("UPDATE events SET standing = true", "journal", "whether it stands"),
        ("UPDATE events SET event_no = 5 WHERE event_no = 4", "journal", "the same number"),
        ("UPDATE events SET transaction_no = 9 WHERE event_no = 4", "journal", "not recorded"),
        ("DELETE FROM dead_letters", "journal", "dead letters were removed"),
        ("UPDATE dead_letters SET bytes = 'x'::BLOB", "journal", "the bytes"),
        ("UPDATE rounds SET staked_cents = 1 WHERE opened_seq = 2", "journal", "the round's"),
        ("DELETE FROM rounds WHERE opened_seq = 2", "journal", "rounds were removed"),
        ("UPDATE findings SET actual_cents = 5", "finding", "not the one"),
        ("UPDATE findings SET gaming_day = '2026-03-09'", "finding", "not the one"),
        ("DELETE FROM findings", "finding", "findings were removed"),
        ("UPDATE findings SET event_nos = [999]", "finding", "not the one"),
        ("UPDATE findings SET event_nos = [999]", "finding", "not in the history"),
        ("UPDATE finding_changes SET actual_cents = 5", "journal", "the change of a finding"),
        ("UPDATE finding_changes SET change = 'WITHDRAWN'", "journal", "the change of a finding"),
        ("UPDATE finding_changes SET change = 'WITHDRAWN'", "finding", "the journal of its"),
        ("DELETE FROM finding_changes", "journal", "changes of findings were removed"),
        ("DELETE FROM findings", "finding", "the journal of its changes"),
        ("UPDATE table_openings SET minimum_cents = 1", "journal", "repeated of it in table_o"),
        ("DELETE FROM round_openings WHERE seq = 2", "journal", "repeated of it in round_o"),
        (
            "INSERT INTO corrections SELECT event_no, transaction_no, standing, 'CardCorrected', "
            "table_id, seq, round_id, occurred_at, card_code, outcome, paid_cents, event_id, "
            "NULL, NULL, NULL FROM events WHERE event_no = 4",
            "journal",
            "repeated of it in corrections",
        ),
    ],
)
def test_a_change_behind_our_back_is_noticed(
    tmp_path: Path, change: str, what: str, message: str
) -> None:
    path = tmp_path / "h.db"
    with History.open(path) as history:
        dead = [DeadLetter("a.jsonl", 7, "no JSON", b"{")]
        append(history, [*evening("A", 2), CONFLICT], dead=dead)
        judge(history, [finding(1, "A", 2, event_nos=(2,))])
        result = verify(history)
        assert (result["ok"], result["problems"]) == (True, [])
        assert (result["events"], result["findings"]) == (14, 1)
        history.run(change)
    with History.open(path, create=False) as history:
        result = verify(history)
        assert not result["ok"]
        found = {(problem["what"], problem["message"]) for problem in result["problems"]}
        assert any(kind == what and message in text for kind, text in found), found
        assert all(problem["where"] for problem in result["problems"])


EVENTS_DIGEST = "7033434533d1ac1cb842464b8eef85d833101e5643d1d36c50bd7c6a3c8ad8f9"
FINDINGS_DIGEST = "3456025d178a75375c228e9b803afa7f9975098e6dd5d159e5f6413e9ee9dbbe"
