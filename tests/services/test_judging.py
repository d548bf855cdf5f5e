"""Judging as events arrive comes to what one audit of all of them comes to."""

from __future__ import annotations

import os
from collections.abc import Sequence
from random import Random

import pytest

from replay.rulebook.loader import Rulebook, load_rulebook
from services import course
from services.history.digests import events_digest, findings_digest
from services.history.store import History
from services.history.verify import problems_of
from services.judging import judge
from tests.replay.streams import Event
from tests.services.arrivals import GAMES, append, arriving, evening, held, portions, troubled
from tests.services.history.build import as_kept

SEEDS = 3
MANY_SEEDS = int(os.environ.get("PITPROOF_SEEDS", "12"))
"""How many streams of each game: some in the default run, hundreds for a soak."""


@pytest.fixture(scope="module")
def rulebook() -> Rulebook:
    return load_rulebook()


@pytest.fixture(autouse=True)
def many_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep states every other round, so that there is much to go wrong."""
    monkeypatch.setattr(course, "ROUNDS_BETWEEN", 2)


def audited(events: Sequence[Event], rulebook: Rulebook, rows: int = 200_000) -> History:
    history = History.open()
    with history.transaction():
        judge(history, rulebook, append(history, events).changed(), rows=rows)
    return history


def live(cut: Sequence[Sequence[Event]], rulebook: Rulebook, rows: int = 200_000) -> History:
    history = as_kept()
    for events in cut:
        with history.transaction():
            judge(history, rulebook, append(history, events).changed(), rows=rows)
    return history


def same(one: History, other: History) -> None:
    expected, found = held(one), held(other)
    for name, rows in expected.items():
        assert [r for r in found[name] if r not in rows] == [], name
        assert [r for r in rows if r not in found[name]] == [], name
    assert events_digest(one) == events_digest(other)
    assert findings_digest(one) == findings_digest(other)


def folded(history: History) -> None:
    """The last change of each finding gives the findings there are."""
    last = history.rows(
        "SELECT * EXCLUDE (change_no, transaction_no, change, change_id) FROM finding_changes "
        "QUALIFY change_no = max(change_no) OVER (PARTITION BY finding_id) "
        "AND change <> 'WITHDRAWN' ORDER BY finding_id"
    )
    assert last == history.rows("SELECT * FROM findings ORDER BY finding_id")
    numbers = history.rows("SELECT change_no, change_id FROM finding_changes ORDER BY 1")
    assert [number for number, _ in numbers] == list(range(1, len(numbers) + 1))
    assert len({change_id for _, change_id in numbers}) == len(numbers)


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("game", GAMES)
def test_any_cut_of_a_bulk_audit_is_the_same(game: str, seed: int, rulebook: Rulebook) -> None:
    events = troubled(evening(game, seed, 5), Random(seed))
    with audited(events, rulebook) as whole, audited(events, rulebook, rows=9) as cut:
        same(whole, cut)


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("game", GAMES)
def test_any_arrival_comes_to_the_same(game: str, seed: int, rulebook: Rulebook) -> None:
    arrives(evening(game, seed, 3), seed, (30, 100), rulebook)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(MANY_SEEDS))
@pytest.mark.parametrize("game", GAMES)
def test_many_arrivals_come_to_the_same(game: str, seed: int, rulebook: Rulebook) -> None:
    arrives(evening(game, seed, 5), seed, (5, 40, 200), rulebook)


def arrives(events: list[Event], seed: int, most: Sequence[int], rulebook: Rulebook) -> None:
    random = Random(seed)
    if seed % 3:
        events = troubled(events, random)
    came = arriving(events, random, random.choice((0.02, 0.1, 0.5)))
    cut = portions(came, random, random.choice(most))
    with audited(came, rulebook) as whole, live(cut, rulebook) as lived:
        same(whole, lived)
        folded(lived)
        assert not list(problems_of(lived))


@pytest.mark.parametrize("game", GAMES)
def test_in_order_nothing_is_taken_back_without_a_cause(game: str, rulebook: Rulebook) -> None:
    """Only a correction, and pays that come to fit the posted paytable, change what was said."""
    random = Random(0)
    corrections = ("CardCorrected", "PayoutCorrected")
    events = [
        {**event, "seq": seq}
        for seq, event in enumerate(
            (e for e in evening(game, 0, 5) if e["type"] not in corrections), start=1
        )
    ]
    with live(portions(events, random, 60), rulebook) as history:
        taken_back = history.rows(
            "SELECT code::VARCHAR, change::VARCHAR, message FROM finding_changes "
            "WHERE change <> 'RAISED' AND code <> 'PAYTABLE_MISMATCH'"
        )
        assert taken_back == []
