"""Gaps are released by name, and a history can be seen as it was known at any time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from replay.rulebook.loader import Rulebook, load_rulebook
from services.errors import BadArgumentError
from services.gaps import open_gaps, release_gap
from services.history.digests import events_digest, findings_digest
from services.history.errors import NoSuchGapError
from services.history.store import History
from services.history.verify import problems_of
from services.judging import judge
from services.known import as_known_at
from services.report.gather import Scope, gather
from tests.services.arrivals import append, arriving, evening, held, portions, troubled
from tests.services.history.build import as_kept

FIRST = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def rulebook() -> Rulebook:
    return load_rulebook()


def grown(rulebook: Rulebook, cut: list[list[dict[str, object]]]) -> History:
    history = as_kept()
    for number, events in enumerate(cut):
        with history.transaction(at=FIRST + timedelta(minutes=number)):
            judge(history, rulebook, append(history, events).changed())
    return history


@pytest.mark.parametrize("game", ["RT", "TS"])
def test_as_known_at_is_an_audit_of_what_had_come(game: str, rulebook: Rulebook) -> None:
    random = Random(7)
    came = arriving(troubled(evening(game, 3, 5), random), random, 0.1)
    cut = [list(part) for part in portions(came, random, 60)]
    with grown(rulebook, cut) as history:
        now = gather(history, Scope())
        for number in (1, len(cut) // 2):
            with grown(rulebook, cut[:number]) as then:
                expected, report = held(then), gather(then, Scope())
                digests = events_digest(then), findings_digest(then)
            time = FIRST + timedelta(minutes=number - 1, seconds=30)
            with as_known_at(history, rulebook, time) as known:
                assert held(known) == expected
                assert gather(known, Scope()) == report
                assert (events_digest(known), findings_digest(known)) == digests
        with as_known_at(history, rulebook, FIRST - timedelta(days=1)) as known:
            assert gather(known, Scope()).summary.events == 0
        assert gather(history, Scope()) == now
        assert not list(problems_of(history))


def test_a_released_gap_holds_no_round(rulebook: Rulebook) -> None:
    events = evening("RT", 4, 4, openings=1)
    [*_, middle] = [e["seq"] for e in events if e["type"] == "WagerPlaced"][:9]
    missing = [event for event in events if event["seq"] != middle]
    with grown(rulebook, [missing]) as history:
        before = events_digest(history)
        [gap] = open_gaps(history)
        assert (gap.first_missing_seq, gap.last_missing_seq) == (middle, middle)
        assert len(gap.rounds) == 1
        with pytest.raises(NoSuchGapError, match="not in a gap"):
            release_gap(history, rulebook, "RT-01", middle + 1, by="Ann", why="lost for good")
        with pytest.raises(BadArgumentError, match="--why"):
            release_gap(history, rulebook, "RT-01", middle, by="Ann", why=" ")
        release_gap(history, rulebook, "RT-01", middle, by="Ann", why="lost for good")
        assert open_gaps(history) == []
        status = "SELECT count(*) FROM rounds WHERE status = 'HELD'"
        assert history.count(status) == 0
        code = "SELECT count(*) FROM findings WHERE code = 'SEQUENCE_GAP'"
        assert history.count(code) == 1
        assert events_digest(history) != before
        with as_known_at(history, rulebook, FIRST + timedelta(seconds=1)) as known:
            assert known.count(status) == 1
            assert events_digest(known) == before
        assert not list(problems_of(history))
