"""What a webhook is told, and when: new, grown, become critical, ended; signed, and once."""

import hmac
import threading
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import pytest

from services.alerts.clearing import clear_alert
from services.alerts.told import FIELDS, Teller
from services.history.alert_outbox import AlertOutbox, Waiting
from services.history.store import History
from services.settings import Settings
from tests.services.alerts.receiving import Receiving, wait_until
from tests.services.alerts.scene import SECRET, find, found, table, telling, webhook

TELLER = Teller(Settings(timezone="UTC"))


def test_one_alert_a_cause(history: History, at: Receiving) -> None:
    find(history, found(2), found(4), found(6), found(3))
    with telling(history, webhook(at)):
        told = at.await_taken(2)
    assert sorted((one["dealer_id"], one["count"], one["over_cents"]) for one in told) == [
        ("D-0", 3, 30_00),
        ("D-1", 1, 10_00),
    ]
    [grouped] = [one for one in told if one["count"] == 3]
    assert list(grouped) == ["version", *FIELDS]
    assert grouped["message"] == (
        "table A pays big 8 too much since 20:15, dealer D-0, 3 rounds, $30.00 too much"
    )
    assert (grouped["first_round"], grouped["last_round"]) == ("A-1-2", "A-1-6")


def test_who_has_the_secret_knows_who_sent_it(history: History, at: Receiving) -> None:
    find(history, found(2))
    with telling(history, webhook(at)):
        at.await_taken(1)
    [got] = at.requests
    sent_at = got.headers["Pitproof-Time"]
    assert abs(int(sent_at) - time.time()) < 60
    signed = hmac.new(SECRET.encode(), sent_at.encode() + b"." + got.body, sha256).hexdigest()
    assert got.headers["Pitproof-Signature"] == f"sha256={signed}"
    assert SECRET not in str(got.headers)


def test_growing_is_told_and_lowering_is_not(history: History, at: Receiving) -> None:
    with telling(history, webhook(at)):
        for rounds, told in (((2,), 1), ((2, 4), 2), ((2,), 2), ((2, 4), 2), ((2, 4, 6), 3)):
            find(history, *map(found, rounds))
            at.await_taken(told)
            time.sleep(0.2)
    assert [count for _, count, _ in at.told] == [1, 2, 3]
    assert len({alert_id for alert_id, _, _ in at.told}) == 1


def test_becoming_critical_is_told(history: History, at: Receiving) -> None:
    with telling(history, webhook(at), alert_critical_cents=50_00):
        find(history, found(2))
        at.await_taken(1)
        find(history, found(2, cents=50_00))
        at.await_taken(2)
    assert [(one["severity"], one["over_cents"]) for one in at.taken] == [
        ("warning", 10_00),
        ("critical", 50_00),
    ]


def test_withdrawn_findings_end_it_and_say_so(history: History, at: Receiving) -> None:
    with telling(history, webhook(at)):
        find(history, found(2), found(4))
        at.await_taken(1)
        find(history)
        at.await_taken(2)
    assert [(count, status) for _, count, status in at.told] == [(2, "open"), (0, "withdrawn")]
    assert "late events took back the last of its findings" in at.taken[1]["message"]


def test_clearing_ends_it_and_a_new_round_opens_another(history: History, at: Receiving) -> None:
    with telling(history, webhook(at)):
        find(history, found(2), found(4))
        [first] = at.await_taken(1)
        clear_alert(history, TELLER, first["id"], by="R. Ames", why="dealer retrained")
        cleared = at.await_taken(2)[1]
        find(history, found(2), found(4), found(6))
        again = at.await_taken(3)[2]
    assert (cleared["id"], cleared["status"], cleared["count"]) == (first["id"], "cleared", 0)
    assert cleared["cleared"]["by"] == "R. Ames"
    assert cleared["cleared"]["count"] == 2
    assert (again["status"], again["count"], again["first_round"]) == ("open", 1, "A-1-6")
    assert again["follows"] == first["id"] != again["id"]


def test_a_wrong_paytable_takes_its_rounds_along(history: History, at: Receiving) -> None:
    pays = [found(2), found(3), found(4)]
    named = {"event_nos": (pays[0].seq, pays[2].seq), "round_id": None}
    with telling(history, webhook(at)):
        find(history, pays[0])
        [first] = at.await_taken(1)
        find(history, *pays, found(2, "PAYTABLE_MISMATCH", None, **named))
        told = at.await_taken(4)[1:]
    by_status = {(one["status"], one["cause"]): one for one in told}
    wrong, ended = by_status["open", "paytable"], by_status["joined", "payout"]
    assert (wrong["count"], wrong["rounds"], wrong["over_cents"]) == (3, 2, 20_00)
    assert (ended["id"], ended["joined"]) == (first["id"], wrong["id"])
    assert f"its rounds are those of alert {wrong['id']}" in ended["message"]
    assert by_status["open", "payout"]["first_round"] == "A-1-3", "the paytable explains not all"


def test_a_receiver_that_was_away_is_told_once(history: History, at: Receiving) -> None:
    at.answer = lambda said: 503
    with telling(history, webhook(at)) as (state, metrics):
        for rounds in ((2,), (2, 4), (2, 4, 6)):
            find(history, *map(found, rounds))
            tried = len(at.requests)
            wait_until(lambda: len(at.requests) > tried, "it is tried again")  # noqa: B023
        assert at.taken == []
        [problem] = state.snapshot().problems
        assert (problem.code, problem.is_stopping) == ("alerts_undelivered", False)
        assert "503" in problem.message
        name = {"receiver": "pager"}
        assert metrics.registry.get_sample_value("pitproof_alerts_waiting", name) == 1
        at.answer = lambda said: 200
        at.await_taken(1)
        wait_until(lambda: state.snapshot().problems == (), "all is well")
        assert metrics.registry.get_sample_value("pitproof_alerts_waiting", name) == 0
    assert [count for _, count, _ in at.told] == [3]


def test_nothing_is_lost_or_told_twice_over_restarts(at: Receiving, tmp_path: Path) -> None:
    path = tmp_path / "kept.db"
    with table(path) as history:
        find(history, found(2))
        with telling(history, webhook(at)):
            at.await_taken(1)
    with table(path) as history:
        find(history, found(2), found(4), found(3))  # nobody is told
    with table(path) as history, telling(history, webhook(at)):
        at.await_taken(3)
        time.sleep(0.2)
    assert sorted(count for _, count, _ in at.told) == [1, 1, 2]
    assert at.twice() == []


def test_one_that_is_refused_holds_up_no_other(history: History, at: Receiving) -> None:
    at.answer = lambda said: 400 if said["dealer_id"] == "D-0" else 200
    with telling(history, webhook(at)) as (state, _):
        find(history, found(2), found(3), found(5, "UNDERPAID", -5_00))
        at.await_taken(2)
        assert "is refused: 400" in state.snapshot().problems[0].message
        at.answer = lambda said: 200
        at.await_taken(3)
        wait_until(lambda: state.snapshot().problems == (), "all is well")
    assert at.twice() == []


def test_one_that_breaks_the_receiver_holds_up_no_other(history: History, at: Receiving) -> None:
    at.answer = lambda said: 500 if said["dealer_id"] == "D-0" else 200
    with telling(history, webhook(at)):
        find(history, found(2), found(3), found(5, "UNDERPAID", -5_00))
        at.await_taken(2)
        at.answer = lambda said: 200
        at.await_taken(3)
    assert at.twice() == []


def test_at_most_one_is_under_way(history: History, at: Receiving) -> None:
    at.seconds = 0.1
    with telling(history, webhook(at)):
        find(history, *(found(n, code) for n in (2, 3) for code in ("OVERPAID", "WAGER_LATE")))
        at.await_taken(4)
    assert at.at_once_max == 1


def test_a_stop_breaks_off_a_receiver_that_hangs(history: History, at: Receiving) -> None:
    at.seconds = 5.0
    find(history, found(2))
    with telling(history, webhook(at)):
        wait_until(lambda: at.at_once == 1, "it is being told")
        began = time.monotonic()
    assert time.monotonic() - began < at.seconds


def test_a_stop_breaks_off_what_is_asked(
    history: History, at: Receiving, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking = threading.Event()

    def endless(outbox: AlertOutbox, _: Sequence[str]) -> list[Waiting]:
        asking.set()
        sql = "SELECT sum(a.range * b.range) FROM range(100000000) AS a, range(100000) AS b"
        return [Waiting(str(outbox._history.count(sql)), None)]

    monkeypatch.setattr(AlertOutbox, "waiting", endless)
    with telling(history, webhook(at)) as (state, _):
        asking.wait()
    assert state.snapshot().problems == ()


def test_what_waits_is_told_before_the_end(history: History, at: Receiving) -> None:
    with telling(history, webhook(at)):
        find(history, found(2))
    assert [count for _, count, _ in at.told] == [1]
